"""Uploads are read one at a time, whoever sends them; who waits is told so."""

import time
from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

from calm_core.errors import InputError
from calm_core.ingest import UPLOADS, ReadOptions, Table, read_table
from calm_core.runtime.processes import trim_memory
from calm_core.tables.domain import Domain
from pages import words
from pages.ui.jobs.fair_queue import FairQueue, in_turn
from pages.ui.uploads import session_store

Thing = TypeVar("Thing")
TURNS = FairQueue(1)
# Seconds until who waits is told so.
SOON = 1.0


def check_attributes(domain: Domain, left: Mapping[str, str] | None = None) -> None:
    """Refuse a single attribute: there is no table over several. Why columns are `left` out is said."""
    if domain.d < 2:
        sentence = words.settings.too_few_attributes(domain.names, left or {})
        raise InputError(sentence, remedies=[("d", 2)])


def parse_table(
    content: bytes, file: str, options: ReadOptions, use: Callable[[Table], Thing]
) -> Thing:
    """What `use` makes of the table in a file: within the limits of uploads, and when it is its turn.

    It ends where nobody waits for it any more.

    Raises
    ------
    UserError
        If it is no table, or one beyond the limits.
    """
    started, told = time.monotonic(), []

    def attend() -> None:
        # Streamlit looks whether the run is still wanted wherever its state is asked for.
        st.session_state.get("settings")

    def look(ahead: int) -> None:
        attend()
        if time.monotonic() - started >= SOON and told[-1:] != [ahead]:
            st.toast(words.data.waits(ahead), icon=":material/hourglass_top:", duration="long")
            told.append(ahead)

    try:
        with in_turn(TURNS, session_store.session_name(), look):
            return use(
                read_table(content, name=file, options=options, limits=UPLOADS, attend=attend)
            )
    finally:
        trim_memory()
