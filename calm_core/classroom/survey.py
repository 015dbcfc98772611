"""Surveys: questions with their limits, ready ones in four languages (`templates.json`), and who is asked what.

Texts are cleaned. The plan of a class assigns views to phones.
"""

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from importlib.resources import files

import numpy as np

from calm_core._checks import check_choice, check_count, check_epsilon, check_rng, set_fields
from calm_core.designs.covering import covering_size
from calm_core.errors import DataError, InfeasibleError, InputError
from calm_core.io.damaged_files import explain_damage
from calm_core.io.json_types import build_fields, check_types
from calm_core.oracles import GRR
from calm_core.planning.algorithm1 import choose_views
from calm_core.planning.plan import Plan, make_plan
from calm_core.tables.domain import Domain
from calm_core.text import format_count

MIN_QUESTIONS, MAX_QUESTIONS = 2, 12
MIN_CHOICES, MAX_CHOICES = 2, 6
# Characters of a title or question, of a choice, and of the short name of a question.
MAX_TEXT, MAX_CHOICE, MAX_NAME = 200, 40, 40
# The largest epsilon that the phone page accepts.
MAX_EPSILON = 8.0
DEFAULT_QUESTIONS, DEFAULT_EPSILON, DEFAULT_CLASS_SIZE = 3, 2.0, 30
MAX_PHONES = 1000
LANGUAGES = ("en", "de", "fr", "es")
# For a survey that is damaged.
REMEDY = "make a new one"
# Controls that reverse text, so that it reads as something else.
BIDI_CONTROLS = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def clean_text(text: str) -> str:
    """Return a text without control and bidi characters, with single spaces.

    Parameters
    ----------
    text : str
        As typed, or as read from a file.

    Returns
    -------
    str
        In Unicode's composed form, line ends and tabs as spaces.

    Examples
    --------
    >>> clean_text("  Do you \\u202esmoke?\\n\\x00 ")
    'Do you smoke?'
    """
    spaced = "".join(" " if sign.isspace() else sign for sign in unicodedata.normalize("NFC", text))
    allowed = (
        sign
        for sign in spaced
        if unicodedata.category(sign) not in ("Cc", "Cs") and sign not in BIDI_CONTROLS
    )
    return " ".join("".join(allowed).split())


def check_text(what: str, text: object, limit: int) -> str:
    """Return the cleaned text.

    Parameters
    ----------
    what : str
        What it is, in errors.
    text : str
        As typed.
    limit : int
        Characters allowed.

    Raises
    ------
    InputError
        If it is no text, empty, or too long.

    Examples
    --------
    >>> check_text("the title", " Sleep ", 40)
    'Sleep'
    """
    if not isinstance(text, str):
        raise InputError(f"{what} must be a text")
    cleaned = clean_text(text)
    if not cleaned:
        raise InputError(f"{what} is empty; write something")
    if len(cleaned) > limit:
        raise InputError(
            f"{what} has {len(cleaned):,} characters and must have at most {limit}; shorten it"
        )
    return cleaned


@dataclass(frozen=True)
class Question:
    """One question with its choices.

    Parameters
    ----------
    name : str
        Short name for tables and columns, at most 40 characters.
    text : str
        The question, at most 200 characters.
    choices : tuple of str
        2 to 6 different answers of at most 40 characters each.

    Raises
    ------
    InputError
        If a text is empty or too long, or the choices are too few, too many or not different.

    Examples
    --------
    >>> Question("smokes", "Do you smoke?", ("No", "Yes")).choices
    ('No', 'Yes')
    """

    name: str
    text: str
    choices: tuple[str, ...]

    def __post_init__(self):
        name = check_text("the short name of a question", self.name, MAX_NAME)
        text = check_text(f"the question {name!r}", self.text, MAX_TEXT)
        if isinstance(self.choices, str):
            raise InputError(f"the answers to {name!r} must be a list of texts")
        choices = tuple(
            check_text(f"an answer to {name!r}", choice, MAX_CHOICE) for choice in self.choices
        )
        if not MIN_CHOICES <= len(choices) <= MAX_CHOICES:
            raise InputError(
                f"{name!r} has {format_count(len(choices), 'answer')} and must have "
                f"{MIN_CHOICES} to {MAX_CHOICES}; "
                f"{'merge' if len(choices) > MAX_CHOICES else 'add'} some"
            )
        if len({choice.casefold() for choice in choices}) < len(choices):
            raise InputError(f"the answers to {name!r} must be different from each other")
        set_fields(self, name=name, text=text, choices=choices)


