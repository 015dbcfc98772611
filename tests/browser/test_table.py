"""The table component: on Start while epsilon is dragged, on Tables with many cells."""

import re

from playwright.sync_api import expect

from pages import words
from tests.browser.conftest import (
    TWO_FRAMES,
    box_of,
    enter_lecture,
    eventually,
    fills_the_room,
    fits_the_width,
    found,
    leave_lecture,
    resized,
    sent,
    settled,
    until,
)
from tests.browser.test_frame import until_address

TABLE = "(root => [...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.root[data-ready]')).find(Boolean))()"
# Every text of the chart with its box and its size, as drawn.
TEXTS = f"""() => [...{TABLE}.querySelectorAll('svg text')].filter(t => t.textContent.trim()).map(t => {{
    const b = t.getBoundingClientRect();
    return {{text: t.textContent, size: parseFloat(getComputedStyle(t).fontSize),
             left: b.left, right: b.right, top: b.top, bottom: b.bottom}};
}})"""
GHOSTS = f"""() => {{
    const shown = [...{TABLE}.querySelectorAll('.ghosts')[0].querySelectorAll('circle')].map(c => +c.getAttribute('cy'));
    return Math.max(...shown) - Math.min(...shown);
}}"""
AXIS = f"() => [...{TABLE}.querySelectorAll('.tick-text')].map(t => t.textContent).join()"
STATE = f"() => {TABLE}?.dataset.measured === 'true'"


def drawn(page) -> None:
    """Until the table is drawn and the page complete."""
    until(page, f"() => !!{TABLE}")
    settled(page)


def measured(page) -> None:
    """Until its spreads are measured too: nothing more comes by itself."""
    until(page, STATE, patience=150_000)
    drawn(page)


def laid_out(page, check) -> None:
    """Until `check` finds nothing wrong with what is drawn."""
    eventually(lambda: check(page))


def number(page) -> str:
    return page.evaluate(f"() => {TABLE}.querySelector('.number').textContent")


def slider(page):
    return page.locator("input[type=range]").first


def first_window(page) -> None:
    places = [
        page.locator("h1"), page.get_by_role("link", name="Learn it"), page.get_by_role("link", name="Try your data"),
        page.get_by_role("link", name="Show someone"), slider(page), page.locator("svg[role=img]").first,
        page.locator(".number").first, page.locator(".verdict").first,
    ]  # fmt: skip
    for place in places:
        box = box_of(place)
        assert box["y"] >= 0 and box["y"] + box["height"] <= 720, place


def test_start_fits_its_first_window_and_follows_epsilon_while_it_is_dragged(visit):
    page = visit()
    measured(page)
    asked = page.evaluate("performance.getEntriesByType('resource').map(one => one.name)")
    assert asked and not [url for url in asked if "plotly" in url.lower()], "it comes soon"
    laid_out(page, first_window)
    keys = page.locator("svg .key").all_text_contents()
    assert keys == ["true", "reconstructed", "20 repeats, as expected"]
    picture = page.locator("svg[role=img]").first
    expect(picture).to_have_attribute("aria-label", re.compile("shares of 4 cells"))
    expect(page.locator("table.as-table tbody tr")).to_have_count(4)
    keys_move_epsilon_and_the_focus_stays(page)
    dragging_epsilon_is_answered_in_the_browser(page)


def dragging_epsilon_is_answered_in_the_browser(page) -> None:
    entries = page.evaluate("history.length")
    slider(page).hover()
    axis, box = page.evaluate(AXIS), box_of(slider(page))
    steps = 24

    def place(index: int) -> float:
        return box["x"] + 13 + (box["width"] - 26) * index / (steps - 1)

    y = box["y"] + box["height"] / 2
    page.mouse.move(place(10), y)
    page.mouse.down()
    before = sent(page)
    extents, seen = {}, set()
    for i in range(30):
        index = 19 - round(17 * i / 29)
        page.mouse.move(place(index), y)
        page.evaluate(TWO_FRAMES)
        seen.add(number(page))
        extents[index] = page.evaluate(GHOSTS)
    assert sent(page) == before, "no message while dragging"
    assert len(seen) > 5, "the number follows"
    assert extents[2] > 10 * extents[19], "epsilon 0.2 against 4"
    assert page.evaluate(AXIS) == axis
    expect(page.locator("svg .pale.faded"), "the collection fades").to_have_count(4)
    page.mouse.up()
    until_address(page, "epsilon=0.2")
    until(page, f"() => !{TABLE}.querySelector('.pale.faded')")
    settled(page)
    assert sent(page) == before + 1, "one message after release"
    assert page.evaluate("history.length") == entries


