"""Where on a page somebody is: the secondary view, the lesson, the step.

Beside `Settings` this is all that the address holds. The link of a first visit says it; afterwards
`st.session_state["places"]` is the truth, and the address follows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import streamlit as st

from calm_core.settings import Settings
from pages.ui import menu, state


@dataclass(frozen=True)
class Route:
    """A part of a page.

    Attributes
    ----------
    page : str
        Key of `words.shared.PAGES`.
    view : str
        The secondary view chosen; "" is the first one.
    lesson : str
        Key of a lesson; "" is the landing page of all.
    at : int
        Step of the lesson or of what the page plays, from 0.
    open : str
        The collection that is open, see `pages.ui.opened`.
    table : tuple of int
        The attributes of its table looked at, by their places in its plan.
    by : str
        The method that answers from it, where it is not the usual one.
    survey, wall : str
        The code of the survey that is open on Classroom, and the key of its wall where only that was given.
    """

    page: str
    view: str = ""
    lesson: str = ""
    at: int = 0
    open: str = ""
    table: tuple[int, ...] = ()
    by: str = ""
    survey: str = ""
    wall: str = ""

    def to_query(self) -> dict[str, str]:
        """What of it a link says: nothing that is as usual.

        >>> Route("learn", lesson="coin", at=2).to_query()
        {'lesson': 'coin', 'at': '2'}
        """
        table = ",".join(map(str, self.table))
        told = {
            "view": self.view, "lesson": self.lesson, "at": str(self.at or ""), "open": self.open,
            "table": table, "by": self.by, "survey": self.survey, "wall": self.wall,
        }  # fmt: skip
        return {name: text for name, text in told.items() if text}

    @classmethod
    def from_query(cls, page: str, query: Mapping[str, str]) -> "Route":
        """Read a link; what cannot be meant is left at its default.

        >>> Route.from_query("learn", {"lesson": "coin", "at": "two"}) == Route("learn", lesson="coin")
        True
        >>> Route.from_query("collection", {"open": "./state.json", "table": "0,x,2"}).table
        (0, 2)
        """
        at = query.get("at", "")
        table = [text for text in query.get("table", "").split(",") if _is_small_int(text)]
        return cls(
            page,
            view=query.get("view", "")[:40],
            lesson=query.get("lesson", "")[:40],
            at=min(int(at), 99) if _is_small_int(at) else 0,
            open=query.get("open", "")[:400],
            table=tuple(map(int, table)),
            by=query.get("by", "")[:40],
            survey=query.get("survey", "")[:40],
            wall=query.get("wall", "")[:40],
        )


def _is_small_int(text: str) -> bool:
    """Whether it is a small whole number."""
    return text.isascii() and text.isdigit() and len(text) < 6


def enter_page(page: str) -> None:
    """Called by the shell: `page` is the one shown now; a first visit takes its place from the link."""
    if "places" not in st.session_state:
        st.session_state["places"] = {page: Route.from_query(page, st.query_params.to_dict())}
    st.session_state["places"].setdefault(page, Route(page))
    st.session_state["page"] = page


def current() -> Route:
    """Where we are."""
    return st.session_state["places"][st.session_state["page"]]


def change(**changes) -> None:
    """Be elsewhere on the same page."""
    place = replace(current(), **changes)
    st.session_state["places"][place.page] = place


def go(page: str, **changes) -> None:
    """From a callback: the next run shows `page`, at its beginning or where `changes` say."""
    st.session_state["places"][page] = replace(Route(page), **changes)
    st.session_state["go"] = page


def go_with_undo(page: str) -> None:
    """As `go`, after a change made for somebody: its way back leads to the place of now."""
    st.session_state["departed"] = state.last_change(), current()
    go(page)


def undo(former: Settings) -> None:
    """Callback of a toast: the settings before the change, and the place where somebody was taken from it."""
    applied, place = st.session_state.pop("departed", (None, None))
    if place is not None and applied == state.last_change():
        st.session_state["places"][place.page] = place
        st.session_state["go"] = place.page
    state.restore(former)


def address_query(place: Route | None = None) -> dict[str, str]:
    """All that the address holds: settings that differ from the usual ones, and the place."""
    return state.settings_for_url().to_query() | (place.to_query() if place else {})


def is_leaving() -> bool:
    """Whether a callback has asked for another page, which is not shown yet."""
    page = st.session_state.get("go")
    return page is not None and page != st.session_state.get("page") and menu.is_shown(page)


def turn_page() -> None:
    """Called by the shell: show the page that a callback has asked for."""
    moves, page = is_leaving(), st.session_state.pop("go", None)
    if moves:
        st.switch_page(
            menu.get_page(page), query_params=address_query(st.session_state["places"].get(page))
        )


def show_link(page: str, label: str, **settings_changes) -> None:
    """A link to another page that keeps the settings, or changes some; none where it is not shown."""
    if not menu.is_shown(page):
        return
    if settings_changes:
        st.button(
            label, key=f"link_{page}_{label}", type="tertiary", on_click=_follow,
            args=(page, settings_changes),
        )  # fmt: skip
    else:
        page_link(page, label)


def page_link(page: str, label: str, slot=st, place: Route | None = None):
    """A link drawn into `slot`, to where that page was left, or to `current_route`; keeps the settings."""
    place = place or st.session_state["places"].get(page)
    return slot.page_link(menu.get_page(page), label=label, query_params=address_query(place))


def _follow(page: str, changes: dict) -> None:
    if state.change(**changes):
        go(page)


def current_view(names: Mapping[str, str]) -> str:
    """The secondary view of this page, one of the keys of `names`; the first where none is chosen."""
    chosen = current().view
    return chosen if chosen in names else next(iter(names))


def show_views(names: Mapping[str, str]) -> None:
    """The row of secondary views, at the foot of the stage."""
    if state.current().presenter:
        return
    page, now = st.session_state["page"], current_view(names)
    key = f"view_{page}"
    if st.session_state.get(key, now) != now:
        st.session_state[key] = now
    st.segmented_control(
        "View", list(names), default=now, format_func=names.__getitem__, key=key, required=True,
        label_visibility="collapsed", on_change=_on_view_change, args=(key, next(iter(names))),
    )  # fmt: skip


def _on_view_change(key: str, first: str) -> None:
    chosen = st.session_state[key]
    change(view="" if chosen == first else chosen, at=0)


def address_bar_query(place: Route, aside: dict[str, str]) -> str:
    """The query of the address bar, as text, with what it holds `aside` of settings and place."""
    return urlencode(address_query(place) | aside)
