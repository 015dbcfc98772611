"""What one worker does: draw the rows, release with one method at every epsilon, score."""

from collections.abc import Sequence

import pandas as pd

from calm_core.dataset import Dataset
from calm_core.errors import UserError
from calm_core.ingest.export import harmless
from calm_core.marginal import Marginal
from calm_core.metrics import score
from calm_core.running import use_rows
from calm_core.streams import stream

COLUMNS = (
    "method", "trust", "d", "k", "n", "epsilon", "repetition", "query", "sse", "l1", "l2",
    "jensen_shannon", "uniform_sse", "analytical_sse", "covered", "attributes", "reason", "data",
)  # fmt: skip


def rows_of(data: Dataset, point, seed: int, repetition: int) -> Dataset:
    """The users of one repetition at one setting: the first d attributes, n rows."""
    if point.d < data.domain.d:
        data = data.select(data.domain.names[: point.d])
    return use_rows(data, point.n, seed, repetition)


def _score_epsilon(task, method, rows, queries, truths, seed) -> pd.DataFrame:
    """The rows of one method at one epsilon; one row with a reason where it cannot run."""
    known = {
        "method": task.method.label,
        "trust": method.trust,
        **vars(task.point),
        "epsilon": method.epsilon,
        "repetition": task.repetition,
        "data": harmless(task.data_name),
    }
    try:
        answer = method.release(rows, rng=stream(seed, task.repetition, method.name))
        answers = answer.marginals(queries)
    except UserError as error:
        return pd.DataFrame([known | {"reason": harmless(str(error))}]).reindex(
            columns=list(COLUMNS)
        )
    table = score(truths, answers, (answer.covers(query) for query in queries))
    table["attributes"] = [harmless("|".join(query)) for query in queries]
    table["analytical_sse"] = [
        method.analytical_sse(rows.domain, rows.n, query, truth=truth)
        for query, truth in zip(queries, truths)
    ]
    return table.assign(**known, reason=None)[list(COLUMNS)]


def run_task(
    data: Dataset,
    task,
    epsilons: Sequence[float],
    queries: Sequence[tuple[str, ...]],
    truths: Sequence[Marginal],
    seed: int,
) -> tuple:
    """The task and its rows: one method at every epsilon, on the rows of one repetition."""
    rows = rows_of(data, task.point, seed, task.repetition)
    tables = []
    for epsilon in epsilons:
        method = task.method.make(epsilon, task.point.k)
        tables.append(_score_epsilon(task, method, rows, queries, truths, seed))
    # An all-missing column would otherwise change the type of the joint one.
    return task, pd.concat([table.astype(object) for table in tables], ignore_index=True)