@dataclass(frozen=True)
class PushedAnswer:
    """The answer that a tenth of the phones may push by lying, as an experiment.

    Attributes
    ----------
    question, choice : int
        Positions in the survey and in its question, from 0.
    """

    question: int
    choice: int


@dataclass(frozen=True)
class Survey:
    """The questions to a class, and the privacy budget of every phone.

    Parameters
    ----------
    title : str
        At most 200 characters; phones show it on top.
    questions : tuple of Question
        2 to 12 questions with different short names.
    epsilon : float
        Privacy budget of one report, above 0 and at most 8.
    language : str
        One of `LANGUAGES`, for the questions and everything printed for the class.
    pushed : PushedAnswer, optional
        The answer that some phones may push by lying; None in a survey without liars.

    Raises
    ------
    InputError
        If one of these is out of its limits.

    Examples
    --------
    >>> questions = (Question("smokes", "Do you smoke?", ("No", "Yes")),
    ...          Question("sleep", "How long do you sleep?", ("under 7 h", "7 to 8 h", "longer")))
    >>> survey = Survey("Health", questions, epsilon=2.0)
    >>> survey.domain.names, survey.domain.sizes
    (('smokes', 'sleep'), (2, 3))
    """

    title: str
    questions: tuple[Question, ...]
    epsilon: float = DEFAULT_EPSILON
    language: str = LANGUAGES[0]
    pushed: PushedAnswer | None = None

    def __post_init__(self):
        title = check_text("the title", self.title, MAX_TEXT)
        set_fields(self, title=title, questions=tuple(self.questions))
        if any(not isinstance(question, Question) for question in self.questions):
            raise InputError("questions must be made of Question")
        if not MIN_QUESTIONS <= self.d <= MAX_QUESTIONS:
            raise InputError(
                f"a survey has {MIN_QUESTIONS} to {MAX_QUESTIONS} questions; this one has {self.d}"
            )
        names = [question.name.casefold() for question in self.questions]
        twice = [q.name for q, name in zip(self.questions, names) if names.count(name) > 1]
        if twice:
            raise InputError(
                f"two questions have the short name {twice[0]!r}; give them different ones"
            )
        check_choice("language", self.language, LANGUAGES)
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        if self.epsilon > MAX_EPSILON:
            raise InputError(
                f"epsilon ({self.epsilon:g}) must be at most {MAX_EPSILON:g} in a classroom",
                remedies=[("epsilon", MAX_EPSILON)],
            )
        if self.pushed is not None:
            at = check_count("pushed question", self.pushed.question, low=0, high=self.d - 1)
            high = len(self.questions[at].choices) - 1
            check_count("pushed choice", self.pushed.choice, low=0, high=high)

    @property
    def d(self) -> int:
        """Number of questions."""
        return len(self.questions)

    @cached_property
    def domain(self) -> Domain:
        """The questions as attributes, with their texts as titles and their choices as labels."""
        return Domain(
            names=tuple(question.name for question in self.questions),
            sizes=tuple(len(question.choices) for question in self.questions),
            labels=tuple(question.choices for question in self.questions),
            titles=tuple(question.text for question in self.questions),
        )

    @property
    def questions_text(self) -> str:
        """The questions as JSON; see `questions_from_text`."""
        return json.dumps([asdict(question) for question in self.questions], ensure_ascii=False)

    @property
    def pushed_text(self) -> str:
        """The pushed answer as JSON, or ""."""
        return "" if self.pushed is None else json.dumps(asdict(self.pushed))


def questions_from_text(text: str | bytes) -> tuple[Question, ...]:
    """Return the questions of a JSON text: `[{"name", "text", "choices"}]`.

    Raises
    ------
    DataError
        If it is no such JSON, or a question is out of its limits.

    Examples
    --------
    >>> questions = (Question("a", "A?", ("No", "Yes")), Question("b", "B?", ("No", "Yes")))
    >>> questions_from_text(Survey("T", questions).questions_text) == questions
    True
    """
    with explain_damage("the survey", "survey", REMEDY):
        plain = check_types({"questions": json.loads(text)}, Survey, "survey")
        return build_fields(plain, Survey)["questions"]


