"""Refusals with buttons that apply their remedies."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from calm_core.errors import Toward, UserError
from calm_core.methods import make_method
from calm_core.settings import THETAS, Settings
from pages import words
from pages.ui import cached_calls, notices, remedies, state
from pages.ui.jobs import table_parsing

MAX_BUTTONS = 3
# Values tried for one remedy.
STEPS = 3
# The smallest values tried.
MIN_VALUE = {"k": 1, "d": 2, "max_values": 2}
# Consequences of a change that the toast does not name.
SILENT = ("columns", "attrs")


class Fix(NamedTuple):
    """One remedy that works: its setting, and all changes."""

    field: str
    value: Any
    changes: dict[str, Any]


class ShownRefusal(NamedTuple):
    """A refusal that stays on screen as long as neither page nor settings change."""

    page: str
    settings: Settings
    notice: notices.Notice
    ways: list[Fix]


def find_fixes(
    advice: Iterable[tuple[str, Any]], base: Settings, asked: Mapping[str, Any]
) -> list[Fix]:
    """Return the remedies that work, in order, the first for each setting.

    Parameters
    ----------
    advice : iterable of (str, value)
        As `UserError.remedies` has it.
    base : Settings
        The settings now.
    asked : mapping
        What was to be changed in them; a remedy is tried together with it.
    """
    found: dict[str, Fix] = {}
    names = vars(base)
    for field, value in advice:
        if field not in names or field in found or remedies.is_hidden(base, field):
            continue
        if value is not Toward.LESS:
            way = _try_value(base, asked, field, value)
        else:
            way = _largest_that_works(base, asked, field)
        if way is not None:
            found[field] = way
    return list(found.values())[:MAX_BUTTONS]


def _try_value(
    base: Settings, asked: Mapping[str, Any], field: str, value, *, steps: int = STEPS
) -> Fix | None:
    """Return a fix with this value of a setting if it changes something and nothing is refused.

    Where it is refused too, the value that refusal names is next: n = 2 is a number of people, and too
    few for the groups.
    """
    for _ in range(steps):
        try:
            changes = remedies.with_consequences(base, {**asked, field: value})
            after = base.with_changes(**changes)
            check_settings(after)
        except UserError as error:
            named = (new for name, new in error.remedies if name == field)
            value = next((new for new in named if new is not Toward.LESS), value)
        else:
            return Fix(field, value, changes) if after != base else None
    return None


def _largest_that_works(base: Settings, asked: Mapping[str, Any], field: str) -> Fix | None:
    """Return the fix with the largest smaller value: what a value allows, smaller ones do too."""
    values = _smaller_values(base, asked, field)

    def tried(value) -> Fix | None:
        return _try_value(base, asked, field, value, steps=1)

    at = bisect_left(values, True, key=lambda value: tried(value) is None)
    return tried(values[at - 1]) if at else None


def _smaller_values(base: Settings, asked: Mapping[str, Any], field: str) -> Sequence[float]:
    """Return smaller values of a setting, ascending."""
    now = asked.get(field, getattr(base, field))
    if field == "theta":
        return [theta for theta in THETAS if theta < now]
    if field == "max_values":
        sizes = cached_calls.encoded_data(base).dataset.domain.sizes
        now = min(now or max(sizes), max(sizes))
    return range(MIN_VALUE[field], now)


def check_settings(settings: Settings) -> None:
    """Raise what the plan or the method would refuse of these settings; collects nothing."""
    dataset = cached_calls.encoded_data(settings).dataset
    table_parsing.check_attributes(dataset.domain)
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


def show_pending(page: str) -> None:
    """Show the pending messages of `page`; with buttons they stay until something changes."""
    notice, settings = notices.take_pending(), state.current()
    advice = st.session_state.pop("advice", [])
    if notice == notices.Notice():
        told = st.session_state.get("told")
        if told is None or (told.page, told.settings) != (page, settings):
            st.session_state.pop("told", None)
            return
    else:
        found = [way for told, asked in advice for way in find_fixes(told, settings, asked)]
        told = ShownRefusal(page, settings, notice, found[:MAX_BUTTONS])
        st.session_state["told"] = told
        if not told.ways:
            del st.session_state["told"]
    told.notice.show()
    _show_buttons(told.ways, "told")


def show_fixes(error: UserError) -> None:
    """Show fixes below a refusal of the current settings."""
    settings = state.current()
    if error.remedies and not is_possible(settings):
        _show_buttons(find_fixes(error.remedies, settings, {}), "here")


def _show_buttons(found: Sequence[Fix], key: str) -> None:
    if not found:
        return
    with st.container(horizontal=True, gap="small", key=f"instead_{key}"):
        for at, way in enumerate(found):
            st.button(
                fix_label(way),
                key=f"instead_{key}_{at}_{way.field}", type="secondary" if at else "primary",
                on_click=apply_fix, args=(way,),
            )  # fmt: skip


def fix_label(way: Fix) -> str:
    """Return the label of the button."""
    return f"Use {words.warnings.setting_text(way.field, way.value)}"


def apply_fix(way: Fix) -> None:
    """Apply a fix."""
    change_settings(way.changes)


def change_settings(changes: Mapping[str, Any]) -> bool:
    """Change settings; the toast names all changes and offers to undo them."""
    now = state.current()
    changed = now.with_changes(**changes).different(now)
    texts = (
        words.warnings.setting_text(name, value)
        for name, value in changed.items()
        if name not in SILENT
    )
    return state.apply(", ".join(texts), **changes)
