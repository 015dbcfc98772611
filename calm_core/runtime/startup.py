"""The first lines of a program: what it says where memory is too short to load its libraries.

Only the standard library, since whatever else is imported may be what fails.
"""

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from calm_core.errors import lacks_memory

LOW_MEMORY_MESSAGE = (
    "there is too little memory to load the program; allow it more (ulimit -v, the job's or the "
    "container's limit) or free some"
)
# Of address space, less than the libraries need on any machine: given less than they need, they may not
# fail in words but end the process, misbehave or wait for ever.
MIN_ADDRESSES = 512 << 20


@contextmanager
def exit_on_low_memory() -> Iterator[None]:
    """Around imports: where the program is the command line, lack of memory is one line, status 2.

    Elsewhere the error stays what it is, for whoever imports the library to handle.

    Examples
    --------
    >>> with exit_on_low_memory():
    ...     import json
    """
    if _is_command_line() and 0 <= _addresses_allowed() < MIN_ADDRESSES:
        _leave()
    try:
        yield
    except Exception as error:
        if not (_is_command_line() and lacks_memory(error)):
            raise
        _leave()


def _leave() -> NoReturn:
    print(LOW_MEMORY_MESSAGE, file=sys.stderr)
    sys.exit(2)


def _addresses_allowed() -> int:
    """How much address space the process may have, below 0 where there is no limit."""
    if importlib.util.find_spec("resource") is None:
        return -1
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return -1 if soft == resource.RLIM_INFINITY else soft


def _is_command_line() -> bool:
    """Whether this process was started as `python -m calm_core` or `calm-lab`."""
    program = Path(sys.argv[0] if sys.argv else "")
    # Python says "-m" while it loads the package, and then the file it found.
    loading = program == Path("-m") and "calm_core" in sys.orig_argv
    return (
        loading
        or program == Path(__file__).resolve().parents[1] / "__main__.py"
        or program.stem == "calm-lab"
    )
