"""Where the table comes from: an upload, a sample, a table of the server, or a generated population."""

import io
import json
from functools import partial
from pathlib import Path

import streamlit as st

from calm_core.errors import InputError, TooLargeError, UserError
from calm_core.experiments.streamed_collection import (
    StreamedCollectionJob,
    start_streamed_collection,
)
from calm_core.ingest import LIMITS, UPLOADS, ReadOptions
from calm_core.ingest.populations import KINDS, check_codes, make_population
from calm_core.ingest.readers import EXTENSIONS
from calm_core.ingest.reading import MAX_LISTED, SharedTable, tables_below
from calm_core.ingest.samples import SAMPLES
from calm_core.io.atomic_files import read_file, resolve_below, strip_root
from calm_core.io.csv_export import safe_csv
from calm_core.methods import Calm
from calm_core.settings import upload_digest
from pages import words
from pages.ui import cached_calls, escape, notices, opened_collections, progress, state
from pages.ui.error_boundary import fragment_with_errors, show_errors
from pages.ui.jobs import process_pool, waiting_page
from pages.ui.uploads import session_store

POLL = 1.0


def show_server_tables() -> None:
    """Show the choice of a server table, or the progress of the collection from one."""
    job = st.session_state.get("shared_job")
    if job is not None:
        _show_progress(job)
        return
    if "shared_queued" in st.session_state:
        _show_queue(st.session_state["shared_queued"])
        return
    with show_errors(stop=False):
        root = opened_collections.get_data_root()
        if root is not None:
            _show_table_choice(root)


def _show_table_choice(root: Path) -> None:
    tables = {table.name: table for table in tables_below(root)}
    if not tables:
        st.caption(words.data.NONE_SHARED)
        return
    name = st.selectbox(
        words.data.SHARED, list(tables), key="shared_table", persist_state="session",
        format_func=lambda name: f"{name} ({words.numbers.size(tables[name].size)})",
    )  # fmt: skip
    if len(tables) >= MAX_LISTED:
        st.caption(words.data.more_shared(MAX_LISTED))
    table = tables[name]
    if not table.fits():
        st.caption(words.data.read_in_parts_note(LIMITS.upload_bytes >> 20))
    label = words.data.OPEN_SHARED if table.fits() else words.data.COLLECT_SHARED
    st.button(label, key="shared_open", on_click=take_table, args=(root, table))


def take_table(root: Path, table: SharedTable, options: ReadOptions | None = None) -> None:
    """Read a server table, or start to collect from it; a refusal changes nothing."""
    st.session_state["shared_taken"] = root, table
    try:
        if table.fits():
            content = read_file(
                resolve_below(root, table.name),
                what=f"the file {table.name:.200}",
                most=LIMITS.upload_bytes,
            )
            state.use_source(cached_calls.keep_upload(Path(table.name).name, content, options))
        else:
            queued = process_pool.Job("data", partial(_start_collecting, root, table.name, options))
            st.session_state["shared_queued"] = queued
            _begin_if_ready(queued)
    except UserError as error:
        notices.refuse(InputError(strip_root(str(error), root)))


def is_server_table() -> bool:
    """Return whether the last table was read from the server and is finished."""
    at_work = {"shared_job", "shared_queued"} & set(map(str, st.session_state))
    return "shared_taken" in st.session_state and not at_work


def read_again(options: ReadOptions) -> None:
    """Read the last server table with other options."""
    root, table = st.session_state["shared_taken"]
    take_table(root, table, options)


def _start_collecting(root: Path, name: str, options: ReadOptions | None) -> StreamedCollectionJob:
    """Start a collection from the table with the current settings."""
    settings = state.current().with_changes(method=Calm.name)
    return start_streamed_collection(
        root, name, Calm(**settings.method_settings), d=settings.d, max_values=settings.max_values,
        options=options, seed=settings.seed,
    )  # fmt: skip


def _begin_if_ready(queued: process_pool.Job[StreamedCollectionJob]) -> bool:
    """Start the queued collection if it is its turn; return whether it is running."""
    job = queued.work()
    if job is not None:
        st.session_state["shared_job"] = job
        del st.session_state["shared_queued"]
    return job is not None


