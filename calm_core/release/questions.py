"""Questions as text: "share smoked=yes given drank=yes", for the command line and the page."""

import shlex
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calm_core._checks import check_level
from calm_core.errors import InputError
from calm_core.methods.base import Answer
from calm_core.release.associations import IndependenceTest, association, independence
from calm_core.release.comparison import difference, ratio
from calm_core.release.conditions import Condition, ValueRange
from calm_core.release.estimate import Estimate
from calm_core.release.groups import GroupShares, find_group_shares
from calm_core.release.numbers import mean, quantile
from calm_core.release.regressions import Regression, regression
from calm_core.release.shares import share

Found = Estimate | GroupShares | IndependenceTest | Regression
FORMS = {
    "share": "share NAME=VALUE ... [given NAME=VALUE ...]",
    "groups": "groups NAME=VALUE ... by NAME",
    "mean": "mean NAME [given NAME=VALUE ...]",
    "quantile": "quantile NAME 0.5 [given NAME=VALUE ...]",
    "difference": "difference NAME=VALUE between NAME=VALUE and NAME=VALUE",
    "ratio": "ratio NAME=VALUE between NAME=VALUE and NAME=VALUE",
    "odds": "odds NAME=VALUE between NAME=VALUE and NAME=VALUE",
    "association": "association NAME NAME",
    "independence": "independence NAME NAME",
    "regression": "regression NAME on NAME ...",
    "logistic": "logistic NAME on NAME ...",
}
# Their answers have one interval each.
ONE_INTERVAL = ("share", "mean", "quantile", "difference", "ratio", "odds", "association")


def ask(answer: Answer, question: str, *, rng: np.random.Generator, level: float = 0.95) -> Found:
    """Answer a question that is written as text.

    Parameters
    ----------
    answer : Answer
        Of CALM or CALM+.
    question : str
        In one of the forms of `FORMS`. Several values are joined by "|", a range by "..", and a name
        with blanks stands in quotation marks: ``share "Q2: Bus=yes" age=30..45``.
    rng : numpy Generator
        For the test of independence.
    level : float
        Of intervals.

    Raises
    ------
    InputError
        If the question has no such form, or cannot be answered.

    Examples
    --------
    >>> import calm_core as cc
    >>> rng = np.random.default_rng(1)
    >>> domain = cc.Domain(("sex", "ill"), (2, 2), (("m", "f"), ("no", "yes")))
    >>> people = cc.Dataset.from_codes(rng.integers(0, 2, (50_000, 2)), domain)
    >>> answer = cc.METHODS["calm_plus"](epsilon=2.0, k=2).release(people, rng=rng)
    >>> found = ask(answer, "share ill=yes given sex=f", rng=rng)
    >>> found.low < 0.5 < found.high
    True
    """
    try:
        kind, *words = shlex.split(question)
    except ValueError as error:
        raise InputError(
            f"the question ({question:.80}) has an open quotation mark; close it"
        ) from error
    if kind not in FORMS:
        raise InputError(f"the question must begin with one of {', '.join(FORMS)}")
    if kind in ("share", "mean", "quantile"):
        before, given = _cut(words, "given")
        return _ask_one(answer, kind, before, _read_condition(given) if given else None, level)
    if kind == "groups":
        before, by = _cut(words, "by")
        if not before or len(by) != 1:
            raise _wrong_form(kind)
        return find_group_shares(answer, _read_condition(before), by[0], level=level)
    if kind in ("difference", "ratio", "odds"):
        before, groups = _cut(words, "between")
        first, second = _cut(groups, "and")
        if not (before and first and second):
            raise _wrong_form(kind)
        between = _read_condition(first), _read_condition(second)
        condition = _read_condition(before)
        if kind == "difference":
            return difference(answer, condition, between, level=level)
        return ratio(
            answer, condition, between, kind="odds" if kind == "odds" else "risk", level=level
        )
    if kind in ("regression", "logistic"):
        before, on = _cut(words, "on")
        if len(before) != 1 or not on:
            raise _wrong_form(kind)
        fit = "linear" if kind == "regression" else "logistic"
        return regression(answer, before[0], on, kind=fit, level=level)
    if len(words) != 2:
        raise _wrong_form(kind)
    if kind == "association":
        return association(answer, *words, level=level)
    return independence(answer, *words, rng=rng)


