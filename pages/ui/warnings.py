"""Warnings about a result or a setting, suggestions for a better one as buttons, the toast after a change.

A suggestion is a single change with its predicted error. CALM and the methods with a formula are predicted by it; CALM+
by what shrinkage leaves where attributes depend on each other as usual in surveys. A method without a formula has no
number."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import streamlit as st

from calm_core.errors import UserError
from calm_core.evaluation import prediction
from calm_core.evaluation.metrics import Verdict, judge_error
from calm_core.evaluation.run import Run
from calm_core.methods import METHODS, CalmPlus, Uniform, make_method
from calm_core.methods.base import CollectingMethod
from calm_core.methods.calm_plus import DESIGNS_WITH_OWN_VIEWS
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.settings import EPSILONS, MAX_USERS, THETAS, Settings
from calm_core.tables.dataset import MAX_ROWS
from pages import words
from pages.ui import cached_calls, display, frame, navigation, state

# Methods that use CALM's views; methods without a public plan use others.
SAME_AS_CALM = frozenset(
    name
    for name, method in METHODS.items()
    if issubclass(method, CollectingMethod) and not method.no_public_plan_reason
)
# The line at the left of a warning, visible on light and dark.
MARK = "<style>[class*='st-key-noise_'] { border-left: 4px solid #D55E00; padding-left: 14px; }</style>"


def planned_error(settings: Settings) -> float:
    """Return the share of people in the wrong cell that is expected of CALM's plan, cached."""
    key = cached_calls.plan_key(settings)
    return cached_calls.get_result(
        "planned error", key, lambda: prediction.predict_plan_wrong(cached_calls.plan(settings))
    )


def show_expected_unusable(settings: Settings) -> None:
    """Warn if CALM's plan is expected to give unusable tables."""
    expected, guess = planned_error(settings), cached_calls.guess_wrong(settings)
    if judge_error(expected, guess) is Verdict.UNUSABLE:
        _show_unusable(words.settings.expected_unusable_title(wrong=expected), guess, settings)


def show_other_collection(settings: Settings) -> None:
    """Say where CALM's collection is shown although the chosen method collects otherwise."""
    method, own = METHODS[settings.method], _has_own_design(settings)
    if settings.method in SAME_AS_CALM and not own:
        return
    why = "design" if own else "nobody" if method is Uniform else method.trust
    design = words.common.DESIGNS[settings.design]
    st.caption(words.settings.other_collection_text(why, method=method.title, design=design))


def method_notes(settings: Settings, plan: Plan | None) -> tuple[str, ...]:
    """Return who had to be trusted, and that CALM+ used views of its own, those of `plan`."""
    method, said = METHODS[settings.method], words.settings
    notes = [said.curator_text(method=method.title)] if method.trust == "central" else []
    if plan is not None and _has_own_design(settings):
        design = words.common.DESIGNS[settings.design]
        notes.append(said.own_design_text(design=design, views=plan.m))
    return tuple(notes)


def _has_own_design(settings: Settings) -> bool:
    return settings.method == CalmPlus.name and settings.design in DESIGNS_WITH_OWN_VIEWS


def show_result_warnings(outcome: Run, settings: Settings) -> None:
    """Say who had to be trusted; warn if the tables are unusable, with suggestions."""
    for note in method_notes(settings, outcome.plan):
        st.caption(note)
    if outcome.verdict is Verdict.UNUSABLE:
        title = words.settings.unusable_title(wrong=outcome.wrong)
        _show_unusable(title, outcome.guess_wrong, settings)


def _show_unusable(title: str, guess: float, settings: Settings) -> None:
    """Show one sentence with the error, the guess beside it, and suggestions."""
    st.html(MARK)
    with st.container(key="noise_said", gap="small"):
        st.markdown(f"**{title}** {words.settings.guess_text(guess=guess)}")
        suggestions = suggested_fixes(settings)
        if suggestions:
            show_buttons(suggestions, "noise", promise_text)
        else:
            st.caption(words.settings.TOGETHER)


def show_toast() -> None:
    """Show the last change of settings with Undo, until settings change or some seconds pass."""
    if not (sentence := state.last_change()):
        return
    with st.container(key="toast", horizontal=True, vertical_alignment="center", wrap=False):
        st.markdown(display.markdown(sentence, 160))
        # Who has stopped is back already.
        if sentence != words.settings.STOPPED:
            st.button(words.common.UNDO, key="undo", type="tertiary", on_click=state.undo)


