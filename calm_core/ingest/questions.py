"""What a column asks and offers: questions where its texts leave a doubt, and proposals to take or leave."""

import json
from dataclasses import dataclass

from calm_core.errors import InputError

ABOUT = ("decimal", "date order")
PROPOSED = ("missing", "merge", "names", "coarser")


@dataclass(frozen=True)
class Choice:
    """One answer to a question.

    Attributes
    ----------
    text : str
        What it says, such as "1,234 is one thousand and some".
    changes : str
        The fields of the column that this answer decides, as JSON.
    """

    text: str
    changes: str

    def __post_init__(self):
        if not isinstance(self.fields(), dict):
            raise InputError(f"changes ({self.changes:.60}) must be fields of a column")

    def fields(self) -> dict:
        """The fields of the column that this answer decides."""
        try:
            return json.loads(self.changes)
        except (ValueError, RecursionError) as error:
            raise InputError(f"changes ({self.changes:.60}) must be JSON") from error


@dataclass(frozen=True)
class Question:
    """What the texts of a column do not say by themselves.

    Attributes
    ----------
    about : str
        "decimal" (what 1.234 is) or "date order" (what 01/05/2013 is).
    choices : tuple of Choice
        At least two.
    taken : Choice
        The one by which the column is read until somebody answers.
    sentence : str
        The question, with an example and what is supposed for now.
    """

    about: str
    choices: tuple[Choice, ...]
    taken: Choice
    sentence: str

    def __post_init__(self):
        object.__setattr__(self, "choices", tuple(self.choices))
        if self.about not in ABOUT:
            raise InputError(f"about ({self.about:.40}) must be one of {', '.join(ABOUT)}")
        if len(self.choices) < 2 or self.taken not in self.choices:
            raise InputError("choices must be at least two, the one taken among them")


@dataclass(frozen=True)
class Proposal:
    """A change that may be right, and is made only when it is accepted.

    Attributes
    ----------
    what : str
        "missing" (count texts as empty cells), "merge" (texts become one value), "names" (call
        the two values something) or "coarser" (fewer values).
    texts : tuple of str
        The texts it is about.
    into : str
        The value they become; "" where that is not a value.
    count : int
        Rows that hold one of the texts.
    sentence : str
        The proposal in one sentence.
    changes : str
        The fields of the column that it decides, as JSON, where they cannot be had from the column.
    """

    what: str
    texts: tuple[str, ...]
    into: str
    count: int
    sentence: str
    changes: str = ""

    def __post_init__(self):
        object.__setattr__(self, "texts", tuple(self.texts))
        if self.what not in PROPOSED:
            raise InputError(f"what ({self.what:.40}) must be one of {', '.join(PROPOSED)}")
        if self.changes:
            Choice("", self.changes)

    @property
    def key(self) -> str:
        """What it is known by when it was declined."""
        return "\x1f".join((self.what, *self.texts))
