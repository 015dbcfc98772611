"""The phone page as a student uses it, in Chromium, against the routes of the app and a real store."""

import json
import math
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

from calm_core.classroom.store import Store
from calm_core.classroom.survey import PushedAnswer
from pages.panels.classroom.phone import page_policy
from pages.panels.classroom.phone import phone_page as page_bytes
from pages.words.languages import PHONE as TEXTS
from tests.browser.conftest import PATIENCE, eventually, run_server
from tests.browser.test_access import reach
from tests.browser.test_every_page import too_small, violations
from tests.browser.test_policy import behind_caddy
from tests.classroom.http_server import serve_classroom, survey, ticket_of

# Waits are a hundredth as long, and what they would have been is kept.
QUICK = """(() => {
    const real = window.setTimeout;
    window.delays = [];
    window.setTimeout = (act, wait = 0, ...more) => { delays.push(wait); return real(act, wait / 100, ...more); };
})()"""
# Words that the browser draws: those of the script, then zeros.
FORCED = """words => {
    crypto.getRandomValues = array => {
        for (let i = 0; i < array.length; i++) array[i] = words.length ? words.shift() : 0;
        return array;
    };
}"""
STORED = "JSON.parse(localStorage.getItem(Object.keys(localStorage).find(key => key.split(':').length === 2)))"
# What was stored whenever something was sent.
NOTE_KEPT = f"""(() => {{
    const send = XMLHttpRequest.prototype.send;
    window.kept = [];
    XMLHttpRequest.prototype.send = function (body) {{
        kept.push([JSON.parse(body), {STORED}]);
        return send.call(this, body);
    }};
}})()"""
NOWHERE = "http://127.0.0.1:1/r/ABC234"
OPEN = {
    "state": "open", "title": "How do we live?", "epsilon": 2.0, "oracle": "grr", "size": 4,
    "keep": "b6137869fdc8da20", "views": 6,
    "questions": [{"text": f"Question {i}?", "choices": ["No", "Yes"]} for i in (1, 2)],
}  # fmt: skip


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    with serve_classroom(tmp_path_factory.mktemp("room")) as room:
        yield room


@pytest.fixture
def phone(chromium, request):
    """Open a page on a phone of its own; none of its scripts may fail, be refused or ask elsewhere."""
    contexts, wrong = [], []

    def go(url: str, *, quick: bool = True, width: int = 390, dark: bool = False, locale: str = "en",
           script: str = "", mock=None, **more):  # fmt: skip
        context = chromium.new_context(
            viewport={"width": width, "height": 844}, color_scheme="dark" if dark else "light",
            locale=locale, **more,
        )  # fmt: skip
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        for text in filter(None, (QUICK if quick else "", script)):
            context.add_init_script(text)
        if mock:
            context.route("**/*", mock)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "console",
            lambda error: "Failed to load" in error.text or wrong.append(error.text),
        )
        page.on(
            "request",
            lambda asked: asked.url.startswith(url.split("/r/")[0]) or wrong.append(asked.url),
        )
        page.on("dialog", lambda dialog: wrong.append(dialog.message))
        page.goto(url)
        return page

    yield go
    for context in contexts:
        context.close()
    assert not wrong, wrong[:3]


def serve(answers: dict):
    """A server that answers joins, reports and withdrawals so: (status, body), and the page."""

    def answer(route, asked):
        what = asked.url.rsplit("/", 1)[1]
        if asked.method == "GET":
            return route.fulfill(
                status=200, body=page_bytes(), content_type="text/html; charset=utf-8"
            )
        status, body = answers[what]
        return route.abort() if status == 0 else route.fulfill(status=status, json=body)

    return answer


def open_answers(**more):
    """The answer to a join while the survey is open."""
    return {"join": (200, OPEN | more)}


def tap(page, *choices: int) -> None:
    """Answer the questions, as numbers."""
    for number, choice in enumerate(choices):
        page.locator("fieldset").nth(number).locator("label").nth(choice).click()


def says(page, key: str, language: str = "en") -> None:
    """Wait until the page's title is that text."""
    expect(page.get_by_role("heading", level=1)).to_have_text(TEXTS[language][key])


def _joined(teacher) -> None:
    assert teacher.progress().phones == 1


def send(page) -> None:
    page.get_by_role("button", name=TEXTS["en"]["send"]).click()


