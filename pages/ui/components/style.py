"""The style sheet of the frame, with the colours of the theme that is shown."""

import json
from functools import lru_cache

import streamlit as st

from pages import words
from pages.ui.components import HERE, component

SHEETS = (HERE / "room.css", HERE.parent / "frame.css", HERE / "term.css")


@lru_cache(maxsize=1)
def _sheet() -> str:
    # Why a file was not taken Streamlit tells only who points at its red mark.
    said = f":root {{ --calm-not-taken: {json.dumps(words.shared.NOT_TAKEN)}; }}\n"
    return f"<style>{said}{''.join(sheet.read_text('utf-8') for sheet in SHEETS)}</style>"


def show() -> None:
    """Put the style sheet into the page; a component gives it the theme's colours as --calm-*."""
    st.html(_sheet())
    component("style", "<i class='root' hidden></i>\n")(key="calm_style", data={})
