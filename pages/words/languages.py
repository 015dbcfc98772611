"""The languages of the lessons and of the classroom: the texts of NAME.de.toml stand in place of those of NAME.toml.

Files beside the English ones, and not gettext: the texts stand in such files with a key each already, nothing has to be
compiled or extracted, and `tests/app/test_languages.py` finds what is missing.
"""

import json
import tomllib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
# By language and key: the texts of the phone page, which holds all languages.
PHONE = json.loads((FOLDER / "phone.json").read_text("utf-8"))
# By code; each by its own name.
LANGUAGES = {code: texts["name"] for code, texts in PHONE.items()}
ENGLISH = "en"
# The files that are there in all languages.
TRANSLATED = ("numbers", "learn", "lessons", "lecture", "classroom", "classroom_results")

_source: list[Callable[[], str]] = []


def follow(source: Callable[[], str]) -> None:
    """Have texts come in the language that `source` returns; called once, by the pages."""
    _source[:] = [source]


def current_language() -> str:
    """Return the code of the language that texts come in now."""
    return _source[0]() if _source else ENGLISH


@lru_cache(maxsize=64)
def read_file(name: str, language: str = ENGLISH) -> dict[str, Any]:
    """Return the texts of a file by their keys, as they are in it."""
    ending = "" if language == ENGLISH else f".{language}"
    return tomllib.loads((FOLDER / f"{name}{ending}.toml").read_text("utf-8"))


def read_texts(name: str) -> dict[str, Any]:
    """Return the texts of a file by their keys: in the current language where it is translated, else in English."""
    return read_file(name, current_language() if name in TRANSLATED else ENGLISH)
