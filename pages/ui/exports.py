"""Exports of a result: two reports, notebook and tables."""

import math
import time
from dataclasses import fields

import numpy as np
import streamlit as st

from calm_core.errors import UserError
from calm_core.evaluation.metrics import real_difference, wrong_share
from calm_core.evaluation.run import Run, repeat_answers, score_pairs
from calm_core.figures.errors import describe_pairs, pair_heatmap
from calm_core.methods import METHODS, make_method
from calm_core.methods.calm_plus import CalmPlusAnswer
from calm_core.reports import (
    Section,
    csv_text,
    html_report,
    notebook,
    one_page_report,
)
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from calm_core.text import format_count
from pages import words
from pages.ui import asking, display, downloads, frame, results, state, tables


def settings_table(settings: Settings, outcome: Run) -> dict[str, object]:
    """Return names and values of all settings that decide the result, those of its method as they are called."""
    method = make_method(settings.method, **settings.method_settings)
    values: dict[str, object] = {
        "data": words.exports.source_name(settings), "attributes": ", ".join(outcome.dataset.domain.names),
        "n, people": f"{outcome.dataset.n:,}", "seed": settings.seed, "method": settings.method,
    }  # fmt: skip
    values |= {field.name: getattr(method, field.name) for field in fields(method)}
    plan = outcome.plan
    if plan is not None:
        values |= {"l, attributes per view": plan.l, "m, views": plan.m}
    return values


def make_report(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> str:
    """Return the technical report as one HTML page that opens offline."""
    truth, answer = outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs)
    shares = {"true share": truth.values.ravel(), "reconstructed share": answer.values.ravel()}
    limits = results.cell_intervals(outcome.answer, attrs)
    cells = results.list_cells(truth.domain, shares, limits)
    sections = [Section(" × ".join(attrs), words.exports.TABLE, table=cells)]
    if outcome.dataset.domain.d > 1:
        pairs = score_pairs(outcome.dataset, outcome.answer)
        figure = pair_heatmap(pairs, outcome.dataset.domain.names, "sse")
        sections.append(
            Section(
                words.exports.PAIRS, words.common.SSE, ((figure, describe_pairs(pairs, "sse")),)
            )
        )
    scores = outcome.scores
    sections.append(
        Section(
            f"Errors of {format_count(len(scores), 'marginal')} over {format_count(settings.k, 'attribute')}",
            table=scores.drop(columns="query"),
        )
    )  # fmt: skip
    return html_report(
        f"{words.common.APP}: {words.exports.source_name(settings)}, epsilon = {settings.epsilon:g}", settings_table(settings, outcome), sections,
        summary=words.exports.guarantee_text(settings), command=settings.to_command(),
    )  # fmt: skip


