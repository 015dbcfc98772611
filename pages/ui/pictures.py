"""A figure on a page, with the sentence that says what it shows; made once for all who look at it."""

from collections.abc import Callable, Hashable
from typing import Any

import streamlit as st

from calm_core.figures.html import ReadyFigure, picture_options
from pages.ui import escape
from pages.ui.jobs.result_cache import ResultCache


def _characters(made: Any) -> int:
    return sum(map(len, made))


# Figures as JSON and their sentences, some 10 kB each.
_PICTURES = ResultCache(1000, _characters, max_bytes=20_000_000)


def show_figure(
    name: str,
    key: Hashable,
    make: Callable[[], tuple[Any, str]],
    *,
    caption: bool = True,
    **options,
):
    """Draw a figure; returns what `st.plotly_chart` does.

    Parameters
    ----------
    name : str
        Of the figure on its page and of the picture that the camera button saves.
    key : hashable
        Plain values that decide the figure and its sentence, the source of the data among them.
    make : callable
        Gives the figure, and the sentence of what it shows for screen readers, which stands below the figure
        too unless `caption` is False because the words beside it say the same.
    """

    def ready() -> tuple[str, str]:
        figure, sentence = make()
        return str(figure.to_json()), sentence

    text, sentence = _PICTURES.get((name, key), ready)
    kind = st.session_state.get("picture_kind", "svg")
    found = st.plotly_chart(
        ReadyFigure(text), key=f"figure_{name}", config=picture_options(f"calm-{name}", kind), alt=sentence,
        **options,
    )  # fmt: skip
    if caption:
        st.caption(escape.sentence(sentence))
    return found
