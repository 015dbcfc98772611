"""Where the table comes from: an upload, a sample, a table of the server, or a generated population."""

import io
import json
from functools import partial
from pathlib import Path

import streamlit as st

from calm_core.errors import InputError, TooLargeError, UserError
from calm_core.experiments.streamed_collection import (
    CollectionStatus,
    StreamedCollectionJob,
    start_streamed_collection,
)
from calm_core.ingest.limits import LIMITS, UPLOADS
from calm_core.ingest.populations import KINDS, check_codes, make_population
from calm_core.ingest.readers import EXTENSIONS
from calm_core.ingest.reading import MAX_LISTED, tables_below
from calm_core.ingest.samples import SAMPLES
from calm_core.ingest.table import ReadOptions
from calm_core.io.atomic_files import read_file, resolve_below, strip_root
from calm_core.methods import Calm
from calm_core.settings import upload_digest
from pages import words
from pages.ui import (
    cached_calls,
    display,
    error_boundary,
    jobs,
    opened_collections,
    state,
    uploads,
)
from pages.ui.error_boundary import fragment_with_errors, show_errors
from pages.ui.jobs import Pace, draw_bar

SAID = words.data

POLL = 1.0


def show_server_tables() -> None:
    """Show the choice of a server table, or the progress of the collection from one."""
    if (job := st.session_state.get("shared_job")) is not None:
        with st.container(key="shared_work"):
            fragment_with_errors(_show_job, run_every=POLL)(job, Pace())
        return
    with show_errors(stop=False):
        root = opened_collections.get_data_root()
        if root is not None:
            _show_table_choice(root)


def _show_table_choice(root: Path) -> None:
    tables = tables_below(root)
    if not tables:
        st.caption(SAID.NONE_SHARED)
        return
    name = st.selectbox(
        SAID.SHARED, list(tables), key="shared_table", persist_state="session",
        format_func=lambda name: f"{name} ({words.numbers.size(tables[name])})",
    )  # fmt: skip
    if len(tables) >= MAX_LISTED:
        st.caption(SAID.more_shared(most=MAX_LISTED))
    fits = tables[name] <= LIMITS.upload_bytes
    if not fits:
        st.caption(SAID.read_in_parts_note(megabytes=LIMITS.upload_bytes >> 20))
    label = SAID.OPEN_SHARED if fits else SAID.COLLECT_SHARED
    st.button(label, key="shared_open", on_click=take_table, args=(root, name, tables[name]))


def take_table(root: Path, name: str, size: int, options: ReadOptions | None = None) -> None:
    """Read a server table, or start to collect from it; a refusal changes nothing."""
    st.session_state["shared_taken"] = root, name, size
    try:
        if size <= LIMITS.upload_bytes:
            path, what = resolve_below(root, name), f"the file {name:.200}"
            content = read_file(path, what=what, max_bytes=LIMITS.upload_bytes)
            state.use_source(cached_calls.keep_upload(Path(name).name, content, options))
        else:
            job = jobs.Job(partial(_start_collecting, root, name, options))
            job.work()
            st.session_state["shared_job"] = job
    except UserError as error:
        state.refuse(InputError(strip_root(str(error), root)))


def is_server_table() -> bool:
    """Return whether the last table was read from the server and is finished."""
    return "shared_taken" in st.session_state and "shared_job" not in st.session_state


def _start_collecting(root: Path, name: str, options: ReadOptions | None) -> StreamedCollectionJob:
    """Start a collection from the table with the current settings."""
    settings = state.current().with_changes(method=Calm.name)
    return start_streamed_collection(
        root, name, Calm(**settings.method_settings), d=settings.d, max_values=settings.max_values,
        options=options, seed=settings.seed,
    )  # fmt: skip


