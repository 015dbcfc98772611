"""A whole lesson in Chromium: a teacher makes a survey, phones answer it, and in the end nothing is left."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from calm_core.classroom.export import export_zip, read_zip
from calm_core.classroom.store import Store
from calm_core.classroom.survey import Question, Survey
from pages import words
from pages.panels.classroom import wall
from pages.words.languages import PHONE
from tests.browser.conftest import (
    PATIENCE,
    above_the_strip,
    choose_file,
    enter_lecture,
    eventually,
    fits_the_width,
    leave_lecture,
    read_from_the_back_row,
    resize,
    settle,
    wait_for_keys,
)
from tests.browser.test_classroom_phone import QUICK, says, send, tap
from tests.browser.test_every_page import IN_COLORS, WIDE, check_sizes, violations
from tests.browser.test_every_page import PHONE as NARROW
from tests.classroom.http_server import ask, phone_message, ticket_of
from tests.classroom.test_liars import count_lies, pushed_survey

SAID, RESULTS = words.classroom, words.classroom_results
TITLE, QUESTION = "Xylophone <b>lesson</b>", "Do you <img src=x> play **the** xylophone $x$?"
# Of them one is in a browser; of fewer than ten no results are shown.
PHONES = 12


@pytest.fixture
def open_phone(chromium):
    """Open the survey's page on a phone, in English."""
    contexts, wrong = [], []

    def go(url: str):
        context = chromium.new_context(viewport={"width": 390, "height": 844}, locale="en")
        context.set_default_timeout(PATIENCE)
        context.add_init_script(QUICK)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(url)
        return page

    yield go
    for context in contexts:
        context.close()
    assert not wrong, wrong[:3]


def post(port: int, code: str, what: str, body: str) -> dict:
    """What a phone without a browser posts; the answer."""
    status, _, answer = ask(port, "POST", f"/r/{code}/{what}", body)
    assert status == 200, answer
    return json.loads(answer)


def press(page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).filter(visible=True).first.click()
    settle(page)


def view(page, name: str) -> None:
    """A secondary view, or a step."""
    page.get_by_role("radio", name=name, exact=True).click()
    expect(page.get_by_role("radio", name=name, exact=True)).to_have_attribute(
        "aria-checked", "true"
    )
    settle(page)


def count(page, label: str):
    """One of the three numbers on top."""
    return page.locator(".counts > div").filter(has=page.locator("dt", has_text=label)).locator("b")


def light_and_dark(page) -> None:
    """Axe has nothing to say in the one or the other, not even of little weight."""
    # The page is the same in both, its colors are not.
    for scheme, rules in (("dark", IN_COLORS), ("light", ())):
        page.emulate_media(color_scheme=scheme)
        # Streamlit draws anew in the other colors.
        expect(page.locator("[data-testid=stApp]")).to_have_css("color-scheme", scheme)
        eventually(lambda rules=rules: nothing_to_say(page, *rules))


def nothing_to_say(page, *rules: str) -> None:
    found = violations(page, *rules)
    assert not found, found


def for_everybody(page) -> None:
    """Axe has nothing to say in light and dark, and a phone shows it all."""
    light_and_dark(page)
    resize(page, *NARROW)
    check_sizes(page)
    resize(page, *WIDE)


def in_a_lecture(page) -> None:
    """Everything that is seen in a lecture can be read from the back row, and lies above the settings bar."""
    enter_lecture(page)

    def check() -> None:
        read_from_the_back_row(page)
        fits_the_width(page)

    eventually(check)


def asked_before_leaving(page) -> None:
    """A reload, or Back, by accident: what is shown once, or a lesson that goes on, would be left."""
    with page.expect_event("dialog") as told:
        page.evaluate("void setTimeout(() => location.reload())")
    assert told.value.type == "beforeunload"
    told.value.dismiss()