@cache
def _templates() -> dict[str, dict]:
    """Return all templates by their key, in the order to offer them."""
    text = files("calm_core.classroom").joinpath("templates.json").read_text(encoding="utf-8")
    return {one["key"]: one for one in json.loads(text)}


def template_names() -> tuple[str, ...]:
    """Return the keys of all templates, in the order to offer them.

    Examples
    --------
    >>> template_names()[:2]
    ('honesty', 'sleep')
    """
    return tuple(_templates())


def load_template(name: str, language: str = "en") -> Survey:
    """Return a template with epsilon 2.

    Parameters
    ----------
    name : str
        One of `template_names()`.
    language : str
        One of `LANGUAGES`.

    Raises
    ------
    InputError
        If there is no such template or language.

    Examples
    --------
    >>> load_template("sleep", "es").questions[1].choices
    ('No', 'Sí')
    """
    template = _templates()[check_choice("template", name, _templates())]
    language = check_choice("language", language, LANGUAGES)
    questions = tuple(
        Question(one["name"][language], one["text"][language], tuple(one["choices"][language]))
        for one in template["questions"]
    )
    return Survey(template["title"][language], questions, DEFAULT_EPSILON, language)


# Larger than the papers' threshold, with which a class would have one view and few pairs.
THETA, K, ORACLE = 0.5, 2, GRR.name
# Noise grows with the cells; four digits hold a report.
MAX_CELLS = 64


def plan_class(survey: Survey, n: int, *, rng: np.random.Generator) -> Plan:
    """Return the plan for n phones: `make_plan` with theta 0.5, k 2 and GRR.

    Views of more than 64 cells get fewer questions.

    Parameters
    ----------
    survey : Survey
        The questions.
    n : int
        Number of phones.
    rng : numpy Generator
        Draws the place of each question in the design.

    Raises
    ------
    InfeasibleError
        If there are fewer phones than views needed for all questions.

    Examples
    --------
    >>> from calm_core.classroom.survey import Question
    >>> questions = [Question(name, f"{name}?", ("No", "Yes")) for name in "abc"]
    >>> plan = plan_class(Survey("T", questions), 40, rng=np.random.default_rng(1))
    >>> plan.l, plan.m
    (2, 3)
    """
    check_rng(rng)
    check_count("phones", n, low=0, high=MAX_PHONES)
    try:
        return _plan_small_views(survey, n, rng)
    except InputError as error:
        needed = next(size for size in range(n + 1, MAX_PHONES) if _is_feasible(survey, size))
        raise InfeasibleError(
            f"there are too few phones ({n:,}) for {survey.d} questions; wait for more phones: at least {needed}",
            remedies=[("n", needed)],
        ) from error


def _is_feasible(survey: Survey, n: int) -> bool:
    try:
        _plan_small_views(survey, n, np.random.default_rng(0))
    except InputError:
        return False
    return True


def _plan_small_views(survey: Survey, n: int, rng: np.random.Generator) -> Plan:
    """Return the plan of Algorithm 1; if its views have too many cells, with fewer questions a view.

    These are as few views as cover every pair, if n allows.
    """
    sizes, l, m = survey.domain.sizes, None, None  # noqa: E741
    max_views = choose_views(n, sizes, survey.epsilon, K, THETA).max_views
    while True:
        plan = make_plan(
            survey.domain,
            n,
            epsilon=survey.epsilon,
            k=K,
            theta=THETA,
            rng=rng,
            l=l,
            m=m,
            oracle=ORACLE,
        )
        if _max_cells(plan) <= MAX_CELLS:
            return plan
        l = plan.l - 1  # noqa: E741
        covering = covering_size(survey.d, l, K)
        m = covering if covering <= max_views else None


def _max_cells(plan: Plan) -> int:
    return max(oracle.size for oracle in plan.oracles)


def plan_to_text(plan: Plan) -> str:
    """Return the plan as JSON: views as positions, sizes, keep (hex), epsilon, n, oracle."""
    return json.dumps(
        {
            "views": [plan.domain.positions(view) for view in plan.views],
            "sizes": [oracle.size for oracle in plan.oracles],
            "keep": [f"{GRR(oracle.epsilon, oracle.size).keep:016x}" for oracle in plan.oracles],
            "epsilon": plan.epsilon,
            "n": plan.n,
            "oracle": ORACLE,
        }
    )


