"""What stands in the place of a page, or part of one, that cannot be shown, each with ways to go on.

A refusal with buttons that apply its remedies, work that takes too long, a link whose file is missing. Bugs surface."""

from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import Any, NamedTuple

import streamlit as st

from calm_core.errors import Toward, UserError
from calm_core.ingest.samples import SAMPLES
from calm_core.methods import make_method
from calm_core.settings import Settings
from pages import words
from pages.ui import cached_calls, display, frame, jobs, navigation, state, uploads, warnings
from pages.ui.components import mount
from pages.ui.warnings import Suggestion


class PageEnded(Exception):
    """The page has said what it can; the shell still draws what is around it, which `st.stop` would prevent."""


@contextmanager
def show_errors(*, stop: bool = True) -> Generator[None]:
    """Show a UserError as one sentence and end the page there; settings and data stay as they are.

    >>> with show_errors():                                     # doctest: +SKIP
    ...     outcome = cached_calls.outcome(settings)
    """
    try:
        yield
    except UserError as error:
        st.error(state.to_sentence(error), icon=":material/error:")
        show_fixes(error)
        if stop:
            raise PageEnded from error


def fragment_with_errors(
    part: Callable[..., None], *, run_every: float | None = None
) -> Callable[..., None]:
    """A fragment that shows its own errors, also when Streamlit runs it without its page.

    Where it ends early as a part of a page, the page ends too; it runs again once the fragment can be drawn.
    """
    ended = False

    @wraps(part)
    def draw(*args) -> None:
        nonlocal ended
        lacks_rest, ended = ended, False
        alone = not jobs.is_rendering()
        with jobs.render_slot() if alone else nullcontext():
            try:
                with show_errors():
                    part(*args)
            except PageEnded:
                # Streamlit would take it for a bug of the fragment.
                ended = True
        if alone and lacks_rest and not ended:
            st.rerun()

    fragment = st.fragment(draw, run_every=run_every)

    def draw_in_page(*args) -> None:
        fragment(*args)
        if ended:
            raise PageEnded

    return draw_in_page


def draw_until_known(draw: Callable[[], bool], again: float | None) -> None:
    """Draw a part now and every `again` seconds until `draw` returns that all is known; then run the page without a timer.

    Always a fragment, also without `again`, where all is known.
    """

    def part() -> None:
        if draw() and again is not None:
            st.rerun()

    fragment_with_errors(part, run_every=again)()


MAX_BUTTONS = 3
# Values tried for one remedy.
STEPS = 3


class Notice(NamedTuple):
    """A refusal and remarks that stay on screen as long as neither route nor settings change, and nothing else is tried."""

    place: navigation.Route
    settings: Settings
    refused: str
    remarks: tuple[str, ...]
    ways: list[Suggestion]


def find_fixes(
    advice: Iterable[tuple[str, Any]], base: Settings, changes: Mapping[str, Any]
) -> list[Suggestion]:
    """Return the remedies that work, in order, the first for each setting.

    Parameters
    ----------
    advice : iterable of (str, value)
        As `UserError.remedies` has it.
    base : Settings
        The settings now.
    changes : mapping
        What was to be changed in them; a remedy is tried together with it.
    """
    fixes: dict[str, Suggestion] = {}
    names = vars(base)
    for field, value in advice:
        if field not in names or field in fixes or warnings.is_hidden(base, field):
            continue
        if value is not Toward.LESS:
            way = _try_value(base, changes, field, value)
        else:
            now = changes.get(field, getattr(base, field))
            way = warnings.first_found(
                warnings.smaller_values(base, field, now),
                lambda value, field=field: _try_value(base, changes, field, value, steps=1),
            )
        if way is not None:
            fixes[field] = way
    return list(fixes.values())[:MAX_BUTTONS]


def _try_value(
    base: Settings, requested: Mapping[str, Any], field: str, value, *, steps: int = STEPS
) -> Suggestion | None:
    """Return a fix with this value of a setting if it changes something and nothing is refused.

    Where it is refused too, the value that refusal names is next: n = 2 is a number of people, and too
    few for the groups.
    """
    for _ in range(steps):
        try:
            changes = state.with_consequences(base, {**requested, field: value})
            after = base.with_changes(**changes)
            check_settings(after)
        except UserError as error:
            named = (new for name, new in error.remedies if name == field)
            value = next((new for new in named if new is not Toward.LESS), value)
        else:
            return Suggestion(field, value, changes) if after != base else None
    return None


def check_settings(settings: Settings) -> None:
    """Raise what the plan or the method would refuse of these settings; collects nothing."""
    dataset = cached_calls.encoded_data(settings).dataset
    cached_calls.check_attributes(dataset.domain)
    cached_calls.plan(settings)
    method = make_method(settings.method, **settings.method_settings)
    method.check(dataset.domain, settings.n or dataset.n)


