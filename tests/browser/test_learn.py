"""Learn: cards, a lesson from its idea to its end, keys, address, the teacher's sheet."""

import re

from playwright.sync_api import expect

from pages.panels.learn import lessons
from tests.browser.conftest import (
    above_the_strip,
    box_of,
    eventually,
    fills_the_room,
    resize,
    settle,
    wait_for_keys,
    wait_until,
)


def at_step(page, number: int) -> None:
    page.wait_for_url(re.compile(r"lesson=coin" + (f"&at={number}" if number else "$")))
    page.get_by_text(f"step {number + 1} of 4").wait_for()
    settle(page)
    wait_for_keys(page)


def above_the_foot(cards) -> None:
    for box in map(box_of, cards.all()):
        assert box["y"] + box["height"] <= 720


def test_the_sheet_is_downloaded_and_a_lesson_played_from_its_card(visit, server):
    page = visit("learn")
    cards = page.locator("a.card")
    expect(cards).to_have_count(len(lessons()))
    expect(page.locator(".card.teachers")).to_have_count(1)
    expect(page.locator("h1")).to_have_count(1)
    before = page.evaluate("history.length")
    eventually(lambda: above_the_foot(page.locator(".card")))
    with page.expect_download() as taken:
        page.get_by_role("button", name="Teacher's sheet").click()
    text = taken.value.path().read_text("utf-8")
    assert all(f"{server}/learn?lesson={lesson.key}" in text for lesson in lessons().values())
    assert "this computer only" in text
    settle(page)
    cards.filter(has_text="A coin flip").click()
    at_step(page, 0)
    page.keyboard.press("ArrowRight")
    at_step(page, 1)
    a_frame_that_arrives_late_draws_the_current_picture(page)
    page.keyboard.press("ArrowRight")
    at_step(page, 1)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys").get_by_role("row")).to_have_count(4)
    page.keyboard.press("Escape")
    # Nothing goes on before the guess, neither button nor keys.
    onward = page.get_by_role("button", name="See the answer")
    expect(onward).to_be_disabled()
    page.keyboard.press("PageDown")
    at_step(page, 1)
    field = page.locator("input[type=range][aria-label='Your guess']")
    field.hover()
    box = box_of(field)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 22)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.12, box["y"] + 22, steps=8)
    expect(page.get_by_text(re.compile(r"^you: \d+$"))).to_be_visible()
    page.mouse.up()
    # A key moves it by a step; another tab knows nothing of it.
    guess = field.get_attribute("aria-valuetext")
    field.press("ArrowLeft")
    expect(field).not_to_have_attribute("aria-valuetext", guess)
    page.get_by_text(f"you: {field.get_attribute('aria-valuetext')}", exact=True).wait_for()
    settle(page)
    other = visit("learn?lesson=coin&at=1")
    expect(other.get_by_text("drag to guess")).to_be_visible()
    expect(other.get_by_role("button", name="See the answer")).to_be_disabled()
    onward.and_(page.locator(":enabled")).click()
    at_step(page, 2)
    reported = page.get_by_text(re.compile(r"^reported: \d+$"))
    said = int(reported.text_content().split()[1])
    guess = int(page.get_by_text(re.compile(r"^you: \d+$")).text_content().split()[1])
    expect(page.get_by_text(f"More than you thought: {said}, not {guess}.")).to_be_visible()
    expect(page.locator("g[style*='--reconstructed']")).to_have_count(said)
    # The guess outlives a reload, in this tab only.
    page.reload()
    page.get_by_text(f"you: {guess}").wait_for()
    at_step(page, 2)
    page.keyboard.press("PageDown")
    at_step(page, 3)
    page.keyboard.press("PageUp")
    at_step(page, 2)
    assert page.evaluate("history.length") == before
    page.keyboard.press("PageDown")
    at_step(page, 3)
    page.get_by_role("button", name="All lessons").click()
    page.get_by_text(f"1 of {len(lessons())}").wait_for()
    expect(cards.nth(1)).to_contain_text("done")
    expect(cards.nth(1)).to_contain_text("Again")


def test_a_lesson_in_a_lecture_can_be_read_from_the_back_row(visit):
    for lesson, at in (("agreement", 2), ("splitting", 3)):
        page = visit(f"learn?lesson={lesson}&at={at}&presenter=1")
        page.locator(".card svg[role=img]").first.wait_for()
        for size in ((1280, 720), (1920, 1080)):
            resize(page, *size)
            eventually(lambda page=page: fills_the_room(page, ".card"))
        # Nothing to press, and no word that only a pointer explains.
        assert page.locator(".st-key-lesson_ways, a.term").count() == 0


def all_cards_are_seen(page) -> None:
    """In a lecture, see test_every_page.py: all lessons stand above the settings bar."""
    cards = page.locator("a.card")
    assert cards.count() == len(lessons())
    above_the_strip(page, *cards.all())


def test_a_dotted_word_leads_to_the_glossary(visit):
    page = visit("about#repeat", wait=False)
    heading = page.get_by_role("heading", name="Repeat")
    heading.wait_for()
    page.get_by_text("A real survey never has it").wait_for()
    wait_until(
        page,
        """() => { const y = document.querySelector("#repeat").getBoundingClientRect().y
          return y >= 52 && y < innerHeight }""",
    )


def a_frame_that_arrives_late_draws_the_current_picture(page) -> None:
    # A picture with a line to guess on is asked for, and drawn when one without it is there. What a page
    # throws fails its test in `visit`.
    page.evaluate("""() => {
        const soon = requestAnimationFrame
        window.late = []
        window.requestAnimationFrame = frame => late.push(frame)
        dispatchEvent(new Event("resize"))
        window.requestAnimationFrame = soon
    }""")
    page.keyboard.press("PageUp")
    at_step(page, 0)
    assert page.evaluate("late.length") > 0
    page.evaluate("late.forEach(frame => frame())")
