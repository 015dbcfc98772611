"""Runs on files larger than memory: true marginals and reports are summed over chunks."""

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from calm_core.collection.states import State
from calm_core.collection.tally import Tally
from calm_core.errors import DataError, InputError
from calm_core.evaluation.metrics import score
from calm_core.evaluation.run import find_plan
from calm_core.ingest.encode import EncodedData, Report, choose_schema
from calm_core.ingest.proposed_columns import count_proposed
from calm_core.ingest.schema import Schema
from calm_core.ingest.streaming import (
    CHUNK_ROWS,
    explain_memory_errors,
    stream_batches,
    stream_schema,
)
from calm_core.ingest.table import ReadOptions
from calm_core.methods.base import Answer, Method, ReportingMethod
from calm_core.methods.calm import Calm
from calm_core.randomness import stream
from calm_core.tables.domain import TABLES_SCORED, Domain, choose_queries
from calm_core.tables.marginal import Marginal


@dataclass(frozen=True, eq=False)
class StreamedRun:
    """A `run.Run` without its rows.

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
        """The plan of the collection; None if the method has none."""
        return find_plan(self.answer)


@explain_memory_errors()
def run_streamed(
    path: str | os.PathLike,
    method: Method,
    *,
    schema: Schema,
    options: ReadOptions | None = None,
    seed: int,
    queries: int = TABLES_SCORED,
    rows: int = CHUNK_ROWS,
    notify: Callable[[object], None] | None = None,
) -> StreamedRun:
    """Release a file in chunks, by any method that works from reports.

    The first pass counts users and sums the true marginals of the queries; the second collects (two-phase
    designs need a third). Every user reports once, on a random view; groups are nearly equal within every
    chunk. A file of one chunk gives exactly the numbers of `run`. Only EM needs memory that grows with the
    users: their reports, a few bytes per attribute.

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
    sample = choose_queries(domain, method.k, queries, rng=stream(seed, 0, "queries"))
    chunks = partial(stream_batches, path, schema, options=options, rows=rows)
    truths, n, report = _true_marginals(chunks(), sample, schema.domain)
    rng = stream(seed, 0, method.name)
    answer = method.release_parts(
        lambda: (chunk.dataset for chunk in chunks()), domain, n, rng=rng, notify=notify
    )
    covered = (answer.covers(query) for query in sample)
    scores = score(truths, answer.marginals(sample), covered)
    return StreamedRun(domain, n, answer, scores, report)


def _true_marginals(chunks: Iterator[EncodedData], queries, domain: Domain):
    """The true table of every query, the number of users, and the report on the rows."""
    first = next(chunks)
    sums, n, report = first.dataset.counts(queries), first.dataset.n, first.report
    for chunk in chunks:
        sums = [a + b for a, b in zip(sums, chunk.dataset.counts(queries))]
        n += chunk.dataset.n
        report += chunk.report
    truths = [Marginal(domain.project(q), total / n) for q, total in zip(queries, sums)]
    return truths, n, report


@dataclass(frozen=True)
class RowsRead:
    """Event: progress of one of the three passes over a file.

    Attributes
    ----------
    reading : int
        Pass 1 detects the columns, 2 counts the people, 3 collects the reports.
    rows : int
        Rows read so far.
    total : int
        Number of all rows; 0 in the first pass, when it is unknown.
    """

    reading: int
    rows: int
    total: int


@explain_memory_errors()
def collect_streamed(
    path: str | os.PathLike,
    method: Calm,
    *,
    d: int,
    max_values: int | None = None,
    options: ReadOptions | None = None,
    seed: int,
    rows: int = CHUNK_ROWS,
    notify: Callable[[RowsRead], None] = lambda event: None,
) -> tuple[State, Report]:
    """Collect one report from everybody in a file into a state, in chunks.

    The reports are those of `run_streamed` with the same schema and seed; no true value is kept.

    Parameters
    ----------
    path : path
    method : Calm
        Plans the views; k is at most the number of attributes.
    d : int
        Number of columns to take, see `propose_columns`.
    max_values : int, optional
        Most values of a column.
    options : ReadOptions, optional
        Options that override detection.
    seed : int
        Seed of the collection.
    rows : int
        About how many rows a chunk holds.
    notify : callable, optional
        Receives a `RowsRead` for every chunk.

    Returns
    -------
    state : State
        A single batch, named by its content.
    report : Report
        Account of the columns and rows.

    Raises
    ------
    UserError
        As `run_streamed` does, and where fewer than two columns can be used.
    """
    total = 0

    def read(count: int) -> None:
        nonlocal total
        total = count
        notify(RowsRead(1, count, 0))

    detected = stream_schema(path, options=options, rows=rows, notify=read)
    if len(detected.used_columns) < 2:
        raise DataError("the file must have at least two columns that can be used; choose another")
    schema = choose_schema(detected, None, count_proposed(detected, d), max_values)
    chunks = partial(stream_batches, path, schema, options=options, rows=rows)
    domain, method = schema.domain, replace(method, k=min(method.k, schema.domain.d))
    _, n, report = _true_marginals(_count_rows(chunks(), 2, total, notify), [], domain)
    rng = stream(seed, 0, method.name)
    plan, reports = method.collect_parts(
        lambda: (chunk.dataset for chunk in _count_rows(chunks(), 3, total, notify)),
        domain,
        n,
        rng=rng,
    )
    support = np.concatenate([view.support for view in reports.views])
    people = np.array([view.n for view in reports.views], dtype=np.int64)
    digest = hashlib.sha256(support.tobytes() + people.tobytes()).hexdigest()
    notes = tuple(dict.fromkeys((*report.notes, *schema.notes, *schema.left_out)))
    state = State(plan, (Tally(((digest[:32], digest),), support, people),))
    return state, replace(report, notes=notes)


def _count_rows(
    chunks: Iterator[EncodedData], reading: int, total: int, notify: Callable[[RowsRead], None]
) -> Iterator[EncodedData]:
    """Yield the chunks, and notify after each has been processed."""
    done = 0
    for chunk in chunks:
        yield chunk
        done += chunk.report.rows_in
        notify(RowsRead(reading, done, total))
