"""The frame around every page: its title, its columns, its drawers.

The shell makes it before the page runs, so that a title is there at once and its node stays.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from calm_core.evaluation.error_units import Band
from pages import words
from pages.ui import escape, state, view_state


def _layout() -> str:
    place = view_state.current()
    return "lesson" if place.page == "learn" and place.lesson else place.page


def is_lecture() -> bool:
    """Return whether the page is shown in lecture mode: one title, one number, one chart."""
    return state.current().presenter


def make_frame() -> None:
    """Create the parts of the page and its title, as far as it is known; called by the shell.

    The same parts in the same order for every page, so that nothing is taken away on the way to the
    next; frame.css puts them side by side where the title stands above a narrow column.
    """
    kind = _layout()
    known = st.session_state.setdefault("titles", {})
    usual = "survey" if view_state.current().survey else kind
    text = known.get((kind, view_state.current()), words.common.TITLES.get(usual, ""))
    with st.container(key=f"stage_{kind}"):
        # No empty slot first: the title of the previous page stays until then.
        slot = _draw_title(st, text)
        side, main = st.container(key="side"), st.container(key="main")
    st.session_state["frame"] = {
        "title": slot,
        "shown": text,
        "told": text,
        "side": side,
        "main": main,
    }


def _draw_title(slot, text: str):
    return slot.title(escape.markdown(text, 200), anchor=False)


def set_title(text: str) -> None:
    """Set the title of the page: its question or finding, as plain text."""
    place = view_state.current()
    known = st.session_state["titles"]
    if known.get((_layout(), place)) != text:
        # One title for each page: older numbers are outdated.
        for other in [at for at in known if at[0] == _layout()]:
            del known[other]
        known[_layout(), place] = text
    st.session_state["frame"]["told"] = text


def write_title() -> None:
    """Write the title if it has changed; called by the shell after the page.

    What a page writes itself, Streamlit takes away when another page is opened: a moment without a
    title. What the shell writes stays until it is written anew.
    """
    made = st.session_state["frame"]
    if made["told"] != made["shown"]:
        _draw_title(made["title"], made["told"])


def show_headline(points: float, band: Band) -> None:
    """In a lecture: show the one number with its band, beside the title."""
    if is_lecture():
        number = words.numbers.points(points, unit=False)
        st.html(
            f'<div class="calm-headline"><b>{number}</b> points '
            f'<span class="band {band.value}">{words.bands.SIGNS[band]} {words.bands.WORDS[band]}</span></div>'
        )


def side():
    """Return the column under the title, where the page has one; else the first part of the page."""
    return st.session_state["frame"]["side"]


def main():
    """Return the main column."""
    return st.session_state["frame"]["main"]


@contextmanager
def drawer(label: str, *, key: str | None = None, expanded: bool = False) -> Iterator[None]:
    """Context manager for secondary material in an expander; hidden in a lecture.

    >>> with drawer("Details: SSE, L1, JS"):                  # doctest: +SKIP
    ...     results.error_metrics(truth, answer)
    """
    if is_lecture():
        with st.container(key=f"hidden_{key or 'drawer'}"):
            yield
    else:
        with st.expander(label, key=key, expanded=expanded):
            yield
