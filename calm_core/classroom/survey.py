"""Questions and surveys with their limits, and ready ones in four languages (`templates.json`). Texts are cleaned."""

import json
import unicodedata
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from importlib.resources import files

from calm_core._checks import check_choice, check_epsilon, set_fields
from calm_core.errors import DataError, InputError
from calm_core.io.json_types import build_fields, check_types
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
# Controls that reverse text, so that it reads as something else.
BIDI_CONTROLS = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
# Letters and a symbol to Unicode, but blank: the Hangul fillers, and Braille without a dot.
BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")


def clean_text(text: str) -> str:
    """Return a text without control and bidi characters, with single spaces; "" if nothing of it is visible.

    Parameters
    ----------
    text : str
        As typed, or as read from a file.

    Returns
    -------
    str
        In Unicode's composed form, line ends and tabs as spaces. It begins with a visible character, because a
        combining mark would join the text before it.

    Examples
    --------
    >>> clean_text("  Do you \\u202esmoke?\\n\\x00 ")
    'Do you smoke?'
    >>> clean_text("\\u200bYes"), clean_text("\\u200b \\u200b"), clean_text("\\u3164"), clean_text("\\u0301")
    ('Yes', '', '', '')
    """
    spaced = "".join(" " if sign.isspace() else sign for sign in unicodedata.normalize("NFC", text))
    allowed = (
        sign
        for sign in spaced
        if unicodedata.category(sign) not in ("Cc", "Cs") and sign not in BIDI_CONTROLS
    )
    found = " ".join("".join(allowed).split())
    first = next((at for at, sign in enumerate(found) if _is_visible(sign)), len(found))
    return found[first:]


def _is_visible(sign: str) -> bool:
    """Whether a character is visible by itself: no space, no combining mark, nothing without width."""
    kind = unicodedata.category(sign)
    if kind == "Cf":
        # Some format characters are visible, such as the Arabic year sign.
        return unicodedata.bidirectional(sign) not in ("BN", "ON")
    return kind not in ("Zs", "Mn", "Mc", "Me") and sign not in BLANK_LETTERS


def _check_text(what: str, text: object, most: int) -> str:
    """Return the cleaned text; refuse one that is empty or has more than `most` characters."""
    if not isinstance(text, str):
        raise InputError(f"{what} must be a text")
    found = clean_text(text)
    if not found:
        raise InputError(f"{what} is empty; write something")
    if len(found) > most:
        raise InputError(
            f"{what} has {len(found):,} characters and must have at most {most}; shorten it"
        )
    return found


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
        name = _check_text("the short name of a question", self.name, MAX_NAME)
        text = _check_text(f"the question {name!r}", self.text, MAX_TEXT)
        if isinstance(self.choices, str):
            raise InputError(f"the answers to {name!r} must be a list of texts")
        choices = tuple(
            _check_text(f"an answer to {name!r}", choice, MAX_CHOICE) for choice in self.choices
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

    def __post_init__(self):
        title = _check_text("the title", self.title, MAX_TEXT)
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
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError("the survey is damaged: its questions are no valid JSON") from error
    return questions_from_list(plain)


def questions_from_list(plain: object, what: str = "the survey") -> tuple[Question, ...]:
    """Return the questions of a parsed JSON list, as `questions_from_text` does."""
    if not isinstance(plain, list) or not all(isinstance(one, dict) for one in plain):
        raise DataError(f"{what} is damaged: its questions must be a list")
    found = []
    for at, one in enumerate(plain, start=1):
        if set(one) != {"name", "text", "choices"}:
            raise DataError(
                f"{what} is damaged: question {at} must have a name, a text and choices"
            )
        try:
            found.append(Question(**build_fields(check_types(one, Question, "survey"), Question)))
        except InputError as error:
            raise DataError(f"{what}, question {at}: {error}") from error
    return tuple(found)


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
    found = _templates()[check_choice("template", name, _templates())]
    language = check_choice("language", language, LANGUAGES)
    questions = tuple(
        Question(one["name"][language], one["text"][language], tuple(one["choices"][language]))
        for one in found["questions"]
    )
    return Survey(found["title"][language], questions, DEFAULT_EPSILON, language)
