"""Tables below the folder this app was given: read as an upload is, or collected from in parts."""

from functools import partial
from pathlib import Path

import streamlit as st

from calm_core.errors import InputError, UserError
from calm_core.experiments.streamed_collection import (
    StreamedCollectionJob,
    start_streamed_collection,
)
from calm_core.ingest import LIMITS, ReadOptions
from calm_core.ingest.reading import MAX_LISTED, SharedTable, tables_below
from calm_core.io.atomic_files import read_file, resolve_below, strip_root
from calm_core.methods import Calm
from pages import words
from pages.ui import cached, data_root, escape, notices, opened, progress, state
from pages.ui.error_boundary import fragment_with_errors, show_errors
from pages.ui.jobs import process_pool

POLL = 1.0


def show() -> None:
    """The choice of a table; while a collection is being made of one, how far it is."""
    job = st.session_state.get("shared_job")
    if job is not None:
        _at_work(job)
        return
    if "shared_queued" in st.session_state:
        _in_queue(st.session_state["shared_queued"])
        return
    with show_errors(stop=False):
        root = data_root.given()
        if root is not None:
            _choose(root)


def _choose(root: Path) -> None:
    tables = {table.name: table for table in tables_below(root)}
    if not tables:
        st.caption(words.data.NONE_SHARED)
        return
    name = st.selectbox(
        words.data.SHARED, list(tables), key="shared_table", persist_state="session",
        format_func=lambda name: words.data.shared(name, tables[name].size),
    )  # fmt: skip
    if len(tables) >= MAX_LISTED:
        st.caption(words.data.more_shared(MAX_LISTED))
    table = tables[name]
    if not table.fits():
        st.caption(words.data.in_parts(LIMITS.upload_bytes >> 20))
    label = words.data.OPEN_SHARED if table.fits() else words.data.COLLECT_SHARED
    st.button(label, key="shared_open", on_click=take, args=(root, table))


def take(root: Path, table: SharedTable, options: ReadOptions | None = None) -> None:
    """Read it, or begin to collect from it; one that is refused leaves everything as it was."""
    st.session_state["shared_taken"] = root, table
    try:
        if table.fits():
            content = read_file(
                resolve_below(root, table.name),
                what=f"the file {table.name:.200}",
                most=LIMITS.upload_bytes,
            )
            state.use_source(cached.keep_upload(Path(table.name).name, content, options))
        else:
            queued = process_pool.Job("data", partial(_start, root, table.name, options))
            st.session_state["shared_queued"] = queued
            _begin(queued)
    except UserError as error:
        notices.refuse(InputError(strip_root(str(error), root)))


def taken() -> bool:
    """Whether the table read last is one of the server's, and done with."""
    at_work = {"shared_job", "shared_queued"} & set(map(str, st.session_state))
    return "shared_taken" in st.session_state and not at_work


def again(options: ReadOptions) -> None:
    """Read the same once more, otherwise."""
    root, table = st.session_state["shared_taken"]
    take(root, table, options)


def _start(root: Path, name: str, options: ReadOptions | None) -> StreamedCollectionJob:
    """Collect from it as the settings bar says."""
    settings = state.current().changed(method=Calm.name)
    return start_streamed_collection(
        root, name, Calm(**settings.method_settings), d=settings.d, max_values=settings.max_values,
        options=options, seed=settings.seed,
    )  # fmt: skip


def _begin(queued: process_pool.Job[StreamedCollectionJob]) -> bool:
    """Whether the collection is at work now."""
    job = queued.work()
    if job is not None:
        st.session_state["shared_job"] = job
        del st.session_state["shared_queued"]
    return job is not None


def _in_queue(queued: process_pool.Job[StreamedCollectionJob]) -> None:
    """What goes first; looks again every second whether it is its turn."""

    def part() -> None:
        if _begin(queued):
            notices.rerun()
        st.markdown(words.data.collection_waits(queued.ahead))
        st.button(words.data.STOP, key="shared_stop", on_click=_leave, args=(queued,))

    with st.container(key="shared_work"):
        fragment_with_errors(part, run_every=POLL)()


def _leave(queued: process_pool.Job[StreamedCollectionJob]) -> None:
    queued.cancel()
    st.session_state.pop("shared_queued", None)


def _at_work(job: StreamedCollectionJob) -> None:
    """How far it is; looks again every second, and opens what came of it."""

    pace = progress.Pace()

    def part() -> None:
        now = job.status()
        name = escape.markdown(job.file, 80)
        if now.name == "running":
            st.markdown(words.data.collecting(name))
            read = now.read
            done = (read.reading - 1) * read.total + read.rows if read.total else 0
            pace.reach(done, 3 * read.total)
            told = words.data.readings(read.reading, read.rows, pace.left)
            progress.draw_bar(done, 3 * read.total, told)
            st.button(words.data.STOP, key="shared_stop", on_click=_stop, args=(job,))
            return
        _ended(job, now.name, now.reason)
        notices.rerun()

    with st.container(key="shared_work"):
        fragment_with_errors(part, run_every=POLL)()


def _ended(job: StreamedCollectionJob, how: str, reason: str) -> None:
    """Open the collection, or say in a sentence why there is none."""
    del st.session_state["shared_job"]
    if how == "finished" and job.state is not None:
        plan = job.state.plan
        made = words.data.made_here(plan.epsilon, plan.k, plan.theta, job.seed)
        with notices.show_user_errors():
            opened.show(job.state, Path(job.file).name, (made, *job.notes))
    elif how != "stopped":
        st.session_state["refused"] = notices.as_sentence(
            words.data.not_collected(job.file, reason)
        )


def _stop(job: StreamedCollectionJob) -> None:
    job.cancel()
    st.session_state.pop("shared_job", None)
    st.session_state["remarks"] = (words.data.stopped(job.file),)