def type_code(page, typed: str, language: str = "en") -> None:
    page.get_by_role("textbox", name=TEXTS[language]["enter"]).fill(typed)
    page.keyboard.press("Enter")


def count_reports(room, code) -> int:
    with closing(sqlite3.connect(room.path)) as db:
        (number,) = db.execute("SELECT sum(number) FROM tallies WHERE code = ?", (code,)).fetchone()
    return number or 0


# ---------------------------------------------------------------- a lesson


def test_a_survey_is_answered_with_keys_alone(phone):
    page = phone(NOWHERE, mock=serve(open_answers() | {"report": (200, {"state": "counted"})}))
    page.locator("fieldset").first.wait_for()
    for number in (0, 1):
        reach(page, page.locator("fieldset").nth(number).get_by_role("radio").first)
        page.keyboard.press("Space")
    reach(page, page.get_by_role("button", name=TEXTS["en"]["send"]))
    page.keyboard.press("Enter")
    says(page, "done")


def test_from_the_lobby_to_the_receipt(room, phone):
    keys = room.store.create(survey(3), expected=30)
    teacher = room.store.teacher(keys.teacher)
    page = phone(room.page(keys.code.lower()), script=NOTE_KEPT)
    says(page, "wait")
    expect(page.get_by_text("How do we live?")).to_be_visible()
    room.join_phones(keys.code, 5)
    teacher.open()
    page.locator("fieldset").first.wait_for()
    expect(
        page.get_by_text("Of 100 phones with your answers, 71 send them unchanged and 29")
    ).to_be_visible()
    assert page.locator(".dots .on").count() == 71 and page.locator(".dots i").count() == 100
    tap(page, 1, 0)
    before = len(room.posts())
    send(page)
    says(page, "done")
    # The questions have left the document; no answer is kept.
    assert page.locator("fieldset, input").count() == 0 and "Question" not in page.content()
    stored = page.evaluate(STORED)
    assert set(stored) == {"ticket", "report", "words", "ratio", "state"}
    assert stored["state"] == "counted" and stored["ratio"] == pytest.approx(math.exp(2))
    ((what, body),) = room.posts()[before:]
    assert what == "report" and json.loads(body) == {
        "ticket": stored["ticket"],
        "report": stored["report"],
    }
    # It was kept before it was sent.
    body, kept = page.evaluate("kept.at(-1)")
    assert kept["report"] == body["report"]
    cell = int(stored["report"])
    page.get_by_text(TEXTS["en"]["what"]).click()
    assert page.locator("dd").all_text_contents() == [
        "Yes · No", f"{('No', 'Yes')[cell // 2]} · {('No', 'Yes')[cell % 2]}",
    ]  # fmt: skip
    expect(page.get_by_text("at most 7.4 times as likely as another")).to_be_visible()
    # Reloaded it asks nothing any more, and what was tapped is forgotten.
    asked = len(room.asked)
    for _ in range(3):
        page.reload()
        says(page, "done")
        assert page.evaluate(STORED) == stored
    assert [method for method, _, _ in room.asked[asked:]] == ["GET"] * 3
    page.get_by_text(TEXTS["en"]["what"]).click()
    assert page.locator("dd").first.text_content() == TEXTS["en"]["forgotten"]
    assert count_reports(room, keys.code) == 1


def test_who_is_chosen_to_lie_agrees_or_answers(room, phone):
    # A rehearsal is open at once: the first phone is chosen. It refuses, and is asked the questions.
    asked = replace(survey(2), pushed=PushedAnswer(1, 1))
    keys = room.store.create(asked, expected=30)
    teacher = room.store.teacher(keys.teacher).rehearse()
    page = phone(room.page(teacher.code), bypass_csp=True)
    says(page, "chosen")
    expect(page.locator("main .box b")).to_have_text("Yes")
    assert not violations(page)
    page.get_by_role("button", name=TEXTS["en"]["honest"]).click()
    expect(page.get_by_text(TEXTS["en"]["liars"])).to_be_visible()
    tap(page, 0, 0)
    send(page)
    says(page, "done")
    # So the next one is chosen. It agrees.
    page = phone(room.page(teacher.code))
    says(page, "chosen")
    before = len(room.posts())
    page.get_by_role("button", name=TEXTS["en"]["agree"]).click()
    says(page, "done")
    expect(page.get_by_text(TEXTS["en"]["lied"])).to_be_visible()
    ((what, body),) = room.posts()[before:]
    assert what == "lie" and int(json.loads(body)["report"]) % 2 == 1
    progress = teacher.progress()
    assert (progress.reports, progress.lies) == (1, 1)
    # A reload sends nothing anew, and the lie can be taken back.
    page.reload()
    expect(page.get_by_text(TEXTS["en"]["lied"])).to_be_visible()
    page.get_by_role("button", name=TEXTS["en"]["take"]).click()
    page.get_by_role("button", name=TEXTS["en"]["yes"]).click()
    says(page, "gone")
    assert teacher.progress().lies == 0


