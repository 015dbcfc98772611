"""Command line, one module a group of commands. Errors are one line on stderr, exit status 2."""

import sys
from io import TextIOWrapper

from calm_core.runtime.startup import exit_on_low_memory

with exit_on_low_memory():
    import typer

    from calm_core.cli import collection, experiments, release, schemas
    from calm_core.cli.loading import print_notes
    from calm_core.errors import LowMemoryError, UserError, lacks_memory
    from calm_core.io.atomic_files import DISK_FULL, REMEDIES
    from calm_core.runtime.processes import StopRequested, interruptible
    from calm_core.runtime.temp_dirs import remove_stale

LESS = (
    "use fewer columns (--columns, --d), fewer values (--max-values), fewer people (--n) or a smaller "
    "k, stream the file where the command can (--stream)"
)
# Commands whose plan or state fixes all of that have remedies of their own.
LESS_OF = {
    "collect": "make more and smaller files (--partitions), use fewer worker processes (--jobs)",
    "aggregate": "use fewer worker processes (--jobs)",
    "merge": "merge fewer states at a time",
    "answer": "ask for fewer attributes (--attrs), take --method calm",
}
app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Release marginals under local differential privacy (CALM and its rivals).",
)
for command in (
    schemas.schema, release.plan, release.release, collection.client, collection.collect,
    collection.aggregate, collection.merge, collection.answer, experiments.compare,
):  # fmt: skip
    app.command()(command)
app.command(cls=experiments.ListsFigures)(experiments.reproduce)
app.command()(experiments.calibrate)


def format_usage_error(error: typer.TyperException) -> str:
    """A wrong call of the command line in one line: what is wrong, and where to look."""
    return " ".join(error.format_message().split()).rstrip(".") + "; see --help"


def main() -> None:
    """Entry point: what the user can mend is one line on stderr and exit status 2."""
    remove_stale()
    if isinstance(sys.stdout, TextIOWrapper):
        # What the terminal cannot write is escaped, as on stderr: a name must not cost the results.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with interruptible():
            status = app(standalone_mode=False, prog_name="python -m calm_core")
    except StopRequested as stop:
        print(f"interrupted; {stop.outcome}", file=sys.stderr)
        status = stop.status
    except typer.Abort:
        status = 130
    except typer.TyperException as error:
        print(format_usage_error(error), file=sys.stderr)
        status = 2
    except LowMemoryError as error:
        print_notes([f"{error} (--columns, --d; --max-values; --k)"])
        status = 2
    except UserError as error:
        print_notes([str(error)])
        status = 2
    except FileNotFoundError as error:
        print_notes([f"{error.filename}: no such file; check the path"])
        status = 2
    except Exception as error:
        if isinstance(error, OSError) and error.errno in DISK_FULL:
            # What a library keeps for itself, such as compiled code, is written in no `explain_os_errors`.
            told = f"{error.filename or 'a file'} cannot be written: {REMEDIES[error.errno]}"
        elif lacks_memory(error):
            less = LESS_OF.get(sys.argv[1], LESS)
            told = f"this needs more memory than there is; {less}, or free some memory"
        else:
            raise
        print_notes([told])
        status = 2
    sys.exit(status or 0)