def _show_queue(queued: process_pool.Job[StreamedCollectionJob]) -> None:
    """Show the position in the queue, updated every second."""

    def part() -> None:
        if _begin_if_ready(queued):
            notices.rerun()
        st.markdown(words.data.collection_waiting_text(queued.ahead))
        st.button(words.data.STOP, key="shared_stop", on_click=_leave_queue, args=(queued,))

    with st.container(key="shared_work"):
        fragment_with_errors(part, run_every=POLL)()


def _leave_queue(queued: process_pool.Job[StreamedCollectionJob]) -> None:
    queued.cancel()
    st.session_state.pop("shared_queued", None)


def _show_progress(job: StreamedCollectionJob) -> None:
    """Show the progress, updated every second, and open the result."""

    pace = progress.Pace()

    def part() -> None:
        now = job.status()
        name = escape.markdown(job.file, 80)
        if now.name == "running":
            st.markdown(f"Collecting from {name}")
            read = now.read
            done = (read.reading - 1) * read.total + read.rows if read.total else 0
            pace.reach(done, 3 * read.total)
            told = words.data.reading_progress(read.reading, read.rows, pace.left)
            progress.draw_bar(done, 3 * read.total, told)
            st.button(words.data.STOP, key="shared_stop", on_click=_stop, args=(job,))
            return
        _finish(job, now.name, now.reason)
        notices.rerun()

    with st.container(key="shared_work"):
        fragment_with_errors(part, run_every=POLL)()


def _finish(job: StreamedCollectionJob, how: str, reason: str) -> None:
    """Open the collection, or explain why there is none."""
    del st.session_state["shared_job"]
    if how == "finished" and job.state is not None:
        plan = job.state.plan
        made = words.data.collected_note(plan.epsilon, plan.k, plan.theta, job.seed)
        with notices.show_user_errors():
            opened_collections.open_state(job.state, Path(job.file).name, (made, *job.notes))
    elif how != "stopped":
        st.session_state["refused"] = notices.to_sentence(
            f"nothing was collected from {job.file:.200}: {reason}"
        )


def _stop(job: StreamedCollectionJob) -> None:
    job.cancel()
    st.session_state.pop("shared_job", None)
    st.session_state["remarks"] = (words.data.stopped_text(job.file),)


LOOKS = Path(__file__).with_name("data.css")
AUTO = "found out"
SEPARATORS = {
    AUTO: None,
    "comma": ",",
    "semicolon": ";",
    "tab": "\t",
    "vertical bar": "|",
    "space": " ",
}
ENCODINGS = (
    AUTO,
    "utf-8",
    "cp1252",
    "utf-16",
    "latin-1",
    "cp1250",
    "cp1251",
    "gb18030",
    "shift_jis",
)
HEADERS = {AUTO: None, "first row holds names": True, "no names": False}
BAD_BYTES = {"refuse the file": "refuse", "replace them by \ufffd, counted": "replace"}
RAGGED = {
    "refuse longer ones": None,
    "leave them out, counted": "leave_out",
    "the first column has no name": "first_unnamed",
}
SHAPES = {
    AUTO: None,
    "table": "table",
    "a basket of items per line": "baskets",
    "one column of item lists": "items",
    "user and item per line": "pairs",
}


def show_drop_zone() -> None:
    """Show the file uploader and what happens to a file."""
    limit = LIMITS.upload_bytes >> 20
    with st.container(key="drop"):
        st.file_uploader(
            words.data.UPLOAD, type=[e[1:] for e in EXTENSIONS] + ["gz"], key=_uploader_key(),
            on_change=_read_upload, max_upload_size=limit, label_visibility="collapsed",
        )  # fmt: skip
    st.markdown(
        f":material/lock: {words.data.storage_note(kept=session_store.KEEP)}",
        help=words.data.storage_limits(limit, session_store.UPLOADS_KEPT),
    )
    if state.current().is_upload:
        st.button(
            words.data.FORGET,
            key="forget",
            type="tertiary",
            icon=":material/delete:",
            on_click=waiting_page.forget_file,
        )


