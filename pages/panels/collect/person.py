"""One person: her view, her true cell, what the oracle does, her report, what it gives away."""

import numpy as np
import streamlit as st

from calm_core.evaluation.run import Run
from calm_core.figures import collect as figures
from calm_core.figures.html import boundary_html, odds_bars_html
from calm_core.oracles import Oracle
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from calm_core.tables.population import Population
from pages import words
from pages.panels.collect.arrival import answer_of
from pages.panels.collect.counts import labels_of
from pages.ui import escape, frame, naming, pictures

KEPT_REPORTS = 8


def show(outcome: Run, plan: Plan, settings: Settings) -> None:
    """The whole story of one person."""
    st.markdown(words.collect.PERSON_INTRO)
    domain = outcome.dataset.domain
    codes = _choose(outcome, domain)
    view = _dealt(plan, settings)
    attrs, oracle = plan.views[view], plan.oracles[view]
    cell = _cell(domain, attrs, codes)
    table = outcome.dataset.domain.project(attrs)
    labels = labels_of(table)
    facts, picture = st.columns([2, 3], gap="large")
    with facts:
        asked = ", ".join(escape.markdown(naming.title(domain, name)) for name in attrs)
        st.markdown(words.collect.group(view + 1, plan.m, asked))
        answer = ", ".join(
            f"{escape.markdown(naming.title(domain, name))} = {escape.markdown(_label(domain, name, codes))}"
            for name in attrs
        )
        st.markdown(words.collect.true_cell(answer, oracle.size))
        st.markdown(oracle.describe_device(words.numbers.share))
        with st.container(horizontal=True):
            st.button(
                "Deal another group",
                icon=":material/shuffle:",
                key="deal",
                on_click=_count,
                args=("dealt",),
            )
            st.button(
                "Report" if not st.session_state.get("reported") else "Report again",
                icon=":material/send:", key="report", type="primary", on_click=_count, args=("reported",),
            )  # fmt: skip
        st.caption(words.collect.ONCE)
    presses = st.session_state.get("reported", 0)
    history = [_report(oracle, cell, settings, view, press) for press in range(1, presses + 1)][
        -KEPT_REPORTS:
    ]
    titles, last = [table.title_of(name) for name in table.names], history[-1] if history else None
    with picture:
        pictures.show(
            "report_chances",
            (settings.results_key, view, cell, None if last is None else tuple(last)),
            lambda: (
                figures.report_chances(oracle, cell, labels, titles, last), words.collect.CHANCES
            ),
            caption=False,
        )  # fmt: skip
    st.html(boundary_html(words.shared.BOUNDARY))
    if history:
        _sent(history, labels, presses)
    _concluded(oracle, answer_of(outcome).reports.views[view].n)


def _choose(outcome: Run, domain: Domain) -> list[int]:
    """Codes of a row of the data, or of an invented person."""
    how = st.segmented_control(
        "Who", ["A row of the data", "Invent somebody"], default="A row of the data",
        key="person_how", required=True, label_visibility="collapsed",
    )  # fmt: skip
    if how == "A row of the data":
        known = outcome.dataset
        # Everybody drawn from a population is one of its rows.
        known = known.rows if isinstance(known, Population) else known
        rows = known.n
        if (st.session_state.get("person_row") or 1) > rows:
            st.session_state["person_row"] = rows
        row = (
            st.number_input(f"Row, 1 to {rows:,}", 1, rows, 1, 1, key="person_row", width=220) or 1
        )
        return [int(c) for c in known.codes[row - 1]]
    codes = []
    with st.grid("auto", min_column_width=150, gap="small"):
        for i, name in enumerate(domain.names):
            labels = naming.values(domain, name, 30)
            codes.append(
                st.selectbox(
                    escape.markdown(naming.title(domain, name), 30), range(len(labels)), key=f"invent_{i}_{len(labels)}",
                    format_func=lambda c, labels=labels: labels[c],
                )
            )  # fmt: skip
    return codes


def _count(name: str) -> None:
    st.session_state[name] = st.session_state.get(name, 0) + 1
    if name == "dealt":
        st.session_state["reported"] = 0


def _dealt(plan: Plan, settings: Settings) -> int:
    """The group she is dealt to; another one at each press."""
    rng = stream(settings.seed, "person", st.session_state.get("dealt", 0))
    return int(rng.integers(plan.m))


def _label(domain: Domain, name: str, codes: list[int]) -> str:
    return naming.values(domain, name)[codes[domain.names.index(name)]]


def _cell(domain: Domain, attrs: tuple[str, ...], codes: list[int]) -> int:
    index = [codes[domain.names.index(name)] for name in attrs]
    return int(np.ravel_multi_index(index, domain.shape_of(attrs)))


def _report(oracle, cell: int, settings: Settings, view: int, press: int) -> list[int]:
    """The cells her report supports at one press."""
    rng = stream(settings.seed, "report", view, press)
    reports = oracle.perturb(np.array([cell]), rng=rng)
    return np.flatnonzero(oracle.support(reports)).tolist()


def _sent(history: list[list[int]], labels: list[str], presses: int) -> None:
    rows = []
    for i, cells in enumerate(reversed(history)):
        named = ", ".join(labels[c] for c in cells[:6]) or "no cell at all"
        more = f" and {len(cells) - 6} more" if len(cells) > 6 else ""
        weight = "font-weight:650" if i == 0 else "opacity:.6"
        rows.append(f'<li style="{weight}">{named}{more}</li>')
    st.html(
        f"<div>{words.collect.received(presses)}"
        f'<ul style="margin:.2rem 0 0;padding-left:1.2rem">{"".join(rows)}</ul></div>'
    )


def _concluded(oracle: Oracle, reports: int) -> None:
    """What one report changes, as odds, and what averaging repeats would."""
    st.header(words.collect.CONCLUDED_TITLE, anchor=False)
    left, right = st.columns([2, 3], gap="large")
    with left:
        percent = st.slider(words.collect.PRIOR, 1, 99, 20, key="prior", format="%d%%")
        prior, p, q = percent / 100, oracle.p, oracle.q
        yes = prior * p / (prior * p + (1 - prior) * q)
        no = prior * (1 - p) / max(prior * (1 - p) + (1 - prior) * (1 - q), 1e-300)
        beliefs = {
            words.collect.BEFORE: prior,
            words.collect.NAMED: yes,
            words.collect.NOT_NAMED: no,
        }
        st.html(
            odds_bars_html(beliefs, (words.collect.HERS, words.collect.OTHERS), words.collect.split)
        )
        st.markdown(words.collect.belief(prior, yes, no))
        st.caption(
            f"{words.privacy.epsilon_in_words(oracle.epsilon)} {words.privacy.odds(oracle.epsilon)}"
        )
    with right:
        pictures.show(
            "belief", (oracle.p, oracle.q, prior),
            lambda: (figures.belief_over_repeats(oracle, prior), words.collect.BELIEF),
            caption=False,
        )  # fmt: skip
        st.caption(words.collect.REPEATS)
    with frame.drawer(words.collect.DETAILS):
        deviation = float(oracle.variance(max(1, reports))) ** 0.5
        st.markdown(words.collect.oracle(oracle.title, oracle.p, oracle.q, oracle.size, deviation))
