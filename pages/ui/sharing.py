"""The link that shows somebody else what is on the screen."""

from urllib.parse import urlencode

import streamlit as st

from calm_core.settings import Settings
from pages import words
from pages.ui import opened, view_state


def share_link(settings: Settings) -> str:
    """Address of the page now shown that restores the settings."""
    address = (st.context.url or "").split("?")[0]
    query = urlencode(settings.to_query() | view_state.current().to_query())
    return f"{address}?{query}" if query else address or "/"


def show_share_popover(settings: Settings) -> None:
    """The address bar's own link, a class's link, and the same numbers on the command line."""
    with st.popover("Share", icon=":material/link:", key="share"):
        st.markdown(words.settings.LINK_TITLE)
        link_slot = st.container()
        shared = settings.changed(**_class_link_options())
        link_slot.code(share_link(shared), language=None, wrap_lines=True)
        if settings.uploaded:
            st.caption(words.settings.LINK_WITHOUT_FILE)
        if opened.is_own(view_state.current()):
            st.caption(words.settings.LINK_WITHOUT_COLLECTION)
        st.markdown(words.settings.SAME_COMMAND)
        st.code(settings.to_command(), language="bash", wrap_lines=True)
        if settings.schema:
            st.caption(words.settings.SCHEMA_NEEDED)


def _class_link_options() -> dict[str, tuple[str, ...]]:
    """What a teacher's link leaves out: controls, and pages."""
    hide = st.multiselect(
        words.settings.HIDE, list(words.settings.HIDEABLE), format_func=words.settings.HIDEABLE.get, key="share_hide",
        placeholder="nothing",
    )  # fmt: skip
    pages = st.multiselect(
        "Show only the pages", [name for name in words.shared.PAGES if name != "start"],
        format_func=lambda name: words.shared.PAGES[name][0], key="share_pages", placeholder="all",
    )  # fmt: skip
    return {"hide": tuple(hide), "pages": tuple(pages)}
