"""Texts that stand in a file of their own beside their module, where they are read and edited without code."""

from collections.abc import Callable
from functools import partial
from string import Formatter
from typing import Any

from calm_core.text import format_count
from pages.words import numbers
from pages.words.languages import read_texts


class _NumberFormatter(Formatter):
    """Fills a text as `str.format` does, and numbers as `numbers` rounds them."""

    def format_field(self, value: Any, format_spec: str) -> str:
        kind, _, name = format_spec.partition(" ")
        if kind == "count" and name:
            return format_count(value, name)
        if kind == "forms":
            return name.split("|")[0 if value == 1 else 1]
        write = vars(numbers).get(name or kind)
        if write is None:
            return super().format_field(value, format_spec)
        return write(100 * value if kind == "100" else value)


class Texts:
    """The texts of NAME.toml as attributes: a name in capitals is a text, another one fills the fields of its text.

    >>> texts = Texts("common")
    >>> texts.UNDO, texts.views(l=8, m=20)
    ('Undo', '20 views of 8')
    """

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, name: str) -> Any:
        texts = read_texts(self._name)
        if name not in texts:
            raise AttributeError(f"there is no text {name}")
        text = texts[name]
        return text if name.isupper() else template(text)


def template(text: str) -> Callable[..., str]:
    """Return a function that fills the fields of a text, given by name.

    >>> fill = template("{n:amount} people, {k:count view}, {error:points}, {share:100 points}: {name}")
    >>> fill(n=60_000, k=2, error=1.94, share=0.012, name="A")
    '60,000 people, 2 views, ±1.9 points, ±1.2 points: A'
    >>> template("{n} {n:forms Frage|Fragen}")(n=1), template("{n} {n:forms Frage|Fragen}")(n=2)
    ('1 Frage', '2 Fragen')
    """
    return partial(_NumberFormatter().format, text)
