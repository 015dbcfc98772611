"""What the result pages share: what errors mean for readers, figures, scores of all tables, the best possible answer, the first pair to show."""

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from calm_core.evaluation.metrics import (
    expected_real_difference,
    judge_error,
    real_difference,
    score,
    wrong_share,
)
from calm_core.evaluation.run import Run
from calm_core.figures.theme import ReadyFigure, enlarge, picture_options
from calm_core.methods.base import Answer
from calm_core.methods.calm_plus import CalmPlusAnswer
from calm_core.randomness import stream
from calm_core.settings import Settings
from calm_core.tables.dataset import People
from calm_core.tables.domain import Domain, choose_queries
from calm_core.tables.marginal import Marginal, uniform
from pages import words
from pages.ui import cached_calls, display, navigation, state
from pages.ui.jobs import Notify
from pages.ui.result_cache import ResultCache


@dataclass(frozen=True)
class Reading:
    """How many people are in the wrong cell, and what the table is good for.

    Attributes
    ----------
    number : str
        "6", of 100 people.
    source : str
        "this collection", "mean of 20 repeats" or "expected".
    guess : str
        "guessing: 32 of 100".
    verdict, name, sign : str
        "precise", "rough" or "unusable"; "Rough"; "◐".
    sentence : tuple of str
        What can be read, said with emphasis, and what cannot.
    """

    number: str
    source: str
    guess: str
    verdict: str
    name: str
    sign: str
    sentence: tuple[str, str]


@dataclass(frozen=True)
class Step(Reading):
    """What is known of the table for one value of epsilon.

    Attributes
    ----------
    epsilon : str
        "0.2".
    spread : float
        Root mean square error of a cell, a fraction: ghosts stand at true + spread * z.
    words : tuple of str
        Strength of privacy, and what one report reveals.
    spoken : str
        Epsilon and the people in the wrong cell, as a screen reader says them.
    """

    epsilon: str = ""
    spread: float = 0.0
    words: tuple[str, str] = ("", "")
    spoken: str = ""


def guess_wrong(truth: Marginal) -> float:
    """Return the share of people in the wrong cell with equal shares."""
    return wrong_share(truth, uniform(truth.domain, truth.attrs))


@dataclass(frozen=True)
class Wrong:
    """What is known about the errors of a table: measured in one collection, in repeats, or expected.

    Attributes
    ----------
    share : float
        People in the wrong cell, 0 to 1.
    spread : float
        Root mean square error of a cell, a fraction.
    real : float or None
        The smallest difference of two cells that is real, a fraction; None where it is not known.
    repeats : int
        Number of collections measured; 0 if the errors are expected.
    """

    share: float
    spread: float
    real: float | None = None
    repeats: int = 0


def measured_wrong(reconstructed: np.ndarray, truth: Marginal) -> Wrong:
    """Return the errors of some collections; `reconstructed` has shape (collections, cells)."""
    errors = reconstructed - truth.values.ravel()
    share = float(np.abs(errors).sum(axis=1).mean()) / 2
    return Wrong(share, float(np.sqrt((errors**2).mean())), real_difference(errors), len(errors))


def expected_wrong(share: float, cells: int) -> Wrong:
    """Return the errors of a table with so many people expected in the wrong cell."""
    # The root mean square of a normal error is sqrt(pi / 2) of its mean size, 2 share / cells.
    spread = share * math.sqrt(2 * math.pi) / cells
    return Wrong(share, spread, expected_real_difference(spread, cells))


