"""The parts of the page Plan: Algorithm 1 step by step, its views, Table 2 of the paper, a survey without data."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from calm_core.evaluation.metrics import judge_error
from calm_core.evaluation.needs import Need, need_curve, solve_question
from calm_core.evaluation.planned_questions import (
    DifferenceQuestion,
    PilotQuestion,
    Question,
    ShareQuestion,
)
from calm_core.evaluation.prediction import SizeForecast
from calm_core.evaluation.survey_design import (
    MAX_USERS,
    MIN_USERS,
    find_survey_epsilon,
    find_survey_users,
    make_survey_plan,
    predict_survey_wrong,
)
from calm_core.experiments.figure import Settings as TableSettings
from calm_core.experiments.figures_calm import choice_table
from calm_core.figures import plan as figures
from calm_core.methods import Calm
from calm_core.planning.algorithm1 import mean_cells, view_sizes
from calm_core.planning.plan import Plan
from calm_core.settings import Settings
from pages import words
from pages.ui import (
    asking,
    cached_calls,
    display,
    frame,
    navigation,
    plan_chart,
    results,
    state,
    warnings,
    widgets,
)
from pages.ui.error_boundary import show_errors
from pages.ui.jobs import Notify

SAID = words.plan


def show_tradeoff(plan: Plan, settings: Settings) -> None:
    """Show what each number of questions costs, for every epsilon; θ and the measured errors beside it."""
    data = plan_chart.get_tradeoff(settings)
    by_hand = _is_by_hand(plan)
    frame.set_title(SAID.tradeoff_title(plan, by_hand=by_hand))
    use = partial(_use_questions, {l: size.m for l, size in data["by_l"].items()})  # noqa: E741
    lecture = frame.is_lecture()
    _measure_asked(settings, data["by_l"])
    draw = partial(
        plan_chart.mount_tradeoff, data, measured=_measured_sizes(settings, data["by_l"]),
        lecture=lecture, on_use=use,
    )  # fmt: skip
    if lecture:
        _show_expected_headline(settings)
    else:
        with frame.side():
            draw("side")
            _show_other_choice(plan)
            _show_theta(plan)
            st.button(
                SAID.MEASURE_ALL,
                key="measure_sizes",
                icon=":material/diamond:",
                type="tertiary",
            )
    draw("chart")


def _show_expected_headline(settings: Settings) -> None:
    expected = warnings.planned_error(settings)
    frame.show_headline(expected, judge_error(expected, cached_calls.guess_wrong(settings)))


def _show_theta(plan: Plan) -> None:
    """Show the control of θ, in people of 100 with the papers' value beside it."""
    cells = mean_cells(plan.domain.sizes, plan.k)
    widgets.setting_widget(
        st.select_slider, SAID.THETA_LABEL, "theta", options=widgets.offered_thetas(),
        format_func=lambda theta: SAID.theta_text(theta, cells),
    )  # fmt: skip


def _use_questions(views: Mapping[int, int], l: int) -> None:  # noqa: E741
    """Plan with l questions each; with those of Algorithm 1 where these are pressed."""
    state.apply(SAID.questions_each(l=l), **_plan_changes(state.current(), l, views[l]))


def _of_size(settings: Settings, size: SizeForecast) -> Settings:
    """Return the settings of CALM with so many questions each."""
    return settings.with_changes(method=Calm.name, **_plan_changes(settings, size.l, size.m))


def _plan_changes(settings: Settings, l: int, m: int) -> dict[str, int | None]:  # noqa: E741
    """Return the settings of m views of l attributes; Algorithm 1's own where it chooses l."""
    own = l == cached_calls.plan(settings).choice.l
    return {"l": None, "m": None} if own else {"l": l, "m": m}


def _measured_sizes(settings: Settings, by_l: Mapping[int, SizeForecast]) -> dict[int, float]:
    """Return the share in the wrong cell of every collection that has been made."""
    runs = {l: cached_calls.peek(_of_size(settings, size)) for l, size in by_l.items()}  # noqa: E741
    return {l: run.wrong for l, run in runs.items() if run is not None}  # noqa: E741


