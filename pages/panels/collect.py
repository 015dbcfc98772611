"""The parts of the page Collect: arriving reports, one person, oracles, counts."""

import math
from collections.abc import Sequence
from string import ascii_lowercase, digits

import numpy as np
import streamlit as st

from calm_core.attacks.guessing import success_at_error
from calm_core.collection.aggregation import draw_arrivals
from calm_core.evaluation.metrics import judge_error
from calm_core.evaluation.run import Run, ViewProgress, choose_moments, choose_stops, follow_view
from calm_core.figures import plan as figures
from calm_core.figures.theme import escape_label
from calm_core.methods.base import CollectedAnswer
from calm_core.oracles import ORACLES, Oracle, choose_oracle
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.settings import Settings
from calm_core.tables.dataset import Population
from calm_core.tables.domain import Domain
from calm_core.text import join_some
from pages import words
from pages.ui import cached_calls, display, frame, results, state, tables
from pages.ui.components import mount
from pages.ui.tables import Axis
from pages.ui.widgets import epsilons_around

SAID = words.collect

# Views that are sent; no others can be chosen.
MAX_VIEWS = 1000
DIGITS = digits + ascii_lowercase
# Shares are sent as thousandths, and how full a card is as one of so many levels.
PARTS, LEVELS = 1000, 35


def show_arrival(outcome: Run, settings: Settings, *, at: int, lecture: bool) -> dict:
    """Draw the arriving reports; return what was drawn."""
    views = collected_answer(outcome).reports.views
    data = arrival_data(outcome, settings, lecture=lecture)
    stops = data["stops"]
    start = stops[-1]
    if lecture:
        frame.set_step_count(len(stops))
        start = stops[min(at, len(stops) - 1)]
    data = data | {"start": start}
    mount(
        "collect", data, key="collection",
        on={"view": lambda view: choose_view(views[data["ids"][int(view)]].attrs)},
    )  # fmt: skip
    return data


def collected_answer(outcome: Run) -> CollectedAnswer:
    """Return the answer with its plan and reports; the run on this page is always CALM's."""
    assert isinstance(outcome.answer, CollectedAnswer)
    return outcome.answer


def arrival_data(outcome: Run, settings: Settings, *, lecture: bool) -> dict:
    """Return the data of the component, cached, except for the moment it starts at."""
    chosen = chosen_view(outcome, settings)
    return cached_calls.get_result(
        "arrival", (settings.results_key, chosen, lecture),
        lambda: _build_data(outcome, settings, chosen, lecture),
    )  # fmt: skip


def choose_view(attrs: tuple[str, ...]) -> None:
    """Remember the view over these attributes as the chosen one."""
    st.session_state["collect_view"] = attrs


def chosen_view(outcome: Run, settings: Settings) -> int:
    """Return the index of the chosen view; by default the one that shares most attributes with the current table."""
    views = [view.attrs for view in collected_answer(outcome).reports.views]
    chosen = st.session_state.get("collect_view")
    if chosen in views:
        return views.index(chosen)
    looked_at = set(state.attributes_shown(settings, outcome.domain))
    return max(range(len(views)), key=lambda i: len(looked_at & set(views[i])))


def _build_data(outcome: Run, settings: Settings, chosen: int, lecture: bool) -> dict:
    reports, domain = collected_answer(outcome).reports, outcome.domain
    halts = choose_stops(reports.n)
    looked = choose_moments(reports.n, halts)
    sizes = [view.n for view in reports.views]
    came = draw_arrivals(sizes, looked, rng=stream(settings.seed, "arrival"))
    table, cells = _view_table(outcome, chosen, lecture)
    rng = stream(settings.seed, "arrival", chosen)
    course = follow_view(outcome, chosen, came[:, chosen].tolist(), rng=rng, cells=cells.tolist())
    # Cards are sorted by their attributes, not in the order of the design.
    views = [domain.positions(view.attrs) for view in reports.views]
    ids = sorted(range(len(views)), key=lambda i: views[i])
    if ids.index(chosen) >= MAX_VIEWS:
        ids.insert(0, ids.pop(ids.index(chosen)))
    ids = ids[:MAX_VIEWS]
    lengths = [len(view.attrs) for view in reports.views]
    return {
        "run": str(settings.results_key),
        "table": table,
        "moments": _build_moments(course, looked, came, np.array(sizes), ids),
        "attributes": list(display.short_titles(domain)),
        "views": [list(views[i]) for i in ids],
        "ids": ids,
        "groups": len(sizes),
        "chosen": ids.index(chosen),
        "stops": [looked.index(halt) for halt in halts],
        "name": display.join_titles(domain, reports.views[chosen].attrs),
        "result": SAID.result(k=settings.k, wrong=outcome.wrong),
        "words": SAID.ARRIVAL | SAID.group_texts(len(sizes), lengths),
        "epsilon": epsilons_around(settings.epsilon).index(settings.epsilon),
        "lecture": lecture,
    }


