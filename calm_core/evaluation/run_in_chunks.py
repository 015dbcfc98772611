"""A run on a file larger than memory: true marginals and reports are sums over its chunks."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from calm_core.errors import InputError
from calm_core.evaluation.metrics import score
from calm_core.ingest import Encoded, ReadOptions, Report, Schema, stream_batches
from calm_core.ingest.streaming import CHUNK_ROWS, enough_memory
from calm_core.methods.base import Answer, Method
from calm_core.methods.reporting import ReportingMethod
from calm_core.randomness import stream
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal
from calm_core.tables.queries import choose_queries


@dataclass(frozen=True, eq=False)
class StreamedRun:
    """What `run.Run` holds, without the rows.

    Attributes
    ----------
    domain : Domain
    n : int
        Users who reported.
    answer : Answer
    scores : DataFrame
        One row per query, see `metrics.score`.
    report : Report
        Account of the file's rows.
    """

    domain: Domain
    n: int
    answer: Answer
    scores: pd.DataFrame
    report: Report

    @property
    def plan(self):
        """What was fixed before collection; None where the method plans nothing."""
        # What an answer offers beside tables is declared by its type.
        answer: Any = self.answer
        return answer.plan if "plan" in answer.offers else None


@enough_memory()
def run_streamed(
    path: str | os.PathLike,
    method: Method,
    *,
    schema: Schema,
    options: ReadOptions | None = None,
    seed: int,
    queries: int = 50,
    rows: int = CHUNK_ROWS,
    notify: Callable[[object], None] | None = None,
) -> StreamedRun:
    """Release a file in chunks, never holding it whole, by any method that works from reports.

    The first pass counts users and sums the true marginals of the queries; the second collects (two
    phases take a third). Every user reports once, on a view drawn as in the whole run; the groups are
    nearly equal within every chunk. A file of one chunk gives exactly the numbers of `run`. EM alone
    keeps what grows with the users: their reports, a byte or a few for each of their attributes.

    Raises
    ------
    InputError
        If the method needs the table itself, or k exceeds the number of attributes.
    DataError
        If no row can be used.
    InfeasibleError
        If a chunk, or the tables asked for, do not fit into memory.
    """
    if not isinstance(method, ReportingMethod):
        raise InputError(
            f"method ({method.name}) works on the table itself and cannot be streamed; leave out "
            "--stream, or choose one that works from reports, such as calm_plus"
        )
    domain = schema.domain
    asked = choose_queries(domain, method.k, queries, rng=stream(seed, 0, "queries"))
    chunks = partial(stream_batches, path, schema, options=options, rows=rows)
    truths, n, report = _true_marginals(chunks(), asked, schema.domain)
    rng = stream(seed, 0, method.name)
    answer = method.release_parts(
        lambda: (chunk.dataset for chunk in chunks()), domain, n, rng=rng, notify=notify
    )
    covered = (answer.covers(query) for query in asked)
    scores = score(truths, answer.marginals(asked), covered)
    return StreamedRun(domain, n, answer, scores, report)


def _true_marginals(chunks: Iterator[Encoded], asked, domain: Domain):
    """The true table of every query, the number of users, and the account of the rows."""
    first = next(chunks)
    sums, n, report = first.dataset.counts(asked), first.dataset.n, first.report
    for chunk in chunks:
        sums = [a + b for a, b in zip(sums, chunk.dataset.counts(asked))]
        n += chunk.dataset.n
        report += chunk.report
    truths = [Marginal(domain.project(q), total / n) for q, total in zip(asked, sums)]
    return truths, n, report
