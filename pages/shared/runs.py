"""Cached calls into the library: settings in, data sets, plans and runs out.

The same functions as the command line's do the work, so both give the same numbers.
"""

import hashlib
import time
from collections.abc import Callable, Hashable

import numpy as np
import streamlit as st

from calm_core.calibration import Calibration, calibrate_theta
from calm_core.errors import DataError
from calm_core.ingest import (
    Encoded,
    ReadOptions,
    Schema,
    Table,
    detect_schema,
    encode_table,
    read_table,
)
from calm_core.ingest.samples import SAMPLES, sample_table
from calm_core.marginal import uniform
from calm_core.methods import Calm, make_method
from calm_core.metrics import choose_queries, sse
from calm_core.plans import Plan
from calm_core.running import Run, run, use_rows
from calm_core.settings import Settings
from calm_core.streams import stream
from pages.shared.shelf import Shelf

UPLOADS_KEPT = 3
SLOW = 1.0
_TABLES = Shelf(4, lambda table: table.data.nbytes)
_DATASETS = Shelf(12, lambda encoded: encoded.dataset.codes.nbytes)
# Counted for every run, although runs on all rows share them: memory is bounded either way.
_RUNS = Shelf(24, lambda run: run.dataset.codes.nbytes, bytes_kept=500_000_000)
_OTHERS = Shelf(200)


def keep_upload(name: str, content: bytes, options: ReadOptions | None = None) -> str:
    """Remember an upload for this session; its sha256 becomes `Settings.source`.

    Only the table is kept, not the bytes. Reading options other than the usual take part in the
    digest: the same file read otherwise is other data.

    Raises
    ------
    DataError
        If it is not a table; nothing is remembered then.
    """
    digest = hashlib.sha256(content)
    if options is not None and options != ReadOptions():
        digest.update(repr(options).encode())
    digest = digest.hexdigest()
    found = _TABLES.get(digest, lambda: read_table(content, name=name, options=options))
    uploads = dict(st.session_state.get("uploads", {}))
    uploads.pop(digest, None)
    uploads[digest] = (name, found, () if options is None else options.to_words())
    while len(uploads) > UPLOADS_KEPT:
        uploads.pop(next(iter(uploads)))
    st.session_state["uploads"] = uploads
    return digest


def uploads() -> dict[str, str]:
    """File names of this session's uploads by sha256, oldest first."""
    return {digest: kept[0] for digest, kept in st.session_state.get("uploads", {}).items()}


def reading(source: str) -> tuple[str, ...]:
    """How this session's upload was read, as `Settings.read`; nothing for a sample."""
    kept = st.session_state.get("uploads", {}).get(source)
    return () if kept is None else kept[2]


def table(settings: Settings) -> Table:
    """The table of the sample or upload, before any column is interpreted."""
    if settings.source in SAMPLES:
        return _TABLES.get(settings.source, lambda: sample_table(settings.source))
    kept = st.session_state.get("uploads", {}).get(settings.source)
    if kept is None:
        raise DataError(
            f"the file {settings.file or 'of this link'} is not here; upload it on the Data page"
        )
    return kept[1]


def keep_schema(schema: Schema) -> str:
    """Remember an edited schema for this session; its digest becomes `Settings.schema`."""
    schemas = dict(st.session_state.get("schemas", {}))
    schemas[schema.digest] = schema
    st.session_state["schemas"] = schemas
    return schema.digest


def schema(settings: Settings) -> Schema:
    """The schema of the whole table: the detected one, or the edited one the settings name."""
    if not settings.schema:
        return _OTHERS.get(("schema", settings.source), lambda: detect_schema(table(settings)))
    kept = st.session_state.get("schemas", {}).get(settings.schema)
    if kept is None:
        raise DataError("the edited columns of this link are not here; load their schema file")
    return kept


def encoded(settings: Settings) -> Encoded:
    """The data set with the account of its rows; shared by all sessions, read-only."""
    found = schema(settings)
    chosen = {"columns": settings.columns} if settings.columns else {"d": settings.d}
    return _DATASETS.get(
        data_key(settings),
        lambda: encode_table(
            table(settings), schema=found, max_values=settings.max_values, **chosen
        ),
    )


