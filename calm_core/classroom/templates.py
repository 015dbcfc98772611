"""Ready surveys in four languages (`templates.json`)."""

import json
from functools import cache
from importlib.resources import files

from calm_core._checks import check_choice
from calm_core.classroom.survey import DEFAULT_EPSILON, LANGUAGES, Question, Survey


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