def keys_move_epsilon_and_the_focus_stays(page) -> None:
    slider(page).focus()
    before = number(page)
    for key in ["ArrowRight"] * 6 + ["ArrowLeft"] * 2:
        page.keyboard.press(key)
    until_address(page, "epsilon=1.8")
    until(page, f"() => !{TABLE}.querySelector('.pale.faded')")
    expect(slider(page)).to_have_attribute(
        "aria-valuetext", re.compile("epsilon 1.8.*of 100 people")
    )
    measured(page)
    assert number(page) != before
    assert page.evaluate(f"() => {TABLE}.getRootNode().activeElement?.type") == "range"


def overlaps(texts: list[dict]) -> list[tuple[str, str]]:
    found = []
    for i, a in enumerate(texts):
        for b in texts[:i]:
            across = min(a["right"], b["right"]) - max(a["left"], b["left"])
            down = min(a["bottom"], b["bottom"]) - max(a["top"], b["top"])
            # Boxes of text have room above and below their letters.
            if across > 0.5 and down > 0.3 * min(a["size"], b["size"]):
                found.append((a["text"], b["text"]))
    return found


def readable(page, least: float) -> list[dict]:
    """Its texts, none over another and none too small."""
    texts = found(page, TEXTS)
    assert texts and not overlaps(texts)
    assert min(text["size"] for text in texts) >= least
    return texts


def six_attributes(page) -> None:
    texts = readable(page, 14)
    reconstructed = page.locator("svg text.value.reconstructed").all_text_contents()
    assert len(reconstructed) == 20
    true = page.locator("svg text.value:not(.reconstructed)").all_text_contents()
    for name, shares in (("reconstructed", reconstructed), ("true", true)):
        rest = (re.match(rf"{name} (\d+)%", text["text"]) for text in texts)
        assert abs(sum(map(float, shares)) + float(next(filter(None, rest))[1]) - 100) <= 1, name
    columns = [text["text"] for text in texts]
    assert columns.index("true %") < columns.index("reconstructed %")


# Texts that a line of the dot matrix goes through.
STRUCK = f"""() => {{
    const texts = [...{TABLE}.querySelectorAll('svg text')].map(text => text.getBoundingClientRect());
    const chains = [...{TABLE}.querySelectorAll('.chain')].map(chain => chain.getBoundingClientRect());
    return [chains.length, chains.filter(line => texts.some(text =>
        text.left < line.right && text.right > line.left && text.top < line.bottom && text.bottom > line.top)).length];
}}"""


def test_the_dot_matrix_leaves_its_texts_free_and_a_list_fits_a_phone(visit):
    columns = "smoked_month,age,drank_month,binge_month,vaped_month,cannabis_year"
    page = visit(f"marginals?columns={columns}&d=6&k=6&epsilon=0.4&seed=1", less_motion=True)
    drawn(page)
    laid_out(page, texts_are_free)
    small_shares_are_not_written_as_none(page)
    # Of so many cells no repeats are run; those expected in their place are called so.
    page.get_by_text(words.marginals.VIEWS["plays"], exact=True).click()
    page.locator("svg .key", has_text="20 repeats, as expected").wait_for()
    page.evaluate("() => dispatchEvent(new CustomEvent('calm-play'))")
    page.locator("svg .key", has_text="expected 20 of 20").wait_for()
    resized(page, 900, 768)
    enter_lecture(page)
    eventually(lambda: clear_of_the_verdict(page, page.locator("svg .key")))
    settled(page)
    leave_lecture(page)
    resized(page, 390, 844)
    page.get_by_text(words.marginals.list_label(cells=160), exact=True).click()
    sheet = page.locator(".sheet")
    sheet.wait_for()
    eventually(lambda: fits(sheet))


def texts_are_free(page) -> None:
    chains, struck = page.evaluate(STRUCK)
    assert chains > 5 and struck == 0


def clear_of_the_verdict(page, parts) -> None:
    """What stands at the top of a lecture's table lies beside or below the verdict."""
    band, boxes = box_of(page.locator(".verdict")), [box_of(part) for part in parts.all()]
    assert len(boxes) >= 3
    for box in boxes:
        assert box["x"] + box["width"] <= band["x"] or box["y"] >= band["y"] + band["height"]


