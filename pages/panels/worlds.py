"""The parts of the page Three worlds: the three cards, the price of trusting nobody, and the gap over epsilon and n."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from calm_core.evaluation import price_of_trust
from calm_core.evaluation.price_of_trust import CURATOR, LOCAL
from calm_core.evaluation.run import Run
from calm_core.figures.errors import describe_lines, error_lines
from calm_core.planning.survey_design import find_users
from calm_core.settings import Settings
from pages import words
from pages.ui import cached_calls, downloads, error_by_epsilon, frame, results, tables, widgets
from pages.ui.components import as_plain, mount
from pages.ui.progress import Notify
from pages.ui.widgets import epsilons_around

# More cells would be too narrow in a card.
MAX_CELLS = 12


def run_both_worlds(settings: Settings) -> tuple[Run, Run]:
    """Return the run with a curator and the local one, which is the Lab's where its method is CALM."""
    methods = (settings.with_changes(method=name) for name in (CURATOR, LOCAL))
    curator, local = map(cached_calls.outcome, methods)
    return curator, local


def card_attributes(settings: Settings, outcome: Run) -> tuple[str, ...]:
    """Return the attributes chosen on Marginals if a card has room for them, else those of Start."""
    domain = outcome.domain
    chosen = domain.canonical(settings.attrs)
    if chosen and domain.cells_of(chosen) <= MAX_CELLS:
        return chosen
    return results.get_first_pair(settings, outcome)


def show_cards(settings: Settings, curator: Run, local: Run) -> None:
    """Draw the cards, and again while the errors are being measured."""
    attrs = card_attributes(settings, local)
    ours, theirs = (error_by_epsilon.compare_table(run, attrs) for run in (local, curator))
    draw = partial(_draw_cards, settings, theirs, ours, attrs)
    error_by_epsilon.draw_with_updates(settings.with_changes(method=LOCAL), ours, attrs, draw)


def _draw_cards(
    settings: Settings,
    curator: error_by_epsilon.ComparedTable,
    local: error_by_epsilon.ComparedTable,
    attrs,
    spread: error_by_epsilon.ErrorByEpsilon,
) -> None:
    truth = local.truth
    answers = {"truth": truth, "curator": curator.answer, "local": local.answer}
    shares = [answer.values.ravel() for answer in answers.values()]
    axis = tables.make_axis(*shares, spread=spread.usual)
    steps = {"local": spread.steps, "curator": _curator_steps(settings, curator, attrs)}
    readings = {name: tables.measured_reading(truth, answer) for name, answer in answers.items()}
    if spread.here is not None:
        readings["local"] = spread.here

    def card(name: str) -> dict:
        """Return one card: `noise` says who adds it; `steps` has one entry for each epsilon offered."""
        title, text, picture = words.compare.CARDS[name]
        ours = name == "local"
        table = tables.make_table_data(
            truth, answers[name], style="pale", axis=axis, lecture=frame.is_lecture(),
            ghosts=np.array(tables.ghost_errors(truth.values.size)) if spread.steps and ours else None,
        )  # fmt: skip
        return {
            "title": title, "text": text, "picture": picture, "points": readings[name].points, "ours": ours,
            "noise": {"truth": "", "curator": "collector", "local": "people"}[name],
            "table": as_plain(table),
            "steps": [{"points": now.points, "spread": now.spread} for now in steps.get(name, ())],
        }  # fmt: skip

    mount(
        "worlds",
        {
            "worlds": [card(name) for name in answers], "index": spread.index,
            "lecture": frame.is_lecture(), "unit": words.marginals.TABLE_TEXTS["points"],
        },
        key="worlds_cards",
    )  # fmt: skip


