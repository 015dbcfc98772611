"""Data of the table component: names of cells, axis, largest error; and the first pair of attributes."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from statistics import NormalDist

import numpy as np

from calm_core.evaluation.metrics import classify_error, sse, typical_points
from calm_core.evaluation.run import Run
from calm_core.randomness import stream
from calm_core.runtime.cancellation import iter_cancellable
from calm_core.runtime.weak_cache import cache_per_object
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal, uniform
from calm_core.tables.population import People
from pages import words
from pages.ui import cached_calls, display
from pages.ui.components.table import Axis, Grid, Reading, Step, TableData

GHOSTS = 20
MAX_BARS, MAX_NUMBERS, RANKED, RANKED_LECTURE = 32, 16, 20, 12


def changed_attributes(domain: Domain, names: Sequence[str], told: Mapping) -> tuple[str, ...]:
    """Return the attributes of a table in domain order after the change `told` by the component.

    Of what is gone, or of the last one, nothing changes.
    """
    others = [name for name in names if name != told["name"]]
    shown = [*others, told["name"]] if told["shown"] else others
    fits = shown and told["name"] in domain.names
    return domain.canonical(shown if fits else names)


def make_table_data(
    truth: Marginal | None,
    answer: Marginal | None,
    *,
    style: str = "solid",
    mode: str = "",
    lecture: bool = False,
    spread: float = 0.0,
    order: np.ndarray | None = None,
    guess: np.ndarray | None = None,
    ghosts: np.ndarray | None = None,
    plays: np.ndarray | None = None,
    intervals: tuple[np.ndarray, np.ndarray] | None = None,
    **more,
) -> TableData:
    """Return the data of the table over the attributes of `truth` or `answer`.

    Parameters
    ----------
    truth, answer : Marginal or None
        True and released shares; one of them may be missing.
    style, mode : str
        As in `TableData`; "ranked" draws the largest cells and says what the others hold. Without a
        mode there are bars up to 32 cells, 12 in a lecture, and ranked above.
    spread : float
        Room for ghosts on the axis: the largest spread that is usual.
    order : ndarray of int, optional
        Cells in the order of a ranked table; the largest released ones first if omitted.
    guess : ndarray, optional
        A third share of every cell.
    ghosts, plays : ndarray of shape (collections, cells), optional
        As in `TableData`, for all cells in their own order.
    intervals : pair of ndarray, optional
        Lowest and highest plausible share of every cell.
    more
        Any other field of `TableData`, in place of what would be there.
    """
    known, ranked = truth or answer, answer or truth
    assert known is not None and ranked is not None  # one of the two is given
    domain = known.domain
    true, released = (None if table is None else table.values.ravel() for table in (truth, answer))
    cells = known.values.size
    drawn = range(cells)
    most = RANKED_LECTURE if lecture else MAX_BARS
    mode = mode or ("ranked" if cells > most else "bars")
    found = {"mode": mode, "attributes": _row_labels(domain), "alt": _alt(domain, true, released)}
    if mode == "ranked":
        if order is None:
            order = np.argsort(-ranked.values.ravel(), kind="stable")
        drawn = order[: RANKED_LECTURE if lecture else RANKED].tolist()
        rest = order[len(drawn) :]
        found |= {"mode": "bars", "more": _rest_text(rest, true, released), "numbers": True}
        # Only drawn cells get names.
        full, labels, groups = [_cell_name_at(domain, cell) for cell in drawn], (), ()
    else:
        full, labels, groups = cell_names(domain, pale=style == "pale")
        found["numbers"] = style == "solid" and cells <= MAX_NUMBERS
    if mode == "grid":
        found["grid"] = make_grid(domain)
    if mode in ("bars", "ranked"):
        found["levels"] = _levels(domain, drawn) if domain.d > 1 else ()
    if true is not None and released is not None and style == "solid":
        found["worst"] = int(np.argmax(np.abs(released - true)[list(drawn)]))
    return TableData(
        **{
            "cells": tuple(full),
            "true": None if true is None else tuple(true[i] for i in drawn),
            "released": None if released is None else tuple(released[i] for i in drawn),
            "labels": tuple(labels),
            "groups": groups,
            "axis": make_axis(true, released, guess, *(intervals or ())[1:], spread=spread),
            "ghosts": None if ghosts is None else _drawn_cells(ghosts, drawn),
            "plays": () if plays is None else _drawn_cells(plays, drawn),
            "guess": () if guess is None else tuple(guess.ravel()[list(drawn)].tolist()),
            "low": () if intervals is None else tuple(intervals[0][list(drawn)].tolist()),
            "high": () if intervals is None else tuple(intervals[1][list(drawn)].tolist()),
            "style": style,
            "lecture": lecture,
        }
        | found
        | more
    )


def _drawn_cells(collections: np.ndarray, drawn: Sequence[int]) -> tuple[tuple[float, ...], ...]:
    """Return the cells drawn, one row per collection."""
    return tuple(map(tuple, np.asarray(collections)[:, list(drawn)].round(5).tolist()))


def cell_names(
    domain: Domain, *, pale: bool = False
) -> tuple[list[str], list[str], tuple[tuple[str, int], ...]]:
    """Return long and short names of all cells, and the groups of the first attribute.

    Examples
    --------
    >>> people = Domain(("sex", "smoked"), (2, 2), (("man", "woman"), ("0", "1")))
    >>> cell_names(people)[0]
    ['man, smoked: no', 'man, smoked: yes', 'woman, smoked: no', 'woman, smoked: yes']
    >>> drugs = Domain(("drank", "smoked"), (2, 2), (("0", "1"), ("0", "1")))
    >>> cell_names(drugs, pale=True)[1]
    ['Neither', 'Smoked only', 'Drank only', 'Both']
    """
    every = range(domain.d)
    codes = list(iter_cancellable(product(*map(range, domain.sizes))))
    full = [cell_name(domain, every, code) for code in iter_cancellable(codes)]
    grouped = domain.d > 1 and len(codes) > 4
    inner = every[1:] if grouped else every
    labels = [cell_name(domain, inner, code, only=pale) for code in iter_cancellable(codes)]
    groups = ()
    if grouped:
        size = len(codes) // domain.sizes[0]
        groups = tuple((cell_name(domain, every[:1], (v,)), size) for v in range(domain.sizes[0]))
    return full, [_capitalize(label) for label in labels] if pale else labels, groups


def cell_name(
    domain: Domain,
    at: Sequence[int],
    code: Sequence[int] | Mapping[int, int],
    *,
    only: bool = False,
) -> str:
    """Return the name of a cell by the attributes at these positions: "woman, drank"."""
    titles, shown = display.short_titles(domain), _value_labels(domain)
    asked = [i for i in at if shown[i] == display.YES_NO]
    whose = {i: f"{titles[i]}: " for i in _ambiguous_attributes(domain)}
    parts = [whose.get(i, "") + shown[i][code[i]] for i in at if i not in asked]
    if len(asked) == 1:
        value = shown[asked[0]][code[asked[0]]]
        parts.append(value if domain.d == 1 else f"{titles[asked[0]]}: {value}")
    elif asked:
        said = [titles[i] for i in asked if code[i]]
        text = words.marginals.yes_text(said, len(asked))
        parts.append(f"{text} only" if only and 0 < len(said) < len(asked) else text)
    return ", ".join(parts)


@cache_per_object
def _value_labels(domain: Domain) -> tuple[tuple[str, ...], ...]:
    """Return the value labels of every attribute, cached because every cell needs them."""
    return tuple(display.value_labels(domain, name) for name in domain.names)


@cache_per_object
def _ambiguous_attributes(domain: Domain) -> frozenset[int]:
    """Return the attributes that share a value label, such as "low", with another."""
    shown = _value_labels(domain)
    count = Counter(text for values in shown for text in set(values))
    return frozenset(
        i
        for i, values in enumerate(shown)
        if values != display.YES_NO and any(count[text] > 1 for text in values)
    )


def _cell_name_at(domain: Domain, cell: int) -> str:
    """Return the name of one cell by its index."""
    return cell_name(domain, range(domain.d), _cell_code(domain, cell))


def _cell_code(domain: Domain, cell: int) -> tuple[int, ...]:
    return tuple(map(int, np.unravel_index(cell, domain.sizes)))


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


def _row_labels(domain: Domain) -> tuple[str, ...]:
    """Return the labels of the rows of the matrix: of two values the second, which has the dot.

    A file's own column is named too, where a sample's values say of what they are.
    """
    titles, shown, alike = (
        display.short_titles(domain),
        _value_labels(domain),
        _ambiguous_attributes(domain),
    )

    def called(i: int) -> str:
        if domain.sizes[i] != 2 or shown[i] == display.YES_NO:
            return titles[i]
        second = shown[i][1]
        return f"{titles[i]}: {second}" if i in alike or titles[i] == domain.names[i] else second

    return tuple(map(called, range(domain.d)))


def _levels(domain: Domain, drawn: Sequence[int]) -> tuple[tuple[bool | str, ...], ...]:
    """Return the values of the cells drawn: a dot or none for two values, else a short name."""
    values = [display.value_labels(domain, name, 12) for name in domain.names]
    return tuple(
        tuple(bool(c) if len(shown) == 2 else shown[c] for c, shown in zip(code, values))
        for code in (_cell_code(domain, cell) for cell in drawn)
    )


def make_grid(domain: Domain) -> Grid:
    """Return rows over the first half of the attributes and columns over the others."""
    half = math.ceil(domain.d / 2)

    def named(at: range) -> tuple[str, ...]:
        sizes = [domain.sizes[i] for i in at]
        codes = (dict(zip(at, code)) for code in product(*map(range, sizes)))
        return tuple(cell_name(domain, at, code) for code in codes)

    return Grid(named(range(half)), named(range(half, domain.d)) or ("",))


def _rest_text(rest: np.ndarray, true, released) -> tuple[str, ...]:
    if not rest.size:
        return ()
    sums = [None if shares is None else float(shares[rest].sum()) for shares in (true, released)]
    return words.marginals.rest_texts(rest.size, *sums)


def make_axis(true, *others, spread: float = 0.0) -> Axis:
    """Return an axis from 0 with lines at each 5, 10 or 20%, as high as any share given.

    `spread` makes room for most ghosts above the true shares.

    Examples
    --------
    >>> make_axis([0.43, 0.06], [0.44, 0.07], spread=0.085)
    Axis(top=0.6, tick=0.1, bottom=0.0)
    >>> make_axis([0.2], [0.26])
    Axis(top=0.3, tick=0.1, bottom=0.0)
    """
    highest = max(
        (float(np.max(shares)) for shares in (true, *others) if shares is not None), default=1.0
    )
    if true is not None:
        highest = max(highest, float(np.max(true)) + 2 * spread)
    highest = min(1.0, max(highest, 0.02))
    tick = 0.05 if highest <= 0.15 else 0.1 if highest <= 0.7 else 0.2
    return Axis(round(math.ceil(round(highest / (tick / 2), 6)) * tick / 2, 3), tick)


@lru_cache(maxsize=64)
def ghost_errors(cells: int) -> tuple[tuple[float, ...], ...]:
    """Return standardized errors of 20 imagined collections, always the same, one row each.

    >>> len(ghost_errors(3)), len(ghost_errors(3)[0])
    (20, 3)
    """
    normal = np.array([NormalDist().inv_cdf((i + 0.5) / GHOSTS) for i in range(GHOSTS)])
    normal /= normal.std()
    columns = [stream(0, "ghosts", cell).permutation(normal) for cell in range(cells)]
    return tuple(map(tuple, np.round(np.array(columns).T, 4).tolist()))


def _alt(domain: Domain, true, released) -> str:
    if true is None or released is None:
        return words.marginals.shares_text(math.prod(domain.sizes), true is None)
    worst = int(np.argmax(np.abs(released - true)))
    return words.marginals.finding_text(
        true.size, _cell_name_at(domain, worst), true[worst], released[worst]
    )


def guess_points(truth: Marginal) -> float:
    """Return the typical error of the equal-shares guess, in points."""
    nothing = uniform(truth.domain, truth.attrs)
    return typical_points([sse(truth, nothing)], truth.values.size)


def example_share(released: np.ndarray) -> float:
    """Return the released share used in examples: the one nearest 12%."""
    return float(min(np.ravel(released), key=lambda share: abs(share - 0.12)))


def make_reading(
    error: float, guess: float, share: float | None, *, predicted: bool = False
) -> Reading:
    """Return what a table with this typical error is good for; `share` is one of its shares."""
    kind = classify_error(error, guess)
    points = (
        words.numbers.approximate_points(error)
        if predicted
        else words.numbers.points(error, unit=False)
    )
    sentence = words.numbers.band_sentence(kind, error, share, guess)
    return Reading(
        points, kind.value, words.numbers.BAND_WORDS[kind], words.numbers.BAND_SIGNS[kind], sentence
    )


def measured_reading(truth: Marginal, answer: Marginal) -> Reading:
    """Return the reading of the measured error of a table."""
    error = typical_points([sse(truth, answer)], truth.values.size)
    return make_reading(error, guess_points(truth), example_share(answer.values))


def make_step(epsilon: float, error: float, guess: float, share: float, *, predicted: bool) -> Step:
    """Return what is known of the table for one epsilon."""
    found = make_reading(error, guess, share, predicted=predicted)
    said = f"{found.points} {found.unit}"
    return Step(
        **vars(found),
        epsilon=f"{epsilon:g}",
        spread=error / 100,
        words=words.settings.slider_texts(epsilon),
        spoken=words.marginals.step_spoken(epsilon, said),
    )


# Attributes considered for the first pair.
MAX_ATTRIBUTES = 12
# Minimal error of equal shares, in points, for an informative table.
MIN_GUESS_ERROR = 10


def get_first_pair(settings: Settings, outcome: Run) -> tuple[str, str]:
    """Return the first pair of attributes of the people who took part, cached."""
    key = (*cached_calls.data_key(settings), outcome.n, settings.seed if settings.n else 0)
    return cached_calls.get_result("first pair", key, lambda: find_first_pair(outcome.dataset))


def find_first_pair(dataset: People) -> tuple[str, str]:
    """Return the two attributes shown first: few cells, yes-or-no values, people in each cell.

    Of the pairs with fewest cells, yes-or-no questions first, the one with the most even cells that
    equal shares do not describe: no empty cell, and heights that noise can be seen to exchange.
    """
    domain = dataset.domain
    pairs = list(combinations(domain.names[:MAX_ATTRIBUTES], 2))

    def plain(pair: tuple[str, str]) -> tuple[int, int]:
        return domain.cells_of(pair), -sum(display.is_yes_no(domain, name) for name in pair)

    least = min(map(plain, pairs))
    found = dataset.marginals([pair for pair in pairs if plain(pair) == least])
    telling = [truth for truth in found if guess_points(truth) >= MIN_GUESS_ERROR]
    first, second = max(telling or found, key=_evenness).attrs
    return first, second


def _evenness(truth: Marginal) -> float:
    shares = truth.values[truth.values > 0]
    return float(-(shares * np.log(shares)).sum())
