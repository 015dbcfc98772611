"""Cached calls into the library: settings in, data sets, plans and runs out.

The same functions as the command line's do the work, so both give the same numbers.
"""

import time
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import TypeVar

import numpy as np
import pyarrow as pa
import streamlit as st

from calm_core.collection.simulation import GroupDone
from calm_core.errors import DataError, InputError
from calm_core.evaluation.metrics import wrong_share
from calm_core.evaluation.run import Run, run, use_rows
from calm_core.ingest.cleaning import clean_table, detect_prepared
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.encode import EncodedData, encode_table
from calm_core.ingest.limits import UPLOADS
from calm_core.ingest.proposed_columns import count_proposed
from calm_core.ingest.reading import read_table
from calm_core.ingest.samples import SAMPLES, sample_schema, sample_table
from calm_core.ingest.schema import Schema
from calm_core.ingest.steps import Step, prepare_table
from calm_core.ingest.table import ReadOptions, Table
from calm_core.methods import Calm, make_method
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.runtime.processes import trim_memory
from calm_core.settings import Settings, upload_digest
from calm_core.tables.dataset import People, Population
from calm_core.tables.domain import Domain, choose_queries
from calm_core.tables.marginal import uniform
from pages import words
from pages.ui import uploads
from pages.ui.jobs import (
    Notify,
    Say,
    TurnQueue,
    finish_warm_up,
    hide_progress,
    wait_for,
    wait_turn,
    yield_to_streamlit,
)
from pages.ui.result_cache import ResultCache, count_bytes
from pages.ui.uploads import Source, Upload

Thing = TypeVar("Thing")
_TABLES = ResultCache(4, lambda source: source.table.data.nbytes)
_DATASETS = ResultCache(12, lambda encoded: encoded.dataset.nbytes, max_bytes=150_000_000)
# A class with settings of their own needs a run each, and the ones before. Rows are counted for every run,
# although runs on all rows share them: memory is bounded either way.
_RUNS = ResultCache(300, count_bytes, max_bytes=100_000_000)
_OTHERS = ResultCache(1000, count_bytes, max_bytes=60_000_000)


def keep_upload(file: str, content: bytes, options: ReadOptions | None = None) -> str:
    """Keep an upload for this session; its `Settings.source`.

    Only the table is kept, not the bytes, and only once it has become a data set.

    Raises
    ------
    UserError
        If it is not a table, or not one with enough usable columns; nothing is remembered then.
    """
    options = options or ReadOptions()
    file, option_words = Settings(file=file).file, options.to_words()
    digest = upload_digest(content, file, option_words)
    source = _TABLES.get(digest, lambda: parse_table(content, file, options, _usable))
    uploads.add_upload(digest, Upload(source.table, source.schema, file, option_words))
    return digest


def keep_made(file: str, source: Source) -> str:
    """Keep a table that was made here as an upload; its `Settings.source`."""
    file = Settings(file=file).file
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, source.table.data.schema) as writer:
        writer.write_table(source.table.data)
    digest = upload_digest(source.schema.to_json().encode() + sink.getvalue().to_pybytes(), file)
    uploads.add_upload(digest, Upload(source.table, source.schema, file))
    return digest


def _usable(table: Table) -> Source:
    """The table with its schema; InputError where it does not become a data set."""
    detected = detect_schema(table)
    d = count_proposed(detected, Settings().d) or None
    reasons = {column.name: column.reason for column in detected.columns if column.reason}
    domain = encode_table(table, schema=detected, d=d).dataset.domain
    try:
        check_attributes(domain, reasons)
    except InputError as error:
        raise InputError(table.explain_refusal(str(error)), remedies=error.remedies) from error
    return Source(table, detected)


def upload_names() -> dict[str, str]:
    """File names of this session's uploads by their digests, oldest first."""
    return {digest: upload.file for digest, upload in uploads.current().uploads.items()}


def _find_source(settings: Settings) -> Source:
    """The sample, or this session's own upload."""
    if settings.source in SAMPLES:
        return _TABLES.get(settings.source, lambda: _sample(settings.source))
    upload = uploads.current().uploads.get(settings.source)
    if upload is None:
        raise DataError(words.settings.file_missing(settings.file))
    return upload


def _sample(name: str) -> Source:
    table = sample_table(name)
    return Source(table, sample_schema(table))


