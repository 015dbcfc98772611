"""What the app has to tell the user: a refusal as one plain sentence, remarks about a link."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import streamlit as st

from calm_core.errors import UserError
from pages import words
from pages.ui import escape


def to_sentence(error: UserError | str) -> str:
    """The message as a sentence with its data shown literally."""
    text = str(error)
    # A letter of its own is a symbol, and L is not l; but "a" is a word.
    if text[1:2] != " " or text[:1] == "a":
        text = text[:1].upper() + text[1:]
    return escape.sentence(text if text.endswith((".", "!", "?")) else text + ".")


def refuse(error: UserError, **asked) -> None:
    """From a callback: keep everything as it is and say why, on the page that comes next.

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


class show_user_errors:
    """What a callback does: where it is refused, the rest is left undone and the page that comes next says why.

    Parameters
    ----------
    **asked
        As for `refuse`.

    Examples
    --------
    >>> with show_user_errors():                                    # doctest: +SKIP
    ...     desk.open()
    """

    def __init__(self, **asked):
        self._asked = asked

    def __enter__(self) -> None:
        """Nothing is refused yet."""

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, UserError):
            refuse(error, **self._asked)
            return True
        return False


def keep_remedies(remedies: Iterable[tuple[str, Any]], asked: Mapping[str, Any]) -> None:
    """Leave remedies for the page that comes next, to be offered below what is said there."""
    st.session_state.setdefault("advice", []).append((tuple(remedies), dict(asked)))


@dataclass(frozen=True)
class Notice:
    """What is to be told: a refusal, remarks about a link."""

    refused: str = ""
    remarks: tuple[str, ...] = ()

    def show(self) -> None:
        """One sentence for what was refused, a list where a link has several remarks."""
        if self.refused:
            st.error(f"{self.refused} {words.settings.NOTHING_CHANGED}", icon=":material/error:")
        texts = [escape.sentence(remark) for remark in self.remarks]
        if texts:
            text = texts[0] if len(texts) == 1 else "\n".join(f"- {text}" for text in texts)
            st.warning(text, icon=":material/link_off:")


def take_pending() -> Notice:
    """What callbacks and links have left to say; told once, and again where nobody can have read it."""
    state = st.session_state
    found = Notice(state.pop("refused", ""), tuple(state.pop("remarks", ())))
    # A press that comes meanwhile ends a run before the browser has what it says. What is told with buttons
    # stays by itself.
    if found == Notice() and state.get("unheard") and "told" not in state:
        found = state.get("said", found)
    state["said"], state["unheard"] = found, True
    return found


def mark_shown() -> None:
    """The run has come to its end: what it had to say is on screen."""
    st.session_state["unheard"] = False


def rerun() -> NoReturn:
    """Run the script once more, though nobody has done anything: what was just said stays."""
    st.session_state["unheard"] = True
    st.rerun()