def cell_intervals(
    answer: Answer, attrs: tuple[str, ...], repeats: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the ends of the 95% interval of every cell: the method's own, else of its repeats, (repeats, cells)."""
    if isinstance(answer, CalmPlusAnswer):
        low, high = answer.interval(attrs)
        return low.ravel(), high.ravel()
    return None if repeats is None else repeat_intervals(answer.marginal(attrs), repeats)


def repeat_intervals(answer: Marginal, repeats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return intervals as wide as the shares vary over some repeats."""
    shares, half = answer.values.ravel(), 1.96 * repeats.std(axis=0)
    return np.maximum(shares - half, 0), np.minimum(shares + half, 1)


def make_reading(wrong: Wrong, guess: float) -> Reading:
    """Return what a table with these errors is good for, where equal shares put `guess` into the wrong cell."""
    verdict, numbers = judge_error(wrong.share, guess), words.numbers
    number = numbers.wrong(wrong.share)
    sentence = numbers.verdict_sentences(
        verdict, wrong.real, closer=wrong.share < guess, expected=not wrong.repeats
    )
    return Reading(
        number,
        words.marginals.source_text(wrong.repeats),
        words.marginals.guess_note(guess=guess),
        verdict.value, numbers.VERDICTS[verdict], numbers.SIGNS[verdict], sentence,
    )  # fmt: skip


def measured_reading(truth: Marginal, answer: Marginal, errors: Wrong | None = None) -> Reading:
    """Return the reading of one collection; `errors` are the errors of repeats or expected ones."""
    real = None if errors is None else errors.real
    wrong = Wrong(wrong_share(truth, answer), 0.0, real, repeats=1)
    return make_reading(wrong, guess_wrong(truth))


def make_step(epsilon: float, wrong: Wrong, guess: float) -> Step:
    """Return what is known of the table for one epsilon."""
    reading = make_reading(wrong, guess)
    return Step(
        **vars(reading),
        epsilon=f"{epsilon:g}",
        spread=wrong.spread,
        words=words.settings.slider_texts(epsilon),
        spoken=words.marginals.step_spoken(epsilon=epsilon, number=reading.number),
    )


# ---------------------------------------------------------------- figures


def _characters(texts: Any) -> int:
    return sum(map(len, texts))


# Pixels of all texts of a figure in a lecture.
LECTURE_FONT = 22
# Figures as JSON with their sentences, about 10 kB each.
_PICTURES = ResultCache(1000, _characters, max_bytes=20_000_000)


def show_figure(
    name: str,
    key: Hashable,
    make: Callable[[], tuple[Any, str]],
    *,
    caption: bool = True,
    **options,
):
    """Draw a figure; return what `st.plotly_chart` does.

    Parameters
    ----------
    name : str
        Of the figure on its page and of the picture that the camera button saves.
    key : hashable
        Plain values that decide the figure and its sentence, the source of the data among them.
    make : callable
        Gives the figure, and the sentence of what it shows for screen readers, which stands below the figure
        too unless `caption` is False because the words beside it say the same.
    """

    lecture = state.current().presenter

    def ready() -> tuple[str, str]:
        figure, sentence = make()
        return str((enlarge(figure, LECTURE_FONT) if lecture else figure).to_json()), sentence

    text, sentence = _PICTURES.get((name, key, lecture), ready)
    event = st.plotly_chart(
        ReadyFigure(text), key=f"figure_{name}", theme=None if lecture else "streamlit", config=picture_options(f"calm-{name}"), alt=sentence,
        **options,
    )  # fmt: skip
    if caption:
        st.caption(display.sentence(sentence))
    return event


def show_bare_figure(
    name: str, key: Hashable, alt: str, draw: Callable[..., Any], *args: Any
) -> None:
    """Draw the figure `draw(*args)` without a caption, because the words beside it say what `alt` says."""
    show_figure(name, key, lambda: (draw(*args), alt), caption=False)


# Up to this many tables all are scored, else random ones.
ALL_UP_TO, RANDOM = 600, 200
# Tables scored between two updates of the progress.
AT_ONCE = 25


def iter_parts(
    queries: Sequence[tuple[str, ...]], notify: Notify
) -> Iterator[Sequence[tuple[str, ...]]]:
    """Yield the queries in parts, and tell how far the work is after each."""
    for start in range(0, len(queries), AT_ONCE):
        part = queries[start : start + AT_ONCE]
        yield part
        notify(start + len(part), len(queries))


def tables_scored(outcome: Run) -> str:
    """Return which tables the mean error of a run is of."""
    tables = math.comb(outcome.domain.d, len(outcome.queries[0]))
    return words.common.tables_text(len(outcome.queries), tables)


def score_all_tables(settings: Settings, outcome: Run) -> pd.DataFrame:
    """Return scores of all tables over k attributes, or of 200 random ones if there are more than 600."""

    def work(notify: Notify) -> pd.DataFrame:
        domain = outcome.dataset.domain
        many = math.comb(domain.d, settings.k) > ALL_UP_TO
        rng = stream(settings.seed, 0, "all queries")
        queries = choose_queries(domain, settings.k, RANDOM if many else ALL_UP_TO, rng=rng)
        truths, answers = [], []
        for part in iter_parts(queries, notify):
            truths += outcome.dataset.marginals(part)
            answers += outcome.answer.marginals(part)
        return score(truths, answers, [outcome.answer.covers(query) for query in queries])

    # Stop goes back to the first view, whose tables are there.
    stop = partial(navigation.change, view="")
    return cached_calls.get_long_result(
        "all scores", settings.results_key, work, words.common.scoring_progress, stop
    )


def show_error_metrics(values: Mapping[str, float]) -> None:
    """Show errors by the names of their measures, each with its unit and meaning."""
    with st.grid(4, min_column_width=150):
        for name, value in values.items():
            title, unit, text = words.marginals.METRICS[name]
            st.metric(
                title, words.numbers.digits(value), unit, delta_color="off", delta_arrow="off", help=text,
                border=True, height="stretch",
            )  # fmt: skip


def list_cells(
    domain: Domain, shares: Mapping[str, np.ndarray], limits: tuple[np.ndarray, np.ndarray] | None
) -> pd.DataFrame:
    """Return a row for every cell: its labels as in the file, its shares by their names, and the ends of its interval."""
    ends = {} if limits is None else dict(zip(("95% from", "95% to"), limits))
    columns = {**shares, **ends}
    names = [f"{name} (attribute)" if name in columns else name for name in domain.names]
    cells = product(*map(domain.labels_of, domain.names))
    return pd.DataFrame(cells, columns=names).assign(**columns)


# Attributes considered for the first pair.
MAX_ATTRIBUTES = 12
# Minimal share of people in the wrong cell with equal shares, for an informative table.
MIN_GUESS = 0.2


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

    fewest = min(map(plain, pairs))
    tables = dataset.marginals([pair for pair in pairs if plain(pair) == fewest])
    informative = [truth for truth in tables if guess_wrong(truth) >= MIN_GUESS]
    first, second = max(informative or tables, key=_evenness).attrs
    return first, second


def _evenness(truth: Marginal) -> float:
    shares = truth.values[truth.values > 0]
    return float(-(shares * np.log(shares)).sum())
