"""Questions as text: "share smoked=yes given drank=yes", for the command line and the page."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from calm_core._checks import check_level
from calm_core.errors import InputError
from calm_core.methods.base import Answer
from calm_core.release.associations import IndependenceTest, association, independence
from calm_core.release.comparison import difference, ratio
from calm_core.release.estimate import Condition, Estimate, ValueRange, find_codes
from calm_core.release.numbers import mean, quantile
from calm_core.release.regressions import Regression, regression
from calm_core.release.shares import GroupShares, find_group_shares, share
from calm_core.tables.domain import Domain

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
# Words between two parts of a form, and the kinds whose first part is a condition.
LINKS = dict.fromkeys(("share", "mean", "quantile"), "given")
LINKS |= dict.fromkeys(("difference", "ratio", "odds"), "between")
LINKS |= dict.fromkeys(("regression", "logistic"), "on") | {"groups": "by"}
WITH_CONDITION = ("share", "groups", "difference", "ratio", "odds")
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
    parts = read_question(question)
    names, condition, groups = parts.names, parts.condition, parts.groups
    match parts.kind:
        case "share":
            return share(answer, condition, *groups, level=level)
        case "mean":
            return mean(answer, names[0], *groups, level=level)
        case "quantile":
            return quantile(answer, names[0], parts.number, *groups, level=level)
        case "groups":
            return find_group_shares(answer, condition, names[0], level=level)
        case "difference":
            return difference(answer, condition, groups, level=level)
        case "ratio":
            return ratio(answer, condition, groups, kind="risk", level=level)
        case "odds":
            return ratio(answer, condition, groups, kind="odds", level=level)
        case "regression":
            return regression(answer, names[0], names[1:], kind="linear", level=level)
        case "logistic":
            return regression(answer, names[0], names[1:], kind="logistic", level=level)
        case "association":
            return association(answer, *names, level=level)
    return independence(answer, *names, rng=rng)


@dataclass(frozen=True)
class Question:
    """A question in parts.

    Attributes
    ----------
    kind : str
        One of `FORMS`.
    names : tuple of str
        Attributes that are named without values; the outcome of a regression first.
    condition : Condition
        Of the share that is asked about; empty for other questions.
    groups : tuple of Condition
        The group that an answer is for, or the two that are compared.
    number : float
        Of a quantile.
    """

    kind: str
    names: tuple[str, ...] = ()
    condition: Condition = field(default_factory=dict)
    groups: tuple[Condition, ...] = ()
    number: float = 0.5

    def attributes(self, domain: Domain) -> tuple[str, ...]:
        """The attributes that it is about, in domain order."""
        named = {name for condition in (self.condition, *self.groups) for name in condition}
        return domain.canonical(named | set(self.names))

    def check(self, domain: Domain) -> None:
        """Refuse names and values that the domain does not have."""
        self.attributes(domain)
        for condition in (self.condition, *self.groups):
            for name, values in condition.items():
                find_codes(domain, name, values)


def read_question(question: str) -> Question:
    """The parts of a question.

    Raises
    ------
    InputError
        If it has none of the `FORMS`.

    Examples
    --------
    >>> read_question("mean age given sex=f")
    Question(kind='mean', names=('age',), condition={}, groups=({'sex': 'f'},), number=0.5)
    """
    try:
        kind, *words = shlex.split(question)
    except ValueError as error:
        raise InputError(
            f"the question ({question:.80}) has an open quotation mark; close it"
        ) from error
    if kind not in FORMS:
        raise InputError(f"the question must begin with one of {', '.join(FORMS)}")
    wrong = InputError(f"the question must be written so: {FORMS[kind]}")
    link = LINKS.get(kind)
    before, after = _cut(words, link)
    if link in words and not after or not before:
        raise wrong
    condition: Condition = _read_condition(before) if kind in WITH_CONDITION else {}
    names = () if condition else tuple(before)
    if link == "given":
        groups = (_read_condition(after),) if after else ()
        if kind == "quantile" and len(names) == 2:
            return Question(kind, names[:1], groups=groups, number=_read_number(names[1]))
        fits = len(names) == (kind == "mean")
    elif link == "between":
        first, second = _cut(after, "and")
        fits = bool(first and second)
        groups = (_read_condition(first), _read_condition(second)) if fits else ()
    else:
        names, groups = (*names, *after), ()
        fits = len(before) == 1 and after if link == "on" else len(names) == (2 - bool(condition))
    if not fits:
        raise wrong
    return Question(kind, names, condition, groups)


def check_questions(domain: Domain, questions: Sequence[str], *, together: bool = False) -> None:
    """Refuse questions that no release of these attributes answers, before it is made.

    Raises
    ------
    InputError
        If one has no known form, an attribute or value is unknown, or questions asked together do not all have
        one interval.

    Examples
    --------
    >>> check_questions(Domain(("sex",), (2,)), ["share age=30"])
    Traceback (most recent call last):
    calm_core.errors.InputError: 'share age=30' has no answer: attribute 'age' is not in the data; choose from its attributes
    """
    for question in questions:
        try:
            parts = read_question(question)
            parts.check(domain)
        except InputError as error:
            raise InputError(f"{question!r:.80} has no answer: {error}") from error
        if together and parts.kind not in ONE_INTERVAL:
            raise InputError(
                f"{question!r:.80} has not one interval, so it must be asked alone; "
                f"together go {', '.join(ONE_INTERVAL)}"
            )


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
    check_questions(answer.domain, questions, together=True)
    each, estimates = 1 - (1 - level) / len(questions), []
    note = f"These {len(questions)} intervals hold together in {100 * level:g} of 100 collections (Bonferroni)."
    for question in questions:
        try:
            estimate = ask(answer, question, rng=rng, level=each)
        except InputError as error:
            raise InputError(f"{question!r:.80} has no answer: {error}") from error
        estimates.append(replace(estimate, sentence=f"{estimate.sentence} {note}"))
    return tuple(estimates)


def _cut(words: Sequence[str], word: str | None) -> tuple[list[str], list[str]]:
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
    condition: dict = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not (name and sign and text):
            raise InputError(f"{word!r:.60} must be NAME=VALUE, such as smoked=yes")
        if name in condition:
            raise InputError(f"{name!r:.60} stands twice; join its values by |")
        first, dots, last = text.partition("..")
        if dots and first and last:
            condition[name] = ValueRange(first, last)
        else:
            condition[name] = text.split("|") if "|" in text else text
    return condition


def _read_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{text!r:.40} must be a number, such as 0.5") from None