def _view_table(outcome: Run, view: int, lecture: bool) -> tuple[dict, np.ndarray]:
    """Return the table without its shares, and which cells it shows."""
    reconstructed = collected_answer(outcome).noisy.tables[view]
    truth = outcome.dataset.marginal(reconstructed.attrs)
    table = tables.make_table_data(
        truth,
        reconstructed,
        style="pale",
        lecture=lecture,
        numbers=False,
        texts=words.marginals.OTHER_COLLECTIONS,
    )
    shown, size = len(table["cells"]), reconstructed.values.size
    if shown == size:
        return table, np.arange(size)
    table["more"] = [f"{size - shown:,} more"]
    return table, np.argsort(-reconstructed.values.ravel(), kind="stable")[:shown]


def _build_moments(
    view: ViewProgress, looked: Sequence[int], came: np.ndarray, sizes: np.ndarray, ids: list[int]
) -> list[dict]:
    """Return what the component shows after each number of reports.

    `place` is the position in time from 0 to 1; `told` the result in the stepper. `number` and `verdict` are empty
    and `reconstructed` is None as long as nobody of the group has reported. `reconstructed` and `ghosts` are shares in
    `PARTS`; `levels` says how full each card is, one character of `DIGITS` for each view sent.
    """
    axes = _moment_axes(view)
    full = LEVELS * came[:, ids] // np.maximum(sizes[ids], 1)
    moments = []
    for i, reports in enumerate(looked):
        error, own = float(view.errors[i]), int(view.reports[i])
        title = SAID.title(reports, error, view.guess, last=i == len(looked) - 1)
        kind = judge_error(error, view.guess)
        number = words.numbers.wrong(error) if own else ""
        name = words.numbers.VERDICTS[kind]
        moments.append(
            {
                "place": math.log(reports / looked[0]) / max(1e-9, math.log(looked[-1] / looked[0])),
                "title": title, "told": words.common.reports(n=reports),
                "reports": words.numbers.amount(reports),
                "group": SAID.own_reports(own, len(sizes)),
                "number": number, "verdict": kind.value if own else "",
                "name": name, "sign": words.numbers.SIGNS[kind],
                "spoken": SAID.moment_spoken(reports, number, name),
                "alt": SAID.picture_text(title, number, len(view.cells)),
                **axes[i],
                "reconstructed": _in_parts(view.reconstructed[i]) if own else None,
                "ghosts": _in_parts(view.repeats[:, i]) if own else None,
                "levels": "".join(DIGITS[level] for level in full[i]),
            }
        )  # fmt: skip
    return moments


def _in_parts(shares: np.ndarray) -> list:
    return np.rint(PARTS * shares).astype(int).tolist()


def _moment_axes(view: ViewProgress) -> list[Axis]:
    """Return an axis for every moment that holds all later shares, below zero too, so that it never grows."""
    low, high, axes = 0.0, float(np.max(view.truth.values.ravel()[view.cells])), []
    for i in reversed(range(len(view.reports))):
        if view.reports[i]:
            low = min(low, float(view.reconstructed[i].min()), float(view.repeats[:, i].min()))
            high = max(high, float(view.reconstructed[i].max()), float(view.repeats[:, i].max()))
        axes.append(tables.axis_between(low, high))
    return axes[::-1]