def test_who_cannot_scan_types_the_code(room, phone):
    keys = room.store.create(survey(), expected=30)
    before = len(room.asked)
    page = phone(room.page(""))
    for _ in range(2):
        says(page, "enter")
        type_code(page, "12 34")
        expect(page.get_by_role("alert")).to_have_text(TEXTS["en"]["enter_text"])
        expect(page.get_by_role("textbox")).to_be_focused()
        page.goto(room.page("").rstrip("/"))
    says(page, "enter")
    # Nothing is kept or asked before there is a code.
    assert page.evaluate("localStorage.length") == 0
    assert [(method, path) for method, path, _ in room.asked[before:]] == [
        ("GET", "/r/"), ("GET", "/r"), ("GET", "/r"),
    ]  # fmt: skip
    page.get_by_role("combobox").select_option("de")
    type_code(page, "222 222", "de")
    says(page, "unknown", "de")
    # Mistyped: once more, as the wall shows it, in any case.
    type_code(page, f" {keys.code[:3]}-{keys.code[3:]} ".lower(), "de")
    says(page, "wait", "de")
    assert page.url == f"{room.page(keys.code)}#de" and page.context.cookies() == []
    # The page says so from its first moment, before anybody is asked.
    eventually(lambda: _joined(room.store.teacher(keys.teacher)))


def test_a_second_tab_does_not_draw_again(room, phone):
    code, _ = room.open_class()
    page = phone(room.page(code))
    page.locator("fieldset").first.wait_for()
    other = page.context.new_page()
    other.goto(room.page(code))
    for one, choice in ((page, 0), (other, 1)):
        tap(one, choice, choice)
        before = one.evaluate(STORED)["report"]
        send(one)
        says(one, "done")
        assert before in ("", one.evaluate(STORED)["report"])
    assert count_reports(room, code) == 1


def test_the_server_ends_and_comes_back(tmp_path, phone):
    with serve_classroom(tmp_path) as room:
        code, _ = room.open_class()
        page = phone(room.page(code))
        tap(page, 1, 1)
        room.stop()
        send(page)
        expect(page.get_by_role("status")).to_have_text(TEXTS["en"]["again"])
        stored = page.evaluate(STORED)
        room.start()
        says(page, "done")
        assert page.evaluate(STORED) == stored | {"state": "counted"}
        assert count_reports(room, code) == 1


def test_a_card_is_the_ticket_and_leaves_the_address(room, phone):
    keys = room.store.create(survey(), expected=30)
    teacher = room.store.teacher(keys.teacher)
    first, second = teacher.make_cards(2)
    page = phone(f"{room.page(keys.code)}#t={first}")
    says(page, "wait")
    assert page.evaluate("location.hash") == "" and page.evaluate(STORED)["ticket"] == first
    page.reload()
    says(page, "wait")
    eventually(lambda: _joined(teacher))
    stranger = phone(room.page(keys.code))
    says(stranger, "full")
    # Another card on the same phone is another person's.
    room.post(keys.code, "join", second)
    teacher.open()
    tap(page, 0, 0)
    send(page)
    says(page, "done")
    page.goto("about:blank")
    page.goto(f"{room.page(keys.code)}#t={second}")
    tap(page, 0, 0)
    send(page)
    says(page, "done")
    page.get_by_text(TEXTS["en"]["what"]).click()
    expect(page.get_by_text("at most ε = 4 (surveys: 2)")).to_be_visible()
    assert teacher.progress().reports == 2


# ---------------------------------------------------------------- what can go wrong on the way


def test_the_same_bytes_again_and_again_ever_more_slowly(room, phone):
    code, _ = room.open_class()
    page = phone(room.page(code))
    tap(page, 0, 0)
    room.failing, before = 8, len(room.posts())
    page.evaluate("delays.length = 0")
    send(page)
    says(page, "done")
    posts = room.posts()[before:]
    assert len(posts) == 9 and len({body for _, body in posts}) == 1
    first, *waits = page.evaluate("delays")
    assert 0 <= first <= 2000
    for i, wait in enumerate(waits[:8]):
        usual = min(8000, 700 * 1.7**i)
        assert 0.7 * usual - 1 <= wait <= 1.3 * usual + 1
    expect(page.get_by_role("status")).to_be_empty()
    assert count_reports(room, code) == 1


