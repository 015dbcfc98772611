"""Collect: reports come in, the table settles, the title describes the moment."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import (
    TWO_FRAMES,
    above_the_strip,
    box_of,
    count_sent,
    eventually,
    fills_the_room,
    resize,
    settle,
    wait_for_keys,
    wait_until,
)

# When the picture began and ceased to play; what title and number said with every change, and what the
# rail said; the longest a frame took.
LISTEN = """() => {
    window.playing = [];
    window.addEventListener("calm-playing", event => playing.push([performance.now(), event.detail.on]));
    const root = [...document.querySelectorAll("*")].map(e => e.shadowRoot).find(r => r?.querySelector(".cards"));
    const told = () => ["h1", ".st-key-stepper [class*=step_collect] a"].map(part => document.querySelector(part).innerText);
    window.moments = [];
    new MutationObserver(() => moments.push([root.querySelector(".number").textContent, ...told()]))
        .observe(root.querySelector(".number"), { subtree: true, childList: true, characterData: true });
    window.slowest = 0;
    let last = performance.now();
    const look = now => { slowest = Math.max(slowest, now - last); last = now; requestAnimationFrame(look) };
    requestAnimationFrame(look);
}"""
# The clock of the page goes eight times as fast.
FAST = """() => {
    const frame = window.requestAnimationFrame, clock = performance.now.bind(performance), begun = clock();
    const fast = time => begun + 8 * (time - begun);
    performance.now = () => fast(clock());
    window.requestAnimationFrame = act => frame(time => act(fast(time)));
}"""
# Everything that is drawn, with its places, to be compared between two frames.
DRAWN = """() => {
  const root = [...document.querySelectorAll("*")].map(e => e.shadowRoot).find(r => r?.querySelector(".cards"))
    ?? document
  return document.querySelector("h1").textContent + root.querySelector(".root:has(.cards)").outerHTML
}"""


def wrong_in(text: str) -> float:
    return float(re.search(r"[\d.]+", text)[0])


def wrong(page) -> float:
    return wrong_in(page.locator(".number").inner_text())


def title(page) -> str:
    return page.locator("h1").inner_text()


def stepper_text(page) -> str:
    """What the rail tells of this step."""
    return page.locator(".st-key-stepper [class*=step_collect] a").inner_text().split("\n")[-1]


def scrub(page, reports: str) -> None:
    """Move the slider by its keys until so many reports are in."""
    slider = page.get_by_role("slider", name="Reports so far")
    slider.press("Home")
    for _ in range(60):
        if f"{reports} reports" in (slider.get_attribute("aria-valuetext") or ""):
            return
        slider.press("ArrowRight")
    pytest.fail(f"no moment of {reports} reports")


def test_the_collection_plays_and_is_scrubbed(visit):
    page = visit("collect")
    page.locator("svg .cap").first.wait_for()
    heading, slider = page.locator("h1"), page.get_by_role("slider", name="Reports so far")
    expect(heading).to_have_text("All 60,000 reports are in")
    page.evaluate(LISTEN)
    last = wrong(page)
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").click()
    wait_until(page, "playing.length == 2 && moments.length > 0")
    number, when, rail = page.evaluate("moments[0]")
    assert wrong_in(number) > 3 * last and "almost pure noise" in when
    assert not rail.endswith("60,000 reports")
    page.evaluate(TWO_FRAMES)
    held = title(page)
    page.evaluate(TWO_FRAMES)
    assert title(page) == held, "it rests where it was stopped"
    slider.press("End")
    expect(heading).to_have_text("All 60,000 reports are in")
    page.evaluate(FAST)
    page.evaluate("slowest = 0")
    page.get_by_role("button", name="Play").click()
    wait_until(page, "playing.length == 4")
    begun, ended = (page.evaluate("playing")[i][0] for i in (2, 3))
    late = page.evaluate("slowest")
    assert 7000 <= ended - begun <= 8500 + 2 * late, f"{ended - begun:.0f} ms"
    expect(heading).to_have_text("All 60,000 reports are in")
    assert wrong(page) == last and stepper_text(page) == "60,000 reports"
    page.get_by_role("button", name="Play again").wait_for()
    less_motion_steps_on_request(page)
    scrubbing_shows_every_moment_without_asking_the_server(page)


def less_motion_steps_on_request(page) -> None:
    page.emulate_media(reduced_motion="reduce")
    for wanted in ("600 reports", "6,000 reports", "All 60,000 reports", "600 reports"):
        page.get_by_role("button", name="Play").click()
        expect(page.locator("h1")).to_have_text(re.compile(f"^{wanted}"))
        # A playback would move on for seconds: that it rests is seen within one.
        for _ in range(10):
            before = page.evaluate(DRAWN)
            page.evaluate(TWO_FRAMES)
            if resting := page.evaluate(DRAWN) == before:
                break
        assert resting, "nothing moves between two frames"
    page.get_by_role("slider", name="Reports so far").press("End")
    page.emulate_media(reduced_motion="no-preference")


def scrubbing_shows_every_moment_without_asking_the_server(page) -> None:
    resize(page, 390, 844)
    eventually(lambda: parts_are_in_order(page))
    resize(page, 1280, 720)
    before = count_sent(page)
    scrub(page, "600")
    early = wrong(page)
    assert title(page) == "600 reports: almost pure noise"
    assert re.fullmatch(r"from \d+ reports of one group", page.locator(".group").inner_text())
    # Shares below zero are drawn below zero, none is cut off at an end of the axis.
    assert page.locator(".tick-text").first.text_content().startswith("-")
    assert page.locator(".ghost.beyond").count() == 0
    scrub(page, "6,000")
    assert stepper_text(page) == "6,000 reports" and 2.5 < early / wrong(page) < 4.5
    fill = page.locator("button.card").first.evaluate(
        "card => card.style.getPropertyValue('--full')"
    )
    assert 5 < float(fill.rstrip("%")) < 15
    settle(page)
    assert count_sent(page) == before
    # Beside another view all have reported.
    page.get_by_role("radio", name="One person").click()
    wait_until(page, "document.querySelector('h1').textContent.startsWith('Only one')")
    page.locator(".cards").wait_for(state="detached")
    settle(page)
    assert stepper_text(page) == "60,000 reports"


def parts_are_in_order(page) -> None:
    """On a phone the number stands above the table, the slider and the views."""
    parts = (".number", ".plot", ".scrub", ".cards")
    tops = [box_of(page.locator(part).first)["y"] for part in parts]
    assert tops == sorted(tops)


def test_a_card_selects_its_view_by_keyboard_and_keeps_the_moment(visit):
    page = visit("collect?source=browsing&d=16")
    page.get_by_role("button", name="+ 81 more").wait_for()
    cards = page.locator("button.card[aria-pressed]")
    expect(cards).to_have_count(39)
    eventually(lambda: above_the_strip(page, ".st-key-view_collect"))
    page.get_by_role("button", name="+ 81 more").click()
    expect(cards).to_have_count(120)
    scrub(page, "600")
    card = cards.nth(70)
    name = card.get_attribute("title")
    card.focus()
    page.keyboard.press("Enter")
    expect(page.locator(f".card[aria-pressed=true][title='{name}']")).to_have_count(1)
    page.get_by_text("20 repeats").wait_for()
    settle(page)
    expect(page.locator("h1")).to_have_text(re.compile("^600 reports"))
    expect(card).to_be_focused()


def test_a_lecture_stops_at_600_at_6000_and_at_all(visit):
    page = visit("collect?presenter=1")
    wait_for_keys(page)
    for wanted in ("600 reports", "6,000 reports", "All 60,000 reports"):
        expect(page.locator("h1")).to_have_text(re.compile(f"^{wanted}"))
        page.get_by_text("20 repeats").wait_for()
        eventually(lambda: fills_the_room(page, ".plot svg"))
        page.keyboard.press("PageDown")
    expect(page.locator("h1")).not_to_have_text(re.compile("reports"))