def show_exports(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> None:
    """Show the closing panel of the result pages."""
    if state.is_hidden("exports") or frame.is_lecture():
        return
    panel = st.expander(
        "Take it with you", icon=":material/ios_share:", on_change="rerun", key="exports"
    )
    if not panel.open:
        return
    # A file is made without the session.
    reported = asking.reported_question()
    with panel:
        with st.container(horizontal=True):
            downloads.show_download(
                "Report", lambda: make_one_page(settings, outcome, attrs, reported),
                "calm-report.html", "text/html", key="take_one_page",
            )  # fmt: skip
            downloads.show_download(
                "Technical report", lambda: make_report(settings, outcome, attrs),
                "calm-technical-report.html", "text/html", key="take_report",
            )  # fmt: skip
            downloads.show_download(
                "Notebook", lambda: notebook(settings, outcome), "calm-result.ipynb",
                "application/x-ipynb+json", key="take_notebook",
            )  # fmt: skip
            downloads.show_download(
                "Errors as CSV", lambda: csv_text(outcome.scores), "errors.csv", "text/csv",
                key="take_errors",
            )  # fmt: skip
        st.caption(words.exports.HINT)


# ---------------------------------------------------------------- the report on one page

# What a sheet has room for: cells of a table, the largest ones of a larger table, and attributes.
MAX_CELLS, LARGEST, MAX_GROUPS, MAX_NAMED = 10, 8, 4, 12
# Repeats behind the intervals of methods that have none; with a slow method there are none.
REPEATS, MAX_SECONDS = 20, 10.0
Repeats = dict[tuple[str, ...], np.ndarray]


def make_one_page(
    settings: Settings,
    outcome: Run,
    attrs: tuple[str, ...],
    reported: tuple[str, str] | None = None,
) -> str:
    """Return the report as an HTML page that prints on one sheet.

    Parameters
    ----------
    reported : tuple of str, optional
        Kind and text of a question whose answer stands in it.
    """
    said = words.exports
    local = METHODS[settings.method].trust == "local"
    picks = _choose_tables(outcome, attrs)
    repeats = _repeat_tables(settings, outcome, [*picks])
    reals = [
        real_difference(rows - outcome.dataset.marginal(query).values.ravel())
        for query, rows in repeats.items()
    ]
    # What is said of differences holds for all tables shown.
    wrong = results.Wrong(outcome.wrong, 0.0, max(reals, default=None), repeats=1)
    reading = results.make_reading(wrong, outcome.guess_wrong)
    plan = outcome.plan if local else None
    cells = 0 if plan is None else math.prod(outcome.domain.shape_of(plan.views[0]))
    private = (
        said.privacy_text(settings.epsilon, cells) if local else words.settings.CENTRAL_GUARANTEE
    )
    count = len(outcome.queries)
    marks = [
        (text, mark) for mark, text in said.KEY.items()
        if mark != "interval" or repeats or isinstance(outcome.answer, CalmPlusAnswer)
    ]  # fmt: skip
    page = {
        "source": said.page_source(source=said.source_name(settings)),
        "title": display.table_question(outcome.domain.project(attrs)),
        "lead": said.page_lead(n=outcome.n, saw=said.NOBODY_SAW if local else said.CURATOR_SAW),
        "number": reading.number, "unit": said.OF_100, "what": said.IN_THE_WRONG_CELL,
        "note": said.page_note(tables=results.tables_scored(outcome), guess=reading.guess),
        "verdict": reading.verdict, "verdict_name": f"{reading.sign} {reading.name}", "sentence": reading.sentence,
        "tables_title": said.tables_title(len(picks), count), "key": marks,
        "tables": [
            _paper_table(outcome, query, why, repeats.get(query)) for query, why in picks.items()
        ],
        "answer": reported and _paper_answer(settings, outcome, *reported),
        "blocks": (
            (said.ASKED, _list_attributes(outcome.domain), {}),
            (said.SETTING, "", said.setting_rows(settings, outcome.n, plan)),
            (said.PRIVATE, private, {}),
        ),
        "command_title": said.RERUN, "command": settings.to_command(), "footer": said.SIMULATED,
    }  # fmt: skip
    return one_page_report(page)


def _paper_answer(settings: Settings, outcome: Run, kind: str, question: str) -> dict:
    """Return the answer to a question with the truth, or why there is none."""
    paper = {"title": words.ask.IN_REPORT, "question": question}
    try:
        estimate, truth = asking.find_answers(asking.ask_run(settings, outcome), question)
    except UserError as error:
        return paper | {"text": words.ask.no_answer(error=error), "row": None}
    # This is a simulation.
    assert truth is not None
    true = words.ask.truth_text(truth=words.ask.value_text(kind, truth.value))
    text = f"{estimate.sentence} {true}"
    row = {
        "text": words.ask.answer_text(kind, estimate.value, estimate.low, estimate.high), "alt": text,
        "share": estimate.value, "true": truth.value, "low": estimate.low, "high": estimate.high,
    }  # fmt: skip
    return paper | {"text": text, "row": row}


def _choose_tables(outcome: Run, attrs: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    """Return the table looked at, one with the median error, and the worst one, each with why it is shown."""
    said, order = words.exports, np.argsort(outcome.scores["l1"].to_numpy(), kind="stable")
    middle = [outcome.queries[at] for at in order[len(order) // 2 :]]
    reasons = {attrs: said.LOOKED_AT}
    for queries, why in ((middle, said.TYPICAL), (middle[::-1], said.WORST)):
        other = next((query for query in queries if query not in reasons), None)
        if other is not None:
            reasons[other] = why
    return reasons


def _repeat_tables(settings: Settings, outcome: Run, queries: list[tuple[str, ...]]) -> Repeats:
    """Return the shares of each table in 20 repeats, {} where they take too long."""
    method = make_method(settings.method, **settings.method_settings)
    shares: dict[tuple[str, ...], list[np.ndarray]] = {query: [] for query in queries}
    begun = time.monotonic()
    for answer in repeat_answers(outcome.dataset, method, seed=settings.seed, times=REPEATS):
        for query, table in zip(queries, answer.marginals(queries)):
            shares[query].append(table.values.ravel())
        if time.monotonic() - begun > MAX_SECONDS:
            return {}
    return {query: np.array(rows) for query, rows in shares.items()}


def _paper_table(
    outcome: Run, attrs: tuple[str, ...], why: str, repeats: np.ndarray | None
) -> dict:
    truth, answer = outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs)
    limits = results.cell_intervals(outcome.answer, attrs, repeats)
    ranked = answer.values.size > MAX_CELLS
    data = tables.make_table_data(
        truth, answer, mode="ranked" if ranked else "bars", limit=LARGEST, intervals=limits
    )
    grouped = not ranked and len(data["groups"]) <= MAX_GROUPS
    starts = np.cumsum([0, *(size for _, size in data["groups"])]).tolist()
    heads = dict(zip(starts, (name for name, _ in data["groups"]))) if grouped else {}
    names = data["labels"] if grouped else data["cells"]
    unknown = (None,) * len(names)
    rows = [
        {
            "name": name, "group": heads.get(i, ""), "text": words.numbers.percent(share, 0),
            "alt": words.exports.row_text(cell, true, share, low, high),
            "share": max(0.0, share), "true": true, "low": low, "high": high,
        }
        for i, (name, cell, true, share, low, high) in enumerate(
            zip(names, data["cells"], data["true"], data["reconstructed"], data["low"] or unknown, data["high"] or unknown)
        )
    ]  # fmt: skip
    title = ", ".join(display.short_titles(truth.domain))
    return {
        "title": title[:1].upper() + title[1:], "why": why, "rows": rows, "rest": ", ".join(data["more"]),
        "wrong": words.numbers.people_wrong(wrong_share(truth, answer)),
    }  # fmt: skip


def _list_attributes(domain: Domain) -> str:
    """Return what every attribute asks, with its values."""
    questions = [
        (display.attribute_title(domain, name), display.value_labels(domain, name))
        for name in domain.names[:MAX_NAMED]
    ]
    return words.exports.list_attributes(questions, domain.d - len(questions), display.YES_NO)
