"""A figure on a page: name for screen readers, picture export, no clutter."""

import streamlit as st

from calm_core.figures.html import picture_options


def show(figure, alt: str, key: str, **options):
    """Draw a plotly figure; `alt` says what it shows, `key` names it and its saved picture."""
    return st.plotly_chart(
        figure,
        key=key,
        alt=alt,
        config=picture_options(f"calm-{key}"),
        theme="streamlit",
        **options,
    )