def show_unusual_epsilon() -> None:
    """Show one sentence if epsilon hardly protects, or leaves hardly anything.

    In a lecture none beside a lesson, which has an epsilon of its own.
    """
    if frame.is_lecture() and navigation.current().lesson:
        return
    if sentence := words.settings.unusual_epsilon(state.current().epsilon):
        with st.container(key="unusual"):
            st.markdown(f"**◆** {sentence}")


def show_invented_banner() -> None:
    """Say where the people are generated from a class's reports."""
    if state.current().file.endswith(words.data.INVENTED_END) and not frame.is_lecture():
        with st.container(key="invented"):
            st.markdown(f"**◆** {words.data.INVENTED_BANNER}")


TIMES_MORE = 4
# A change that saves less of the people in the wrong cell is not worth its price.
MIN_GAIN = 0.1
# Consequences of a change that the toast does not name.
SILENT = ("columns", "attrs")
# The control of a setting where it has another name.
CONTROLS = {"max_values": "d"}


class Suggestion(NamedTuple):
    """One change of settings that helps, with its predicted error where it is against noise.

    Attributes
    ----------
    id : str
        The setting that changes.
    value : object
        Its new value.
    changes : dict
        All changes: with their consequences for other settings.
    label : str
        The change, short: "ε 1 → 2".
    wrong : float or None
        Expected share of people in the wrong cell; None where there is no formula.
    verdict : Verdict or None
        What tables with that error are good for.
    """

    id: str
    value: Any
    changes: dict[str, Any]
    label: str = ""
    wrong: float | None = None
    verdict: Verdict | None = None


def predict_wrong(settings: Settings) -> float | None:
    """Return the expected share of people in the wrong cell, cached; None without a formula."""
    dataset = cached_calls.encoded_data(settings).dataset
    n = settings.n or dataset.n
    method = make_method(settings.method, **settings.method_settings)

    def make() -> float | None:
        rng = stream(settings.seed, 0, method.name)
        return prediction.predict_wrong(method, dataset.domain, n, rng=rng)

    key = (*cached_calls.data_key(settings), n, settings.seed, method)
    return cached_calls.get_result("expected error", key, make)


def suggest_changes(settings: Settings) -> list[Suggestion]:
    """Return the changes predicted to help: weaker privacy, more people, smaller tables, CALM+.

    With less noise Algorithm 1 may choose views that are so much larger that more is lost than gained.
    """
    n = settings.n or cached_calls.encoded_data(settings).dataset.n
    limit = MAX_USERS if settings.is_population else MAX_ROWS
    better = {
        "epsilon": _doubled_epsilon(settings.epsilon),
        "n": min(TIMES_MORE * n, limit),
        "k": settings.k - 1,
        # CALM+ is local: it would err more than a method that sees the data.
        "method": CalmPlus.name if METHODS[settings.method].trust == "local" else None,
    }
    now = {"n": n} | {name: getattr(settings, name) for name in ("epsilon", "k", "method")}
    offers = (
        _predict(settings, {name: value})
        for name, value in better.items()
        if value and value != now[name]
    )
    return [offer for offer in offers if offer and _is_improvement(settings, offer)]


def _is_improvement(settings: Settings, offer: Suggestion) -> bool:
    """Return whether a change is expected to save at least a tenth of the people in the wrong cell."""
    try:
        now = predict_wrong(settings)
    except UserError:
        # The current settings give no tables at all.
        return True
    return now is None or offer.wrong is None or offer.wrong <= (1 - MIN_GAIN) * now


def try_suggestion(settings: Settings, offer: Suggestion) -> Run | None:
    """Return the collection with a suggestion applied, shared with all pages; None if it is refused."""
    try:
        return cached_calls.outcome(settings.with_changes(**offer.changes))
    except UserError:
        return None


def suggested_fixes(settings: Settings) -> list[Suggestion]:
    """Return the smallest change of each kind that alone is expected to make the tables usable."""
    if cached_calls.guess_wrong(settings) == 0:
        # Equal shares are the truth.
        return []
    n = settings.n or cached_calls.encoded_data(settings).dataset.n
    offered: dict[str, Sequence[float]] = {
        "epsilon": [epsilon for epsilon in EPSILONS if epsilon > settings.epsilon],
        "n": [people for people in _round_numbers() if people > n],
    }
    for field in ("d", "max_values", "k"):
        offered[field] = smaller_values(settings, field, getattr(settings, field))

    def usable(field: str, value: float) -> Suggestion | None:
        offer = _predict(settings, state.with_consequences(settings, {field: value}))
        return offer if offer and offer.verdict not in (None, Verdict.UNUSABLE) else None

    offers = (first_found(values, partial(usable, field)) for field, values in offered.items())
    return [offer for offer in offers if offer is not None]


