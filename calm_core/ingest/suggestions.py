"""Questions about a column, and proposals to change it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from calm_core._checks import check_choice
from calm_core.errors import InputError
from calm_core.ingest.values.amounts import parse_amounts
from calm_core.ingest.values.dates import ORDERS
from calm_core.ingest.values.variants import find_spellings
from calm_core.ingest.values.words import MAY_BE_VALUE, MISSING_WORDS, suspicious_codes
from calm_core.text import format_count, join_some

# What questions are about, and how a column may be read by their answers.
READS = {"decimal": (".", ","), "date order": ORDERS}
PROPOSED = ("missing", "merge")


@dataclass(frozen=True)
class Choice:
    """One answer to a question.

    Attributes
    ----------
    text : str
        What it says, such as "1,234 is one thousand and some".
    reads : str
        The decimal sign or the order of dates by which the column is read then.
    """

    text: str
    reads: str


@dataclass(frozen=True)
class Question:
    """A question that the texts of a column leave open.

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
        check_choice("about", self.about, READS)
        for choice in self.choices:
            check_choice("reads", choice.reads, READS[self.about])
        if len(self.choices) < 2 or self.taken not in self.choices:
            raise InputError("choices must be at least two, the one taken among them")


@dataclass(frozen=True)
class Proposal:
    """A change that is made only if the user accepts it.

    Attributes
    ----------
    what : str
        "missing" (count texts as empty cells) or "merge" (texts become one value).
    texts : tuple of str
        The texts it is about.
    into : str
        The value they become; "" if that is not a value.
    count : int
        Rows that hold one of the texts.
    sentence : str
        The proposal in one sentence.
    """

    what: str
    texts: tuple[str, ...]
    into: str
    count: int
    sentence: str

    def __post_init__(self):
        check_choice("what", self.what, PROPOSED)

    @property
    def key(self) -> str:
        """Identifier by which a declined proposal is known."""
        return "\x1f".join((self.what, *self.texts))


SHOWN = 4  # texts named in a sentence
OFFERING = ("yes/no", "category", "ordered", "number", "date")


def make_proposals(column) -> tuple[Proposal, ...]:
    """Proposals of a ColumnSchema that were not declined."""
    if column.kind not in OFFERING:
        return ()
    proposals = [
        *_missing_proposals(column),
        *column.codes,
        *_merge_proposals(column),
    ]
    return tuple(one for one in proposals if one.key not in column.declined)


def quote_texts(texts: Sequence[str]) -> str:
    """The first texts in quotation marks, and how many more there are.

    Examples
    --------
    >>> quote_texts(("a", "b", "c", "d", "e"))
    "'a', 'b', 'c', 'd' and 1 more"
    """
    return join_some([f"{text!r:.40}" for text in texts], SHOWN)


def needs_confirmation(proposal: Proposal) -> bool:
    """Whether it counts words as missing that may be an answer, so it must be accepted by itself.

    Examples
    --------
    >>> needs_confirmation(missing_proposal(("None",), 4)), needs_confirmation(missing_proposal(("999",), 4))
    (True, False)
    """
    words = {text.strip().casefold() for text in proposal.texts}
    return proposal.what == "missing" and bool(words & MAY_BE_VALUE)


def missing_proposal(texts: tuple[str, ...], count: int, *, unfit: str = "") -> Proposal:
    """The proposal to count texts as missing."""
    if unfit:
        sentence = (
            f"Treat these {count:,} cells that are not {unfit}s as missing: {quote_texts(texts)}."
        )
    else:
        sentence = f"Treat {quote_texts(texts)} ({format_count(count, 'row')}) as missing."
    return Proposal("missing", texts, "missing", count, sentence)


def _missing_proposals(column) -> list[Proposal]:
    listed = zip(column.values, column.counts, column.groups)
    texts = {text: count for text, count, group in listed if group != column.missing_code}
    signs = {"+", "++", "(+)", "+/-", "±"} & {*column.values}  # with these "-" means no
    proposals = [
        missing_proposal((text,), count)
        for text, count in texts.items()
        if text.strip().casefold() in MISSING_WORDS and not (signs and text.strip("-–− ") == "")
    ]
    if column.is_number and len(texts) > len(proposals):
        proposals.append(missing_proposal((*texts,), sum(texts.values()), unfit=column.kind))
    if column.kind == "ordered":
        # Listed numbers such as 99 that are far from the others.
        numbers = parse_amounts(pa.array(column.values, pa.string())).numbers
        is_number = ~np.isnan(numbers)
        counts = np.array(column.counts)
        codes = suspicious_codes(numbers[is_number], counts[is_number]) if is_number.any() else []
        far = [text for text, number in zip(column.values, numbers) if number in codes]
        proposals += [missing_proposal((text,), texts[text]) for text in far if text in texts]
    return proposals


def _merge_proposals(column) -> list[Proposal]:
    if column.is_number or len(column.values) < 2:
        return []
    group_of = dict(zip(column.values, column.groups))
    count_of = dict(zip(column.values, column.counts))
    proposals = []
    for texts, into in find_spellings(column.values, column.counts):
        if len({group_of[text] for text in texts}) == 1:
            continue
        count = sum(count_of[text] for text in texts)
        sentence = f"Merge these {len(texts)} into {into!r:.40}: {quote_texts(texts)} ({format_count(count, 'row')})."
        proposals.append(Proposal("merge", texts, into, count, sentence))
    return proposals


def joined_spellings(column) -> tuple[str, ...]:
    """The spellings of a yes/no column of which several are one value; () if none are."""
    shared = {code for code, times in Counter(column.groups).items() if times > 1}
    if column.kind != "yes/no" or column.is_number:
        return ()
    return tuple(text for text, code in zip(column.values, column.groups) if code in shared)


def spellings_note(columns: Sequence) -> str:
    """Note about the columns whose spellings of yes and no are joined; "" if there are none."""
    texts_of = {
        column.title or column.name: texts
        for column in columns
        if (texts := joined_spellings(column))
    }
    named = [f"{len(texts)} in {name!r:.60}" for name, texts in texts_of.items()]
    return f"Spellings of yes and no are joined: {join_some(named, SHOWN)}." if named else ""
