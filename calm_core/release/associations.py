"""How strongly two attributes go together, and whether they do at all."""

from dataclasses import dataclass

import numpy as np

from calm_core._checks import check_count, check_level, check_rng
from calm_core.methods.base import Answer
from calm_core.release.estimate import Estimate, Finding
from calm_core.release.evidence import TrueTables
from calm_core.release.pair_evidence import PairEvidence, find_pair

DRAWS = 999


def association(answer: Answer, one: str, two: str, *, level: float = 0.95) -> Estimate:
    """Cramér's V of two attributes, from 0 (independent) to 1, with what noise adds taken off.

    Parameters
    ----------
    answer : Answer
        With reports.
    one, two : str
        Attributes that some view holds together.
    level : float

    Returns
    -------
    Estimate
        The interval begins at 0 where the reports do not rule out independence.

    Examples
    --------
    >>> import calm_core as cc
    >>> rng = np.random.default_rng(1)
    >>> sex = rng.integers(0, 2, 50_000)
    >>> people = cc.Dataset.from_codes(np.stack([sex, sex], 1), cc.Domain(("sex", "name"), (2, 2)))
    >>> answer = cc.METHODS["calm_plus"](epsilon=2.0, k=2).release(people, rng=rng)
    >>> found = association(answer, "sex", "name")
    >>> found.value > 0.95 and found.high == 1.0
    True
    """
    level = check_level(level)
    if isinstance(answer, TrueTables):
        attrs = answer.domain.canonical((one, two))
        value = cramers_v(answer.marginal(attrs).values)
        return Estimate(value, value, value, (attrs,), f"Cramér's V {value:.2f}.", (), level)
    pair = find_pair(answer, one, two)
    spread = _spread(pair)
    found = float((pair.departures(pair.table) ** 2).sum())
    value, low, high = (
        _strength(pair, square)
        for square in (found - spread.sum(), *_square_interval(found, spread, level))
    )
    titles = [answer.domain.title_of(name) for name in pair.names]
    text = f"{titles[0]} and {titles[1]} go together with Cramér's V {value:.2f} ({low:.2f} to {high:.2f})."
    notes = ["What noise adds is taken off; 0 is the least."]
    if low <= 0:
        notes.append("The reports do not rule out that they are independent.")
    return Estimate(value, low, high, (pair.names,), text, tuple(notes), level)


def cramers_v(table: np.ndarray) -> float:
    """Cramér's V of a table of shares.

    Examples
    --------
    >>> cramers_v(np.array([[0.5, 0.0], [0.0, 0.5]])), cramers_v(np.full((2, 3), 1 / 6))
    (1.0, 0.0)
    """
    independent = np.outer(table.sum(axis=1), table.sum(axis=0))
    beyond = (table - independent) ** 2 / np.where(independent > 0, independent, 1.0)
    return float(np.sqrt(beyond.sum() / (min(table.shape) - 1)))


def _spread(pair: PairEvidence) -> np.ndarray:
    """Variances that noise gives the departures along their own axes."""
    rows, columns = pair.independent_table.shape
    # A table less the product of its sums, as a linear map around independence.
    first, second = (np.outer(share, np.ones(share.size)) for share in pair.shares)
    project = np.kron(np.eye(rows) - first, np.eye(columns) - second)
    scale = 1 / np.sqrt(np.maximum(pair.independent_table.ravel(), 1e-6))
    project = scale[:, None] * project
    values = np.linalg.eigvalsh(project @ pair.covariance() @ project.T)
    return values[values > 1e-9 * values.max(initial=0.0)]


def _square_interval(found: float, spread: np.ndarray, level: float) -> tuple[float, float]:
    """Interval for the sum of squared departures without noise: the sum is about a scaled noncentral chi-square."""
    from scipy.special import chndtr, chndtrinc

    scale = float((spread**2).sum() / spread.sum())
    freedom = float(spread.sum() ** 2 / (spread**2).sum())
    x, tails = found / scale, ((1 + level) / 2, (1 - level) / 2)
    low, high = (
        0.0 if chndtr(x, freedom, 0.0) <= tail else float(chndtrinc(x, freedom, tail)) * scale
        for tail in tails
    )
    return low, high


def _strength(pair: PairEvidence, square: float) -> float:
    """Cramér's V of a sum of squared departures."""
    return float(np.sqrt(np.clip(square / (min(pair.independent_table.shape) - 1), 0.0, 1.0)))


@dataclass(frozen=True)
class IndependenceTest(Finding):
    """A test of independence.

    Attributes
    ----------
    p_value : float
        Chance of so large a statistic if the attributes were independent.
    statistic : float
        Sum of squared departures from independence, as found.
    sentence : str
    notes : tuple of str
    """

    p_value: float
    statistic: float
    sentence: str
    notes: tuple[str, ...] = ()


def independence(
    answer: Answer, one: str, two: str, *, rng: np.random.Generator, draws: int = DRAWS
) -> IndependenceTest:
    """Test whether two attributes are independent, with draws of independent ones through the same oracles.

    Parameters
    ----------
    answer : Answer
        With reports.
    one, two : str
        Attributes that some view holds together.
    rng : numpy Generator
    draws : int
        How many; the least p-value is 1 / (draws + 1).

    Examples
    --------
    >>> import calm_core as cc
    >>> rng = np.random.default_rng(1)
    >>> sex = rng.integers(0, 2, 50_000)
    >>> people = cc.Dataset.from_codes(np.stack([sex, sex], 1), cc.Domain(("sex", "name"), (2, 2)))
    >>> answer = cc.METHODS["calm_plus"](epsilon=2.0, k=2).release(people, rng=rng)
    >>> independence(answer, "sex", "name", rng=rng).p_value
    0.001
    """
    rng, draws, pair = check_rng(rng), check_count("draws", draws), find_pair(answer, one, two)

    def statistic(table: np.ndarray) -> float:
        return float((pair.departures(table) ** 2).sum())

    found = statistic(pair.table)
    larger = sum(statistic(table) >= found for table in pair.draw_tables(draws, rng))
    p_value = (1 + larger) / (1 + draws)
    titles = [answer.domain.title_of(name) for name in pair.names]
    verdict = "go together" if p_value < 0.05 else "may be independent"
    text = f"{titles[0]} and {titles[1]} {verdict} (p = {p_value:.3f})."
    note = f"Compared with {draws:,} draws of independent attributes through the same oracles."
    return IndependenceTest(p_value, found, text, (note,))