def _show_job(job: jobs.Job[StreamedCollectionJob], pace: Pace) -> None:
    """Show the queue, then the progress; at the end open the collection, or explain why there is none."""
    work = job.work()
    if work is None:
        st.markdown(words.common.waiting(ahead=job.ahead, work="collection"))
    elif (now := work.status()).name == "running":
        st.markdown(f"Collecting from {display.markdown(work.file, 80)}")
        read = now.read
        rows = (read.reading - 1) * read.total + read.rows if read.total else 0
        pace.reach(rows, 3 * read.total)
        draw_bar(rows, 3 * read.total, SAID.reading_progress(read.reading, read.rows, pace.left))
    else:
        del st.session_state["shared_job"]
        _take_result(work, now)
        st.rerun()
    st.button(SAID.STOP, key="shared_stop", on_click=_stop, args=(job,))


def _take_result(work: StreamedCollectionJob, now: CollectionStatus) -> None:
    """Open the collection that was made, or keep the reason why there is none for the page."""
    if now.name == "finished" and work.state is not None:
        plan = work.state.plan
        note = SAID.collected_note(epsilon=plan.epsilon, k=plan.k, theta=plan.theta, seed=work.seed)
        with state.show_user_errors():
            opened_collections.open_state(work.state, Path(work.file).name, (note, *work.notes))
    elif now.name != "stopped":
        text = f"nothing was collected from {work.file:.200}: {now.reason}"
        st.session_state["refused"] = state.to_sentence(text)


def _stop(job: jobs.Job[StreamedCollectionJob]) -> None:
    job.cancel()
    st.session_state.pop("shared_job", None)
    if (work := job.work()) is not None:
        st.session_state["remarks"] = (SAID.stopped_text(name=work.file),)


LOOKS = Path(__file__).with_name("data.css")
# What the form offers for each option of reading, and the option's value.
READ_CHOICES: dict[str, dict] = json.loads(
    Path(__file__).with_name("read_options.json").read_text("utf-8")
)


def show_drop_zone() -> None:
    """Show the file uploader and what happens to a file."""
    limit = LIMITS.upload_bytes >> 20
    with st.container(key="drop"):
        st.file_uploader(
            SAID.UPLOAD, type=[e[1:] for e in EXTENSIONS] + ["gz"], key=_uploader_key(),
            on_change=_read_upload, max_upload_size=limit, label_visibility="collapsed",
        )  # fmt: skip
    st.markdown(
        f":material/lock: {SAID.storage_note(kept=uploads.KEEP)}",
        help=SAID.storage_limits(megabytes=limit, most=uploads.UPLOADS_KEPT),
    )
    if state.current().is_upload:
        st.button(
            SAID.FORGET, key="forget", type="tertiary", icon=":material/delete:",
            on_click=error_boundary.forget_file,
        )  # fmt: skip


def show_style() -> None:
    """Put the style of this page and the texts of its drop zone into the page."""
    texts = {"drop": SAID.DROP, "kinds": SAID.DROP_KINDS, "button": SAID.DROP_BUTTON}
    rules = "".join(f"--calm-{name}: {json.dumps(text)};" for name, text in texts.items())
    st.html(f"<style>:root {{ {rules} }}\n{LOOKS.read_text('utf-8')}</style>")


def _uploader_key() -> str:
    """Return the key of the uploader; it changes after a file was forgotten."""
    drops = st.session_state.get("drops", 0)
    return f"upload_{drops}" if drops else "upload"


def show_source_cards() -> None:
    """Show the samples and the files of this tab, one card each."""
    with st.container(key="or"):
        st.markdown(SAID.OR_SAMPLE)
    now = state.current().source if state.awaited_settings() is None else ""
    sources = {
        source: (display.shorten(upload.file or SAID.THE_FILE, 40),
                 SAID.table_facts(n=upload.table.n, unit="people", d=len(upload.schema.used_columns)))
        for source, upload in reversed(uploads.current().uploads.items())
    } | {
        name: (sample.title, SAID.table_facts(n=sample.n, unit=sample.unit, d=sample.d))
        for name, sample in SAMPLES.items()
    }  # fmt: skip
    with st.container(key="cards"):
        for name, (title, facts) in sources.items():
            here = "_here" if name == now else ""
            with st.container(key=f"card{here}_{name}"):
                st.button(
                    f"**{display.markdown(title)}** :small[{facts}]", key=f"use_{name}", width="stretch",
                    disabled=name == now, on_click=state.set_field, args=("source", name),
                )  # fmt: skip