def file_table(settings: Settings) -> Table:
    """The table of the sample or upload as read from the file."""
    return _find_source(settings).table


def table(settings: Settings) -> Table:
    """The table prepared by the steps of the schema, before any column is interpreted."""
    # A session without the file is told so before one without its schema.
    _find_source(settings)
    return _prepared(settings, schema(settings).steps).table


def _prepared(settings: Settings, steps: tuple[Step, ...]) -> Source:
    """The table of the file prepared by these steps, and what its columns were found to be then."""
    source = _find_source(settings)

    def make() -> Source:
        table = prepare_table(source.table, steps)
        return Source(table, detect_prepared(table, steps))

    key = "prepared", settings.source, Schema((), steps=steps).digest
    return _TABLES.get(key, make) if steps else source


def cleaned_schema(settings: Settings) -> Schema:
    """The schema of the cleaned table."""
    return get_result("cleaned", settings.source, lambda: clean_table(file_table(settings)))


def keep_schema(schema: Schema, settings: Settings) -> str:
    """Keep an edited schema for this session; its `Settings.schema`, which is "" as detected.

    Raises
    ------
    UserError
        If the table of these settings does not become a data set by it; nothing is kept then.
    """
    digest = schema.digest
    schema.check_against(_prepared(settings, schema.steps).table.names)
    _encode(settings.with_changes(schema=digest), schema)
    if digest == _find_source(settings).schema.digest:
        return ""
    session = uploads.current_for_update()
    session.schemas = uploads.add_bounded(session.schemas, digest, schema, uploads.SCHEMAS_KEPT)
    made_for = session.made_for | {digest: settings.source}
    session.made_for = {name: made_for[name] for name in session.schemas}
    return digest


def has_schema(settings: Settings) -> bool:
    """Whether the edited schema that the settings name, if any, is in this session."""
    return not settings.schema or settings.schema in uploads.current().schemas


def detected_schema(settings: Settings) -> Schema:
    """The schema that was detected on the prepared table, before any edit."""
    steps = schema(settings).steps if settings.schema and has_schema(settings) else ()
    return _prepared(settings, steps).schema


def schema(settings: Settings) -> Schema:
    """The schema of the whole table: the detected one, or the edited one the settings name."""
    if not settings.schema:
        return _find_source(settings).schema
    if not has_schema(settings):
        raise DataError(words.settings.SCHEMA_MISSING)
    return uploads.current().schemas[settings.schema]


def encoded_data(settings: Settings) -> EncodedData:
    """The encoded data set with the account of its rows; shared by all sessions, read-only."""
    return _encode(settings, schema(settings))


def _encode(settings: Settings, schema: Schema) -> EncodedData:
    table, columns = file_table(settings), settings.columns or None
    d = settings.d if columns is None else None
    return _DATASETS.get(
        data_key(settings),
        lambda: encode_table(
            table, columns=columns, d=d, schema=schema, max_values=settings.max_values
        ),
    )


def people(settings: Settings) -> People:
    """The people who can take part: the data set, or a population where n is larger."""
    dataset = encoded_data(settings).dataset
    return Population(dataset, settings.n) if settings.n and settings.is_population else dataset


def data_key(settings: Settings) -> tuple:
    """Plain values that decide the data set, apart from n."""
    columns = settings.columns or settings.d
    return settings.source, settings.schema, columns, settings.max_values


def plan(settings: Settings) -> Plan:
    """The plan a CALM run with these settings makes; collects nothing."""
    settings = settings.with_changes(method=Calm.name)
    domain = encoded_data(settings).dataset.domain
    n = settings.n or encoded_data(settings).dataset.n

    def make() -> Plan:
        method = make_method(settings.method, **settings.method_settings)
        return method.plan(domain, n, rng=stream(settings.seed, 0, Calm.name))

    return _OTHERS.get(plan_key(settings), make)


def plan_key(settings: Settings) -> tuple:
    """Plain values that decide the plan; its source is among them, so that `forget` finds it."""
    n = settings.n or encoded_data(settings).dataset.n
    options = settings.with_changes(method=Calm.name).method_settings.values()
    return ("plan", *data_key(settings), n, settings.seed, *options)


def peek_plan(settings: Settings) -> Plan | None:
    """The plan of `plan`, if it has been made; makes none."""
    return _OTHERS.peek(plan_key(settings))


