"""Errors a user can cause and can mend.

Pages and the command line show these as one sentence; anything else is a bug and is left to surface.
"""


class UserError(ValueError):
    """A request that cannot be served, said in one plain sentence: what, where, what to do."""


class InputError(UserError):
    """A value is wrong in itself, for instance epsilon = 0 or an attribute that does not exist."""


class InfeasibleError(UserError):
    """The request is sound but too large; the message names the size and what would fit."""


class DataError(InputError):
    """A file or table that cannot become a data set; the message says what, where and what to do."""