def show_counts(outcome: Run, settings: Settings) -> None:
    """Draw the counts of one view beside the shares computed from them."""
    answer = collected_answer(outcome)
    views = answer.reports.views
    now = chosen_view(outcome, settings)
    field = f"counts_view_{now}"
    names = [display.join_titles(outcome.domain, view.attrs, 24) for view in views]
    chosen = st.selectbox(
        SAID.VIEW, range(len(views)), index=now, key=field,
        on_change=lambda: choose_view(views[st.session_state[field]].attrs), format_func=lambda i: display.shorten(f"{i + 1}: {names[i]}", 80),
    )  # fmt: skip
    reports, table = views[chosen], answer.noisy.tables[chosen]
    below = SAID.below_zero(int((table.values < 0).sum()))
    left, right = st.columns(2, gap="large")
    with left:
        st.header(f"What arrives: {words.numbers.amount(reports.n)} reports", anchor=False)
        support = reports.support
        text = SAID.counts_text(
            least=int(support.min()), most=int(support.max()), noise=reports.n * reports.oracle.q
        )
        key = settings.results_key, chosen
        cells = cell_labels(table.domain), table.domain.titles
        results.show_bare_figure("raw_counts", key, text, figures.raw_counts, reports, *cells)
    with right:
        st.header(f"Reconstructed shares, {below}", anchor=False)
        truth = outcome.dataset.marginal(table.attrs)
        data = tables.make_table_data(
            truth, table, axis=tables.shared_axis(truth, table), height=270, grows=False
        )
        tables.draw_table(data, key="counted")
    st.markdown(SAID.UNBIASED)
    with frame.drawer(SAID.DETAILS):
        oracle = reports.oracle
        # The mean variance over the cells depends on no table.
        variance = oracle.variance(max(1, reports.n), 1 / oracle.size)
        st.markdown(_oracle_text(oracle, variance))
        st.markdown(SAID.FORMULA)


def _oracle_text(oracle: Oracle, variance) -> str:
    deviation = float(variance) ** 0.5
    return SAID.oracle_text(
        title=oracle.title, p=oracle.p, q=oracle.q, cells=oracle.size, deviation=deviation
    )


def cell_labels(domain: Domain) -> list[str]:
    """Return short names of the cells of a table over all attributes of `domain`, escaped for figures."""
    return [escape_label(name, 30) for name in tables.cell_names(domain, pale=True)[1]]


CELLS = (2, 4, 8, 16, 32, 64, 128, 256, 1024)
# Cells of a report that are named.
MAX_NAMED = 6


def show_oracles(plan: Plan) -> None:
    """Draw the variances of the oracles over cells, and what each gives away at the same error."""
    size = max(oracle.size for oracle in plan.oracles)
    used = sorted({oracle.title for oracle in plan.oracles})
    st.markdown(f"Used in this collection: **{', '.join(used)}**. {SAID.ORACLES}")
    few, many = (choose_oracle(cells, plan.epsilon).title for cells in (2, 2048))
    text = SAID.by_size_text(epsilon=plan.epsilon, few=few, many=many)
    key = plan.epsilon, size
    results.show_bare_figure("variance_by_size", key, text, figures.variance_by_size, *key)
    if frame.is_lecture():
        return
    st.header(SAID.LEAST_GIVEN_AWAY, anchor=False)
    cells = st.select_slider(SAID.CELLS, CELLS, value=16, key="oracle_cells")
    people = max(1, round(plan.n / plan.m))
    chosen = choose_oracle(cells, plan.epsilon)
    error = float(chosen.variance(people, 1 / cells))
    chances = success_at_error(cells, error, people)
    least, most = (pick(chances, key=chances.__getitem__) for pick in (min, max))
    text = SAID.least_away_text(
        cells=cells, n=people, oracle=chosen.title, least=ORACLES[least].title, few=100 * chances[least],
        most=ORACLES[most].title, many=100 * chances[most],
    )  # fmt: skip
    st.markdown(text)
    shown = cells, plan.epsilon, people
    results.show_bare_figure("success_by_error", shown, text, figures.success_by_error, *shown)


