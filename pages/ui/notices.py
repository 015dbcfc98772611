"""Messages to the user: refusals as one sentence, and remarks about a link."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

import streamlit as st

from calm_core.errors import UserError
from pages import words
from pages.ui import display


def to_sentence(error: UserError | str) -> str:
    """Return the message as a sentence with its data shown literally."""
    text = str(error)
    # A single letter is a symbol and keeps its case; "a" is a word.
    if text[1:2] != " " or text[:1] == "a":
        text = text[:1].upper() + text[1:]
    return display.sentence(text if text.endswith((".", "!", "?")) else text + ".")


def refuse(error: UserError, **asked) -> None:
    """Keep everything as it is and explain why on the next page; for callbacks.

    Parameters
    ----------
    error : UserError
        The refusal.
    **asked
        The changes of settings that were refused: what its remedies are to be tried with.
    """
    st.session_state["refused"] = to_sentence(error)
    if asked:
        keep_remedies(error.remedies, asked)


@contextmanager
def show_user_errors(**asked) -> Iterator[None]:
    """Context manager for callbacks: a user error ends the block, and the next page explains it.

    Parameters
    ----------
    **asked
        As for `refuse`.

    Examples
    --------
    >>> with show_user_errors():                                    # doctest: +SKIP
    ...     desk.open()
    """

    try:
        yield
    except UserError as error:
        refuse(error, **asked)


def keep_remedies(remedies: Iterable[tuple[str, Any]], asked: Mapping[str, Any]) -> None:
    """Keep remedies for the next page, which offers them below its message."""
    st.session_state.setdefault("advice", []).append((tuple(remedies), dict(asked)))


@dataclass(frozen=True)
class Notice:
    """Messages to show: a refusal, and remarks about a link."""

    refused: str = ""
    remarks: tuple[str, ...] = ()

    def show(self) -> None:
        """Show a sentence for the refusal, and a list where there are several remarks."""
        if self.refused:
            st.error(f"{self.refused} {words.settings.NOTHING_CHANGED}", icon=":material/error:")
        texts = [display.sentence(remark) for remark in self.remarks]
        if texts:
            text = texts[0] if len(texts) == 1 else "\n".join(f"- {text}" for text in texts)
            st.warning(text, icon=":material/link_off:")


def take_pending() -> Notice:
    """Return the pending messages once, or again if the last run ended before they were shown."""
    state = st.session_state
    found = Notice(state.pop("refused", ""), tuple(state.pop("remarks", ())))
    # A press may end a run before the browser shows its messages; those with buttons
    # stay by themselves.
    if found == Notice() and state.get("unheard") and "told" not in state:
        found = state.get("said", found)
    state["said"], state["unheard"] = found, True
    return found


def mark_shown() -> None:
    """Note that the run has ended, so that its messages are on screen."""
    st.session_state["unheard"] = False


def rerun() -> NoReturn:
    """Run the script again without losing the messages just shown."""
    st.session_state["unheard"] = True
    st.rerun()
