"""The command line, one module per group of commands; a user's error is one line on stderr and exit status 2."""

import sys
from io import TextIOWrapper
from pathlib import Path

import typer

from calm_core.cli import (
    asking,
    attacking,
    auditing,
    collection,
    designing,
    doctor,
    experiments,
    grading,
    loading,
    release,
    serving,
)
from calm_core.cli.output import print_notes
from calm_core.errors import LowMemoryError, UserError, lacks_memory
from calm_core.io.atomic_files import DISK_FULL, describe_os_error
from calm_core.runtime.processes import StopRequested, interruptible
from calm_core.runtime.temp_dirs import remove_stale

LOW_MEMORY = (
    "this needs more memory than there is; use fewer columns, values, people, tables or worker processes, "
    "stream the file if the command can (--stream), or free some memory"
)
app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Release marginals under local differential privacy (CALM and its rivals).",
)
for command in (
    loading.schema, release.plan, designing.design, release.release, collection.client, collection.collect,
    collection.aggregate, collection.merge, collection.answer, asking.ask, asking.microdata, asking.card,
    attacking.attack, auditing.audit, grading.grade,
    experiments.compare, experiments.reproduce, experiments.calibrate,
):  # fmt: skip
    app.command()(command)
app.command("app")(serving.start_app)
app.command()(serving.serve)
app.command()(doctor.doctor)


def main() -> None:
    """Entry point: an error that the user can correct is one line on stderr and exit status 2."""
    remove_stale()
    if isinstance(sys.stdout, TextIOWrapper):
        # As on stderr: the results must not be lost for a name that the terminal cannot write.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with interruptible():
            # What is typed, which completion in a shell goes by.
            typed = "calm-lab" if Path(sys.argv[0]).stem == "calm-lab" else "python -m calm_core"
            status = app(standalone_mode=False, prog_name=typed)
    except StopRequested as stop:
        print(f"interrupted; {stop.outcome}", file=sys.stderr)
        status = stop.status
    except typer.Abort:
        status = 130
    except Exception as error:
        message = _explain(error)
        if message is None:
            raise
        print_notes([message])
        status = 2
    sys.exit(status or 0)


def _explain(error: Exception) -> str | None:
    """The line that says what the user can correct; None for an error of the program."""
    match error:
        case typer.TyperException():
            return " ".join(error.format_message().split()).rstrip(".") + "; see --help"
        case LowMemoryError():
            return f"{error} (--columns, --d; --max-values; --k)"
        case UserError():
            return str(error)
        case FileNotFoundError():
            return f"{error.filename}: no such file; check the path"
        case OSError() if error.errno in DISK_FULL:
            # Such as the cache of compiled code, which a library writes.
            return f"{error.filename or 'a file'} cannot be written: {describe_os_error(error)}"
    return LOW_MEMORY if lacks_memory(error) else None