def _measure_asked(settings: Settings, by_l: Mapping[int, SizeForecast]) -> None:
    """Collect once with every number of questions, where the button was pressed."""
    if st.session_state.get("measure_sizes"):
        for size in by_l.values():
            with show_errors(stop=False):
                cached_calls.outcome(_of_size(settings, size))


def show_steps(plan: Plan) -> None:
    """Show the chart, the reasons beside it, and after the last step the result as title."""
    _, now = plan_chart.get_chart_data(plan)
    steps = 2 + len(now["reasons"])
    frame.set_step_count(steps)
    at = _current_step(plan, steps - 1)
    frame.set_title(_title(plan, now, at))
    if frame.is_lecture():
        _show_expected_headline(state.current())
    else:
        with frame.side():
            plan_chart.mount_side()
            if not state.is_hidden("theta"):
                frame.show_text(SAID.HINT)
            _show_other_choice(plan)
    plan_chart.mount_chart(
        plan, at, fixed=state.is_hidden("theta"), by_hand=_is_by_hand(plan), on_move=on_move
    )


def on_move(theta: float, at: int) -> None:
    """Handle a move of theta, or a step."""
    unchanged = theta == state.current().theta or state.is_hidden("theta")
    if unchanged or state.change(theta=theta):
        navigation.change(at=at)


def _current_step(plan: Plan, last: int) -> int:
    """Return the step shown; a user who has seen the result sees that of changed settings too."""
    at = min(navigation.current().at, last)
    before = st.session_state.get("plan_seen")
    if before and before[0] != plan.choice and before[1:] == (navigation.current().at, True):
        at = last
    st.session_state["plan_seen"] = plan.choice, at, at == last
    if at != navigation.current().at:
        # Address and counter already show the previous step.
        navigation.change(at=at)
        st.rerun()
    return at


def _title(plan: Plan, now: dict, at: int) -> str:
    """Return the question until the last step; in a lecture the title explains every step."""
    if at <= len(now["reasons"]):
        if not (at and frame.is_lecture()):
            return SAID.QUESTION
        reason = now["reasons"][at - 1]
        return f"{reason['head']} {reason['text']}"
    if _is_limited_by_cells(plan):
        return SAID.cell_count_title(l=plan.l, m=plan.m)
    title = SAID.handmade_plan_title if _is_by_hand(plan) else SAID.choice_title
    return title(l=plan.l, m=plan.m)


def _is_by_hand(plan: Plan) -> bool:
    settings = state.current()
    pair = (settings.l or plan.choice.l, settings.m or plan.choice.m)
    return pair != (plan.choice.l, plan.choice.m)


def _is_limited_by_cells(plan: Plan) -> bool:
    """Return whether views are limited by their cells, so that their sizes differ."""
    return not _is_by_hand(plan) and (plan.l, plan.m) != (plan.choice.l, plan.choice.m)


def _show_other_choice(plan: Plan) -> None:
    """Say why the collection does not use Algorithm 1's pair, with a button that does."""
    choice = plan.choice
    if _is_by_hand(plan):
        st.markdown(SAID.handmade_plan_note(l=choice.l, m=choice.m))
        st.button(
            f"Use {choice.l} in {SAID.groups(m=choice.m)}", key="plan_own", on_click=state.apply_change,
            args=(SAID.choice_title(l=choice.l, m=choice.m),), kwargs={"l": None, "m": None},
        )  # fmt: skip
    elif _is_limited_by_cells(plan):
        st.markdown(SAID.cell_count_note(cells=round(mean_cells(plan.domain.sizes, choice.l))))


def show_details(plan: Plan) -> None:
    """Show a drawer with every comparison, all view sizes with their errors, and what the two errors are."""
    with frame.drawer(SAID.DETAILS, key="plan_details"):
        st.markdown(SAID.EXACT)
        if len(set(plan.domain.sizes)) > 1:
            st.markdown(SAID.MIXED)
        choice = plan.choice
        steps = "\n".join(f"1. {display.sentence(step.text)}" for step in choice.trace)
        st.markdown(f"{steps}\n\n{display.sentence(choice.reason)}")
        if plan.k > 2:
            st.caption(SAID.SIZES)
        st.dataframe(size_table(plan), hide_index=True, width="stretch")


