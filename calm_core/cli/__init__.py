"""Command line, one module a group of commands. Errors are one line on stderr, exit status 2."""

import sys
from io import TextIOWrapper

from calm_core.starting import told_by_command_line

with told_by_command_line():
    import typer

    from calm_core.cli import deploying, experiments, release, schemas
    from calm_core.errors import NoRoomError, UserError, lacks_memory
    from calm_core.files import FULL, REMEDIES
    from calm_core.processes import Interrupted, interruptible
    from calm_core.scratch import sweep

NO_ROOM = (
    "this needs more memory than there is; use fewer columns (--columns, --d), fewer values "
    "(--max-values), fewer people (--n) or a smaller k, stream the file where the command can "
    "(--stream), or free some memory"
)
app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Release marginals under local differential privacy (CALM and its rivals).",
)
for command in (
    schemas.schema, release.plan, release.release, deploying.client, deploying.collect,
    deploying.aggregate, deploying.merge, deploying.answer, experiments.compare,
):  # fmt: skip
    app.command()(command)
app.command(cls=experiments.ListsFigures)(experiments.reproduce)
app.command()(experiments.calibrate)


def say(error: typer.TyperException) -> str:
    """A wrong call of the command line in one line: what is wrong, and where to look."""
    return " ".join(error.format_message().split()).rstrip(".") + "; see --help"


def main() -> None:
    """Entry point: what the user can mend is one line on stderr and exit status 2."""
    sweep()
    if isinstance(sys.stdout, TextIOWrapper):
        # What the terminal cannot write is escaped, as on stderr: a name must not cost the results.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with interruptible():
            status = app(standalone_mode=False, prog_name="python -m calm_core")
    except Interrupted as stop:
        print(f"interrupted; {stop.told}", file=sys.stderr)
        status = stop.status
    except typer.Abort:
        status = 130
    except typer.TyperException as error:
        print(say(error), file=sys.stderr)
        status = 2
    except NoRoomError as error:
        print(f"{error} (--columns, --d; --max-values; --k)", file=sys.stderr)
        status = 2
    except UserError as error:
        print(error, file=sys.stderr)
        status = 2
    except FileNotFoundError as error:
        print(f"{error.filename}: no such file; check the path", file=sys.stderr)
        status = 2
    except Exception as error:
        if isinstance(error, OSError) and error.errno in FULL:
            # What a library keeps for itself, such as compiled code, is written in no `told`.
            told = f"{error.filename or 'a file'} cannot be written: {REMEDIES[error.errno]}"
        elif lacks_memory(error):
            told = NO_ROOM
        else:
            raise
        print(told, file=sys.stderr)
        status = 2
    sys.exit(status or 0)
