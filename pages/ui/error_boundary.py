"""Parts of a page that may be refused: what went wrong, and a way back; bugs surface."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import NoReturn

import streamlit as st

from calm_core.errors import UserError
from calm_core.settings import Settings
from pages import words
from pages.ui import notices, progress, refusals, state
from pages.ui.jobs import render_slots


class PageEnded(Exception):
    """The page has said what it can; the shell still draws what is around it, which `st.stop` would prevent."""


@contextmanager
def show_errors(*, stop: bool = True) -> Iterator[None]:
    """Show a UserError as one sentence and end the page there; settings and data stay as they are.

    >>> with show_errors():                                     # doctest: +SKIP
    ...     outcome = cached_calls.outcome(settings)
    """
    try:
        yield
    except UserError as error:
        st.error(notices.to_sentence(error), icon=":material/error:")
        refusals.show_fixes(error)
        _offer_way_back()
        if stop:
            raise PageEnded from error
    except progress.CpuBudgetExceeded as error:
        _offer_patience(error)


@contextmanager
def show_budget_exceeded() -> Iterator[None]:
    """Called by the shell around a run, and around its page: say that something took too long, wherever it was."""
    try:
        yield
    except progress.CpuBudgetExceeded as error:
        _offer_patience(error)


def _offer_patience(error: progress.CpuBudgetExceeded) -> NoReturn:
    st.warning(words.common.too_long(state.requested_settings()), icon=":material/hourglass_top:")
    st.button(words.common.GO_ON, key="go_on_anyway", on_click=_be_patient)
    raise PageEnded from error


def fragment_with_errors(
    part: Callable[..., None], *, run_every: float | None = None
) -> Callable[..., None]:
    """A fragment that shows its own errors, also when Streamlit runs it without its page.

    Where it ends early as a part of a page, the page ends too.
    """
    ended = False

    @wraps(part)
    def draw(*args) -> None:
        nonlocal ended
        alone = not render_slots.is_rendering()
        with render_slots.render_slot() if alone else nullcontext():
            if alone:
                # The page around it had a budget of its own.
                start_budget()
            try:
                with show_errors():
                    part(*args)
            except PageEnded:
                # Streamlit would take it for a bug of the fragment.
                ended = True

    fragment = st.fragment(draw, run_every=run_every)

    def draw_in_page(*args) -> None:
        fragment(*args)
        if ended:
            raise PageEnded

    return draw_in_page


def _size(settings: Settings) -> tuple:
    """What decides how long something takes, and not how it turns out."""
    return settings.with_changes(epsilon=1.0, seed=1).results_key


def _be_patient() -> None:
    """Callback: whatever it takes, for tables of this size."""
    st.session_state["patient"] = _size(state.requested_settings())


def start_budget() -> None:
    """Called where a run or a fragment begins: limit its CPU time, once the server has warmed up."""
    free = not progress.WARM.is_set() or st.session_state.get("patient") == _size(
        state.requested_settings()
    )
    progress.set_budget(None if free else progress.BUDGET)


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
