"""What went wrong, in one plain sentence; bugs are not caught and surface."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from calm_core.errors import UserError
from pages.ui import escape


def as_sentence(error: UserError | str) -> str:
    """The message as a sentence with its data shown literally."""
    text = str(error)
    # A letter of its own is a symbol: L is not l.
    if text[1:2] != " ":
        text = text[:1].upper() + text[1:]
    return escape.sentence(text if text.endswith((".", "!", "?")) else text + ".")


@contextmanager
def guard(*, stop: bool = True) -> Iterator[None]:
    """Show a UserError as one sentence and end the page there; settings and data stay as they are.

    >>> with guard():                                       # doctest: +SKIP
    ...     outcome = runs.outcome(settings)
    """
    try:
        yield
    except UserError as error:
        st.error(as_sentence(error), icon=":material/error:")
        _offer_way_back()
        if stop:
            st.stop()


def _offer_way_back() -> None:
    from pages.ui import widgets as inputs

    good = st.session_state.get("last_good")
    if good is not None and good.results_key != inputs.current().results_key:
        st.button(
            "Back to the last settings that worked",
            icon=":material/undo:",
            key="way_back",
            on_click=inputs.restore,
            args=(good,),
        )


def refuse(error: UserError | str) -> None:
    """From a callback: keep everything as it is and say why, on the page that comes next."""
    st.session_state["refused"] = as_sentence(error)


def show_pending() -> None:
    """What callbacks and links have left to say; each is said once."""
    refused = st.session_state.pop("refused", None)
    if refused:
        st.error(refused + " Nothing was changed.", icon=":material/error:")
    remarks = [escape.sentence(remark) for remark in st.session_state.pop("remarks", ())]
    if remarks:
        text = remarks[0] if len(remarks) == 1 else "\n".join(f"- {remark}" for remark in remarks)
        st.warning(text, icon=":material/link_off:")
