"""Widgets bound to settings, and parsers of typed numbers."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st
from streamlit.typing import UploadedFile

from calm_core.errors import InputError
from calm_core.ingest.limits import LIMITS
from calm_core.settings import EPSILONS, THETAS
from pages import words
from pages.ui import state


def parse_int(text, name: str) -> int:
    """Return a typed whole number: 60000, 60,000 or 60 000."""
    plain = str(text).replace(",", "").replace(" ", "").replace("_", "")
    try:
        return int(plain)
    except ValueError:
        raise InputError(words.settings.not_whole(name=name, text=text)) from None


def parse_float(text: str, name: str) -> float:
    """Return a typed number: 0.5 or 0,5."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise InputError(f"{name} ({text:.40}) must be a number") from None


def epsilons_around(epsilon: float) -> tuple[float, ...]:
    """Return the values that widgets offer, with the current one.

    Examples
    --------
    >>> epsilons_around(0.25)[1:5], epsilons_around(0.2) == EPSILONS
    ((0.1, 0.2, 0.25, 0.3), True)
    """
    # Values with the same text would be one position of a slider.
    others = (offered for offered in EPSILONS if f"{offered:g}" != f"{epsilon:g}")
    return tuple(sorted((*others, epsilon)))


def setting_widget(
    widget: Callable,
    label: str,
    field: str,
    *,
    show: Callable = lambda value: value,
    read: Callable = lambda value: value,
    **options,
):
    """Draw a widget bound to one field of the settings.

    Parameters
    ----------
    widget : callable
        `st.slider`, `st.selectbox` and the like.
    field : str
        Name of the field.
    show, read : callable
        Field to widget value, and back.
    """
    if state.is_hidden(field):
        return None
    key = f"in_{field}"
    # The setting is the truth: every run brings its value, whatever the browser had drawn before.
    st.session_state[key] = show(getattr(state.current(), field))
    return widget(label, key=key, on_change=_on_change, args=(field, key, show, read), **options)


def _on_change(field: str, key: str, show: Callable, read: Callable) -> None:
    # The browser may send the old value of a widget that the server has forgotten in between.
    if st.session_state[key] == show(getattr(state.current(), field)):
        return
    with state.show_user_errors():
        state.set_field(field, read(st.session_state[key]))


def choose_segment(label: str, titles: Mapping, key: str, **options) -> Any:
    """Draw one segment for each key of `titles`, at first the first, and return the chosen key."""
    options = {"default": next(iter(titles)), "format_func": titles.__getitem__} | options
    return st.segmented_control(label, list(titles), key=key, required=True, **options)


def show_upload(
    label: str, kinds: list[str], key: str, read: Callable[[UploadedFile], object], **options: Any
) -> None:
    """Draw a drop zone; `read` gets the file, and what it refuses is shown on the next page."""

    def on_change() -> None:
        file = st.session_state.get(key)
        if file is not None:
            with state.show_user_errors():
                read(file)

    options.setdefault("max_upload_size", LIMITS.upload_bytes >> 20)
    st.file_uploader(label, type=kinds, key=key, on_change=on_change, **options)


def offered_thetas() -> list[float]:
    """Return the thresholds offered, with the current one."""
    return sorted({*THETAS, state.current().theta})