def small_shares_are_not_written_as_none(page) -> None:
    """A share below a twentieth of a percent is not written as 0.0, and one of nobody is."""
    truths = page.locator("svg text.value:not(.reconstructed)").all_text_contents()
    titles = page.locator("svg g.column title").all_text_contents()
    exact = [re.search(r"true ([\d.]+)%", title)[1] for title in titles]
    assert len(exact) == len(truths) == 20 and {"<0.1", "0.0"} <= set(truths)
    for share, written in zip(exact, truths):
        assert written == ("<0.1" if 0 < float(share) < 0.05 else f"{float(share):.1f}")


def fits(part) -> None:
    assert part.evaluate("one => one.scrollWidth <= one.clientWidth")


def fits_a_phone(page) -> None:
    fits_the_width(page)
    assert max(text["right"] for text in readable(page, 14)) <= 390
    small = page.evaluate(
        f"() => [...{TABLE}.querySelectorAll('button, select, input')].filter(e => e.offsetHeight && e.offsetHeight < 44).map(e => e.outerHTML)"
    )
    assert not small


def table_fills_the_room(page) -> None:
    """Read from the back row; the usual tables of Start and Tables too, see test_every_page.py."""
    readable(page, max(22, page.viewport_size["height"] / 30 - 6))
    fills_the_room(page, "svg[role=img]")
    assert page.locator(".number").count() == 1
    assert box_of(page.locator(".number"))["y"] >= 0


def test_six_attributes_fit_a_screen_a_phone_and_a_lecture(visit):
    page = visit("marginals?k=6")
    drawn(page)
    laid_out(page, six_attributes)
    resized(page, 390, 844)
    laid_out(page, fits_a_phone)
    resized(page, 1280, 720)
    enter_lecture(page)
    drawn(page)
    laid_out(page, table_fills_the_room)


def test_play_shows_twenty_collections_and_pauses(visit):
    page = visit("marginals")
    drawn(page)
    bars = (
        f"() => [...{TABLE}.querySelectorAll('rect.bar')].map(r => r.getAttribute('height')).join()"
    )
    truth = (
        f"() => [...{TABLE}.querySelectorAll('line.true')].map(r => r.getAttribute('y1')).join()"
    )
    before, true = page.evaluate(bars), page.evaluate(truth)
    page.evaluate("() => dispatchEvent(new CustomEvent('calm-play'))")
    until(page, f"before => ({bars})() !== before", arg=before)
    page.evaluate("() => dispatchEvent(new CustomEvent('calm-play'))")
    page.evaluate(TWO_FRAMES)
    shown = page.evaluate(bars)
    # A playback would go on after 400 ms.
    page.wait_for_timeout(600)
    page.evaluate(TWO_FRAMES)
    assert page.evaluate(bars) == shown, "paused"
    assert page.evaluate(truth) == true
    less_motion_shows_the_last_collection_at_once(page)
    chips_change_the_table_and_its_view_survives_a_reload(page)


def less_motion_shows_the_last_collection_at_once(page) -> None:
    page.emulate_media(reduced_motion="reduce")
    # Begun anew, and not where it was paused.
    page.evaluate("() => dispatchEvent(new CustomEvent('calm-epsilon', { detail: { index: 2 } }))")
    visible = f"() => [...{TABLE}.querySelectorAll('.ghosts')[0].querySelectorAll('circle')].filter(c => c.getAttribute('visibility') === 'visible').length"
    for dots in (20, 1):
        page.evaluate("() => dispatchEvent(new CustomEvent('calm-play'))")
        until(page, f"() => ({visible})() === {dots}")


def chips_change_the_table_and_its_view_survives_a_reload(page) -> None:
    page.get_by_role("button", name="Without Sex").click()
    page.get_by_role("heading", name="Smoked and drank?").wait_for()
    settled(page)
    page.get_by_role("combobox", name="attribute", exact=True).select_option("cannabis_year")
    page.get_by_role("heading", name="Drank and cannabis, by smoked?").wait_for()
    settled(page)
    page.get_by_role("button", name="See stages").click()
    page.get_by_role("heading", name="Raw view").wait_for()
    until_address(page, "view=stages")
    settled(page)
    page.reload()
    page.get_by_role("heading", name="Raw view").wait_for()
