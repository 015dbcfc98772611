"""The store of this process: opened when it is first asked for, for phones and teachers alike."""

from functools import cache

from calm_core.classroom.store import Store


@cache
def store() -> Store:
    """The one store; where its file cannot be written it is a temporary one, and says so.

    Raises
    ------
    DataError
        If the file is of a newer version of the program; it is left untouched.
    """
    return Store()
