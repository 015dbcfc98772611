"""The entry: `streamlit run app.py`."""

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread

import streamlit as st
from starlette.middleware import Middleware

from calm_core.errors import UserError
from calm_core.runtime.installation import embedding_origins
from calm_core.runtime.processes import tune_malloc
from pages.panels.classroom.open_survey import get_store
from pages.panels.classroom.phone import routes
from pages.ui import downloads
from pages.ui.serving import RequestGuard
from pages.ui.streamlit_compat import version_warning

# Before there are threads: each would have a heap of its own.
tune_malloc()
if warning := version_warning():
    print(warning, file=sys.stderr)
try:
    embedding_origins()
except UserError as error:
    sys.exit(f"The server cannot start: {error}")
# Seconds between two looks for what is kept no longer.
EXPIRE_EVERY = 60


@asynccontextmanager
async def lifespan(app):
    """Compile and compute what the first visitor sees while the server starts."""
    # Imported here: Streamlit's caches want a running server.
    from calm_core.runtime.temp_dirs import remove_stale
    from pages.ui import cached_calls
    from pages.ui.uploads import STORE

    # True records of a server that was killed; quick, and done before anybody is served.
    remove_stale()

    try:
        get_store()
    except UserError as error:
        # The teacher's page says it too; everything else works without.
        print(f"The classroom cannot be opened: {error}", file=sys.stderr)

    async def expire() -> None:
        while True:
            await asyncio.sleep(EXPIRE_EVERY)
            STORE.expire()

    # A thread: who comes early does not wait for all of it, and neither does stopping the server.
    Thread(target=cached_calls.warm_up, daemon=True).start()
    expiry = asyncio.create_task(expire())
    yield {}
    expiry.cancel()
    if get_store.cache_info().currsize:
        get_store().stop()


# The script lies below pages/ui: beside a folder called "pages" Streamlit would take every
# file in that folder for a page of an older kind, and run it without the shell around it.
app = st.App(
    Path(__file__).parent / "pages" / "ui" / "shell.py",
    lifespan=lifespan,
    # Neither phones nor downloads open a session of Streamlit.
    routes=[*routes(get_store), *downloads.routes()],
    middleware=[Middleware(RequestGuard)],
)