# The smallest values offered.
MIN_VALUE = {"k": 1, "d": 2, "max_values": 2}


def smaller_values(settings: Settings, field: str, now: Any) -> Sequence[float]:
    """Return the values of a setting below `now`, the largest first."""
    if field == "theta":
        return [theta for theta in reversed(THETAS) if theta < now]
    if field == "max_values":
        largest = max(cached_calls.encoded_data(settings).dataset.domain.sizes)
        now = min(now or largest, largest)
    return range(now - 1, MIN_VALUE[field] - 1, -1)


def first_found(
    values: Sequence[float], offer: Callable[[float], Suggestion | None]
) -> Suggestion | None:
    """Return what the first value gives for which there is an offer: there is one for all further values."""
    find = cache(offer)
    at = bisect_left(values, True, key=lambda value: find(value) is not None)
    return find(values[at]) if at < len(values) else None


def _doubled_epsilon(epsilon: float) -> float | None:
    """Return the offered epsilon nearest to the double; None at the end of the scale."""
    larger = [offered for offered in EPSILONS if offered > epsilon]
    return min(larger, key=lambda offered: abs(offered - 2 * epsilon), default=None)


def _round_numbers() -> Iterator[int]:
    """Yield 1,000, 1,500, 2,000, 3,000, 5,000, 10,000 and so on, up to the largest table."""
    steps = (step * 10**power for power in range(2, 7) for step in (10, 15, 20, 30, 50))
    return (n for n in steps if n <= MAX_ROWS)


def _predict(settings: Settings, changes: dict[str, Any]) -> Suggestion | None:
    """Return a change, the first one, and its consequences with their prediction; None if it is refused or hidden."""
    field, value = next(iter(changes.items()))
    if is_hidden(settings, field):
        return None
    try:
        after = settings.with_changes(**changes)
        wrong = predict_wrong(after)
        kind = None if wrong is None else judge_error(wrong, cached_calls.guess_wrong(after))
    except UserError:
        return None
    return Suggestion(field, value, changes, _change_label(settings, field, value), wrong, kind)


def is_hidden(settings: Settings, field: str) -> bool:
    """Return whether a teacher's link hides the control of this setting."""
    control = CONTROLS.get(field, field)
    return (control if control in words.settings.HIDEABLE else "details") in settings.hide


def _change_label(settings: Settings, field: str, value) -> str:
    n = settings.n or cached_calls.encoded_data(settings).dataset.n
    before = n if field == "n" else getattr(settings, field)
    return words.settings.change_label(field, before, value)


def apply_suggestion(offer: Suggestion) -> None:
    """Callback: apply the change; the toast names it and offers to undo it."""
    change_settings(offer.changes)


def change_settings(changes: Mapping[str, Any]) -> bool:
    """Change settings; the toast names all changes and offers to undo them."""
    now = state.current()
    changed = now.with_changes(**changes).different(now)
    texts = (
        words.settings.setting_text(name, value)
        for name, value in changed.items()
        if name not in SILENT
    )
    return state.apply(", ".join(texts), **changes)


def show_buttons(
    suggestions: Sequence[Suggestion],
    key: str,
    write: Callable[[Suggestion], str],
    *,
    first: bool = False,
) -> None:
    """Show suggestions as a row of buttons; `key` distinguishes rows of a page, the `first` may stand out."""
    if not suggestions:
        return
    with st.container(horizontal=True, gap="small", key=f"suggestions_{key}"):
        for at, offer in enumerate(suggestions):
            st.button(
                write(offer), key=f"suggestion_{key}_{at}_{offer.id}",
                type="primary" if first and not at else "secondary",
                on_click=apply_suggestion, args=(offer,),
            )  # fmt: skip


def promise_text(offer: Suggestion) -> str:
    """Return the change and its predicted error, for a button."""
    return words.settings.promised_label(_setting_text(offer), offer.wrong)


def fix_label(offer: Suggestion) -> str:
    """Return the label of a button that applies a change without a prediction."""
    return f"Use {_setting_text(offer)}"


def _setting_text(offer: Suggestion) -> str:
    return words.settings.setting_text(offer.id, offer.value)