def show_style() -> None:
    """Put the style of this page and the texts of its drop zone into the page."""
    said = {
        "drop": words.data.DROP,
        "kinds": words.data.DROP_KINDS,
        "button": words.data.DROP_BUTTON,
    }
    told = "".join(f"--calm-{name}: {json.dumps(text)};" for name, text in said.items())
    st.html(f"<style>:root {{ {told} }}\n{LOOKS.read_text('utf-8')}</style>")


def _uploader_key() -> str:
    """Return the key of the uploader; it changes after a file was forgotten."""
    drops = st.session_state.get("drops", 0)
    return f"upload_{drops}" if drops else "upload"


def show_source_cards() -> None:
    """Show the samples and the files of this tab, one card each."""
    with st.container(key="or"):
        st.markdown(words.data.OR_SAMPLE)
    now = state.current().source if state.awaited_settings() is None else ""
    found = {
        source: (escape.shorten(held.file or words.data.THE_FILE, 40),
                 words.data.table_facts(held.table.n, "people", len(held.schema.used_columns)))
        for source, held in reversed(session_store.current().uploads.items())
    } | {
        name: (sample.title, words.data.table_facts(sample.n, sample.unit, sample.d))
        for name, sample in SAMPLES.items()
    }  # fmt: skip
    with st.container(key="cards"):
        for name, (title, facts) in found.items():
            here = "_here" if name == now else ""
            with st.container(key=f"card{here}_{name}"):
                st.button(
                    f"**{escape.markdown(title)}** :small[{facts}]", key=f"use_{name}", width="stretch",
                    disabled=name == now, on_click=_use, args=(name,),
                )  # fmt: skip


def _use(source: str) -> None:
    state.use_source(source)


def show_read_options() -> None:
    """Show how the chosen file is read, to correct what was detected wrongly."""
    if st.session_state.get(_uploader_key()) is None and not is_server_table():
        return
    with st.expander("Read it differently", icon=":material/tune:"):
        with st.form("reading", border=False):
            left, right = st.columns(2)
            left.selectbox("Separator", list(SEPARATORS), key="read_separator")
            right.selectbox("Encoding", ENCODINGS, key="read_encoding")
            left.selectbox("Column names", list(HEADERS), key="read_header")
            right.selectbox("Decimal sign", (AUTO, ".", ","), key="read_decimal")
            left.selectbox("The file holds", list(SHAPES), key="read_shape")
            right.text_input("Sheet of a workbook", key="read_sheet", placeholder="the first")
            left.number_input("Lines above the table", 0, 1000, None, key="read_skip",
                              placeholder=AUTO)  # fmt: skip
            right.selectbox(
                words.data.READ_ROWS, list(RAGGED), key="read_ragged",
                help=words.data.READ_ROWS_HELP,
            )  # fmt: skip
            left.selectbox(
                "Bytes that cannot be decoded", list(BAD_BYTES), key="read_bad_bytes",
                help=words.data.READ_BYTES_HELP,
            )  # fmt: skip
            right.checkbox(
                words.data.NORMALISE, value=True, key="read_normalise",
                help=words.data.NORMALISE_HELP,
            )  # fmt: skip
            st.form_submit_button("Read again", on_click=_read_again)


def _read_options() -> ReadOptions:
    chosen = st.session_state
    encoding, decimal = chosen.get("read_encoding", AUTO), chosen.get("read_decimal", AUTO)
    return ReadOptions(
        separator=SEPARATORS[chosen.get("read_separator", AUTO)],
        encoding=None if encoding == AUTO else encoding,
        header=HEADERS[chosen.get("read_header", AUTO)],
        decimal=None if decimal == AUTO else decimal,
        shape=SHAPES[chosen.get("read_shape", AUTO)],
        sheet=chosen.get("read_sheet") or None,
        header_row=chosen.get("read_skip"),
        normalise=chosen.get("read_normalise", True),
        bad_bytes=BAD_BYTES[chosen.get("read_bad_bytes", next(iter(BAD_BYTES)))],
        ragged=RAGGED[chosen.get("read_ragged", next(iter(RAGGED)))],
    )


