"""A part of a page that may be refused: what went wrong, and the way back; bugs surface."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import NoReturn

import streamlit as st
from streamlit.runtime.scriptrunner import StopException, get_script_run_ctx

from calm_core.errors import UserError
from calm_core.settings import Settings
from pages import words
from pages.ui import drawing, notices, progress, refusals, screens, state
from pages.ui.uploads import session_store


class PageEnded(StopException):
    """The page has said what it can; what is around it is still drawn, which `st.stop` would prevent."""


@contextmanager
def show_errors(*, stop: bool = True) -> Iterator[None]:
    """Show a UserError as one sentence and end the page there; settings and data stay as they are.

    >>> with show_errors():                                     # doctest: +SKIP
    ...     outcome = cached.outcome(settings)
    """
    try:
        yield
    except UserError as error:
        st.error(notices.as_sentence(error), icon=":material/error:")
        refusals.offer(error)
        _offer_way_back()
        if stop:
            raise PageEnded from error
    except progress.CpuBudgetExceeded as error:
        _offer_patience(error)


@contextmanager
def show_budget_exceeded() -> Iterator[None]:
    """Called by the shell around a run, and around its page: what has worked for too long is told so, wherever it was."""
    try:
        yield
    except progress.CpuBudgetExceeded as error:
        _offer_patience(error)


def _offer_patience(error: progress.CpuBudgetExceeded) -> NoReturn:
    st.warning(words.shared.too_long(state.requested_settings()), icon=":material/hourglass_top:")
    st.button(words.shared.GO_ON, key="go_on_anyway", on_click=_be_patient)
    raise PageEnded from error


def fragment_with_errors(
    part: Callable[..., None], *, run_every: float | None = None
) -> Callable[..., None]:
    """A part of a page that is also drawn by itself, when nobody else is there to tell its refusals."""

    @wraps(part)
    def drawn(*args) -> None:
        alone = _by_itself()
        with drawing.one() if alone else nullcontext(), show_errors():
            if alone:
                screens.drawn_for(session_store.session_name())
                # What the page around it had was the page's.
                start_budget()
            part(*args)

    return st.fragment(drawn, run_every=run_every)


def _size(settings: Settings) -> tuple:
    """What decides how long something takes, and not how it turns out."""
    return settings.changed(epsilon=1.0, seed=1).results_key


def _be_patient() -> None:
    """Callback: whatever it takes, for tables of this size."""
    st.session_state["patient"] = _size(state.requested_settings())


def start_budget() -> None:
    """Called where a run begins, or a part by itself: it does not work for long unasked, once the server's own work is done."""
    free = not progress.WARM.is_set() or st.session_state.get("patient") == _size(
        state.requested_settings()
    )
    progress.set_budget(None if free else progress.BUDGET)


def _by_itself() -> bool:
    """Whether a part is drawn without its page."""
    context = get_script_run_ctx()
    return context is not None and bool(context.fragment_ids_this_run)


def _offer_way_back() -> None:
    good = st.session_state.get("last_good")
    if good is not None and good.results_key != state.current().results_key:
        st.button(
            words.settings.WAY_BACK,
            icon=":material/undo:",
            key="last_good_again",
            on_click=state.restore,
            args=(good,),
        )
