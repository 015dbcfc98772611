"""What the errors of a table mean for readers: people in the wrong cell, a verdict, and which differences are real."""

import math
from dataclasses import dataclass

import numpy as np

from calm_core.evaluation.metrics import (
    expected_real_difference,
    judge_error,
    real_difference,
    wrong_share,
)
from calm_core.methods.base import Answer
from calm_core.methods.calm_plus import CalmPlusAnswer
from calm_core.tables.marginal import Marginal, uniform
from pages import words


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


def measured_reading(truth: Marginal, answer: Marginal, known: Wrong | None = None) -> Reading:
    """Return the reading of one collection; `known` are the errors of repeats or expected ones."""
    real = None if known is None else known.real
    wrong = Wrong(wrong_share(truth, answer), 0.0, real, repeats=1)
    return make_reading(wrong, guess_wrong(truth))


def make_step(epsilon: float, wrong: Wrong, guess: float) -> Step:
    """Return what is known of the table for one epsilon."""
    found = make_reading(wrong, guess)
    return Step(
        **vars(found),
        epsilon=f"{epsilon:g}",
        spread=wrong.spread,
        words=words.settings.slider_texts(epsilon),
        spoken=words.marginals.step_spoken(epsilon=epsilon, number=found.number),
    )