def _read_again() -> None:
    """Read the last file with the options of the form."""
    if is_server_table():
        read_again(_read_options())
    else:
        _read_upload()


def _read_upload() -> None:
    """Read the upload; a refusal changes nothing."""
    file = st.session_state.get(_uploader_key())
    if file is None:
        return
    st.session_state.pop("shared_taken", None)
    session_store.note_file(file)
    content = file.getvalue()
    name, options = _match_link(file.name, content, _read_options())
    with notices.show_user_errors():
        try:
            digest = cached_calls.keep_upload(name, content, options)
        except TooLargeError:
            # No other option could read it: forget it and empty the drop zone.
            session_store.drop_files()
            st.session_state["drops"] = st.session_state.get("drops", 0) + 1
            raise
        state.use_source(digest)


def _match_link(name: str, content: bytes, options: ReadOptions) -> tuple[str, ReadOptions]:
    """Return name and options of a file; those of the link that waits for it, if the content matches."""
    awaited = st.session_state.get("awaited")
    if awaited is None or options != ReadOptions():
        return name, options
    if upload_digest(content, awaited.file, awaited.read) == awaited.source:
        return awaited.file, ReadOptions.from_words(awaited.read)
    return name, options


def show_population_form() -> None:
    """Show the form that generates people with the library's `make_population`."""
    with st.form("population", border=False):
        left, right = st.columns(2)
        kind = left.selectbox(
            "Correlation", KINDS, index=1, format_func=words.data.KINDS_OF_PEOPLE.get
        )
        strength = right.slider("How strong", 0.0, 1.0, 0.5, 0.05)
        d = left.number_input("Attributes", 2, 64, 8)
        values = right.number_input("Values each", 2, 20, 2)
        n = left.number_input("People", 100, 10_000_000, 100_000, step=10_000)
        seed = right.number_input("Seed", 0, 2**31 - 1, 1, key="population_seed")
        rate = left.slider("Share of the first value", 0.01, 0.99, 0.5, 0.01)
        order = right.number_input("Order of the chain", 1, 8, 1)
        asked = (
            kind,
            int(d),
            int(values),
            int(n),
            float(strength),
            float(rate),
            int(order),
            int(seed),
        )
        wanted = st.form_submit_button("Make and use it", type="primary")
    if wanted:
        with show_errors(stop=False):
            # It is read like an upload, so the same limits apply.
            check_codes(int(n), int(d), UPLOADS.cells)
            made = cached_calls.get_result("population", asked, lambda: _make_population(*asked))
            if state.use_source(cached_calls.keep_upload(f"population_{kind}.parquet", made)):
                st.session_state["made"] = (asked, f"population_{kind}")
                st.rerun()
    _show_population_downloads()


def _make_population(kind, d, values, n, strength, rate, order, seed) -> bytes:
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    rest = (1 - rate) / (values - 1)
    data = make_population(
        kind=kind, d=d, sizes=values, n=n, strength=strength, order=min(order, d),
        rates=((rate, *(rest,) * (values - 1)),) * d, rng=np.random.default_rng(seed),
    )  # fmt: skip
    sink = io.BytesIO()
    columns = {name: data.codes[:, j] for j, name in enumerate(data.domain.names)}
    parquet.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue()


def _show_population_downloads() -> None:
    """Show the last generated population as files."""
    if "made" not in st.session_state:
        return
    asked, name = st.session_state["made"]
    content = cached_calls.get_result("population", asked, lambda: _make_population(*asked))
    left, right = st.columns(2)
    left.download_button("Download Parquet", lambda: content, f"{name}.parquet", on_click="ignore")
    right.download_button(
        "Download CSV",
        lambda: _parquet_to_csv(content),
        f"{name}.csv",
        "text/csv",
        on_click="ignore",
    )


def _parquet_to_csv(content: bytes) -> bytes:
    import pandas as pd

    return safe_csv(pd.read_parquet(io.BytesIO(content)))