@pytest.mark.parametrize(
    "broken",
    ["Storage.prototype.setItem = () => { throw new Error('full') }",
     "Object.defineProperty(window, 'localStorage', { get() { throw new Error('off') } })"],
)  # fmt: skip
def test_without_memory_the_page_warns_and_sends_one_report_all_the_same(room, phone, broken):
    code, _ = room.open_class()
    page = phone(room.page(code), script=broken)
    tap(page, 1, 0)
    expect(page.get_by_text(TEXTS["en"]["memory"])).to_be_visible()
    room.failing, before = 3, len(room.posts())
    send(page)
    says(page, "done")
    posts = room.posts()[before:]
    assert len(posts) == 4 and len(set(posts)) == 1
    page.get_by_text(TEXTS["en"]["what"]).click()
    expect(page.get_by_text("at most ε = 2 (surveys: 1)")).to_be_visible()
    assert count_reports(room, code) == 1


TOLD = (
    ((404, "unknown"), None, "unknown", "unknown_text"),
    ((410, "closed"), None, "closed", "closed_text"),
    ((403, "full"), None, "full", "full_text"),
    ((403, "card"), None, "full", "full_text"),
    ((400, "body"), None, "refused", "refused_text"),
    ((200, "counted"), None, "done", "done_text"),
    ((200, "withdrawn"), None, "gone", "gone_text"),
    (None, (404, "unknown"), "unknown", "unknown_text"),
    (None, (410, "closed"), "closed", "not_counted_text"),
    (None, (403, "ticket"), "refused", "refused_text"),
    (None, (409, "withdrawn"), "gone", "gone_text"),
    (None, (422, "report"), "refused", "refused_text"),
    (None, (413, "size"), "refused", "refused_text"),
)  # fmt: skip


def test_every_answer_of_the_server_is_shown(phone):
    answers = open_answers()
    page = phone(NOWHERE, mock=serve(answers))
    for join, report, title, text in TOLD:
        answers["join"] = (join[0], {"state": join[1]}) if join else open_answers()["join"]
        page.evaluate("localStorage.clear()")
        page.reload()
        if report:
            answers["report"] = (report[0], {"state": report[1]})
            tap(page, 0, 0)
            send(page)
        says(page, title)
        expect(page.get_by_text(TEXTS["en"][text], exact=True)).to_be_visible()
        assert page.locator("fieldset").count() == 0


WRONG = (
    {"oracle": "oue"}, {"size": 8}, {"epsilon": 2.1}, {"epsilon": 0}, {"epsilon": 9}, {"epsilon": 0.1},
    {"keep": "b6147869fdc8da20"}, {"keep": "ffffffffffffffff"}, {"keep": ""}, {"questions": []},
    {"size": 1, "questions": [{"text": "?", "choices": ["No"]}]},
)  # fmt: skip


def test_a_promise_that_does_not_add_up_ends_it_before_a_question_is_asked(phone):
    answers = open_answers()
    page = phone(NOWHERE, mock=serve(answers))
    page.locator("fieldset").first.wait_for()
    for wrong in WRONG:
        answers |= open_answers(**wrong)
        page.reload()
        says(page, "bad")
        assert page.locator("fieldset").count() == 0, wrong


def test_a_browser_without_secure_numbers_or_scripts_sends_nothing(room, phone):
    code, _ = room.open_class()
    before = len(room.asked)
    page = phone(room.page(code), script="delete Crypto.prototype.getRandomValues")
    says(page, "old")
    without = phone(room.page(code), quick=False, java_script_enabled=False)
    expect(without.get_by_text("JavaScript? Nothing was sent.")).to_be_visible()
    assert [method for method, _, _ in room.asked[before:]] == ["GET", "GET"]


# ---------------------------------------------------------------- what nobody may learn