def peek(settings: Settings) -> Run | None:
    """The run of `outcome`, if it has been made; collects nothing."""
    _find_source(settings)
    return _RUNS.peek(settings.results_key)


def outcome(settings: Settings) -> Run:
    """The run with these settings: reconstructed and true tables, scores."""
    # A session without the table may not see what others made of it.
    _find_source(settings)
    return _shared_run(settings)


def _shared_run(settings: Settings) -> Run:
    key = settings.results_key
    return _RUNS.get(key, lambda: _run(settings), partial(wait_turn, key))


def _run(settings: Settings) -> Run:
    dataset = people(settings)
    method = make_method(settings.method, **settings.method_settings)
    say = words.common.collection_progress

    def work(notify: Notify) -> Run:
        nonlocal say

        def tell(event: object) -> None:
            if isinstance(event, GroupDone):
                notify(event.group, event.groups)

        outcome = run(
            dataset, method, seed=settings.seed, n=settings.n, queries=settings.queries, notify=tell
        )
        # Computed once, here, rather than by whichever page asks first.
        for done in outcome.iter_truths():
            say = words.common.counting_progress
            notify(done, len(outcome.queries))
        outcome.scores  # noqa: B018
        return outcome

    return wait_for(work, lambda *told: say(*told), key=settings.results_key)


def guess_wrong(settings: Settings) -> float:
    """Share of people in the wrong cell with equal shares, over the run's queries; needs no collection."""
    data = people(settings)

    def compute() -> float:
        dataset = use_rows(data, settings.n, settings.seed)
        rng = stream(settings.seed, 0, "queries")
        queries = choose_queries(dataset.domain, settings.k, settings.queries, rng=rng)
        truths = dataset.marginals(queries)
        wrong = [wrong_share(truth, uniform(truth.domain, truth.attrs)) for truth in truths]
        return float(np.mean(wrong))

    key = (*data_key(settings), settings.n, settings.seed, settings.k, settings.queries)
    return _OTHERS.get(("uniform", *key), compute)


def get_result(name: str, key: Hashable, make: Callable):
    """The result kept under a name and a plain key, else what `make` returns."""
    return _OTHERS.get((name, key), make)


def get_long_result(
    name: str,
    key: Hashable,
    work: Callable[[Notify], Thing],
    say: Say,
    stop: Callable[[], None] | None = None,
) -> Thing:
    """The same for long work, which shows its progress; `stop` as for `wait_for`."""
    key = name, key
    turn = partial(wait_turn, key, stop=stop)
    return _OTHERS.get(key, lambda: wait_for(work, say, stop=stop, key=key), turn)


def peek_result(name: str, key: Hashable):
    """The result kept under this name and key, if there is one; computes nothing."""
    return _OTHERS.peek((name, key))


def warm_up() -> None:
    """Compile the kernels and compute the first run, which the first visitor would wait for."""
    from calm_core.collection import simulation
    from calm_core.inference.reconstruction import maxent

    hide_progress()
    simulation.warm_up()
    maxent.compile_ipf()
    _shared_run(Settings())
    finish_warm_up()


TURNS = TurnQueue(1)
# Seconds until a waiting session is told so.
SOON = 1.0


def check_attributes(domain: Domain, reasons: Mapping[str, str] | None = None) -> None:
    """Refuse a single attribute, which makes no table over several; `reasons` says why columns are left out."""
    if domain.d < 2:
        sentence = words.settings.too_few_attributes(domain.names, reasons or {})
        raise InputError(sentence, remedies=[("d", 2)])


def parse_table(
    content: bytes, file: str, options: ReadOptions, use: Callable[[Table], Thing]
) -> Thing:
    """What `use` makes of the table in a file: within the limits of uploads, when its turn has come.

    Raises
    ------
    UserError
        If it is no table, or one beyond the limits.
    """
    started, positions = time.monotonic(), []

    def look(ahead: int) -> None:
        yield_to_streamlit()
        if time.monotonic() - started >= SOON and positions[-1:] != [ahead]:
            st.toast(
                words.data.file_waiting(ahead=ahead),
                icon=":material/hourglass_top:",
                duration="long",
            )
            positions.append(ahead)

    try:
        with TURNS.hold(look):
            return use(
                read_table(
                    content, name=file, options=options, limits=UPLOADS, on_wait=yield_to_streamlit
                )
            )
    finally:
        trim_memory()
