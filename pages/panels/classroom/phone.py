"""The page that phones open, and the requests that it sends: one page and three posts, beside Streamlit."""

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from calm_core.classroom.database import StoreUnavailable
from calm_core.classroom.phones import REPORT_FORM, TICKET_FORM
from calm_core.classroom.store import Store
from calm_core.errors import UserError
from pages.panels.classroom.address import is_visit
from pages.ui.serving import base_path, policy_text
from pages.words.languages import PHONE

# Left alone when spaces are removed: texts in quotation marks, and regular expressions before a method or bracket.
UNTOUCHED = re.compile(r'("(?:\\.|[^"\\\n])*"|(?<=[(= ])/(?![*/ ])(?:\\.|[^/\\\n])+/g?(?=[.,]))')
AROUND_SIGNS = re.compile(r" *([-+*/%=<>!&|?:;,(){}\[\]]) *")
DEVICE_END = "  /* ---- the other oracles ---- */"


@cache
def phone_page() -> bytes:
    """Return the page, with the randomizer of `device.js` and the words of all languages.

    Examples
    --------
    >>> len(phone_page()) < 33_000, b"Math.random" in phone_page()
    (True, False)
    """
    text = Path(__file__).with_name("phone.html").read_text("utf-8")
    device = (files("calm_core.oracles") / "device.js").read_text("utf-8").split(DEVICE_END)[0]
    device += "return { grr: grr, cellOf: cellOf, below: below, word: secureWord };\n})();"
    # Side by side, so that every key is in the page once.
    table = {key: _join_languages(key) for key in PHONE["en"]}
    texts = json.dumps(table, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    text = re.sub(
        r"<script>(.*)</script>", lambda found: _minify_script(found[1], device), text, flags=re.S
    )
    text = re.sub(r"<style>(.*)</style>", lambda found: _minify_style(found[1]), text, flags=re.S)
    languages = json.dumps(list(PHONE))
    text = re.sub(r"\n\n+", "\n", text).replace("LANGUAGES_OF_ALL", languages)
    return text.replace("TEXTS_OF_ALL", texts).encode()


def _join_languages(key: str) -> str | list[str]:
    """Join the texts of a key in all languages; for a list, item by item."""
    translations = [texts[key] for texts in PHONE.values()]
    if isinstance(translations[0], str):
        return "|".join(map(str, translations))
    return ["|".join(lines) for lines in zip(*translations, strict=True)]


def _minify_script(source: str, device: str) -> str:
    """Remove comments and unneeded spaces; every line stays a line."""
    source = re.sub(r"/\*.*?\*/", "", source.replace("/*DEVICE*/", device), flags=re.S)
    parts = UNTOUCHED.split(re.sub(r"\n\s*", "\n", source))
    parts[::2] = [AROUND_SIGNS.sub(r"\1", part) for part in parts[::2]]
    return f"<script>{''.join(parts)}</script>".replace(";\n}", "}")


def _minify_style(source: str) -> str:
    closer = re.sub(r"\s*([{};,])\s*|(?<=:)\s+", r"\1", source)
    return f"<style>{closer}</style>".replace(";}", "}")


@cache
def page_sha256() -> str:
    """Return the SHA-256 of the page, to compare with that of a server."""
    return sha256(phone_page()).hexdigest()


@cache
def page_policy() -> str:
    """Return the content policy of the page: its own script and style, by their hashes, and nothing else."""
    text = phone_page().decode()
    (script,), (style,) = (
        re.findall(rf"<{tag}>(.*)</{tag}>", text, re.S) for tag in ("script", "style")
    )
    script, style = (b64encode(sha256(part.encode()).digest()).decode() for part in (script, style))
    return policy_text(
        {
            "default-src": "'none'",
            "script-src": f"'sha256-{script}'",
            "style-src": f"'sha256-{style}'",
            "connect-src": "'self'",
            "img-src": "data:",
            "base-uri": "'none'",
            "form-action": "'none'",
            "frame-ancestors": "'none'",
        }
    )


MAX_BODY = 256
# The fields of each request and their forms; no other field may come.
TICKET_FIELDS = {"ticket": TICKET_FORM}
REPORT_FIELDS = {"ticket": TICKET_FORM, "report": REPORT_FORM}
FIELDS = {
    "join": TICKET_FIELDS, "report": REPORT_FIELDS, "withdraw": REPORT_FIELDS, "lie": REPORT_FIELDS,
}  # fmt: skip
EVERY_METHOD = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
HEADERS = {
    "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
}  # fmt: skip


class RequestRefused(Exception):
    """A request that our page does not send, with its HTTP status."""

    def __init__(self, status: int, state: str):
        super().__init__(state)
        self.answer = _json_response(status, {"state": state})


def routes(get_store: Callable[[], Store]) -> list[Route]:
    """Return the routes of the phones, below `server.baseUrlPath`.

    Parameters
    ----------
    get_store : callable
        Returns the open store.

    Examples
    --------
    >>> [route.path for route in routes(Store)][::3]
    ['/r', '/r/{code}/', '/r/{code}/withdraw']
    """
    front, serve_page = f"{base_path()}/r", partial(_serve_page, get_store)
    prefix = f"{front}/{{code}}"
    endpoints = {
        # Without a code the page asks for it.
        front: serve_page, f"{front}/": serve_page, prefix: serve_page, f"{prefix}/": _redirect_slash,
    } | {f"{prefix}/{what}": partial(_handle_post, get_store, what) for what in FIELDS}  # fmt: skip
    return [Route(path, endpoint, methods=EVERY_METHOD) for path, endpoint in endpoints.items()]


def _json_response(status: int, body: dict) -> Response:
    return JSONResponse(body, status, HEADERS)


async def _serve_page(get_store: Callable[[], Store], request: Request) -> Response:
    if request.method not in ("GET", "HEAD"):
        return _json_response(405, {"state": "method"})
    client, server = request.client, request.scope.get("server") or ("", 0)
    if client and is_visit(client.host, server[0]):
        # The page is served even if the store cannot be opened.
        with suppress(UserError):
            get_store().note_visit(request.path_params.get("code", ""))
    return Response(
        phone_page(), headers=HEADERS | {"Content-Security-Policy": page_policy()},
        media_type="text/html; charset=utf-8",
    )  # fmt: skip


async def _redirect_slash(request: Request) -> Response:
    # The page sends requests relative to its own address.
    return RedirectResponse(f"../{quote(request.path_params['code'])}", 308, HEADERS)


async def _handle_post(get_store: Callable[[], Store], what: str, request: Request) -> Response:
    try:
        body = await _read_body(request, FIELDS[what])
    except RequestRefused as refused:
        return refused.answer
    try:
        future = getattr(get_store(), what)(request.path_params["code"], **body)
        # A phone that disconnects does not cancel what is being written.
        reply = await asyncio.shield(asyncio.wrap_future(future))
    except (StoreUnavailable, UserError):
        return _json_response(503, {"state": "busy"})
    return _json_response(reply.status, reply.body)


async def _read_body(request: Request, fields: dict[str, re.Pattern]) -> dict[str, str]:
    """Return the fields of a request; refuse anything that our page does not send."""
    if request.method != "POST":
        raise RequestRefused(405, "method")
    if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        raise RequestRefused(403, "site")
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise RequestRefused(415, "type")
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > MAX_BODY:
            raise RequestRefused(413, "size")
    try:
        pairs = json.loads(content, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise RequestRefused(400, "body") from error
    # Pairs show a field that comes twice; other JSON is no list of pairs.
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        raise RequestRefused(400, "body")
    body = dict(pairs)
    if len(pairs) != len(fields) or body.keys() != fields.keys():
        raise RequestRefused(400, "body")
    for name, form in fields.items():
        if not isinstance(body[name], str) or not form.fullmatch(body[name]):
            raise RequestRefused(400, "body")
    return body
