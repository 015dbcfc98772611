"""The pages of the app and the route of each: secondary view, lesson, step, open collection or survey.

Beside `Settings` the route is all that the address holds. The link of a first visit says it; afterwards
`st.session_state["places"]` is the truth, and the address follows."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import streamlit as st

from pages import words
from pages.ui import state, uploads, widgets
from pages.ui.state import Route
from pages.words import languages
from pages.words.languages import ENGLISH, LANGUAGES, PHONE

FOLDER = Path(__file__).resolve().parents[1]
FIRST = "start"
LAB = ("data", "plan", "collect", "marginals", "errors", "ask")
# What stands before the name of a collection in the folder of the server.
ROOT_PREFIX = "./"
# Sections of the header with their pages.
SECTIONS = {
    "start": ("start",),
    "learn": ("learn",),
    "lab": (*LAB, "collection", "assignment"),
    "compare": ("worlds", "compare"),
    "attack": ("attack",),
    "classroom": ("classroom",),
    "about": ("about",),
}


def is_shown(name: str) -> bool:
    """Return whether the link allows a page; Start is always shown."""
    allowed = state.current().pages
    return not allowed or name in (*allowed, FIRST)


def get_page(name: str) -> st.Page:
    """Return a page as Streamlit's object, the same one everywhere in a run."""
    return st.session_state["pages"][name]


def list_pages() -> dict[str, st.Page]:
    """Return all pages shown, by name, in order; called by the shell."""
    pages = {
        name: st.Page(FOLDER / f"{name}.py", title=title, default=name == FIRST)
        for name, (title, _) in words.common.PAGES.items()
        if is_shown(name)
    }
    st.session_state["pages"] = pages
    return pages


def section_of(name: str) -> str:
    """Return the section of the header a page belongs to."""
    return next(section for section, names in SECTIONS.items() if name in names)


def section_page(section: str) -> str | None:
    """Return the page that a section opens: the last one visited, else the first one shown."""
    last = st.session_state.setdefault("seen", {}).get(section)
    names = [name for name in SECTIONS[section] if is_shown(name)]
    return last if last in names else next(iter(names), None)


def remember_page(name: str) -> None:
    """Remember the page as the last one of its section."""
    st.session_state.setdefault("seen", {})[section_of(name)] = name


# Pages whose texts come in the language of the visit; the others are in English.
TRANSLATED = ("learn", "classroom")


def page_language() -> str:
    """Return the language of the current page: that of the visit where the page is translated."""
    translated = st.session_state.get("page") in TRANSLATED
    return st.session_state.get("language", ENGLISH) if translated else ENGLISH


languages.follow(page_language)


def browser_language() -> str:
    """Return the language of the browser if texts come in it, else English."""
    language = (st.context.locale or "")[:2].lower()
    return language if language in LANGUAGES else ENGLISH


def language_query() -> dict[str, str]:
    """Return the language of the visit for a link; nothing where English is also what the browser asks for."""
    language = st.session_state.get("language", ENGLISH)
    return {} if language == browser_language() == ENGLISH else {"lang": language}


def choose_language() -> None:
    """Let the visitor choose the language of the page."""
    st.selectbox(
        PHONE[page_language()]["language"], list(LANGUAGES), format_func=LANGUAGES.__getitem__, key="language",
        label_visibility="collapsed", persist_state="session", width=150,
    )  # fmt: skip


def enter_page(page: str) -> None:
    """Make `page` the current one; a first visit takes its route from the link. Called by the shell."""
    if "places" not in st.session_state:
        st.session_state["places"] = {page: Route.from_query(page, st.query_params.to_dict())}
        language = st.query_params.get("lang", "")
        st.session_state["language"] = language if language in LANGUAGES else browser_language()
    st.session_state["places"].setdefault(page, Route(page))
    st.session_state["page"] = page


def current() -> Route:
    """Return the current route."""
    return st.session_state["places"][st.session_state["page"]]


def collection_route() -> Route:
    """Return the route of the page about an open collection."""
    return st.session_state.get("places", {}).get("collection") or Route("collection")


def is_own_collection(here: Route) -> bool:
    """Return whether a route shows a collection of this session."""
    return bool(here.open) and not here.open.startswith(ROOT_PREFIX)


def has_work() -> bool:
    """Return whether a student works on an assignment, and another page is shown."""
    place = st.session_state.get("places", {}).get("assignment")
    return place is not None and bool(place.work) and st.session_state["page"] != place.page


def missing_collection() -> str:
    """Return the digest of the collection in the address while it is not loaded."""
    here = collection_route()
    missing = is_own_collection(here) and here.open not in uploads.current().collections
    return here.open if missing else ""


def change(**changes) -> None:
    """Change the current route within its page."""
    place = replace(current(), **changes)
    st.session_state["places"][place.page] = place


def go(page: str, **changes) -> None:
    """Have the next run show `page`, at its beginning or where `changes` say; for callbacks."""
    st.session_state["places"][page] = replace(Route(page), **changes)
    st.session_state["go"] = page


def go_with_undo(page: str, **changes) -> None:
    """Like `go`, after a change of settings whose undo leads back to the current route."""
    state.lead_back(current())
    go(page, **changes)


def address_query(
    place: Route | None = None, changes: Mapping = MappingProxyType({})
) -> dict[str, str]:
    """Return settings that differ from the defaults, with these changes, the route and the language, for the address."""
    route = place.to_query() if place else {}
    settings = state.settings_for_url().with_changes(**changes)
    return settings.to_query() | route | language_query()


def is_leaving() -> bool:
    """Return whether a callback has asked for another page that is not shown yet."""
    page = st.session_state.get("go")
    return page is not None and page != st.session_state.get("page") and is_shown(page)


def turn_page() -> None:
    """Show the page that a callback has asked for; called by the shell."""
    moves, page = is_leaving(), st.session_state.pop("go", None)
    if moves:
        st.switch_page(
            get_page(page), query_params=address_query(st.session_state["places"].get(page))
        )


def page_link(page: str, label: str, slot=st, place: Route | None = None):
    """Draw a link into `slot` to the last route of a page, or to `place`."""
    place = place or st.session_state["places"].get(page)
    return slot.page_link(get_page(page), label=label, query_params=address_query(place))


def current_view(names: Mapping[str, str]) -> str:
    """Return the secondary view of this page, one of the keys of `names`; by default the first."""
    view = current().view
    return view if view in names else next(iter(names))


def show_views(names: Mapping[str, str]) -> None:
    """Show the secondary views of the page."""
    if state.current().presenter:
        return
    page, now = st.session_state["page"], current_view(names)
    key = f"view_{page}"
    if st.session_state.get(key, now) != now:
        st.session_state[key] = now
    widgets.choose_segment(
        "View", names, key, default=now, label_visibility="collapsed",
        on_change=_on_view_change, args=(key, next(iter(names))),
    )  # fmt: skip


def _on_view_change(key: str, first: str) -> None:
    chosen = st.session_state[key]
    change(view="" if chosen == first else chosen, at=0)