def _curator_steps(settings: Settings, curator: error_by_epsilon.ComparedTable, attrs) -> tuple:
    """Return the predicted steps of the curator's table at every epsilon; empty without a formula."""
    theirs = settings.with_changes(method=CURATOR)
    found = error_by_epsilon.predict_points(theirs, curator.domain, curator.n, attrs)
    guess, share = tables.guess_points(curator.truth), tables.example_share(curator.truth.values)
    offered = epsilons_around(settings.epsilon)
    if not set(offered) <= set(found):
        return ()
    return tuple(
        tables.make_step(epsilon, found[epsilon], guess, share, predicted=True)
        for epsilon in offered
    )


GAP_EPSILONS, GAP_SIZES = (0.2, 0.5, 1.0, 2.0, 4.0), (4_000, 16_000, 64_000, 256_000)
QUERIES, REPETITIONS = 20, 3
# The error of a single collection may be ten times too small or too large.
CURATOR_REPETITIONS = 10


def _result_key(settings: Settings) -> tuple:
    chosen = (settings.epsilon, settings.k, settings.theta, settings.seed, settings.queries)
    return (*cached_calls.data_key(settings), settings.n, *chosen)


def people_needed(settings: Settings, curator: Run) -> int | None:
    """Return the number of people for whom the local error equals the curator's; None beyond a trillion."""
    epsilon, k, theta = settings.epsilon, settings.k, settings.theta
    people = cached_calls.people(settings)

    def weigh(notify: Notify) -> int | None:
        sse = price_of_trust.measure_curator_sse(
            people, n=settings.n, seed=settings.seed, queries=settings.queries, known=curator, repetitions=CURATOR_REPETITIONS,
            notify=lambda: notify(0, 0), epsilon=epsilon, k=k, theta=theta,
        )  # fmt: skip
        return find_users(
            curator.domain, sse, n=curator.n, notify=lambda done: notify(done, 0), epsilon=epsilon, k=k, theta=theta
        )  # fmt: skip

    key, said = _result_key(settings), words.compare.price_progress
    return cached_calls.get_long_result("people needed", key, weigh, said)


def measure_errors(settings: Settings, over: str, n: int) -> pd.DataFrame:
    """Return both worlds measured over "epsilon" or "n", cached."""
    dataset = cached_calls.people(settings)
    grid = (GAP_EPSILONS, (n,)) if over == "epsilon" else ((settings.epsilon,), GAP_SIZES)

    def measure(notify: Notify) -> pd.DataFrame:
        return price_of_trust.measure_both_worlds(
            dataset, epsilons=grid[0], ns=grid[1], k=settings.k, theta=settings.theta,
            seed=settings.seed, queries=QUERIES, repetitions=REPETITIONS, notify=notify,
        )  # fmt: skip

    def close_drawer() -> None:
        """Callback of Stop: an open drawer would measure again."""
        st.session_state["worlds_gap"] = False

    key, said = _result_key(settings), words.compare.gap_progress
    return cached_calls.get_long_result(f"worlds {over}", key, measure, said, stop=close_drawer)


def show_gap_drawer(settings: Settings, curator: Run, local: Run) -> None:
    """Show a drawer with the gap over epsilon or n, measured once it is open."""
    panel = st.expander(words.compare.GAP, on_change="rerun", key="worlds_gap")
    if not panel.open:
        return
    with panel:
        ratio = local.points / max(curator.points, 1e-300)
        st.markdown(
            words.compare.gap_text(
                ratio=ratio,
                k=settings.k,
                epsilon=settings.epsilon,
                curator=curator.points,
                local=local.points,
            )
        )
        over = widgets.choose_segment(
            "Points over", words.compare.OVER, "worlds_over", persist_state="session"
        )
        rows = measure_errors(settings, over, local.n)
        results.show_figure(
            f"worlds_{over}", _result_key(settings),
            lambda: (error_lines(rows, over), describe_lines(rows, over)),
        )  # fmt: skip
        downloads.show_csv_download(lambda: rows, f"three-worlds-over-{over}.csv", "worlds_csv")
        widgets.attributes_widget(local.domain)
