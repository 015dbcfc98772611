"""A run on a file larger than memory: true marginals and reports are sums over its chunks."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from operator import add

import numpy as np
import pandas as pd

from calm_core._checks import check_k
from calm_core.errors import InputError
from calm_core.evaluation.metrics import score
from calm_core.ingest import Encoded, ReadOptions, Report, Schema, stream_batches
from calm_core.ingest.streaming import CHUNK_ROWS, enough_memory
from calm_core.methods import Calm
from calm_core.methods.collected import CollectedAnswer
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.tables.dataset import Dataset
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
    answer : CollectedAnswer
    scores : DataFrame
        One row per query, see `metrics.score`.
    report : Report
        Account of the file's rows.
    """

    domain: Domain
    n: int
    answer: CollectedAnswer
    scores: pd.DataFrame
    report: Report

    @property
    def plan(self) -> Plan:
        """What was fixed before collection."""
        return self.answer.plan


@enough_memory()
def run_streamed(
    path: str | os.PathLike,
    method: Calm,
    *,
    schema: Schema,
    options: ReadOptions | None = None,
    seed: int,
    queries: int = 50,
    rows: int = CHUNK_ROWS,
    notify: Callable[[object], None] | None = None,
) -> StreamedRun:
    """Release a file with CALM, reading it twice in chunks and never holding it whole.

    The first pass counts users and sums the true marginals of the queries; the second collects.
    Every user reports once, on a view drawn as in the whole run; the groups are nearly equal within
    every chunk. A file of one chunk gives exactly the numbers of `run`.

    Raises
    ------
    InputError
        If the method is not CALM, or k exceeds the number of attributes.
    DataError
        If no row can be used.
    InfeasibleError
        If a chunk, or the tables asked for, do not fit into memory.
    """
    if type(method) is not Calm:
        raise InputError(f"method ({method.name}) must be calm where the file is streamed")
    domain = schema.domain
    check_k(method.k, domain.d)
    asked = choose_queries(domain, method.k, queries, rng=stream(seed, 0, "queries"))
    chunks = partial(stream_batches, path, schema, options=options, rows=rows)
    truths, n, report = _true_marginals(chunks(), asked, schema.domain)
    rng = stream(seed, 0, method.name)
    plan = method.plan(domain, n, rng=rng)
    large = _large_enough(chunks(), plan.m)
    reports = reduce(add, (method.ask(chunk, plan, rng=rng, notify=notify) for chunk in large))
    answer = method.answer(plan, reports)
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


def _large_enough(chunks: Iterator[Encoded], m: int) -> Iterator[Dataset]:
    """Chunks with at least one user for every view: small ones are joined to a neighbour."""
    ready, waiting = None, []
    for chunk in chunks:
        waiting.append(chunk.dataset)
        if sum(part.n for part in waiting) >= m:
            if ready is not None:
                yield ready
            # Held back, so that a small last chunk has something to join.
            ready, waiting = _joined(waiting), []
    yield _joined(waiting if ready is None else [ready, *waiting])


def _joined(parts: list[Dataset]) -> Dataset:
    return Dataset._unchecked(np.concatenate([part.codes for part in parts]), parts[0].domain)
