"""The first lines of a program: what it prints where memory is too short to load its libraries.

Only the standard library is imported, since whatever else is imported may be what fails.
"""

import importlib.util
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from calm_core.errors import lacks_memory

LOW_MEMORY_MESSAGE = (
    "there is too little memory to load the program; allow it more (ulimit -v, the job's or the "
    "container's limit) or free some"
)
# Less address space than the libraries need on any machine: with too little they may not raise an error but crash,
# misbehave or hang.
MIN_ADDRESS_SPACE = 512 << 20


@contextmanager
def exit_on_low_memory() -> Generator[None]:
    """Around imports: on the command line, a lack of memory becomes one line and exit status 2, Ctrl-C one with 130.

    Elsewhere the error is raised as it is, for whoever imports the library to handle.

    Examples
    --------
    >>> with exit_on_low_memory():
    ...     import json
    """
    if _is_command_line() and 0 <= _address_space_limit() < MIN_ADDRESS_SPACE:
        _exit()
    try:
        yield
    except KeyboardInterrupt:
        if not _is_command_line():
            raise
        print("interrupted; nothing was written", file=sys.stderr)
        sys.exit(130)
    except Exception as error:
        if not (_is_command_line() and lacks_memory(error)):
            raise
        _exit()


def _exit() -> NoReturn:
    print(LOW_MEMORY_MESSAGE, file=sys.stderr)
    sys.exit(2)


def _address_space_limit() -> int:
    """How many bytes of address space the process may have; negative without a limit."""
    if importlib.util.find_spec("resource") is None:
        return -1
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return -1 if soft == resource.RLIM_INFINITY else soft


def _is_command_line() -> bool:
    """Whether this process was started as `python -m calm_core` or `calm-lab`."""
    program = Path(sys.argv[0] if sys.argv else "")
    # While Python loads the package, argv[0] is "-m"; afterwards it is the file.
    is_loading = program == Path("-m") and "calm_core" in sys.orig_argv
    return (
        is_loading
        or program == Path(__file__).resolve().parents[1] / "__main__.py"
        or program.stem == "calm-lab"
    )