def show_read_options() -> None:
    """Show how the chosen file is read, to correct what was detected wrongly."""
    if not can_read_again():
        return
    with st.expander("Read it differently", icon=":material/tune:"):
        with st.form("reading", border=False):
            left, right = st.columns(2)
            _choose_option(left, "separator", "Separator")
            _choose_option(right, "encoding", "Encoding")
            _choose_option(left, "header", "Column names")
            _choose_option(right, "decimal", "Decimal sign")
            _choose_option(left, "shape", "The file holds")
            right.text_input("Sheet of a workbook", key="read_sheet", placeholder="the first")
            left.number_input(
                "Lines above the table", 0, 1000, None, key="read_skip", placeholder="found out"
            )
            _choose_option(right, "ragged", SAID.READ_ROWS, SAID.READ_ROWS_HELP)
            _choose_option(left, "header_rows", SAID.READ_HEADER_ROWS)
            st.form_submit_button("Read again", on_click=_read_again)


def can_read_again() -> bool:
    """Return whether the file is still at hand."""
    return st.session_state.get(_uploader_key()) is not None or is_server_table()


def read_one_header_row() -> None:
    """Read the file with one row of column names: the rows below are people."""
    st.session_state["read_header_rows"] = "one"
    _read_again()


def _choose_option(slot, field: str, label: str, help: str | None = None) -> None:
    slot.selectbox(label, list(READ_CHOICES[field]), key=f"read_{field}", help=help)


def _read_options() -> ReadOptions:
    form = st.session_state
    choices = {
        field: offered[form.get(f"read_{field}", next(iter(offered)))]
        for field, offered in READ_CHOICES.items()
    }
    return ReadOptions(
        **choices,
        sheet=form.get("read_sheet") or None,
        header_row=form.get("read_skip"),
    )


def _read_again() -> None:
    """Read the last file with the options of the form."""
    if is_server_table():
        take_table(*st.session_state["shared_taken"], _read_options())
    else:
        _read_upload()


def _read_upload() -> None:
    """Read the upload; a refusal changes nothing."""
    file = st.session_state.get(_uploader_key())
    if file is None:
        return
    st.session_state.pop("shared_taken", None)
    uploads.note_file(file)
    content = file.getvalue()
    name, options = _match_link(file.name, content, _read_options())
    with state.show_user_errors():
        try:
            digest = cached_calls.keep_upload(name, content, options)
        except TooLargeError:
            # No other option could read it: forget it and empty the drop zone.
            uploads.drop_files()
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
        kind = left.selectbox("Correlation", KINDS, index=1, format_func=SAID.KINDS_OF_PEOPLE.get)
        strength = right.slider("How strong", 0.0, 1.0, 0.5, 0.05)
        d = left.number_input("Attributes", 2, 64, 8)
        values = right.number_input("Values each", 2, 20, 2)
        n = left.number_input("People", 100, 10_000_000, 100_000, step=10_000)
        seed = right.number_input("Seed", 0, 2**31 - 1, 1, key="population_seed")
        rate = left.slider("Share of the first value", 0.01, 0.99, 0.5, 0.01)
        wished = (kind, d, values, n, strength, rate, seed)
        is_submitted = st.form_submit_button("Make and use it", type="primary")
    if is_submitted:
        with show_errors(stop=False):
            # It is read like an upload, so the same limits apply.
            check_codes(n, d, UPLOADS.cells)
            file = cached_calls.get_result("population", wished, lambda: _make_population(*wished))
            if state.use_source(cached_calls.keep_upload(f"population_{kind}.parquet", file)):
                st.rerun()


def _make_population(kind, d, values, n, strength, rate, seed) -> bytes:
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    rest = (1 - rate) / (values - 1)
    data = make_population(
        kind=kind, d=d, sizes=values, n=n, strength=strength,
        rates=((rate, *(rest,) * (values - 1)),) * d, rng=np.random.default_rng(seed),
    )  # fmt: skip
    sink = io.BytesIO()
    columns = {name: data.codes[:, j] for j, name in enumerate(data.domain.names)}
    parquet.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue()
