"""Reading uploads: one at a time over all sessions; a session that waits is told so."""

import time
from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

from calm_core.errors import InputError
from calm_core.ingest import UPLOADS, ReadOptions, Table, read_table
from calm_core.runtime.processes import trim_memory
from calm_core.tables.domain import Domain
from pages import words
from pages.ui.connections import session_name
from pages.ui.jobs.fair_queue import FairQueue, hold_turn
from pages.ui.progress import yield_to_streamlit

Thing = TypeVar("Thing")
TURNS = FairQueue(1)
# Seconds until a waiting session is told so.
SOON = 1.0


def check_attributes(domain: Domain, left: Mapping[str, str] | None = None) -> None:
    """Refuse a single attribute, which makes no table over several; `left` says why columns are left out."""
    if domain.d < 2:
        sentence = words.settings.too_few_attributes(domain.names, left or {})
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
    started, told = time.monotonic(), []

    def look(ahead: int) -> None:
        yield_to_streamlit()
        if time.monotonic() - started >= SOON and told[-1:] != [ahead]:
            st.toast(
                words.data.file_waiting_text(ahead),
                icon=":material/hourglass_top:",
                duration="long",
            )
            told.append(ahead)

    try:
        with hold_turn(TURNS, session_name(), look):
            return use(
                read_table(
                    content, name=file, options=options, limits=UPLOADS, on_wait=yield_to_streamlit
                )
            )
    finally:
        trim_memory()
