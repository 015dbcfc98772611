"""Errors that a user can cause and fix.

Pages and the command line show these as one sentence; any other exception is a bug.
"""

import errno
from collections.abc import Iterable
from enum import Enum
from typing import Any


class Toward(Enum):
    """A remedy that is a direction rather than a value."""

    LESS = "less"


class UserError(ValueError):
    """A request that cannot be served; the message is one sentence with the remedy.

    Parameters
    ----------
    message : str
        The sentence.
    remedies : iterable of (str, value)
        Alternative fixes, smallest change first: the name of a setting with its new value, or with a
        direction (`Toward`) where the value depends on more than what was refused. Each should be enough
        on its own; a program that offers them tries them first.

    Examples
    --------
    >>> UserError("k (5) must be at most 4", remedies=[("k", 4)]).remedies
    (('k', 4),)
    """

    def __init__(self, message: str = "", *, remedies: Iterable[tuple[str, Any]] = ()):
        super().__init__(message)
        self.remedies = tuple(remedies)


class InputError(UserError):
    """An invalid value, for instance epsilon = 0 or an unknown attribute."""


class InfeasibleError(UserError):
    """A valid request that is too large; the message has the size and the limit."""


class LowMemoryError(InfeasibleError):
    """Not enough memory; callers that show it may rename the remedies."""


class DataError(InputError):
    """A file or table that cannot be read as a data set."""


class TooLargeError(DataError):
    """A file above the size limit, however it is read."""


def lacks_memory(error: BaseException) -> bool:
    """Whether an error or one of its causes means that memory ran out, whatever its type.

    Some libraries have the reason only in the message: Arrow for memory maps, Python for threads, the
    dynamic loader for libraries.

    Examples
    --------
    >>> lacks_memory(MemoryError()), lacks_memory(OSError(errno.ENOMEM, "x")), lacks_memory(OSError())
    (True, True, False)
    """
    if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
        return True
    words = (
        "cannot allocate memory",
        "out of memory",
        "can't start new thread",
        "failed to map segment",
    )
    if any(said in str(error).lower() for said in words):
        return not isinstance(error, UserError)
    before = error.__cause__ or error.__context__
    return before is not None and lacks_memory(before)
