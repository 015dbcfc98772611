"""Linear and logistic regression on a released table."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from calm_core._checks import check_choice, check_level
from calm_core.errors import InputError
from calm_core.methods.base import Answer
from calm_core.release.estimate import ASSUMED, Finding, describe_basis, find_sums, spread_along
from calm_core.release.numbers import read_scores
from calm_core.tables.domain import Domain

KINDS = ("linear", "logistic")
CONSTANT = "constant"
NEWTON_STEPS = 50


@dataclass(frozen=True)
class Regression(Finding):
    """A fitted regression.

    Attributes
    ----------
    coefficients, low, high : dict of str to float
        By name: "constant", an attribute of numbers, or "attribute=value" against its first value.
    sentence : str
    notes : tuple of str
    """

    coefficients: dict[str, float]
    low: dict[str, float]
    high: dict[str, float]
    sentence: str
    notes: tuple[str, ...] = ()


def regression(
    answer: Answer,
    outcome: str,
    on: Sequence[str],
    *,
    kind: str = "linear",
    level: float = 0.95,
) -> Regression:
    """Regression of one attribute on others, from their table: the least squares or likelihood of all people.

    Parameters
    ----------
    answer : Answer
        Of CALM or CALM+.
    outcome : str
        Numbers or bands for a linear regression; two values for a logistic one (the chance of the second).
    on : sequence of str
        Attributes: numbers and bands as such, others by one coefficient for each value but the first.
    kind : {"linear", "logistic"}
    level : float

    Returns
    -------
    Regression
        With intervals that know the noise of the reports. People without a number are left out.

    Raises
    ------
    InputError
        If the outcome has no numbers, or the attributes determine each other.

    Examples
    --------
    >>> import calm_core as cc
    >>> rng = np.random.default_rng(1)
    >>> age = rng.integers(0, 3, 50_000)
    >>> ill = (rng.random(50_000) < 0.1 + 0.2 * age).astype(int)
    >>> people = cc.Dataset.from_codes(np.stack([age, ill], 1), cc.Domain(("age", "ill"), (3, 2)))
    >>> answer = cc.METHODS["calm_plus"](epsilon=2.0, k=2).release(people, rng=rng)
    >>> found = regression(answer, "ill", ("age",))
    >>> found.low["age"] < 0.2 < found.high["age"]
    True
    """
    level, kind = check_level(level), check_choice("kind", kind, KINDS)
    on = (on,) if isinstance(on, str) else tuple(on)
    domain = answer.domain
    if not on or outcome in on:
        raise InputError("on must name at least one attribute, and not the outcome")
    attrs = domain.canonical((outcome, *on))
    sums = find_sums(answer, attrs)
    y = spread_along(_outcome(domain, outcome, kind), attrs, outcome)
    columns = {CONSTANT: np.ones([1] * len(attrs))}
    for name in on:
        for key, column in _columns(domain, name).items():
            columns[key] = spread_along(column, attrs, name)
    shape = sums.table.shape
    x = np.stack([np.broadcast_to(column, shape).ravel() for column in columns.values()], axis=1)
    y = np.broadcast_to(y, shape).ravel()
    has_numbers = np.isfinite(y) & np.isfinite(x).all(axis=1)
    p = np.where(has_numbers, sums.table.ravel(), 0.0)
    x, y = np.where(has_numbers[:, None], x, 0.0), np.where(has_numbers, y, 0.0)
    solve = _fit_linear if kind == "linear" else _fit_logistic
    fitted, curvature, residual = solve(x, y, p)
    # How each coefficient moves with the share of each cell.
    moves = np.linalg.solve(curvature, (x * (residual * has_numbers)[:, None]).T)
    low, high, assumed = {}, {}, []
    for name, value, weights in zip(columns, fitted, moves):
        weights = weights.reshape(shape)
        ends = sums.interval(weights, level)
        center = float((weights * sums.table).sum())
        if sums.is_mostly_assumed(weights):
            assumed.append(name)
        low[name], high[name] = float(value - center + ends[0]), float(value - center + ends[1])
    coefficients = {name: float(value) for name, value in zip(columns, fitted)}
    listed = ", ".join(f"{name} {value:.3g}" for name, value in coefficients.items())
    title = domain.title_of(outcome)
    of = title
    if kind == "logistic":
        of = f"the log odds of {title} is {domain.value_names_of(outcome)[1]}"
    text = f"Regression of {of}: {listed}."
    if assumed:
        text += f" {ASSUMED}: {', '.join(assumed)}."
    return Regression(coefficients, low, high, text, describe_basis(answer, attrs))


def _outcome(domain: Domain, name: str, kind: str) -> np.ndarray:
    if kind == "linear":
        return read_scores(domain, name)
    if len(domain.labels_of(name)) != 2:
        raise InputError(f"outcome ({name:.60}) must have two values for a logistic regression")
    return np.array([0.0, 1.0])


def _columns(domain: Domain, name: str) -> dict[str, np.ndarray]:
    """The numbers of an attribute, or an indicator of each value but the first."""
    labels = domain.labels_of(name)
    if len(labels) > 2:
        with suppress(InputError):
            return {name: read_scores(domain, name)}
    return {f"{name}={label}": np.eye(len(labels))[at] for at, label in enumerate(labels) if at > 0}


def _invertible(matrix: np.ndarray) -> np.ndarray:
    """The matrix, if the columns do not determine each other."""
    if np.linalg.matrix_rank(matrix, tol=1e-9 * max(1.0, float(np.abs(matrix).max()))) < len(
        matrix
    ):
        raise InputError(
            "the attributes determine each other in this table, so no coefficient is known; leave one out"
        )
    return matrix


def _fit_linear(x: np.ndarray, y: np.ndarray, p: np.ndarray):
    """Coefficients, curvature and residuals of weighted least squares."""
    curvature = _invertible((x * p[:, None]).T @ x)
    fitted = np.linalg.solve(curvature, (x * p[:, None]).T @ y)
    return fitted, curvature, y - x @ fitted


def _fit_logistic(x: np.ndarray, y: np.ndarray, p: np.ndarray):
    """The same for the logistic likelihood, by Newton's method with halved steps."""
    fitted = np.zeros(x.shape[1])

    def loss(at: np.ndarray) -> float:
        linear = x @ at
        return float((p * (np.logaddexp(0, linear) - y * linear)).sum())

    curvature = np.eye(len(fitted))
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(x @ fitted, -500, 500)))
        curvature = _invertible((x * (p * chance * (1 - chance))[:, None]).T @ x)
        step = np.linalg.solve(curvature, (x * p[:, None]).T @ (y - chance))
        length = 1.0
        while loss(fitted + length * step) > loss(fitted) + 1e-15 and length > 1e-6:
            length /= 2
        fitted = fitted + length * step
        if np.abs(length * step).max() < 1e-10:
            break
    else:
        raise InputError(
            "the outcome is determined by the attributes in this table, so the odds have no end; use a linear regression"
        )
    chance = 1 / (1 + np.exp(-(x @ fitted)))
    return fitted, curvature, y - chance
