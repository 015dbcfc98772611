"""The line on top of every page, its Share menu, and the switch between the two pages of Compare."""

from base64 import b64encode
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from calm_core.settings import Settings
from pages import words
from pages.ui import glossary_link, menu, opened_collections, state, view_state
from pages.ui.components import mount


def share_link(settings: Settings) -> str:
    """Return the address of the current page that restores the settings."""
    address = (st.context.url or "").split("?")[0]
    query = urlencode(settings.to_query() | view_state.current().to_query())
    return f"{address}?{query}" if query else address or "/"


def show_share_popover(settings: Settings) -> None:
    """Show the link to this page, a link for a class, and the equivalent command."""
    with st.popover("Share", icon=":material/link:", key="share"):
        st.markdown(words.settings.LINK_TITLE)
        link_slot = st.container()
        shared = settings.with_changes(**_class_link_options())
        link_slot.code(share_link(shared), language=None, wrap_lines=True)
        if settings.is_upload:
            st.caption(words.settings.LINK_WITHOUT_FILE)
        if opened_collections.is_own(view_state.current()):
            st.caption(words.settings.LINK_WITHOUT_COLLECTION)
        st.markdown(words.settings.SAME_COMMAND)
        st.code(settings.to_command(), language="bash", wrap_lines=True)
        if settings.schema:
            st.caption(words.settings.SCHEMA_NEEDED)


def _class_link_options() -> dict[str, tuple[str, ...]]:
    """Show what a teacher's link hides; return hidden controls and shown pages."""
    hide = st.multiselect(
        words.settings.HIDE, list(words.settings.HIDEABLE), format_func=words.settings.HIDEABLE.get, key="share_hide",
        placeholder="nothing",
    )  # fmt: skip
    pages = st.multiselect(
        "Show only the pages", [name for name in words.common.PAGES if name != "start"],
        format_func=lambda name: words.common.PAGES[name][0], key="share_pages", placeholder="all",
    )  # fmt: skip
    return {"hide": tuple(hide), "pages": tuple(pages)}


@lru_cache(maxsize=1)
def _logo() -> str:
    picture = Path(__file__).with_name("icon.svg").read_bytes()
    return f"data:image/svg+xml;base64,{b64encode(picture).decode()}"


def show_header(page: str, step: dict | None) -> None:
    """Show logo, sections, Share and Lecture mode; `step` is as `stepper.step_position` returns it."""
    here = menu.section_of(page)
    with st.container(key="header", horizontal=True, vertical_alignment="center", wrap=False):
        st.html(f'<span class="calm-logo"><img src="{_logo()}" alt="">{words.common.APP}</span>')
        mount("menu", {"step": step, "words": {"menu": words.common.MENU}})
        with st.container(key="sections", horizontal=True, gap=None, wrap=False):
            for section, title in words.common.SECTIONS.items():
                target = menu.section_page(section)
                if target is None:
                    continue
                with st.container(key=f"section_{section}{'_here' if section == here else ''}"):
                    # On Learn the link leads back to its first page.
                    anew = section == here and section == "learn"
                    view_state.page_link(
                        target, title, place=view_state.Route(target) if anew else None
                    )
        with st.container(key="tools", horizontal=True, horizontal_alignment="right", wrap=False):
            if not state.is_hidden("share"):
                show_share_popover(state.settings_for_url())
                st.button(
                    words.common.LECTURE, icon=":material/slideshow:", key="present",
                    on_click=_start_lecture, help=words.common.LECTURE_HELP,
                )  # fmt: skip


def _start_lecture() -> None:
    state.change(presenter=True)


KEY = "compare_switch"


def show_compare_switch(lead: str) -> None:
    """Show one sentence, and the switch between Three worlds and Methods where both are shown."""
    here = view_state.current().page
    offered = [page for page in words.worlds.SWITCH if menu.is_shown(page)]
    with st.container(key="compare_lead", horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch"):
            glossary_link.show_text(lead)
        if len(offered) > 1:
            # After a change of page the widget still holds the previous page.
            st.session_state[KEY] = here
            st.segmented_control(
                "Compare", offered, default=here, format_func=words.worlds.SWITCH.__getitem__, key=KEY,
                required=True, label_visibility="collapsed", width="content", on_change=_turned,
            )  # fmt: skip


def _turned() -> None:
    view_state.go(st.session_state[KEY])
