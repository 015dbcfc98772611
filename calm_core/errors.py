"""Errors a user can cause and can mend.

Pages and the command line show these as one sentence; anything else is a bug and is left to surface.
"""

import errno
from collections.abc import Iterable
from enum import Enum
from typing import Any


class Toward(Enum):
    """A remedy that is a direction: some smaller value will do."""

    LESS = "less"


class UserError(ValueError):
    """A request that cannot be served, said in one plain sentence: what, where, what to do.

    Parameters
    ----------
    message : str
        The sentence.
    remedies : iterable of (str, value)
        What the sentence advises, least change first: the name of a setting and the value it may have
        instead, or the direction (`Toward`) where the value depends on more than was refused. Each
        alone shall do, and a program that offers them tries them first.

    Examples
    --------
    >>> UserError("k (5) must be at most 4", remedies=[("k", 4)]).remedies
    (('k', 4),)
    """

    def __init__(self, message: str = "", *, remedies: Iterable[tuple[str, Any]] = ()):
        super().__init__(message)
        self.remedies = tuple(remedies)


class InputError(UserError):
    """A value is wrong in itself, for instance epsilon = 0 or an attribute that does not exist."""


class InfeasibleError(UserError):
    """The request is sound but too large; the message names the size and what would fit."""


class LowMemoryError(InfeasibleError):
    """Too little memory for what was asked; who shows it adds by which names the remedies go there."""


class DataError(InputError):
    """A file or table that cannot become a data set; the message says what, where and what to do."""


class TooLargeError(DataError):
    """A file beyond what may be read, however it is read: nothing is gained by keeping it."""


def lacks_memory(error: BaseException) -> bool:
    """Whether an error, or one that led to it, says that memory ran out, however it is typed.

    Some say only in words what the system said: Arrow about maps, Python about threads, the loader
    about libraries that are first needed where memory is short.

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
