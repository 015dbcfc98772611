"""The style sheet of the frame, with the colors of the theme."""

import json
from functools import lru_cache

import streamlit as st

from pages import words
from pages.ui.components import HERE, mount

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
