"""What phones ask of the server, and the page that they are sent."""

import hashlib
import json
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing

import pytest
import streamlit as st
from streamlit import config

from calm_core.classroom.database import StoreUnavailable
from calm_core.classroom.survey import LANGUAGES
from calm_core.errors import DataError
from calm_core.runtime import installation
from pages.panels.classroom import address
from pages.panels.classroom.phone import _minify_script as minify_script
from pages.panels.classroom.phone import page_policy, page_sha256, phone_page, routes
from pages.words.classroom import PRINTED
from pages.words.languages import PHONE as TEXTS
from tests.classroom.http_server import JSON, serve_classroom, ticket_of

PHONE = ticket_of(0)


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    with serve_classroom(tmp_path_factory.mktemp("room")) as room:
        yield room


@pytest.fixture(scope="module")
def code(room):
    """A survey that is open, with four phones."""
    return room.open_class()[0]


def counts(room, code):
    """Every tally of a survey, as the file has it."""
    query = "SELECT view, report, number FROM tallies WHERE code = ?"
    with closing(sqlite3.connect(room.path)) as db:
        return db.execute(query, (code,)).fetchall()


# ---------------------------------------------------------------- what phones are told


def test_the_answers_of_the_store_come_with_their_status(room):
    """What it answers is in tests/classroom/test_store.py."""
    code, _ = room.open_class()
    assert room.post(code.lower(), "report", PHONE, "0002") == (200, {"state": "counted"})
    assert room.post(code, "withdraw", PHONE, "0002") == (200, {"state": "withdrawn"})
    assert room.post(code, "report", PHONE, "0002") == (409, {"state": "withdrawn"})


def test_what_cannot_be_written_is_asked_again(room, code, monkeypatch):
    def full(*_, **__):
        raise StoreUnavailable("the disk is full; make room")

    monkeypatch.setattr(room.store, "join", full)
    assert room.post(code, "join", PHONE) == (503, {"state": "busy"})

    def newer(*_, **__):
        raise DataError("the file is of a newer version; update the program")

    monkeypatch.setattr(room.store, "join", newer)
    assert room.post(code, "join", PHONE) == (503, {"state": "busy"})


# ---------------------------------------------------------------- what our page never sends

GOOD = {"ticket": PHONE, "report": "0002"}


JOIN = json.dumps({"ticket": PHONE})
BAD_BODIES = (
    "", "{", "[]", "null", '"x"', "[[1]]", "\xff", "[" * 200, JOIN,
    *(json.dumps(GOOD | change) for change in (
        {"more": "x"}, {"report": 2}, {"report": "2"}, {"report": "0002\n"}, {"report": "٠٠٠٢"},
        {"ticket": PHONE[1:]}, {"ticket": "ä" * 22}, {"ticket": None},
    )),
    f'{{"ticket":"{PHONE}","report":"0001","report":"0002"}}',
)  # fmt: skip


@pytest.mark.parametrize("body", BAD_BODIES)
def test_a_malformed_body_is_refused_before_anything_is_asked(room, code, body):
    before = counts(room, code)
    content = body.encode("latin-1" if body == "\xff" else "utf-8")
    found, headers, said = room.ask("POST", f"/r/{code}/report", content)
    assert found == 400 and set(json.loads(said)) == {"state"}
    assert headers["cache-control"] == "no-store" and counts(room, code) == before


@pytest.mark.parametrize(
    ("method", "what", "body", "headers", "status"),
    [
        ("POST", "/join", JOIN.ljust(256), JSON, 200), ("POST", "/join", JOIN.ljust(257), JSON, 413),
        *(("POST", "/join", JOIN, {} if kind is None else {"Content-Type": kind}, 415)
          for kind in (None, "text/plain", "application/x-www-form-urlencoded", "application/jsonp")),
        *(("POST", "/join", JOIN, JSON | {"Sec-Fetch-Site": site}, 200) for site in ("same-origin", "none")),
        *(("POST", "/join", JOIN, JSON | {"Sec-Fetch-Site": site}, 403) for site in ("cross-site", "same-site", "x")),
        *((method, "/report", None, JSON, 405) for method in ("GET", "PUT", "DELETE", "OPTIONS")),
        ("POST", "", "{}", JSON, 405), ("HEAD", "", None, JSON, 200),
    ],
)  # fmt: skip
def test_only_what_our_page_sends_is_answered(room, code, method, what, body, headers, status):
    assert room.ask(method, f"/r/{code}{what}", body, headers)[0] == status


