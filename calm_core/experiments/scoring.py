"""What one worker does: draw the rows, release with one method at every epsilon, score."""

from collections.abc import Sequence

import pandas as pd

from calm_core.errors import UserError
from calm_core.evaluation.metrics import score
from calm_core.evaluation.run import use_rows
from calm_core.io.csv_export import escape_formula
from calm_core.methods import METHODS, Answer
from calm_core.randomness import stream
from calm_core.tables.marginal import Marginal
from calm_core.tables.population import People

COLUMNS = (
    "method", "trust", "d", "k", "n", "epsilon", "repetition", "query", "sse", "l1", "l2",
    "jensen_shannon", "uniform_sse", "analytical_sse", "covered", "attributes", "reason", "data",
)  # fmt: skip


def select_rows(data: People, point, seed: int, repetition: int) -> People:
    """The users of one repetition at one setting: the first d attributes, n rows."""
    if point.d < data.domain.d:
        data = data.select(data.domain.names[: point.d])
    return use_rows(data, point.n, seed, repetition)


def _ask(answer: Answer, queries: Sequence[tuple[str, ...]]) -> tuple[dict, dict]:
    """Tables by number of the query, and the reasons why others cannot be answered."""
    try:
        return dict(enumerate(answer.marginals(queries))), {}
    except UserError:
        # One of them cannot; the others are no worse for it.
        found, reasons = {}, {}
        for i, query in enumerate(queries):
            try:
                found[i] = answer.marginal(query)
            except UserError as error:
                reasons[i] = escape_formula(str(error))
        return found, reasons


def _score_epsilon(task, epsilon, rows, queries, truths, seed) -> pd.DataFrame:
    """The rows of one method at one epsilon, one per query; where one fails, its reason for errors.

    A method that cannot run at all leaves one row without a query.
    """
    known = {
        "method": task.method.label,
        "trust": METHODS[task.method.name].trust,
        **vars(task.point),
        "epsilon": epsilon,
        "repetition": task.repetition,
        "data": escape_formula(task.data_name),
    }
    try:
        method = task.method.make(epsilon, task.point.k)
        answer = method.release(rows, rng=stream(seed, task.repetition, method.name))
    except UserError as error:
        return pd.DataFrame([known | {"reason": escape_formula(str(error))}]).reindex(
            columns=list(COLUMNS)
        )
    found, reasons = _ask(answer, queries)
    covered = (answer.covers(queries[i]) for i in found)
    table = score([truths[i] for i in found], list(found.values()), covered)
    table["query"] = list(found)
    table["analytical_sse"] = [
        method.analytical_sse(rows.domain, rows.n, queries[i], truth=truths[i]) for i in found
    ]
    missing = pd.DataFrame({"query": list(reasons), "reason": list(reasons.values())})
    both = [part.astype(object) for part in (table.assign(reason=None), missing)]
    table = pd.concat(both).sort_values("query")
    table["attributes"] = [escape_formula("|".join(query)) for query in queries]
    return table.assign(**known)[list(COLUMNS)]


def run_task(
    data: People,
    task,
    epsilons: Sequence[float],
    queries: Sequence[tuple[str, ...]],
    truths: Sequence[Marginal],
    seed: int,
) -> tuple:
    """The task and its rows: one method at every epsilon, on the rows of one repetition."""
    rows = select_rows(data, task.point, seed, task.repetition)
    tables = []
    for epsilon in epsilons:
        tables.append(_score_epsilon(task, epsilon, rows, queries, truths, seed))
    # An all-missing column would otherwise change the type of the joint one.
    return task, pd.concat([table.astype(object) for table in tables], ignore_index=True)