def is_possible(settings: Settings) -> bool:
    """Return whether nothing is refused before the collection."""
    try:
        check_settings(settings)
    except UserError:
        return False
    return True


def show_pending() -> None:
    """Show the messages of this page, with buttons that apply what a refusal advises."""
    pending, place, settings = st.session_state, navigation.current(), state.current()
    refused, remarks = pending.pop("refused", ""), pending.pop("remarks", ())
    advice = pending.pop("advice", [])
    if refused or remarks:
        ways = [way for told, asked in advice for way in find_fixes(told, settings, asked)]
        pending["notice"] = Notice(place, settings, refused, tuple(remarks), ways[:MAX_BUTTONS])
    notice: Notice | None = pending.get("notice")
    if notice is None or (notice.place, notice.settings) != (place, settings):
        pending.pop("notice", None)
        return
    if notice.refused:
        state.show_refusal(notice.refused)
    if notice.remarks:
        mark = "- " if len(notice.remarks) > 1 else ""
        lines = [f"{mark}{display.sentence(remark)}" for remark in notice.remarks]
        st.warning("\n".join(lines), icon=":material/link_off:")
    warnings.show_buttons(notice.ways, "told", warnings.fix_label, first=True)


def show_fixes(error: UserError) -> None:
    """Show fixes below a refusal of the current settings."""
    settings = state.current()
    if error.remedies and not is_possible(settings):
        fixes = find_fixes(error.remedies, settings, {})
        warnings.show_buttons(fixes, "here", warnings.fix_label, first=True)


# Pages that do not need the data.
WITHOUT_DATA = ("learn", "collection", "classroom", "about")


def mount_tab_memory() -> None:
    """Mount the component that keeps this tab's key, and asks for it where a file is waited for."""
    uploads.touch()
    mount(
        "tab_memory",
        {
            "keep": uploads.tab_key(), "ask": is_asking_tab(), "drop": st.session_state.get("drop_key", False),
            # Another number than before puts the focus on the drop zone.
            "focus": st.session_state.get("chosen", 0), "reached": frame.furthest_step(),
        },
        on={"key": store_tab_key, "reached": frame.mark_reached},
    )  # fmt: skip


def is_asking_tab() -> bool:
    """Whether something is missing and the tab has not sent its key yet."""
    missing = state.awaited_settings() is not None or bool(navigation.missing_collection())
    return uploads.KEEP and missing and not st.session_state.get("asked")


def store_tab_key(key: object) -> None:
    """Callback: use the file and the collection that wait for this key, if they are there."""
    st.session_state["asked"] = True
    uploads.restore_by_key(key, navigation.missing_collection())
    awaited = state.awaited_settings()
    if awaited is not None and uploads.restore_by_key(key, awaited.source):
        state.use_source(awaited.source)


def is_waiting_for(page: str) -> bool:
    """Whether a page cannot be shown because it waits for its file."""
    return state.awaited_settings() is not None and page not in (*WITHOUT_DATA, "data")


def choose_file() -> None:
    """Callback: open the Data page, with the focus on its drop zone."""
    st.session_state["chosen"] = st.session_state.get("chosen", 0) + 1
    navigation.go("data")


def forget_file() -> None:
    """Callback: forget the file in use with all results made of it; the first sample takes its place."""
    settings = state.current()
    if not state.use_source(next(iter(SAMPLES))):
        return
    compared = st.session_state.get("comparing")
    if compared is not None and compared["settings"].source == settings.source:
        compared["job"].cancel()
        del st.session_state["comparing"]
    for name in ("applied", "before"):
        st.session_state.pop(name, None)
    uploads.forget_upload(settings.source)
    st.session_state["drop_key"] = not uploads.tab_key()
    # A new drop zone: the old one still holds the file.
    st.session_state["drops"] = st.session_state.get("drops", 0) + 1
    st.session_state["remarks"] = (words.data.forgotten_text(file=settings.file),)


def show_missing_file() -> None:
    """Show what is missing and what can be done; held back for a moment while the tab is being asked."""
    awaited = state.awaited_settings()
    assert awaited is not None  # the pages show this only while a file is waited for
    file = display.shorten(awaited.file or words.data.THE_FILE, 60)
    sample = SAMPLES[state.current().source].title
    with st.container(key="gone_asking" if is_asking_tab() else "gone", border=True):
        st.subheader(display.markdown(f"{file} is no longer here", 200), anchor=False)
        d = len(awaited.columns) or awaited.d
        text = words.data.missing_file(settings=awaited, d=d, minutes=words.data.MINUTES)
        st.markdown(display.sentence(text))
        with st.container(horizontal=True):
            st.button(
                display.markdown(f"Choose {file} again", 100), type="primary",
                key="choose_again", on_click=choose_file,
            )  # fmt: skip
            st.button(f"Go on with the {sample}", key="go_on", on_click=state.stop_awaiting)
        st.caption(words.data.ANOTHER_FILE)
