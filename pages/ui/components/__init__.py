"""Parts of the screen of our own: plain JavaScript and CSS beside the Python that feeds them."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components import v2

HERE = Path(__file__).parent
# Of the session: when what was heard last was chosen.
HEARD = "choices_heard"
PLAIN = {float, int, str, bool, type(None)}


def current_choices(key: str, field: str):
    """What a component has told last under a name; None where it is not on the screen any more.

    A press may be of a page that has been left before it was heard, whose components are forgotten.
    """
    return st.session_state.get(key, {}).get(field)


def hear_choices(key: str, field: str, hear: Callable[[Any], object]) -> None:
    """Let `hear` know of the choices of a component under a name (`tellPython` of `common.js`), each once and in turn.

    Those that come while the page is drawn reach the script together.
    """
    for choice in current_choices(key, field) or ():
        if choice["at"] > last_heard_number(key, field):
            st.session_state.setdefault(HEARD, {})[key, field] = choice["at"]
            hear(choice["value"])


def last_heard_number(key: str, field: str) -> int:
    """When the choice was made that was heard last, by the browser's clock; 0 where none was."""
    return st.session_state.get(HEARD, {}).get((key, field), 0)


@lru_cache(maxsize=32)
def component(
    name: str, html: str = "<div class='root'></div>\n", after: tuple[str, ...] = ()
) -> Callable[..., Any]:
    """What mounts the component whose script is NAME.js and whose looks are NAME.css, if it has any.

    Every script follows `common.js`, every style sheet `room.css` and `common.css`: what they define is
    there, and what the scripts and style sheets named in `after` define. A name stands for one component on
    the whole server: what differs from page to page is among its data.
    """
    names = ("common", *after, name)
    sheets = [path for path in (HERE / f"{part}.css" for part in ("room", *names)) if path.exists()]
    return v2.component(
        f"calm_{name}",
        html=html,
        css="\n".join(path.read_text("utf-8") for path in sheets),
        js="\n".join((HERE / f"{part}.js").read_text("utf-8") for part in names),
    )


def as_plain(value: Any) -> Any:
    """What `dataclasses.asdict` makes of data for the browser, which copies every number on its way.

    >>> from calm_core.tables.domain import Domain
    >>> as_plain((Domain(("a",), (2,)), "b"))[0]["sizes"]
    (2,)
    """
    if type(value) in PLAIN:
        return value
    if is_dataclass(value):
        return {name: as_plain(getattr(value, name)) for name in _names(type(value))}
    if isinstance(value, dict):
        return {name: as_plain(item) for name, item in value.items()}
    if isinstance(value, (tuple, list)) and not PLAIN.issuperset(map(type, value)):
        return type(value)(map(as_plain, value))
    return value


@lru_cache(maxsize=64)
def _names(kind: type) -> tuple[str, ...]:
    return tuple(item.name for item in fields(kind))
