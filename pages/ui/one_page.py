"""The report on one page: what was asked, three tables with intervals, a verdict, how private, how to rerun."""

import math
import time

import numpy as np

from calm_core.errors import UserError
from calm_core.evaluation.metrics import real_difference, wrong_share
from calm_core.evaluation.run import Run, repeat_answers
from calm_core.methods import METHODS, make_method
from calm_core.reports import OnePage, PaperAnswer, PaperTable, Row, one_page_report
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.ui import asking, display, readings, tables

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
    shown = _choose_tables(outcome, attrs)
    repeats = _repeat_tables(settings, outcome, [*shown])
    reals = [
        real_difference(rows - outcome.dataset.marginal(query).values.ravel())
        for query, rows in repeats.items()
    ]
    # What is said of differences holds for all tables shown.
    wrong = readings.Wrong(outcome.wrong, 0.0, max(reals, default=None), repeats=1)
    read = readings.make_reading(wrong, outcome.guess_wrong)
    plan = outcome.plan if local else None
    asked = 0 if plan is None else math.prod(outcome.domain.shape_of(plan.views[0]))
    private = (
        said.privacy_text(settings.epsilon, asked) if local else words.settings.CENTRAL_GUARANTEE
    )
    count = len(outcome.queries)
    page = OnePage(
        source=said.page_source(settings),
        title=display.table_question(outcome.domain.project(attrs)),
        lead=said.page_lead(outcome.n, local=local),
        number=read.number,
        unit=said.OF_100,
        what=said.IN_THE_WRONG_CELL,
        note=said.page_note(tables=count, guess=read.guess),
        verdict=read.verdict,
        verdict_name=f"{read.sign} {read.name}",
        sentence=read.sentence,
        tables_title=said.tables_title(len(shown), count),
        key=tuple(
            (text, mark)
            for mark, text in said.KEY.items()
            if mark != "interval" or repeats or "intervals" in outcome.answer.offers
        ),
        tables=tuple(
            _paper_table(outcome, query, why, repeats.get(query)) for query, why in shown.items()
        ),
        blocks=(
            (said.ASKED, _asked_text(outcome.domain), {}),
            (said.SETTING, "", said.setting_rows(settings, outcome.n, plan)),
            (said.PRIVATE, private, {}),
        ),
        command_title=said.RERUN,
        command=settings.to_command(),
        footer=said.SIMULATED,
        answer=reported and _paper_answer(settings, outcome, *reported),
    )
    return one_page_report(page)


def _paper_answer(settings: Settings, outcome: Run, kind: str, question: str) -> PaperAnswer:
    """Return the answer to a question with the truth, or why there is none."""
    title = words.ask.IN_REPORT
    try:
        found, truth = asking.find_answers(asking.ask_run(settings, outcome), question)
    except UserError as error:
        return PaperAnswer(title, question, words.ask.no_answer(error=error))
    # This is a simulation.
    assert truth is not None
    true = words.ask.truth_text(truth=words.ask.value_text(kind, truth.value))
    text = f"{found.sentence} {true}"
    row = Row(
        "", words.ask.answer_text(kind, found.value, found.low, found.high), text,
        found.value, truth.value, found.low, found.high,
    )  # fmt: skip
    return PaperAnswer(title, question, text, row)


def _choose_tables(outcome: Run, attrs: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    """Return the table looked at, one with the median error, and the worst one, each with why it is shown."""
    said, order = words.exports, np.argsort(outcome.scores["l1"].to_numpy(), kind="stable")
    middle = [outcome.queries[at] for at in order[len(order) // 2 :]]
    found = {attrs: said.LOOKED_AT}
    for queries, why in ((middle, said.TYPICAL), (middle[::-1], said.WORST)):
        other = next((query for query in queries if query not in found), None)
        if other is not None:
            found[other] = why
    return found


def _repeat_tables(settings: Settings, outcome: Run, queries: list[tuple[str, ...]]) -> Repeats:
    """Return the shares of each table in 20 repeats, {} where they take too long."""
    method = make_method(settings.method, **settings.method_settings)
    found: dict[tuple[str, ...], list[np.ndarray]] = {query: [] for query in queries}
    begun = time.monotonic()
    for answer in repeat_answers(outcome.dataset, method, seed=settings.seed, times=REPEATS):
        for query, table in zip(queries, answer.marginals(queries)):
            found[query].append(table.values.ravel())
        if time.monotonic() - begun > MAX_SECONDS:
            return {}
    return {query: np.array(rows) for query, rows in found.items()}


def _paper_table(
    outcome: Run, attrs: tuple[str, ...], why: str, repeats: np.ndarray | None
) -> PaperTable:
    truth, answer = outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs)
    domain, true, shares = truth.domain, truth.values.ravel(), answer.values.ravel()
    limits = readings.cell_intervals(outcome.answer, attrs, repeats)
    title = ", ".join(display.short_titles(domain))
    full, names, groups = tables.cell_names(domain)
    drawn, heads, rest = np.arange(shares.size), {}, ""
    if shares.size > MAX_CELLS:
        order = np.argsort(-shares, kind="stable")
        drawn, names, others = order[:LARGEST], full, order[LARGEST:]
        rest = ", ".join(
            words.marginals.rest_texts(others.size, true[others].sum(), shares[others].sum())
        )
    elif len(groups) > MAX_GROUPS:
        names = full
    else:
        starts = np.cumsum([0, *(size for _, size in groups)])
        heads = {int(at): name for at, (name, _) in zip(starts, groups)}
    ends = [[None, None] if limits is None else [float(end[i]) for end in limits] for i in drawn]
    rows = [
        Row(
            names[i],
            words.numbers.percent(shares[i], 0),
            words.exports.row_text(full[i], true[i], shares[i], low, high),
            max(0.0, float(shares[i])),
            float(true[i]),
            low,
            high,
            heads.get(int(i), ""),
        )
        for i, (low, high) in zip(drawn, ends)
    ]
    return PaperTable(
        title[:1].upper() + title[1:],
        why,
        tuple(rows),
        words.numbers.people_wrong(wrong_share(truth, answer)),
        rest,
    )


def _asked_text(domain: Domain) -> str:
    """Return what every attribute asks, with its values."""
    asked = [
        (display.attribute_title(domain, name), display.value_labels(domain, name))
        for name in domain.names[:MAX_NAMED]
    ]
    return words.exports.asked_text(asked, domain.d - len(asked), display.YES_NO)
