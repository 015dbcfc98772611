"""Downloads: files made when their button is pressed, each at an address of its own.

Streamlit forgets such a file when runs of other visitors end. Here a route makes it, from what the session keeps for
the buttons of its page.
"""

from collections.abc import Callable
from secrets import token_urlsafe
from typing import Any
from urllib.parse import quote
from weakref import WeakValueDictionary

import pandas as pd
import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from calm_core.errors import UserError
from calm_core.reports import csv_text
from pages import words
from pages.ui.serving import base_path

FOLDER = "downloads"


class Download:
    """What one button downloads; `make` returns the content and runs without a session."""

    def __init__(self) -> None:
        self.token = token_urlsafe()
        self.make: Callable[[], str | bytes] = str
        self.file = self.kind = ""


# A download lives as long as its session shows its page.
_BY_TOKEN: WeakValueDictionary[str, Download] = WeakValueDictionary()


def forget_other_page(page: str) -> None:
    """Drop the downloads of the page before, if `page` is another one; called by the shell before it enters `page`."""
    if st.session_state.get("page") != page:
        _downloads_of_page().clear()


def _downloads_of_page() -> dict[str, Download]:
    return st.session_state.setdefault("downloads", {})


def show_download(
    label: str, make: Callable[[], str | bytes], file: str, kind: str, key: str, **options: Any
) -> None:
    """Draw the button that downloads `file`, of media type `kind`; options as of `st.link_button`."""
    download = _downloads_of_page().setdefault(key, Download())
    # The address stays when the page is drawn anew: who presses meanwhile gets what is shown then.
    download.make, download.file, download.kind = make, file, kind
    _BY_TOKEN[download.token] = download
    options.setdefault("icon", ":material/download:")
    st.link_button(label, f"{FOLDER}/{download.token}", key=key, **options)


def show_csv_download(
    make: Callable[[], pd.DataFrame], file: str, key: str, **options: Any
) -> None:
    """Draw the button that downloads a table as CSV."""
    show_download("Download CSV", lambda: csv_text(make()), file, "text/csv", key, **options)


def routes() -> list[Route]:
    """Return the route of all downloads, below `server.baseUrlPath`."""
    return [Route(f"{base_path()}/{FOLDER}/{{token}}", _serve_download)]


async def _serve_download(request: Request) -> Response:
    download = _BY_TOKEN.get(request.path_params["token"])
    if download is None:
        return PlainTextResponse(words.exports.GONE, 404)
    name, kind = download.file, download.kind
    try:
        content = await run_in_threadpool(download.make)
    except UserError as error:
        return PlainTextResponse(str(error), 409)
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}",
        "Cache-Control": "no-store",
    }
    return Response(content, headers=headers, media_type=kind)
