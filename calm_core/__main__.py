"""The command line, by `calm-lab` or `python -m calm_core`; its libraries are loaded here, where memory may be too short.

Only the standard library is imported before, since whatever else is imported may be what fails.
"""

import importlib.util
import sys
from typing import NoReturn

from calm_core.errors import lacks_memory

LOW_MEMORY = (
    "there is too little memory to load the program; allow it more (ulimit -v, the job's or the "
    "container's limit) or free some"
)
# Less address space than the libraries need on any machine: with too little they may not raise an error but crash,
# misbehave or hang.
MIN_ADDRESS_SPACE = 512 << 20


def main() -> None:
    """Load and run the command line; a lack of memory is one line and exit status 2, Ctrl-C one with 130."""
    if importlib.util.find_spec("resource") is not None:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if resource.RLIM_INFINITY != limit < MIN_ADDRESS_SPACE:
            _exit(LOW_MEMORY, 2)
    try:
        from calm_core.cli import main as run_command
    except KeyboardInterrupt:
        _exit("interrupted; nothing was written", 130)
    except Exception as error:
        if not lacks_memory(error):
            raise
        _exit(LOW_MEMORY, 2)
    run_command()


def _exit(message: str, status: int) -> NoReturn:
    print(message, file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    main()