def show_person(outcome: Run, plan: Plan, settings: Settings) -> None:
    """Show one person: their view, their true cell, the randomizer, their report, and what it reveals."""
    st.markdown(SAID.PERSON_INTRO)
    people, domain = outcome.dataset, outcome.domain
    # People drawn from a population are copies of its rows.
    rows = people.rows if isinstance(people, Population) else people
    # After each press another person with another view.
    dealt = st.session_state.get("dealt", 0)
    rng = stream(settings.seed, "person", dealt)
    codes, view = rows.codes[rng.integers(rows.n)], int(rng.integers(plan.m))
    attrs, oracle = plan.views[view], plan.oracles[view]
    index = [codes[domain.names.index(name)] for name in attrs]
    cell = int(np.ravel_multi_index(index, domain.shape_of(attrs)))
    table = domain.project(attrs)
    labels = cell_labels(table)
    facts, picture = st.columns([2, 3], gap="large")
    with facts:
        titles = [display.markdown(display.attribute_title(domain, name)) for name in attrs]
        st.markdown(SAID.group_text(number=view + 1, groups=plan.m, asked=", ".join(titles)))
        values = [display.value_labels(domain, name)[code] for name, code in zip(attrs, index)]
        answer = [f"{title} = {display.markdown(value)}" for title, value in zip(titles, values)]
        st.markdown(SAID.true_cell_text(answer=", ".join(answer), cells=oracle.size))
        st.markdown(oracle.describe_device(words.numbers.share))
        presses = st.session_state.get("sent", 0)
        with st.container(horizontal=True):
            st.button(
                "Another person", icon=":material/shuffle:", key="deal",
                on_click=st.session_state.update, kwargs={"dealt": dealt + 1, "sent": 0},
            )  # fmt: skip
            st.button(
                "Report again" if presses else "Report", icon=":material/send:", key="report", type="primary",
                on_click=st.session_state.update, kwargs={"sent": presses + 1},
            )  # fmt: skip
        st.caption(SAID.ONCE)
    sent = _simulate_report(oracle, cell, settings, view, presses) if presses else []
    with picture:
        key = settings.results_key, view, cell, tuple(sent)
        text = SAID.chances_text(p=oracle.p, q=oracle.q)
        shown = oracle, cell, labels, table.titles, sent
        results.show_bare_figure("report_chances", key, text, figures.report_chances, *shown)
    st.html(f'<div class="calm-boundary" role="note"><b>{words.common.BOUNDARY}</b></div>')
    if presses:
        named = join_some([labels[cell] for cell in sent], MAX_NAMED) or SAID.NO_CELL
        st.html(f'<p class="received">{SAID.RECEIVED} <b>{named}</b></p>')
    _show_conclusions(oracle, collected_answer(outcome).reports.views[view].n)


def _simulate_report(oracle, cell: int, settings: Settings, view: int, press: int) -> list[int]:
    """Return the cells that their report supports at one press."""
    rng = stream(settings.seed, "report", view, press)
    reports = oracle.perturb(np.array([cell]), rng=rng)
    return np.flatnonzero(oracle.support(reports)).tolist()


def _show_conclusions(oracle: Oracle, reports: int) -> None:
    """Show what one report changes, as odds."""
    st.header(SAID.CONCLUDED_TITLE, anchor=False)
    percent = st.slider(SAID.PRIOR, 1, 99, 20, key="prior", format="%d%%")
    prior, p, q = percent / 100, oracle.p, oracle.q
    yes = prior * p / (prior * p + (1 - prior) * q)
    no = prior * (1 - p) / max(prior * (1 - p) + (1 - prior) * (1 - q), 1e-300)
    beliefs = {SAID.BEFORE: prior, SAID.NAMED: yes, SAID.NOT_NAMED: no}
    text = SAID.belief_text(before=prior, yes=yes, no=no)
    sides = SAID.THE_TRUE, SAID.OTHERS
    key = prior, p, q
    results.show_bare_figure("beliefs", key, text, figures.opposite_bars, beliefs, sides)
    st.markdown(text)
    st.caption(
        f"{words.settings.epsilon_in_words(oracle.epsilon)} {words.settings.odds_text(oracle.epsilon)}"
    )
    st.caption(SAID.REPEATS)
    with frame.drawer(SAID.DETAILS):
        st.markdown(_oracle_text(oracle, oracle.variance(max(1, reports))))
