"""Collect in a browser: reports come in, the table settles, the title tells the moment."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import box_of, eventually, keys_heard, resized, sent, settled, until

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
# Everything that is drawn, with its places, to be compared between two frames.
DRAWN = """() => {
  const root = [...document.querySelectorAll("*")].map(e => e.shadowRoot).find(r => r?.querySelector(".cards"))
    ?? document
  return document.querySelector("h1").textContent + root.querySelector(".root:has(.cards)").outerHTML
}"""
TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def points_in(text: str) -> float:
    return float(re.search(r"±([\d.,]+)", text)[1].replace(",", ""))


def points(page) -> float:
    return points_in(page.locator(".number").inner_text())


def title(page) -> str:
    return page.locator("h1").inner_text()


def railed(page) -> str:
    """What the stepper tells of this step."""
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


def test_the_collection_plays_in_eight_seconds_and_ends_at_the_run(visit):
    page = visit("collect")
    page.locator("svg .cap").first.wait_for()
    heading, slider = page.locator("h1"), page.get_by_role("slider", name="Reports so far")
    expect(heading).to_have_text("All 60,000 reports are in")
    page.evaluate(LISTEN)
    last = points(page)
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").click()
    until(page, "playing.length == 2 && moments.length > 0")
    number, when, rail = page.evaluate("moments[0]")
    assert points_in(number) > 3 * last and "almost pure noise" in when
    assert not rail.endswith("60,000 reports")
    page.evaluate(TWO_FRAMES)
    held = title(page)
    page.evaluate(TWO_FRAMES)
    assert title(page) == held, "it rests where it was stopped"
    slider.press("End")
    expect(heading).to_have_text("All 60,000 reports are in")
    page.evaluate("slowest = 0")
    page.get_by_role("button", name="Play").click()
    until(page, "playing.length == 4")
    begun, ended = (page.evaluate("playing")[i][0] for i in (2, 3))
    late = page.evaluate("slowest")
    assert 7000 <= ended - begun <= 8500 + 2 * late, f"{ended - begun:.0f} ms"
    expect(heading).to_have_text("All 60,000 reports are in")
    assert points(page) == last and railed(page) == "60,000 reports"
    # Played to its end it can be played again; elsewhere on the way it goes on.
    page.get_by_role("button", name="Play again").wait_for()
    slider.press("Home")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    slider.press("End")
    expect(heading).to_have_text("All 60,000 reports are in")
    who_wants_less_motion_steps_on_request(page)
    # What all groups give together is the number of the next step, and the stepper tells the same.
    result = page.locator(".result").inner_text()
    told = re.search(r"±[\d.]+ points", result)[0]
    assert "60,000 reports" in page.locator(".st-key-stepper").inner_text()
    page.locator(".st-key-way_on a").click()
    page.locator(".st-key-stepper").get_by_text(told).wait_for()


def who_wants_less_motion_steps_on_request(page) -> None:
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


def test_scrubbing_tells_every_moment_and_asks_nobody(visit):
    page = visit("collect", width=390, height=844)
    page.locator("svg .cap").first.wait_for()
    number_table_slider_and_views_follow_each_other_on_a_phone(page)
    resized(page, 1280, 720)
    before = sent(page)
    scrub(page, "600")
    early = points(page)
    assert title(page) == "600 reports: almost pure noise"
    assert re.fullmatch(r"from \d+ reports of one group", page.locator(".group").inner_text())
    # Shares below zero are drawn below zero, none is cut off at an end of the axis.
    assert page.locator(".tick-text").first.text_content().startswith("-")
    assert page.locator(".ghost.beyond").count() == 0
    below = page.evaluate("""() => {
      const root = [...document.querySelectorAll("*")].map(e => e.shadowRoot).find(r => r?.querySelector(".cards")) ?? document
      const zero = +root.querySelector("line.zero").getAttribute("y1"), ends = root.querySelectorAll("line.tick")
      const deepest = Math.max(...[...root.querySelectorAll(".plot .ghosts circle")].map(dot => +dot.getAttribute("cy")))
      return [deepest - zero, Math.max(...[...ends].map(line => +line.getAttribute("y1"))) - deepest]
    }""")
    assert below[0] > 5 and below[1] >= -1
    scrub(page, "6,000")
    assert railed(page) == "6,000 reports"
    assert title(page).startswith("6,000 reports: the order") and 2.5 < early / points(page) < 4.5
    fill = page.locator("button.card").first.evaluate(
        "card => card.style.getPropertyValue('--full')"
    )
    assert 5 < float(fill.rstrip("%")) < 15
    expect(page.get_by_text("only noisy reports cross")).to_be_visible()
    settled(page)
    assert sent(page) == before, "moments are in the browser"
    # The moment is that of the playback: beside another view all have reported.
    page.get_by_role("radio", name="One person").click()
    until(page, "document.querySelector('h1').textContent.startsWith('Only one')")
    page.locator(".cards").wait_for(state="detached")
    settled(page)
    assert railed(page) == "60,000 reports"
    one_person_reports(page)


def what_is_below_is_above_the_strip(page) -> None:
    """Many groups leave room for the choice of another look at them."""
    segments, strip = (
        page.locator(".st-key-view_collect"),
        page.locator(".st-key-settings_bar .settings-bar"),
    )
    eventually(lambda: _above(box_of(segments), box_of(strip)))


def _above(upper, lower) -> None:
    assert upper["y"] + upper["height"] <= lower["y"]


def test_a_card_selects_its_view_by_keyboard_with_one_message(visit):
    page = visit("collect?source=browsing&d=16")
    page.get_by_role("button", name="+ 81 more").wait_for()
    cards = page.locator("button.card[aria-pressed]")
    expect(cards).to_have_count(39)
    what_is_below_is_above_the_strip(page)
    page.get_by_role("button", name="+ 81 more").click()
    expect(cards).to_have_count(120)
    scrub(page, "600")
    card = cards.nth(70)
    name = card.get_attribute("title")
    card.focus()
    page.keyboard.press("Enter")
    until(
        page,
        "name => [...document.querySelectorAll('*')].some(e => (e.shadowRoot ?? e).querySelector?.(`.card[aria-pressed=true][title='${name}']`))",
        arg=name,
    )
    page.get_by_text("20 other collections").wait_for()
    settled(page)
    expect(card).to_have_attribute("aria-pressed", "true")
    expect(page.locator("h1")).to_have_text(re.compile("^600 reports"))
    expect(card).to_be_focused()
    for attribute in name.split(" × "):
        expect(page.locator(".head h2")).to_contain_text(attribute, ignore_case=True)


def test_a_lecture_stops_at_600_at_6000_and_at_all(visit):
    page = visit("collect?presenter=1")
    keys_heard(page)
    for wanted in ("600 reports", "6,000 reports", "All 60,000 reports"):
        expect(page.locator("h1")).to_have_text(re.compile(f"^{wanted}"))
        page.get_by_text("20 other collections").wait_for()
        for width, height in ((1280, 720), (1920, 1080)):
            resized(page, width, height)
            eventually(lambda height=height: fills_the_room(page, height))
        page.keyboard.press("PageDown")
    expect(page.locator("h1")).not_to_have_text(re.compile("reports"))


def fills_the_room(page, height: int) -> None:
    """One chart above the settings bar, texts that are read from the back row."""
    chart = box_of(page.locator(".plot svg"))
    assert chart["height"] >= 0.58 * height and chart["y"] + chart["height"] <= height - 96
    sizes = page.locator(".plot text, .head > :visible, .number *, .band:visible").evaluate_all(
        "all => all.filter(e => e.textContent.trim()).map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 22
    assert page.locator("h1").count() == 1 and page.locator(".number").count() == 1


def number_table_slider_and_views_follow_each_other_on_a_phone(page) -> None:
    def check() -> None:
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
        tops = [
            box_of(page.locator(part).first)["y"]
            for part in (".number", ".plot", ".scrub", ".cards")
        ]
        assert tops == sorted(tops)
        assert box_of(page.locator("button.card").first)["height"] >= 44
        assert box_of(page.locator(".scrub input"))["height"] >= 44
        sizes = page.locator(".plot text").evaluate_all(
            "all => all.map(e => parseFloat(getComputedStyle(e).fontSize))"
        )
        assert min(sizes) >= 14

    eventually(check)


def one_person_reports(page) -> None:
    expect(page.locator("h1")).to_have_text("Only one noisy report leaves her device")
    page.get_by_role("button", name="Report").click()
    page.get_by_text("What the collector receives (press 1)").wait_for()
    page.get_by_role("button", name="Report again").click()
    page.get_by_text("What the collector receives (press 2)").wait_for()
    bars = page.get_by_role("img", name=re.compile("^(before|a report)"))
    expect(bars).to_have_count(3)
    settled(page)
    page.get_by_text("Reports come in", exact=True).click()
    expect(page.locator("h1")).to_have_text("All 60,000 reports are in")
