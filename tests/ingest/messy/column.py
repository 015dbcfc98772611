"""A messy column as a spreadsheet has it, and what a careful person would make of it."""

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

Cell = tuple[str, float | str | None]


@dataclass(frozen=True)
class Messy:
    """Cells in file order, with the careful decision.

    Where more than one decision can be defended, all of them are allowed.

    Attributes
    ----------
    case, header : str
        What is messy about it, and the name of the column.
    cells : tuple of str
        As written in the file; "" is an empty cell.
    kinds : tuple of str
        Kinds that can be defended.
    numbers, dates : tuple or None
        What every cell says: floats, or ISO texts; None where it says nothing.
    alternative : tuple or None
        The other reading of an ambiguous column, which must then be asked about; of every cell
        alone where `ask` is "if read".
    scale_free : bool
        Only order and ties of `numbers` matter (hours or minutes are both right).
    unit : tuple of str
        Units that can be defended; () where none is expected or it does not matter.
    may_miss : frozenset
        Cells that may stay unread, as long as they are counted.
    sure, told, proposed, maybe, free : frozenset
        Texts to be taken as missing; to be taken or proposed; to be proposed and not taken; to be
        proposed or left alone; free.
    merges : tuple of frozenset
        Sets of texts to be proposed as one value, none of them merged unasked.
    may_merge : tuple of frozenset
        Sets of which any part may be proposed as well.
    ask : str
        Whether a question must be asked: "yes", "no", "may", or "if read" (as number or date).
    order : tuple of str
        Values of an ordered column from one end to the other.
    shown : frozenset
        Texts that must be called on screen what the file calls them.
    left_out : bool or None
        Whether the column is left out at first, None: both can be defended.
    reason : tuple of str
        Words of which the reason for leaving it out holds at least one.
    """

    case: str
    header: str
    cells: tuple[str, ...]
    kinds: tuple[str, ...]
    numbers: tuple[float | None, ...] | None = None
    dates: tuple[str | None, ...] | None = None
    alternative: tuple | None = None
    scale_free: bool = False
    unit: tuple[str, ...] = ()
    may_miss: frozenset[str] = frozenset()
    sure: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()
    proposed: frozenset[str] = frozenset()
    maybe: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()
    merges: tuple[frozenset[str], ...] = ()
    may_merge: tuple[frozenset[str], ...] = ()
    ask: str = "no"
    order: tuple[str, ...] = ()
    shown: frozenset[str] = frozenset()
    left_out: bool | None = False
    reason: tuple[str, ...] = ()

    def __post_init__(self):
        assert 20 <= len(self.cells) <= 400, f"{self.case}: {len(self.cells)} cells"
        for truth in (self.numbers, self.dates, self.alternative):
            assert truth is None or len(truth) == len(self.cells), self.case
        assert self.ask in ("yes", "no", "may", "if read")


def source(case: str) -> np.random.Generator:
    """A generator of its own for every column, the same in every run."""
    return np.random.default_rng(zlib.crc32(case.encode()))


def amounts(case: str, n: int, low: float, high: float, digits: int = 2) -> list[float]:
    """Values as of money: most are small, a few are large."""
    drawn = np.exp(source(case).uniform(np.log(low), np.log(high), n))
    return [round(float(value), digits) for value in drawn]


def whole(case: str, n: int, low: int, high: int) -> list[float]:
    """Whole numbers from low to high."""
    return [float(value) for value in source(case).integers(low, high + 1, n)]


def days(case: str, n: int, first: str, last: str, unit: str = "D") -> list[np.datetime64]:
    """Moments from first to last, not in order."""
    low, high = (np.datetime64(day, unit).astype(int) for day in (first, last))
    return [np.datetime64(int(at), unit) for at in source(case).integers(low, high + 1, n)]


def written(values: Iterable, write: Callable) -> list[Cell]:
    """Every value with the text that a person writes for it."""
    return [(write(value), _plain(value)) for value in values]


def _plain(value):
    return str(value.astype("datetime64[s]")) if isinstance(value, np.datetime64) else value


def with_cells(cells: Sequence[Cell], *more: tuple[str, float | str | None, int]) -> list[Cell]:
    """The cells with others among them: (text, what it says, how often)."""
    out = list(cells)
    for text, says, times in more:
        for i in range(times):
            out.insert((7 + 11 * i + 3 * len(text)) % (len(out) + 1), (text, says))
    return out


def drawn(case: str, n: int, counts: dict[str, float]) -> list[str]:
    """Texts by their weights; every text occurs."""
    weights = np.array(list(counts.values()), dtype=float)
    texts = source(case).choice(list(counts), size=n - len(counts), p=weights / weights.sum())
    return [*counts, *map(str, texts)]


def _sets(more: dict) -> dict:
    """Sets of texts as they are written down, made frozen."""
    for name in ("may_miss", "sure", "told", "proposed", "maybe", "free", "shown"):
        if name in more:
            more[name] = frozenset(more[name])
    for name in ("merges", "may_merge"):
        if name in more:
            more[name] = tuple(map(frozenset, more[name]))
    return more


def number(case: str, header: str, cells: Sequence[Cell], kinds=("number",), **more) -> Messy:
    """A column of numbers."""
    texts, says = zip(*cells)
    return Messy(case, header, texts, kinds, numbers=says, **_sets(more))


def date(case: str, header: str, cells: Sequence[Cell], kinds=("date",), **more) -> Messy:
    """A column of dates or moments."""
    texts, says = zip(*cells)
    return Messy(case, header, texts, kinds, dates=says, **_sets(more))


def words(case: str, header: str, texts: Sequence[str], kinds=("category",), **more) -> Messy:
    """A column of words."""
    return Messy(case, header, tuple(texts), kinds, **_sets(more))


def left_out(case: str, header: str, texts: Sequence[str], kinds, reason, **more) -> Messy:
    """A column that is left out at first, saying why."""
    more = {"left_out": True, "reason": reason, **_sets(more)}
    return Messy(case, header, tuple(texts), kinds, **more)