def size_table(plan: Plan) -> pd.DataFrame:
    """Return every view size with its cells, views and errors, as SSE of a table of k."""
    sizes = view_sizes(plan.n, plan.domain.sizes, plan.epsilon, plan.k)
    rows = [
        (size.l, round(size.cells), size.covering, size.noise_error, size.sampling_error)
        for size in sizes
    ]
    return pd.DataFrame(rows, columns=SAID.SIZES_COLUMNS)


def show_choices(plan: Plan) -> None:
    """Draw Table 2 of the paper for the nearest n and d."""
    frame.set_title(SAID.TABLE_2_TITLE)
    with frame.side():
        st.markdown(SAID.TABLE_2)
        sizes = {n: f"{n:,}" for n in (2**16, 2**18)}
        now = 2**16 if plan.n < 2**17 else 2**18
        n = widgets.choose_segment("People n", sizes, "table_n", default=now)
        attributes = {d: str(d) for d in (8, 16, 32)}
        now = min(attributes, key=lambda d: abs(d - plan.domain.d))
        label = "Attributes d, two values each"
        d = widgets.choose_segment(label, attributes, "table_d", default=now)
    table = cached_calls.get_result(
        "table2", (n, d), lambda: choice_table(TableSettings(ns=(n,), ds=(d,)))
    )
    text = SAID.table_2_text(n=n, d=d, least=table["l"].min(), most=table["l"].max())
    marked = plan.epsilon, plan.k
    results.show_bare_figure("table2", (n, d, *marked), text, figures.choices_map, table, marked)


# People in the wrong cell offered, as shares.
WANTED = (0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3)


def show_survey_design(settings: Settings) -> None:
    """Find what a survey needs, or what comes out, for whole tables or for a question."""
    frame.set_title(SAID.WHAT_IF_TITLE)
    wish = widgets.choose_segment(SAID.WISH, SAID.WISHES, "whatif_wish")
    if wish == "tables":
        _show_table_needs(settings)
    else:
        _show_question_needs(settings, wish)


def _show_table_needs(settings: Settings) -> None:
    """Show what a wanted error of whole tables needs, or which error comes out."""
    with frame.side():
        st.markdown(SAID.WHAT_IF)
    solved = widgets.choose_segment(SAID.FIND, SAID.FOUND, "whatif_find")
    with st.grid(4, min_column_width=150):
        d, values = _read_shape(settings)
        k = _number_input("Tables of k", "whatif_k", min(settings.k, d), 1, min(8, d))
        n = 0 if solved == "n" else _read_people(settings)
        target = 0.0 if solved == "outcome" else st.select_slider(
            SAID.WANTED, WANTED, value=0.05, key="wanted", persist_state="session",
            format_func=words.numbers.people_wrong,
        )  # fmt: skip
    key = (solved, n, settings.epsilon, target, d, values, k, settings.theta)
    text = cached_calls.get_result("whatif", key, lambda: _table_needs_text(*key))
    with st.container(border=True):
        st.markdown(text)


def _table_needs_text(
    solved: str, n: int, epsilon: float, target: float, d: int, values: int, k: int, theta: float
) -> str:
    """Return the plan of a survey and its error, with the fewest people or the least epsilon where these are wanted."""
    if solved == "n":
        n = find_survey_users(d, values, target, epsilon=epsilon, k=k, theta=theta) or 0
    elif solved == "epsilon":
        epsilon = find_survey_epsilon(d, values, target, n=n, k=k, theta=theta) or 0.0
    if not (n and epsilon):
        return SAID.NOT_ENOUGH
    plan = make_survey_plan(d, values, n, epsilon=epsilon, k=k, theta=theta)
    wrong = predict_survey_wrong(d, values, n=n, epsilon=epsilon, k=k, theta=theta)
    return SAID.survey_text(plan, wrong)


def _read_shape(settings: Settings) -> tuple[int, int]:
    """The number of attributes, and of values of each."""
    d = _number_input("Attributes d", "whatif_d", settings.d, 2, 64)
    return d, _number_input("Values of each", "whatif_c", 2, 2, 100)


def _read_people(settings: Settings) -> int:
    return _number_input("People n", "whatif_n", settings.n or 65_536, MIN_USERS, MAX_USERS)


