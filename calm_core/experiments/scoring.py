"""One task of an experiment: draw the rows, release with one method at every epsilon, score."""

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


def _answer_queries(answer: Answer, queries: Sequence[tuple[str, ...]]) -> tuple[dict, dict]:
    """Tables by number of the query, and reasons by number of those that cannot be answered."""
    try:
        return dict(enumerate(answer.marginals(queries))), {}
    except UserError:
        # At least one cannot be answered: ask them one by one.
        tables, reasons = {}, {}
        for i, query in enumerate(queries):
            try:
                tables[i] = answer.marginal(query)
            except UserError as error:
                reasons[i] = escape_formula(str(error))
        return tables, reasons


def _score_epsilon(task, epsilon, rows, queries, truths, seed) -> pd.DataFrame:
    """The rows of one method at one epsilon, one per query; a failed query has its reason instead of errors.

    If the method cannot run at all, one row without a query has the reason.
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
    tables, reasons = _answer_queries(answer, queries)
    covered = (answer.covers(queries[i]) for i in tables)
    table = score([truths[i] for i in tables], list(tables.values()), covered)
    table["query"] = list(tables)
    table["analytical_sse"] = [
        method.analytical_sse(rows.domain, rows.n, queries[i], truth=truths[i]) for i in tables
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
    # As objects, because a column without values would change the type of the joined one.
    return task, pd.concat([table.astype(object) for table in tables], ignore_index=True)