def ask_together(
    answer: Answer, questions: Sequence[str], *, rng: np.random.Generator, level: float = 0.95
) -> tuple[Estimate, ...]:
    """Answer several questions with intervals that hold together.

    By Bonferroni's inequality: of m questions, each has an interval of level 1 - (1 - `level`) / m, so
    all intervals hold the truth at once with at least probability `level`, however their errors go together.

    Parameters
    ----------
    answer : Answer
        Of CALM or CALM+.
    questions : sequence of str
        As of `ask`; those whose answer has one interval, so no groups, regressions or tests.
    rng : numpy Generator
        As of `ask`.
    level : float
        Probability that all intervals hold.

    Returns
    -------
    tuple of Estimate
        One a question. The level of each is that of its own interval; its sentence says that they
        hold together.

    Raises
    ------
    InputError
        If a question cannot be answered; none is left out.

    Examples
    --------
    >>> import calm_core as cc
    >>> rng = np.random.default_rng(1)
    >>> domain = cc.Domain(("sex", "ill"), (2, 2), (("m", "f"), ("no", "yes")))
    >>> people = cc.Dataset.from_codes(rng.integers(0, 2, (50_000, 2)), domain)
    >>> answer = cc.METHODS["calm_plus"](epsilon=2.0, k=2).release(people, rng=rng)
    >>> found = ask_together(answer, ["share ill=yes", "share sex=f"], rng=rng)
    >>> found[0].level
    0.975
    >>> found[0].sentence.partition(". ")[2]
    'These 2 intervals hold together in 95 of 100 collections (Bonferroni).'
    """
    level = check_level(level)
    if isinstance(questions, str) or not questions:
        raise InputError('questions must be a list of texts, such as ["share smoked=yes"]')
    each, found = 1 - (1 - level) / len(questions), []
    note = f"These {len(questions)} intervals hold together in {100 * level:g} of 100 collections (Bonferroni)."
    for question in questions:
        try:
            one = ask(answer, question, rng=rng, level=each)
        except InputError as error:
            raise InputError(f"{question!r:.80} has no answer: {error}") from error
        if not isinstance(one, Estimate):
            raise InputError(
                f"{question!r:.80} has not one interval, so it must be asked alone; "
                f"together go {', '.join(ONE_INTERVAL)}"
            )
        found.append(replace(one, sentence=f"{one.sentence} {note}"))
    return tuple(found)


def _ask_one(
    answer: Answer, kind: str, words: list[str], given: Condition | None, level: float
) -> Estimate:
    if kind == "share":
        if not words:
            raise _wrong_form(kind)
        return share(answer, _read_condition(words), given, level=level)
    if kind == "mean" and len(words) == 1:
        return mean(answer, words[0], given, level=level)
    if kind == "quantile" and len(words) == 2:
        return quantile(answer, words[0], _read_number(words[1]), given, level=level)
    raise _wrong_form(kind)


def _wrong_form(kind: str) -> InputError:
    return InputError(f"the question must be written so: {FORMS[kind]}")


def _cut(words: Sequence[str], word: str) -> tuple[list[str], list[str]]:
    """The words before and after one."""
    words = list(words)
    at = words.index(word) if word in words else len(words)
    return words[:at], words[at + 1 :]


def _read_condition(words: Sequence[str]) -> Condition:
    """A condition from words such as "age=30..45" or "sex=f|m".

    Examples
    --------
    >>> _read_condition(["sex=f|m", "age=30..45"])
    {'sex': ['f', 'm'], 'age': ValueRange(first='30', last='45')}
    """
    found: dict = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not (name and sign and text):
            raise InputError(f"{word!r:.60} must be NAME=VALUE, such as smoked=yes")
        if name in found:
            raise InputError(f"{name!r:.60} stands twice; join its values by |")
        first, dots, last = text.partition("..")
        if dots and first and last:
            found[name] = ValueRange(first, last)
        else:
            found[name] = text.split("|") if "|" in text else text
    return found


def _read_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{text!r:.40} must be a number, such as 0.5") from None