def _show_question_needs(settings: Settings, wish: str) -> None:
    """Show what a share, every cell of pairs, or a difference of two groups needs."""
    like = wish != "cells" and st.toggle(SAID.LIKE, key="whatif_like", persist_state="session")
    with frame.side():
        st.markdown(SAID.LIKE_NOTE if like else SAID.NEEDS)
    solved = widgets.choose_segment(SAID.FIND, SAID.FOUND, "whatif_find")
    text = ""
    if like:
        text = asking.fill_gaps(cached_calls.encoded_data(settings).dataset.domain, wish)
    with st.grid(4, min_column_width=150):
        given, make = _read_like(settings, wish, text) if like else _read_question(settings, wish)
        n = None if solved == "n" else _read_people(settings)
        half_width, power = _read_wanted(wish) if solved != "outcome" else (None, None)
    epsilon = None if solved == "epsilon" else settings.epsilon
    key = (given, n, epsilon, half_width, power)

    def work(notify: Notify) -> tuple[Need, tuple | None]:
        need = solve_question(make(), n=n, epsilon=epsilon, half_width=half_width, power=power)
        return need, need_curve(need) if need.plan else None

    stop = partial(navigation.change, view="")
    need, curve = cached_calls.get_long_result("needs", key, work, lambda *_: SAID.TRYING, stop)
    with st.container(border=True):
        st.markdown(SAID.need_text(need))
    if curve is not None:
        results.show_figure("needs_by_n", key, lambda: _draw_needs(need, *curve))


def _draw_needs(
    need: Need, numbers: Sequence[int], curves: Sequence[Sequence[float]]
) -> tuple[Any, str]:
    """The curve of what comes out over people, and what it shows."""
    power, said = need.power is not None, SAID
    figure = figures.expected_curve(
        numbers, [[100 * value for value in curve] for curve in curves], now=need.n or 0,
        title=said.POWER_AXIS if power else said.LENGTH_AXIS, chances=power,
    )  # fmt: skip
    text = said.BY_POWER if power else said.BY_LENGTH
    return figure, text + (said.BAND if len(curves) > 1 else "")


# What decides a question, and the call that makes it.
Asked = tuple[Hashable, Callable[[], Question]]


def _read_like(settings: Settings, wish: str, text: str) -> Asked:
    """The question of a text to people like those of the data set."""
    people, difference = cached_calls.encoded_data(settings).dataset, None
    if wish == "difference":
        points = st.number_input(
            SAID.LIKE_DIFFERENCE, -90.0, 90.0, None, placeholder=SAID.AS_IN_DATA,
            key="whatif_apart", persist_state="session",
        )  # fmt: skip
        difference = points / 100 if points else None
    key = cached_calls.data_key(settings), text, difference
    return key, lambda: PilotQuestion(people, text, difference)


def _read_question(settings: Settings, wish: str) -> Asked:
    """A question to usual people."""
    d, values = _read_shape(settings)
    question: Question
    if wish == "difference":
        difference = _number_input(SAID.DIFFERENCE, "whatif_difference", 10.0, 0.5, 50.0)
        share = _number_input(SAID.OTHER_SHARE, "whatif_other", 30.0, 1.0, 49.0)
        question = DifferenceQuestion(d, values, difference / 100, share / 100)
    elif wish == "cells":
        question = ShareQuestion(d, values, 0.5, attributes=2)
    else:
        share = _number_input(SAID.SHARE, "whatif_share", 30.0, 1.0, 99.0)
        question = ShareQuestion(d, values, share / 100)
    return question, lambda: question


def _read_wanted(wish: str) -> tuple[float | None, float | None]:
    """The length of the interval, or the power wanted."""
    if wish == "difference":
        return None, _number_input(SAID.POWER, "whatif_power", 80.0, 50.0, 99.0) / 100
    return _number_input(SAID.WITHIN, "whatif_within", 3.0, 0.1, 40.0) / 100, None


Count = TypeVar("Count", int, float)


def _number_input(label: str, key: str, usual: Count, low: Count, high: Count) -> Count:
    usual = min(max(usual, low), high)
    if (st.session_state.get(key) or low) > high:
        st.session_state[key] = high
    number = st.number_input(label, low, high, usual, key=key, persist_state="session")
    return usual if number is None else type(usual)(number)