def data_key(settings: Settings) -> tuple:
    """Plain values that decide the data set, apart from n."""
    columns = settings.columns or settings.d
    return settings.source, settings.schema, columns, settings.max_values


def plan(settings: Settings) -> Plan:
    """The plan a CALM run with these settings makes; collects nothing."""
    settings = settings.changed(method=Calm.name)
    domain = encoded(settings).dataset.domain
    n = settings.n or encoded(settings).dataset.n

    def make() -> Plan:
        method = make_method(settings.method, **settings.method_settings)
        return method.plan(domain, n, rng=stream(settings.seed, 0, Calm.name))

    key = (*data_key(settings), n, settings.seed, *settings.method_settings.values())
    return _OTHERS.get(("plan", *key), make)


def outcome(settings: Settings) -> Run:
    """The run with these settings: released and true tables, scores."""
    found = _RUNS.get(settings.results_key, lambda: _run(settings))
    st.session_state["last_good"] = settings
    return found


def _run(settings: Settings) -> Run:
    dataset = encoded(settings).dataset
    method = make_method(settings.method, **settings.method_settings)
    with Waiting("Collecting reports") as waiting:
        found = run(
            dataset, method, seed=settings.seed, n=settings.n, queries=settings.queries,
            notify=waiting,
        )  # fmt: skip
        # Computed once, here, rather than by whichever page asks first.
        found.scores  # noqa: B018
    return found


def uniform_error(settings: Settings) -> float:
    """Mean SSE of the uniform guess over the run's queries; needs no collection."""
    key = (*data_key(settings), settings.n, settings.seed, settings.k, settings.queries)

    def compute() -> float:
        dataset = use_rows(encoded(settings).dataset, settings.n, settings.seed)
        rng = stream(settings.seed, 0, "queries")
        asked = choose_queries(dataset.domain, settings.k, settings.queries, rng=rng)
        truths = dataset.marginals(asked)
        errors = [sse(truth, uniform(truth.domain, truth.attrs)) for truth in truths]
        return float(np.mean(errors))

    return _OTHERS.get(("uniform", *key), compute)


def calibration(settings: Settings) -> Calibration:
    """What theta stands for, measured on the data: the error of rebuilding tables from pairs."""

    def compute() -> Calibration:
        dataset = use_rows(encoded(settings).dataset, settings.n, settings.seed)
        rng = stream(settings.seed, 0, "calibration")
        return calibrate_theta(dataset, k=settings.k, queries=settings.queries, rng=rng)

    key = (*data_key(settings), settings.n, settings.seed, settings.k, settings.queries)
    return _OTHERS.get(("calibration", *key), compute)


def kept(name: str, key: Hashable, make: Callable):
    """Any other result worth keeping, under a plain key: kept("pairs", settings.results_key, ...)."""
    return _OTHERS.get((name, key), make)


class Waiting:
    """Progress for work that takes longer than a second; each step lets Streamlit cancel the run."""

    def __init__(self, text: str):
        self.text, self.started, self.slot = text, time.monotonic(), None

    def __enter__(self) -> "Waiting":
        return self

    def __call__(self, event) -> None:
        """Show how far the work is; `event` as `collect` sends them."""
        if time.monotonic() - self.started < SLOW:
            return
        if self.slot is None:
            self.slot = st.empty()
        done = getattr(event, "group", 0) / max(1, getattr(event, "groups", 1))
        self.slot.progress(min(1.0, done), text=self.text)

    def __exit__(self, *error) -> None:
        if self.slot is not None:
            self.slot.empty()


def warm_up() -> None:
    """What the first visitor would otherwise wait for: compiled kernels and the first run."""
    from calm_core import collecting, reconstruction

    collecting.warm_up()
    reconstruction.warm_up()
    usual = Settings()
    _RUNS.get(usual.results_key, lambda: _run(usual))
