"""What the app has to tell the user: a refusal as one plain sentence, remarks about a link."""

import streamlit as st

from calm_core.errors import UserError
from pages import words
from pages.ui import escape


def as_sentence(error: UserError | str) -> str:
    """The message as a sentence with its data shown literally."""
    text = str(error)
    # A letter of its own is a symbol: L is not l.
    if text[1:2] != " ":
        text = text[:1].upper() + text[1:]
    return escape.sentence(text if text.endswith((".", "!", "?")) else text + ".")


def refuse(error: UserError | str) -> None:
    """From a callback: keep everything as it is and say why, on the page that comes next."""
    st.session_state["refused"] = as_sentence(error)


def show_pending() -> None:
    """What callbacks and links have left to say; each is said once."""
    refused = st.session_state.pop("refused", None)
    if refused:
        st.error(f"{refused} {words.settings.NOTHING_CHANGED}", icon=":material/error:")
    remarks = [escape.sentence(remark) for remark in st.session_state.pop("remarks", ())]
    if remarks:
        text = remarks[0] if len(remarks) == 1 else "\n".join(f"- {remark}" for remark in remarks)
        st.warning(text, icon=":material/link_off:")