@pytest.fixture
def recorder():
    """The port of a server that has everybody's report counted, and the raw bytes of all it was sent."""
    seen: list[bytes] = []

    class Recorder(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, content: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            self.answer(page_bytes(), "text/html; charset=utf-8")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.append(self.raw_requestline + bytes(self.headers) + body)
            told = OPEN if self.path.endswith("/join") else {"state": "counted"}
            self.answer(json.dumps(told).encode(), "application/json")

        def log_message(self, *args) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Recorder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, seen
        server.shutdown()


def test_the_answer_does_not_show_in_the_bytes(phone, recorder):
    """Chance forced so that all four answers lead to one report: every byte that leaves is the same."""
    port, seen = recorder
    url = f"http://127.0.0.1:{port}/r/ABC234"
    record = {"ticket": ticket_of(7), "report": "", "words": "", "ratio": 1, "state": ""}
    for report in (1, 2):
        sent = []
        for cell in range(4):
            kept = [0, 0, 0] if cell == report else [2**32 - 1, 0, report - (report > cell)]
            script = (
                f"localStorage.setItem('calm:ABC234', '{json.dumps(record)}'); ({FORCED})({kept})"
            )
            page = phone(url, script=script)
            page.locator("fieldset").first.wait_for()
            # It has joined: what is said from here on may depend on answers.
            seen.clear()
            tap(page, cell // 2, cell % 2)
            send(page)
            says(page, "done")
            assert page.evaluate(STORED)["report"] == f"{report:04d}"
            sent.append(tuple(seen))
        assert len(set(sent)) == 1 and len(sent[0]) == 1, "\n".join(map(repr, set(sent)))
        assert f'"report":"{report:04d}"'.encode() in sent[0][0]


def test_nothing_is_asked_but_the_page_and_three_posts(room, phone):
    code, _ = room.open_class()
    before = len(room.asked)
    page = phone(room.page(code), quick=False)
    tap(page, 1, 1)
    page.get_by_role("button", name=TEXTS["en"]["attempt"]).click()
    send(page)
    page.get_by_role("button", name=TEXTS["en"]["take"]).click()
    page.get_by_role("button", name=TEXTS["en"]["no"]).click()
    says(page, "done")
    page.get_by_role("button", name=TEXTS["en"]["take"]).click()
    expect(page.get_by_role("button", name=TEXTS["en"]["yes"])).to_be_focused()
    page.get_by_role("button", name=TEXTS["en"]["yes"]).click()
    says(page, "gone")
    path = f"/r/{code}"
    assert [(method, where) for method, where, _ in room.asked[before:]] == [
        ("GET", path), ("POST", f"{path}/join"), ("POST", f"{path}/report"), ("POST", f"{path}/withdraw"),
    ]  # fmt: skip
    assert not page.context.cookies()


HOSTILE = (
    "<img src=x onerror=\"document.title='ran'\"> & &lt;b&gt;",
    "**bold** [link](javascript:alert(1)) $\\frac{1}{2}$ `code`",
    "\u202eevil\u202c \u0647\u0644 \u062a\u0646\u0627\u0645\u061f " + "x" * 150,
    "</script><script>document.title='ran'</script>" + "W" * 150,
)


def test_texts_are_shown_as_they_are_and_run_nothing(phone):
    for first, second in (HOSTILE[:2], HOSTILE[2:]):
        asked = [{"text": text, "choices": [text[:40], "No"]} for text in (first, second)]
        page = phone(NOWHERE, width=320, mock=serve(open_answers(questions=asked, title=first)))
        says_it = page.locator("legend")
        expect(says_it).to_have_count(2)
        assert says_it.all_text_contents() == [first, second]
        assert (
            page.locator("h1").text_content() == first
            and page.locator("main img, main a").count() == 0
        )
        assert page.title() == " ".join(first.split())
        assert {legend.get_attribute("dir") for legend in says_it.all()} == {"auto"}
        tap(page, 0, 0)
        page.get_by_role("button", name=TEXTS["en"]["attempt"]).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert page.evaluate("document.title") != "ran"


# ---------------------------------------------------------------- for everybody


def everywhere(page):
    """Every screen there is, one after the other; each is yielded once it is drawn."""
    answers = page.answers
    says(page, "wait", page.language)
    yield "wait"
    answers["join"] = open_answers()["join"]
    page.locator("fieldset").first.wait_for()
    page.locator("button.main").click()
    expect(page.get_by_role("alert")).to_have_text(TEXTS[page.language]["missing"])
    yield "missing"
    tap(page, 1, 0)
    page.locator("form button").nth(1).click()
    for summary in page.locator("summary").all():
        summary.click()
    yield "ask"
    answers["report"] = (503, {})
    page.locator("button.main").click()
    expect(page.get_by_role("status")).to_have_text(TEXTS[page.language]["again"])
    yield "sending"
    answers["report"] = (200, {"state": "counted"})
    says(page, "done", page.language)
    page.locator("main summary").click()
    page.locator("main > button").click()
    yield "done"
    answers["withdraw"] = (200, {"state": "withdrawn"})
    page.locator("button.main").click()
    says(page, "gone", page.language)
    yield "gone"
    page.evaluate("localStorage.clear()")
    answers["join"] = (404, {"state": "unknown"})
    page.reload()
    says(page, "unknown", page.language)
    page.locator("button.main").click()
    expect(page.get_by_role("alert")).to_have_text(TEXTS[page.language]["enter_text"])
    yield "unknown"
    page.goto(NOWHERE.removesuffix("/ABC234"))
    says(page, "enter", page.language)
    yield "enter"


@pytest.mark.parametrize(
    ("language", "dark", "width"),
    [("en", False, 390), ("de", True, 320), ("fr", False, 320), ("es", True, 390)],
)
def test_every_screen_is_for_everybody(phone, language, dark, width):
    """No violation of axe at all in light and dark, no scrolling sideways, everything as large as a finger."""
    answers = {"join": (200, {"state": "lobby", "title": "How do we live?"})}
    page = phone(
        NOWHERE, locale=language, dark=dark, width=width, mock=serve(answers),
        reduced_motion="reduce", bypass_csp=True,
    )  # fmt: skip
    page.answers, page.language = answers, language
    for screen in everywhere(page):
        # The page is the same in every language, but for the room its texts take.
        found = violations(page) if language in ("en", "de") else ()
        assert not found, (screen, found[0]["id"], found[0]["nodes"][0]["html"][:200])
        assert page.evaluate("document.documentElement.scrollWidth") <= width, screen
        assert not too_small(page), screen
        assert page.evaluate("document.documentElement.lang") == language
    assert page.get_by_role("combobox").input_value() == language


# ---------------------------------------------------------------- the app itself


def test_a_session_through_the_app_below_a_path_behind_caddy(
    tmp_path, phone, chromium, monkeypatch
):
    """As README has it; another process keeps the same file; the log of all of it names nothing."""
    monkeypatch.setenv("CALM_CLASSROOM", str(tmp_path / "room.sqlite3"))
    store = Store(tmp_path / "room.sqlite3")
    keys = store.create(survey(), expected=30)
    teacher = store.teacher(keys.teacher)
    folder = tmp_path / "log"
    folder.mkdir()
    with run_server(folder, base="lab") as (address, _), behind_caddy(address, tmp_path) as outside:
        page = phone(f"{outside}/lab/r/{keys.code}", quick=False, ignore_https_errors=True)
        says(page, "wait")
        expect(page.get_by_text("How do we live?")).to_be_visible()
        # Of this process; the app's knows it by the file.
        assert store.join(keys.code, ticket_of(1)).result().state == "lobby"
        teacher.open()
        tap(page, 1, 0)
        send(page)
        says(page, "done")
        answer = page.request.get(f"{outside}/lab/r/{keys.code}")
        assert answer.body() == page_bytes() and answer.headers["cache-control"] == "no-store"
        assert answer.headers["content-security-policy"] == page_policy()
        assert (
            page.request.get(f"{outside}/lab/r/{keys.code}/").url == f"{outside}/lab/r/{keys.code}"
        )
        page.goto(f"{outside}/lab/r/")
        type_code(page, keys.code.lower())
        says(page, "done")
        assert not page.context.cookies()
        ticket = page.evaluate(STORED)["ticket"]
        # And the app itself.
        app = chromium.new_page(ignore_https_errors=True)
        app.goto(f"{outside}/lab/about")
        app.get_by_role("heading", name="How it works").wait_for(timeout=PATIENCE)
        assert app.evaluate("isSecureContext")
        app.close()
    assert teacher.progress().reports == 1
    said = (folder / "log.txt").read_text().lower()
    for secret in (keys.code, ticket, "question 1", "/r/"):
        assert secret.lower() not in said
    assert "127.0.0.1:" not in said.replace(address.removeprefix("http://"), "")
    teacher.close()
    with closing(sqlite3.connect(tmp_path / "room.sqlite3")) as db:
        assert db.execute("SELECT count(*) FROM tickets").fetchone() == (0,)
    store.stop()
