"""What phones ask of the server: one page and three posts, beside Streamlit in its process."""

import asyncio
import json
import re
from collections.abc import Callable
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from calm_core.classroom.phones import REPORT_FORM, TICKET_FORM
from calm_core.classroom.store import Store
from calm_core.classroom.writer import StoreUnavailable
from calm_core.errors import UserError
from pages.panels.classroom.address import VISITS, base_path
from pages.panels.classroom.phone import page, page_policy

MAX_BODY = 256
# What a phone sends, and the form of each: exactly these fields.
TICKET, REPORT = {"ticket": TICKET_FORM}, {"ticket": TICKET_FORM, "report": REPORT_FORM}
FIELDS = {"join": TICKET, "report": REPORT, "withdraw": REPORT}
EVERY_METHOD = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class Refused(Exception):
    """A request that no page of ours sends, with its HTTP status."""

    def __init__(self, status: int, state: str):
        super().__init__(state)
        self.answer = _told(status, {"state": state})


def routes(store: Callable[[], Store]) -> list[Route]:
    """The routes of the phones, below `server.baseUrlPath`.

    Parameters
    ----------
    store : callable
        Gives the open store.

    Examples
    --------
    >>> [route.path for route in routes(Store)][::3]
    ['/r', '/r/{code}/', '/r/{code}/withdraw']
    """
    front = f"{base_path()}/r"
    prefix = f"{front}/{{code}}"

    def post(what: str) -> Route:
        async def endpoint(request: Request) -> Response:
            return await _post(what, request, store)

        return Route(f"{prefix}/{what}", endpoint, methods=EVERY_METHOD)

    return [
        # Where the code is typed: for whoever sees it and cannot scan it.
        Route(front, _page, methods=EVERY_METHOD),
        Route(f"{front}/", _page, methods=EVERY_METHOD),
        Route(prefix, _page, methods=EVERY_METHOD),
        Route(f"{prefix}/", _without_slash, methods=EVERY_METHOD),
        *map(post, FIELDS),
    ]


def _told(status: int, body: dict) -> Response:
    return JSONResponse(body, status, HEADERS)


async def _page(request: Request) -> Response:
    if request.method not in ("GET", "HEAD"):
        return _told(405, {"state": "method"})
    client, server = request.client, request.scope.get("server") or ("", 0)
    if client:
        VISITS.note(request.path_params.get("code", ""), client=client.host, server=server[0])
    return Response(
        page(), headers=HEADERS | {"Content-Security-Policy": page_policy()},
        media_type="text/html; charset=utf-8",
    )  # fmt: skip


async def _without_slash(request: Request) -> Response:
    # The page asks beside its own address, so it has one address only.
    return RedirectResponse(f"../{quote(request.path_params['code'])}", 308, HEADERS)


async def _post(what: str, request: Request, store: Callable[[], Store]) -> Response:
    try:
        body = await _body(request, FIELDS[what])
    except Refused as refused:
        return refused.answer
    try:
        asked = getattr(store(), what)(request.path_params["code"], **body)
        # A phone that hangs up does not take back what the writer is at.
        reply = await asyncio.shield(asyncio.wrap_future(asked))
    except (StoreUnavailable, UserError):
        return _told(503, {"state": "busy"})
    return _told(reply.status, reply.body)


async def _body(request: Request, fields: dict[str, re.Pattern]) -> dict[str, str]:
    """The fields of a request; anything that our page does not send is refused."""
    if request.method != "POST":
        raise Refused(405, "method")
    if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        raise Refused(403, "site")
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise Refused(415, "type")
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > MAX_BODY:
            raise Refused(413, "size")
    try:
        pairs = json.loads(content, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise Refused(400, "body") from error
    # A field that comes twice is there twice; what is no object is no list of pairs.
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        raise Refused(400, "body")
    found = dict(pairs)
    if len(pairs) != len(fields) or found.keys() != fields.keys():
        raise Refused(400, "body")
    for name, form in fields.items():
        if not isinstance(found[name], str) or not form.fullmatch(found[name]):
            raise Refused(400, "body")
    return found