# ---------------------------------------------------------------- the page and its headers


def test_every_code_has_the_same_page_with_its_own_policy(room, code):
    # Without a code it asks for one.
    for asked in ("", "/", f"/{code}", f"/{code.lower()}", "/222222", "/%3Cscript%3E"):
        status, headers, content = room.ask("GET", f"/r{asked}")
        assert status == 200 and content == phone_page()
        assert headers["content-security-policy"] == page_policy()
        assert headers["content-type"] == "text/html; charset=utf-8"
    assert page_sha256() == hashlib.sha256(phone_page()).hexdigest()


def test_the_policy_allows_nothing_but_the_pages_own(room, code):
    rules = dict(rule.split(" ", 1) for rule in page_policy().split("; "))
    assert rules.pop("script-src").startswith("'sha256-") and "unsafe" not in page_policy()
    assert rules.pop("style-src").startswith("'sha256-")
    assert rules == {
        "default-src": "'none'", "connect-src": "'self'", "img-src": "data:", "base-uri": "'none'",
        "form-action": "'none'", "frame-ancestors": "'none'",
    }  # fmt: skip


def test_no_answer_is_kept_or_sets_a_cookie(room, code):
    page = f"/r/{code}"
    requests = [("GET", path) for path in ("/r", "/r/", page, f"{page}/", f"{page}/join")]
    bodies = (json.dumps({"ticket": PHONE}), "{")
    requests += [("POST", "/r", "{}"), *(("POST", f"{page}/join", body) for body in bodies)]
    for request in requests:
        _, headers, _ = room.ask(*request)
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in headers


def test_a_slash_too_many_leads_to_the_page(room, code):
    status, headers, _ = room.ask("GET", f"/r/{code}/")
    assert (status, headers["location"]) == (308, f"../{code}")


def test_with_the_code_alone_there_is_nothing_else_to_be_had(room, code):
    """No wall, no result, nothing of the teacher's: those need keys, and another page."""
    assert {route.path.removeprefix("/r") for route in routes(lambda: room.store)} == {
        "", "/", "/{code}", "/{code}/", "/{code}/join", "/{code}/report", "/{code}/withdraw",
        "/{code}/lie",
    }  # fmt: skip
    _, told = room.post(code, "join", PHONE)
    known = {"state", "title", "epsilon", "oracle", "size", "keep", "views", "questions"}
    assert set(told) <= known


# ---------------------------------------------------------------- where it is


def test_all_of_it_lies_below_the_base_path():
    config.set_option("server.baseUrlPath", "lab/")
    try:
        assert {route.path.partition("/r")[0] for route in routes(None)} == {"/lab"}
        found = address.list_addresses("https://a.example/lab/classroom")
        assert found == ["https://a.example/lab"]
    finally:
        config.set_option("server.baseUrlPath", "")
    assert not st.get_option("server.baseUrlPath")


def adapters(*addresses):
    """What ifaddr finds."""
    import ipaddress
    from types import SimpleNamespace as Thing

    found = [Thing(ip=one, is_IPv4=ipaddress.ip_address(one).version == 4) for one in addresses]
    return lambda: [Thing(ips=found)]


@pytest.mark.parametrize("route", ["192.168.1.20", None])
def test_a_laptops_addresses_the_one_that_leads_on_first(monkeypatch, route):
    monkeypatch.delenv("CALM_JOIN_URL", raising=False)
    own = adapters("127.0.0.1", "10.0.0.7", "192.168.1.20", "8.8.8.8", "::1")
    monkeypatch.setattr("ifaddr.get_adapters", own)
    monkeypatch.setattr(installation, "_default_route_address", lambda: route)
    for url in ("http://localhost:8501/classroom", "http://127.0.0.1:8501/", "http://[::1]:8501"):
        found = address.list_addresses(url)
        assert sorted(found) == ["http://10.0.0.7:8501", "http://192.168.1.20:8501"]
        assert found[0] == ("http://192.168.1.20:8501" if route else "http://10.0.0.7:8501")
    monkeypatch.setattr("ifaddr.get_adapters", adapters("127.0.0.1"))
    assert address.list_addresses("http://localhost:8501/x") == ["http://localhost:8501"]