def test_a_whole_lesson(visit, open_phone, server):
    page = visit("classroom")
    # The first template, with a title and a question of one's own.
    page.get_by_label(SAID.SURVEY_TITLE).fill(TITLE)
    page.get_by_label("Question 1").fill(QUESTION)
    page.keyboard.press("Tab")
    settle(page)
    expect(page.locator(".st-key-class_forecast")).to_contain_text(
        "With 30 people, 3 questions and ε = 2"
    )
    press(page, SAID.MAKE)
    codes = page.locator(".st-key-class_keys [data-testid=stCode]")
    expect(codes).to_have_count(3)
    teacher, _, link = codes.all_inner_texts()
    asked_before_leaving(page)
    # A question that is not waited for would end the download.
    with page.expect_download() as keys:
        page.get_by_role("link", name=SAID.SAVE_KEYS).click()
    assert keys.value.suggested_filename.endswith(".txt")
    expect(codes).to_have_count(3)
    press(page, SAID.ON_TO_LOBBY)

    # The lobby: the code is large, its border white, and phones come in.
    asked_before_leaving(page)
    code = page.locator(".calm-survey-code").inner_text().replace(" ", "")
    assert len(code) == 6 and teacher not in page.url and page.url.endswith(f"survey={code}")
    eventually(lambda: wide(page.locator(".calm-qr")))
    expect(page.get_by_role("button", name=SAID.OPEN).filter(visible=True)).to_be_disabled()
    for_everybody(page)
    # What is typed while the page is drawn anew may be lost.
    settle(page)
    page.locator(".st-key-class_address input").fill("10.1.2.3:9000")
    page.keyboard.press("Enter")
    expect(page.locator(".calm-survey-address")).to_have_text(f"10.1.2.3:9000/r/{code}")
    page.locator("h1").click()
    phone = open_phone(f"{server}/r/{code}")
    says(phone, "wait")
    port = int(server.rpartition(":")[2])
    others = [ticket_of(number) for number in range(1, PHONES)]
    for ticket in others:
        post(port, code, "join", phone_message(ticket))
    expect(page.locator(".calm-class-number b")).to_have_text(str(PHONES))
    in_a_lecture(page)
    press(page, SAID.OPEN)
    # A wall on another computer, by its link.
    screen = visit(f"classroom?{link.partition('?')[2]}")
    expect(screen.locator(".calm-survey-code")).to_be_visible()
    # The address that the teacher has typed is on every screen.
    expect(screen.locator(".calm-survey-address")).to_have_text(f"10.1.2.3:9000/r/{code}")
    expect(count(screen, "Phones")).to_have_text(str(PHONES))
    assert not screen.get_by_role("button", name=SAID.SHOW).count()

    # They answer.
    phone.locator("fieldset").first.wait_for()
    tap(phone, *[0] * phone.locator("fieldset").count())
    send(phone)
    says(phone, "done")
    for number, ticket in enumerate(others):
        size = post(port, code, "join", phone_message(ticket))["size"]
        post(port, code, "report", phone_message(ticket, f"{number % size:04d}"))
    expect(count(screen, "Reports")).to_have_text(str(PHONES))
    expect(screen.get_by_text(SAID.NOT_SHOWN)).to_be_visible()
    assert not screen.locator("section h2").count()

    # The wall shows what the teacher shows: what arrived, corrected, which go together.
    press(page, SAID.SHOW)
    expect(screen.locator("section h2")).to_have_count(3)
    expect(screen.locator("section h2").first).to_have_text(QUESTION)
    expect(screen.locator("section .track .band:visible")).to_have_count(0)
    expect(page.locator("section .track .dot:visible")).to_have_count(3)
    wait_for_keys(page)
    page.keyboard.press("PageDown")
    expect(page.locator("section .track .band:visible")).to_have_count(3)
    page.keyboard.press("PageUp")
    expect(page.locator("section .track .band:visible")).to_have_count(0)
    leave_lecture(page)
    view(screen, SAID.STEPS["corrected"])
    expect(screen.locator("section .track .band:visible")).to_have_count(3)
    expect(screen.locator("section .asked").first).to_contain_text("people")
    for_everybody(screen)
    view(screen, SAID.STEPS["together"])
    expect(screen.locator(".pair tbody td")).to_have_count(4)

    # Closed: three questions answered, the lesson told.
    page.locator(".st-key-class_close button:visible").first.click()
    press(page, SAID.CLOSE_YES)
    expect(page.get_by_role("radio", name=RESULTS.VIEWS[""])).to_be_visible()
    phone.get_by_role("button", name=PHONE["en"]["take"]).click()
    phone.get_by_role("button", name=PHONE["en"]["yes"]).click()
    says(phone, "late")
    eventually(lambda: nothing_to_say(page))
    resize(page, *NARROW)
    for name in RESULTS.VIEWS.values():
        view(page, name)
        check_sizes(page)
    resize(page, *WIDE)

    # Saved, and deleted.
    with page.expect_download() as loading:
        page.get_by_role("link", name=RESULTS.EXPORT).click()
    assert read_zip(Path(loading.value.path()).read_bytes()).n == PHONES
    page.locator(".st-key-class_delete button:visible").first.click()
    press(page, RESULTS.DELETE_YES)
    expect(page.get_by_text(RESULTS.DELETED)).to_be_visible()
    # A screen elsewhere says so by itself, and shows nothing of it any more.
    expect(screen.get_by_text("has been deleted")).to_be_visible()
    expect(screen.get_by_role("button", name=SAID.MAKE, exact=True)).to_be_visible()
    expect(screen.get_by_text(TITLE)).to_have_count(0)


SIX = tuple(f"Answer number {at} is a long one, indeed" for at in range(6))


