"""The entry: `streamlit run app.py`."""

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread
from typing import cast

import streamlit as st
from starlette.middleware import Middleware
from streamlit import runtime

from calm_core.errors import UserError
from calm_core.runtime.processes import tune_malloc
from pages.panels.classroom.open_survey import get_store
from pages.panels.classroom.phone import routes
from pages.ui import connections, downloads, theme
from pages.ui.serving import Guarded, disable_external_ip_lookup
from pages.ui.uploads import raw_files

# Before there are threads: each would have a heap of its own.
tune_malloc()
disable_external_ip_lookup()
connections.watch_no_files()
connections.answer_in_turn()


@asynccontextmanager
async def lifespan(app):
    """Compile and compute what the first visitor sees while the server starts."""
    # Imported here: Streamlit's caches want a running server.
    from calm_core.runtime.temp_dirs import remove_stale
    from pages.ui import cached

    theme.keep()
    if runtime.exists():
        server = runtime.get_instance()
        downloads.Sweeper(server.media_file_mgr)
        # Its type says less than what Streamlit's own server calls.
        raw_files.Bounded(cast(raw_files.Manager, server.uploaded_file_mgr))
    # True records of a server that was killed; quick, and done before anybody is served.
    remove_stale()

    try:
        get_store()
    except UserError as error:
        # The teacher's page says it too; everything else works without.
        print(f"The classroom cannot be opened: {error}", file=sys.stderr)

    # A thread: who comes early does not wait for all of it, and neither does stopping the server.
    Thread(target=cached.warm_up, daemon=True).start()
    await asyncio.sleep(0)
    yield {}
    if get_store.cache_info().currsize:
        get_store().stop()


# The script lies below pages/ui: beside a folder called "pages" Streamlit would take every
# file in that folder for a page of an older kind, and run it without the shell around it.
app = st.App(
    Path(__file__).parent / "pages" / "ui" / "shell.py",
    lifespan=lifespan,
    # Phones never open a session of Streamlit.
    routes=routes(get_store),
    middleware=[Middleware(Guarded)],
)
