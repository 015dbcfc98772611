"""Components in plain JavaScript and CSS, and the Python that mounts them."""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components import v2

from pages import words
from pages.ui.streamlit_compat import SELECTORS

HERE = Path(__file__).parent
# Key of `st.session_state`: the number of the last handled choice of each component and field.
HANDLED = "choices_handled"
# HTML of the components that have other than usual: what shows nothing, and an alert.
USUAL, HIDDEN = "<div class='root'></div>\n", "<i class='root' hidden></i>\n"
HTML = dict.fromkeys(
    ("address", "anchor", "leave_warning", "lecture_keys", "style", "tab_memory"), HIDDEN
) | {"connection": "<p class='root' role='alert' hidden></p>\n"}
# Scripts and style sheets that a component builds on.
BUILDS_ON = {
    "collect": ("table_marks", "table_bars", "table_rows"),
    "tradeoff": ("glossary_link",),
    "table": ("glossary_link", "table_marks", "table_bars", "table_rows", "table_sheets"),
    "worlds": ("table_marks", "table_bars"),
}


@lru_cache(maxsize=32)
def component(name: str) -> Callable[..., Any]:
    """Return the function that mounts a component; Streamlit keeps one definition per name for the whole server.

    Its script is NAME.js and its style sheet NAME.css, if there is one. Every script follows `common.js`,
    every style sheet `room.css` and `common.css`.
    """
    names = ("common", *BUILDS_ON.get(name, ()), name)
    sheets = [path for path in (HERE / f"{part}.css" for part in ("room", *names)) if path.exists()]
    script = "\n".join((HERE / f"{part}.js").read_text("utf-8") for part in names)
    return v2.component(
        f"calm_{name}",
        html=HTML.get(name, USUAL),
        css="\n".join(path.read_text("utf-8") for path in sheets),
        js=f"const STREAMLIT = {json.dumps(SELECTORS)}\n"
        + script.replace("export default function", "function renderComponent")
        + (HERE / "confirm.js").read_text("utf-8"),
    )


def mount(
    name: str,
    data: dict,
    *,
    key: str = "",
    on: Mapping[str, Callable[[Any], object]] | None = None,
    triggers: Mapping[str, Callable[[], object]] | None = None,
    **options: Any,
) -> None:
    """Draw a component.

    Parameters
    ----------
    name : str
        Of its script, NAME.js.
    data : dict
        Plain values for its script.
    key : str
        Of the mounted component; its name by default.
    on : mapping, optional
        For each field, the function called with every value that was chosen (`tellPython` in `common.js`).
    triggers : mapping, optional
        For each trigger of the script, the function called without arguments.
    """
    key = key or (f"calm_{name}" if HTML.get(name) == HIDDEN else name)
    callbacks = dict(triggers or {})
    for field, act in (on or {}).items():
        callbacks[field] = partial(handle_choices, key, field, act)
    numbers = st.session_state.get(HANDLED, {})
    if confirmed := {field: at for (mounted, field), at in numbers.items() if mounted == key}:
        data = {**data, "confirmed": confirmed}
    component(name)(
        key=key, data=data, **{f"on_{field}_change": act for field, act in callbacks.items()}, **options
    )  # fmt: skip


def handle_choices(key: str, field: str, act: Callable[[Any], object]) -> None:
    """Call `act` with every choice that was not handled yet, in order.

    Streamlit may end a callback for the next press. A choice counts as handled once `act` has returned: until then
    its component sends it again (`tellPython` of `common.js`). So `act` writes its change last.
    """
    handled = st.session_state.setdefault(HANDLED, {})
    for choice in st.session_state.get(key, {}).get(field) or ():
        if choice["at"] > handled.get((key, field), 0):
            try:
                act(choice["value"])
            except Exception:
                # A bug would come again and again.
                handled[key, field] = choice["at"]
                raise
            handled[key, field] = choice["at"]


def last_handled_time(key: str, field: str) -> int:
    """Return the number of the last handled choice, its time by the browser's clock; 0 without one."""
    return st.session_state.get(HANDLED, {}).get((key, field), 0)


SHEETS = (HERE / "room.css", HERE.parent / "frame.css", HERE / "glossary_link.css")


@lru_cache(maxsize=1)
def _sheet() -> str:
    # Streamlit says why a file was refused only where the pointer rests on its red mark.
    reason = f":root {{ --calm-not-taken: {json.dumps(words.common.NOT_TAKEN)}; }}\n"
    return f"<style>{reason}{''.join(sheet.read_text('utf-8') for sheet in SHEETS)}</style>"


def mount_style() -> None:
    """Put the style sheet into the page; a component sets the theme's colors as --calm-*."""
    st.html(_sheet())
    mount("style", {})