def test_the_teachers_address_is_the_phones_unless_somebody_says_otherwise(monkeypatch):
    monkeypatch.delenv("CALM_JOIN_URL", raising=False)
    assert address.list_addresses("https://lab.example.org/x?y") == ["https://lab.example.org"]
    assert address.list_addresses("http://192.168.1.9:8501/") == ["http://192.168.1.9:8501"]
    monkeypatch.setenv("CALM_JOIN_URL", " https://join.example/lab/ ")
    assert address.list_addresses("http://localhost:8501/") == ["https://join.example/lab"]


# ---------------------------------------------------------------- the phone page as it is sent


PAGE = phone_page().decode()
SCRIPT = re.search(r"<script>(.*)</script>", PAGE, re.DOTALL)[1]
FILLED = re.compile(r"\{\w+\}")
# Without what people read.
CODE = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', SCRIPT)


def test_every_browser_since_2013_reads_it():
    for new in ("=>", "`", "...", "?.", "??", "**", "fetch("):
        assert new not in CODE, new
    assert not re.search(r"\b(let|const|class|async|await|import)\b(?!:)| of ", CODE)


def test_chance_comes_from_the_browsers_generator_alone():
    assert "Math.random" not in PAGE and "Date" not in CODE and "performance" not in CODE
    assert CODE.count("getRandomValues") == 2


def test_nothing_is_loaded_from_anywhere():
    assert not re.search(r"https?://", PAGE)
    assert re.findall(r'(?:src|href)="([^"]*)"', PAGE) == ["data:,"]
    assert PAGE.count("<script") == 1 and PAGE.count("<style") == 1
    assert not re.search(r"\bon[a-z]+=\"|style=\"|innerHTML|outerHTML|document\.write|eval", PAGE)


def test_every_language_says_everything():
    assert list(TEXTS) == ["en", "de", "fr", "es"]
    keys = list(TEXTS["en"])
    for language, texts in TEXTS.items():
        assert list(texts) == keys, language
        for key, text in texts.items():
            lines, english_lines = (
                (said,) if isinstance(said, str) else said for said in (text, TEXTS["en"][key])
            )
            for line, english in zip(lines, english_lines, strict=True):
                assert line.strip() and "|" not in line
                assert sorted(FILLED.findall(line)) == sorted(FILLED.findall(english))
                assert language == "en" or line != english, (language, key)


# Of the experiment with liars, in a survey that has it alone.
LIARS = {"liars", "chosen", "chosen_text", "unused", "agree", "honest", "lied"}


def test_nobody_is_said_to_lie():
    for texts in TEXTS.values():
        plain = [text for key, text in texts.items() if key not in LIARS]
        said = " ".join(t if isinstance(t, str) else " ".join(t) for t in plain).lower()
        assert not re.search(r"\b(lie[sd]?|lying|lüg\w*|ment\w*|mient\w*)\b", said)
    assert "protected" in TEXTS["en"]["done_text"]


def test_every_text_is_used_and_every_text_used_is_there():
    said = {*re.findall(r'"([a-z_]+)"', re.sub(r"TEXTS=\{.*?\},LANGUAGES", "", SCRIPT))}
    composed = {f"{key}_text" for key in said}
    assert set(TEXTS["en"]) - said - composed - {"name", "about"} == set()


def test_spaces_go_but_those_of_a_text_or_a_pattern_stay():
    source = 'a = "b , c" + d; /* why */\n  if (/^e = f$/.test(g)) h( " (i) " );\n'
    wanted = 'a="b , c"+d;\nif(/^e = f$/.test(g))h(" (i) ");\n'
    assert minify_script(source, "") == f"<script>{wanted}</script>"


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node to read the script")
def test_the_minify_script_script_is_a_script(tmp_path):
    (tmp_path / "page.js").write_text(SCRIPT)
    read = subprocess.run(["node", "--check", tmp_path / "page.js"], capture_output=True)
    assert read.returncode == 0, read.stderr.decode()[-500:]


def test_what_is_printed_is_in_every_language():
    assert tuple(PRINTED) == LANGUAGES
    shapes = {(*texts, *(len(lines) for _, lines in texts["advice"])) for texts in PRINTED.values()}
    assert len(shapes) == 1 and all(all(texts.values()) for texts in PRINTED.values())