def save_survey(folder, rng, title: str, asked: list[Question]) -> bytes:
    """A closed survey of 40 phones, as its file."""
    store = Store(folder / "room.sqlite3")
    keys = store.create(Survey(title, asked), expected=40)
    phones = [ticket_of(number) for number in range(40)]
    for phone in phones:
        store.join(keys.code, phone).result()
    teacher = store.teacher(keys.teacher)
    teacher.open()
    for phone in phones:
        size = store.join(keys.code, phone).result().body["size"]
        store.report(keys.code, phone, f"{rng.integers(size):04d}").result()
    teacher.close()
    content = export_zip(teacher.report_counts(), rng=rng)
    store.stop()
    return content


def brought_back(page, content: bytes) -> None:
    file = {"name": "class.zip", "mimeType": "application/zip", "buffer": content}
    choose_file(page, page.locator("input[type=file]"), file)
    page.locator(".st-key-class_keys").wait_for()
    settle(page)
    press(page, SAID.ON_TO_RESULTS)


def test_six_long_answers_each_are_seen_in_a_lecture_and_scroll_by_themselves_on_a_phone(
    visit, tmp_path, rng
):
    asked = [Question(f"q{at}", f"{at} Do you think {'very ' * 35}?", SIX) for at in range(2)]
    page = visit("classroom?view=file")
    brought_back(page, save_survey(tmp_path, rng, "A long title " * 9, asked))
    view(page, SAID.STEPS["together"])
    expect(page.locator(".pair tbody td")).to_have_count(36)
    resize(page, *NARROW)
    eventually(lambda: scrolls_by_itself(page))
    resize(page, *WIDE)
    in_a_lecture(page)
    expect(page.get_by_text(SAID.STEPS["together"])).to_be_visible()
    parts = (".pair table", ".pair .told .link", ".pair .told .asked")
    eventually(lambda: above_the_strip(page, *parts))
    # What is doubtful of a link, and how many were asked, ends what stands beside the table.
    told = page.locator(".pair .told")
    assert told.evaluate("box => box.scrollHeight <= box.clientHeight + 1")
    expect(told.locator(".asked")).to_have_text("from 40 people with both")
    expect(told.locator(".link")).to_have_text(re.compile("direction only|chance|no link"))


def test_what_lies_did_is_one_picture_and_one_number(visit, rng):
    page = visit("classroom?view=file")
    brought_back(page, export_zip(count_lies(pushed_survey(), 0.3, 6, 54, rng), rng=rng))
    view(page, SAID.STEPS[wall.LIED])
    expect(page.locator("section .row")).to_have_count(3)
    for_everybody(page)
    in_a_lecture(page)
    number = page.locator(".calm-headline b").inner_text()
    assert int(number) > 0
    expect(page.get_by_text(f"The lies add {int(number)} points.")).to_be_visible()
    eventually(lambda: all_above_the_strip(page))


THREE = ("less than 7 h", "7 to 8 h", "longer")


def test_no_line_of_a_lecture_lies_under_its_strip(visit, tmp_path, rng):
    asked = [
        Question("sleep", "How long did you sleep?", THREE),
        Question("way", "How long is the way to school, from door to door, in all weathers?", THREE),
        *(Question(f"q{at}", f"Is number {at} what you would have chosen yourself?", ("No", "Yes")) for at in range(5)),
    ]  # fmt: skip
    page = visit("classroom?view=file")
    brought_back(page, save_survey(tmp_path, rng, "Sleep and school", asked))
    # What arrived has the same lines below a shorter title.
    view(page, SAID.STEPS["corrected"])
    in_a_lecture(page)
    steps = wall.list_steps(asked, brief=True, closed=True)
    pictures = [at for at, step in enumerate(steps) if step.kind in ("corrected", "together")]
    for at in pictures:
        step = steps[at]
        expect(page.locator("section")).to_have_count(len(step.questions))
        expect(page.get_by_text(SAID.STEPS[step.kind])).to_be_visible()
        for size in ((1024, 768), WIDE):
            resize(page, *size)
            eventually(lambda: all_above_the_strip(page))
        if at != pictures[-1]:
            page.keyboard.press("PageDown")
            expect(page).to_have_url(re.compile(f"at={at + 1}"))
            settle(page)


def all_above_the_strip(page) -> None:
    parts = page.locator("section, .axis, .pair table, .told p").all()
    assert parts
    above_the_strip(page, *parts)


def scrolls_by_itself(page) -> None:
    """The table is wider than the phone, the page is not; no name is broken into letters."""
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("box => box.scrollWidth <= box.clientWidth")
    assert page.locator(".pair .scroll").evaluate("box => box.scrollWidth > box.clientWidth")
    names = page.locator(".pair tbody th .name").evaluate_all("all => all.map(a => a.clientWidth)")
    assert min(names) >= 60


def wide(code) -> None:
    """A QR code is large enough for the back row's phones."""
    assert code.bounding_box()["width"] >= 320