def plan_from_text(text: str | bytes, survey: Survey, what: str = "the survey") -> Plan:
    """Return the plan that `plan_to_text` wrote, for the questions of a survey.

    Raises
    ------
    DataError
        If it is no such JSON, or no plan of this survey.

    Examples
    --------
    >>> from calm_core.classroom.survey import Question
    >>> questions = [Question(name, f"{name}?", ("No", "Yes")) for name in "abc"]
    >>> survey = Survey("T", questions)
    >>> plan = plan_class(survey, 40, rng=np.random.default_rng(1))
    >>> plan_from_text(plan_to_text(plan), survey) == plan
    True
    """
    domain, epsilon = survey.domain, survey.epsilon
    with explain_damage(what, "survey", REMEDY):
        plain = json.loads(text)
        n, names = (
            check_count("n", plain["n"], low=2, high=MAX_PHONES),
            dict(enumerate(domain.names)),
        )
        views = tuple(tuple(names[at] for at in view) for view in plain["views"])
        oracles = tuple(GRR(epsilon, domain.cells_of(view)) for view in views)
        choice = choose_views(n, domain.sizes, epsilon, K, THETA)
        plan = Plan(domain, n, epsilon, K, THETA, views, oracles, choice)
        # Sizes, odds, budget and oracle follow from the rest.
        if json.loads(plan_to_text(plan)) != plain or _max_cells(plan) > MAX_CELLS:
            raise DataError(f"{what} is damaged: its plan is none of this survey")
        return plan


def assign_views(m: int, phones: int, *, rng: np.random.Generator) -> np.ndarray:
    """Return a view (0 to m - 1) for each waiting phone: equally many phones a view, in random order.

    Examples
    --------
    >>> sorted(np.bincount(assign_views(3, 7, rng=np.random.default_rng(1))).tolist())
    [2, 2, 3]
    """
    # Which views get one phone more is random, too.
    return rng.permutation(np.resize(rng.permutation(m), phones))


def least_used_view(tickets: Sequence[int], *, rng: np.random.Generator) -> int:
    """Return the view for one more phone: the one with the fewest tickets, ties at random.

    Examples
    --------
    >>> least_used_view([4, 3, 4], rng=np.random.default_rng(1))
    1
    """
    counts = np.asarray(tickets)
    return int(rng.choice(np.flatnonzero(counts == counts.min())))


def questions_for_phone(
    title: str, questions: list[dict], plan: dict, view: int, pushed: dict | None = None, *, is_liar: bool = False
) -> dict:  # fmt: skip
    """Return the JSON for a phone that may answer (`join`, state "open").

    Parameters
    ----------
    title : str
        The title it shows.
    questions, plan : list of dict, dict
        As stored, parsed from JSON.
    view : int
        The view of the phone.
    pushed : dict, optional
        The answer that some phones may push: every phone is told that some may lie.
    is_liar : bool
        Whether this phone is asked to lie; then it gets the position of the question in its view, and the choice.

    Examples
    --------
    >>> questions = [{"name": n, "text": f"{n}?", "choices": ["No", "Yes"]} for n in "ab"]
    >>> plan = {"views": [[0, 1]], "sizes": [4], "keep": ["b6137869fdc8da20"], "epsilon": 2.0, "n": 9,
    ...         "oracle": "grr"}
    >>> body = questions_for_phone("T", questions, plan, 0)
    >>> body["keep"], body["questions"][1]
    ('b6137869fdc8da20', {'text': 'b?', 'choices': ['No', 'Yes']})
    >>> body = questions_for_phone("T", questions, plan, 0, {"question": 1, "choice": 0}, is_liar=True)
    >>> body["liars"], body["lie"]
    (True, [1, 0])
    """
    positions = plan["views"][view]
    in_view = [questions[at] for at in positions]
    experiment: dict = {} if pushed is None else {"liars": True}
    if pushed is not None and is_liar:
        experiment["lie"] = [positions.index(pushed["question"]), pushed["choice"]]
    return {
        "state": "open",
        "title": title,
        "epsilon": plan["epsilon"],
        "oracle": plan["oracle"],
        "size": plan["sizes"][view],
        "keep": plan["keep"][view],
        "views": len(plan["views"]),
        "questions": [{"text": one["text"], "choices": one["choices"]} for one in in_view],
        **experiment,
    }
