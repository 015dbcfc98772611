"""The table component: on Start while epsilon is dragged, on Tables with many cells."""

import re

import numpy as np
from playwright.sync_api import expect

from pages import words
from tests.browser.conftest import (
    TWO_FRAMES,
    box_of,
    count_sent,
    enter_lecture,
    eventually,
    fills_the_room,
    fits,
    fits_the_width,
    leave_lecture,
    resize,
    settle,
)
from tests.browser.test_frame import until_address

TABLE = ".root[data-ready]"
# Every text of the chart with its box and its size, as drawn.
TEXTS = """all => all.filter(t => t.textContent.trim()).map(t => {
    const { left, right, top, bottom } = t.getBoundingClientRect();
    return { text: t.textContent, size: parseFloat(getComputedStyle(t).fontSize), left, right, top, bottom };
})"""
PLAY = "() => dispatchEvent(new CustomEvent('calm-play'))"
# Left, top, right and bottom.
BOXES = "all => all.map(one => one.getBoundingClientRect()).map(box => [box.left, box.top, box.right, box.bottom])"


def wait_drawn(page) -> None:
    """Until the table is drawn and the page complete."""
    page.locator(TABLE).first.wait_for(state="attached")
    settle(page)


def wait_measured(page) -> None:
    """Until its spreads are measured too: nothing more comes by itself."""
    page.locator(f"{TABLE}[data-measured=true]").first.wait_for(state="attached", timeout=150_000)
    wait_drawn(page)


def number(page) -> str:
    return page.locator(f"{TABLE} .number").first.text_content()


def axis(page) -> list[str]:
    return page.locator(f"{TABLE} .tick-text").all_text_contents()


def ghosts(page) -> np.ndarray:
    """Heights of the dots of other collections."""
    dots = page.locator(f"{TABLE} .ghosts").first.locator("circle")
    return np.array(dots.evaluate_all("all => all.map(dot => +dot.getAttribute('cy'))"))


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
    wait_measured(page)
    asked = page.evaluate("performance.getEntriesByType('resource').map(one => one.name)")
    assert asked and not [url for url in asked if "plotly" in url.lower()], "it comes soon"
    eventually(lambda: first_window(page))
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
    before_drag, box = axis(page), box_of(slider(page))
    steps = 24

    def place(index: int) -> float:
        return box["x"] + 13 + (box["width"] - 26) * index / (steps - 1)

    y = box["y"] + box["height"] / 2
    page.mouse.move(place(10), y)
    page.mouse.down()
    before = count_sent(page)
    extents, seen = {}, set()
    for i in range(30):
        index = 19 - round(17 * i / 29)
        page.mouse.move(place(index), y)
        page.evaluate(TWO_FRAMES)
        seen.add(number(page))
        extents[index] = np.ptp(ghosts(page))
    assert count_sent(page) == before, "no message while dragging"
    assert len(seen) > 5, "the number follows"
    assert extents[2] > 10 * extents[19], "epsilon 0.2 against 4"
    assert axis(page) == before_drag
    expect(page.locator("svg .pale.faded"), "the collection fades").to_have_count(4)
    page.mouse.up()
    until_address(page, "epsilon=0.2")
    expect(page.locator("svg .pale.faded")).to_have_count(0)
    settle(page)
    assert count_sent(page) == before + 1, "one message after release"
    assert page.evaluate("history.length") == entries


def keys_move_epsilon_and_the_focus_stays(page) -> None:
    slider(page).focus()
    before = number(page)
    for key in ["ArrowRight"] * 6 + ["ArrowLeft"] * 2:
        page.keyboard.press(key)
    until_address(page, "epsilon=1.8")
    expect(page.locator("svg .pale.faded")).to_have_count(0)
    expect(slider(page)).to_have_attribute(
        "aria-valuetext", re.compile("epsilon 1.8.*of 100 people")
    )
    wait_measured(page)
    assert number(page) != before
    expect(slider(page)).to_be_focused()


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
    texts = page.locator(f"{TABLE} svg text").evaluate_all(TEXTS)
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


