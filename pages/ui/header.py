"""The line on top: the sections, a link to share, lecture mode; on a phone a sheet behind one button."""

from base64 import b64encode
from functools import lru_cache
from pathlib import Path

import streamlit as st

from pages import words
from pages.ui import menu, sharing, state, view_state
from pages.ui.components import mount


@lru_cache(maxsize=1)
def _logo() -> str:
    picture = Path(__file__).with_name("icon.svg").read_bytes()
    return f"data:image/svg+xml;base64,{b64encode(picture).decode()}"


def show_header(page: str, step: dict | None) -> None:
    """Logo, sections, Share and Lecture mode; `step` is what `rail.position` tells, where there is a rail."""
    here = menu.section_of(page)
    with st.container(key="header", horizontal=True, vertical_alignment="center", wrap=False):
        st.html(f'<span class="calm-logo"><img src="{_logo()}" alt="">{words.shared.APP}</span>')
        mount("menu", {"step": step, "words": {"menu": words.shared.MENU}})
        with st.container(key="sections", horizontal=True, gap=None, wrap=False):
            for section, title in words.shared.SECTIONS.items():
                target = menu.section_page(section)
                if target is None:
                    continue
                with st.container(key=f"section_{section}{'_here' if section == here else ''}"):
                    # Learn opens at its beginning when it is chosen anew.
                    anew = section == here and section == "learn"
                    view_state.page_link(
                        target, title, place=view_state.Route(target) if anew else None
                    )
        with st.container(key="tools", horizontal=True, horizontal_alignment="right", wrap=False):
            if not state.is_hidden("share"):
                sharing.show_share_popover(state.settings_for_url())
                st.button(
                    words.shared.LECTURE, icon=":material/slideshow:", key="present",
                    on_click=_start_lecture, help=words.shared.LECTURE_HELP,
                )  # fmt: skip


def _start_lecture() -> None:
    state.change(presenter=True)
