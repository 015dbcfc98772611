"""The pages of the app, in sections."""

from functools import lru_cache
from pathlib import Path

import streamlit as st

from pages import words
from pages.ui import state

FOLDER = Path(__file__).resolve().parents[1]
FIRST = "start"
LAB = ("data", "plan", "collect", "marginals", "errors")
# Sections of the header with their pages.
SECTIONS = {
    "start": ("start",),
    "learn": ("learn",),
    "lab": (*LAB, "collection"),
    "compare": ("worlds", "compare"),
    "classroom": ("classroom",),
    "about": ("about",),
}


def is_shown(name: str) -> bool:
    """Return whether a page exists and the link allows it; Start is always shown."""
    allowed = state.current().pages
    return _exists(name) and (not allowed or name in (*allowed, FIRST))


@lru_cache(maxsize=32)
def _exists(name: str) -> bool:
    return (FOLDER / f"{name}.py").exists()


def get_page(name: str) -> st.Page:
    """Return a page as Streamlit's object, the same one everywhere in a run."""
    return st.session_state["pages"][name]


def list_pages() -> dict[str, st.Page]:
    """Return all pages shown, by name, in order; called by the shell."""
    found = {
        name: st.Page(FOLDER / f"{name}.py", title=title, default=name == FIRST)
        for name, (title, _) in words.common.PAGES.items()
        if is_shown(name)
    }
    st.session_state["pages"] = found
    return found


def section_of(name: str) -> str:
    """Return the section of the header a page belongs to."""
    return next(section for section, names in SECTIONS.items() if name in names)


def section_page(section: str) -> str | None:
    """Return the page that a section opens: the last one visited, else the first one shown."""
    seen = st.session_state.setdefault("seen", {}).get(section)
    names = [name for name in SECTIONS[section] if is_shown(name)]
    return seen if seen in names else next(iter(names), None)


def remember_page(name: str) -> None:
    """Remember the page as the last one of its section."""
    st.session_state.setdefault("seen", {})[section_of(name)] = name