def test_the_dot_matrix_leaves_its_texts_free_and_a_list_fits_a_phone(visit):
    columns = "smoked_month,age,drank_month,binge_month,vaped_month,cannabis_year"
    page = visit(f"marginals?columns={columns}&d=6&k=6&epsilon=0.4&seed=1", less_motion=True)
    wait_drawn(page)
    eventually(lambda: texts_are_free(page))
    small_shares_are_not_written_as_none(page)
    # Of so many cells no repeats are run; those expected in their place are called so.
    page.get_by_text(words.marginals.VIEWS["plays"], exact=True).click()
    page.locator("svg .key", has_text="20 repeats, as expected").wait_for()
    page.evaluate(PLAY)
    page.locator("svg .key", has_text="expected 20 of 20").wait_for()
    resize(page, 900, 768)
    enter_lecture(page)
    eventually(lambda: clear_of_the_verdict(page, page.locator("svg .key")))
    settle(page)
    leave_lecture(page)
    resize(page, 390, 844)
    page.get_by_text(words.marginals.list_label(cells=160), exact=True).click()
    sheet = page.locator(".sheet")
    sheet.wait_for()
    eventually(lambda: fits(sheet))


def texts_are_free(page) -> None:
    """No line of the dot matrix goes through a text."""
    chains = page.locator(f"{TABLE} .chain").evaluate_all(BOXES)
    texts = page.locator(f"{TABLE} svg text").evaluate_all(BOXES)
    assert len(chains) > 5
    for left, top, right, bottom in chains:
        assert not [
            t for t in texts if t[0] < right and left < t[2] and t[1] < bottom and top < t[3]
        ]


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


def fits_a_phone(page) -> None:
    fits_the_width(page)
    assert max(text["right"] for text in readable(page, 14)) <= 390


def table_fills_the_room(page) -> None:
    """Read from the back row; the usual tables of Start and Tables too, see test_every_page.py."""
    readable(page, max(22, page.viewport_size["height"] / 30 - 6))
    fills_the_room(page, "svg[role=img]")
    assert page.locator(".number").count() == 1
    assert box_of(page.locator(".number"))["y"] >= 0


def test_six_attributes_fit_a_screen_a_phone_and_a_lecture(visit):
    page = visit("marginals?k=6")
    wait_drawn(page)
    eventually(lambda: six_attributes(page))
    resize(page, 390, 844)
    eventually(lambda: fits_a_phone(page))
    resize(page, 1280, 720)
    enter_lecture(page)
    wait_drawn(page)
    eventually(lambda: table_fills_the_room(page))


def test_play_shows_twenty_collections_and_pauses(visit):
    page = visit("marginals")
    wait_measured(page)
    # The axis makes room for the intervals, which come with the repeats.
    page.locator(f"{TABLE} .whisker").first.wait_for()
    wait_drawn(page)
    before, true = attributes(page, "rect.bar", "height"), attributes(page, "line.true", "y1")
    page.evaluate(PLAY)
    expect(page.locator(f"{TABLE} rect.bar").last).not_to_have_attribute("height", before[-1])
    page.evaluate(PLAY)
    page.evaluate(TWO_FRAMES)
    shown = attributes(page, "rect.bar", "height")
    # A playback would go on after 400 ms.
    page.wait_for_timeout(600)
    assert attributes(page, "rect.bar", "height") == shown, "paused"
    assert attributes(page, "line.true", "y1") == true
    less_motion_shows_the_last_collection_at_once(page)
    chips_change_the_table_and_its_view_survives_a_reload(page)


def attributes(page, marks: str, name: str) -> list[str]:
    """An attribute of these marks of the table."""
    parts = page.locator(f"{TABLE} {marks}")
    return parts.evaluate_all("(all, name) => all.map(one => one.getAttribute(name))", name)


def less_motion_shows_the_last_collection_at_once(page) -> None:
    page.emulate_media(reduced_motion="reduce")
    # Begun anew, and not where it was paused.
    page.evaluate("() => dispatchEvent(new CustomEvent('calm-epsilon', { detail: { index: 2 } }))")
    visible = page.locator(f"{TABLE} .ghosts").first.locator("circle[visibility=visible]")
    for dots in (20, 1):
        page.evaluate(PLAY)
        expect(visible).to_have_count(dots)


def chips_change_the_table_and_its_view_survives_a_reload(page) -> None:
    page.get_by_role("button", name="Without Sex").click()
    page.get_by_role("heading", name="Smoked and drank?").wait_for()
    settle(page)
    page.get_by_role("combobox", name="attribute", exact=True).select_option("cannabis_year")
    page.get_by_role("heading", name="Drank and cannabis, by smoked?").wait_for()
    settle(page)
    page.get_by_role("button", name="See stages").click()
    page.get_by_role("heading", name="Raw view").wait_for()
    until_address(page, "view=stages")
    settle(page)
    page.reload()
    page.get_by_role("heading", name="Raw view").wait_for()
