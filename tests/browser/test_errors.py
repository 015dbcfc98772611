"""Errors in a browser: numbers in every cell, a cell opens its table, remedies apply and are undone."""

import re

import pytest
from playwright.sync_api import expect

from pages import words
from tests.browser.conftest import box_of, eventually, settled, until
from tests.browser.test_frame import until_address, until_page

CELLS = ".st-key-pairs td button"


def number(text: str) -> float:
    """A number of a cell or a row: 5.3, <0.01, ±1.9."""
    return float(re.sub(r"[^\d.]", "", text))


def test_every_cell_of_the_triangle_holds_its_number_and_the_keyboard_reaches_them(visit):
    page = visit("errors")
    cells = page.locator(CELLS)
    expect(cells).to_have_count(8 * 7 // 2)
    settled(page)
    found = [number(text) for text in cells.all_inner_texts()]
    worst = page.locator(f"{CELLS}.worst")
    expect(worst).to_have_count(1)
    assert number(worst.inner_text()) == max(found)
    told = page.locator(".st-key-stepper").inner_text().replace("\u200b", "")
    assert f"worst: ±{max(found)}" in told
    expect(worst, "the keyboard starts at the worst").to_have_attribute("tabindex", "0")
    worst.focus()
    page.keyboard.press("ArrowDown")
    below = page.evaluate(
        "[...document.querySelectorAll('*')].map(e => e.shadowRoot?.activeElement?.ariaLabel).find(Boolean)"
    )
    assert "points off in a typical cell" in below
    # Nothing above the settings bar is cut off.
    for part in (".st-key-offer_method", ".st-key-view_errors"):
        eventually(lambda part=part: above_the_strip(page.locator(part)))
    the_three_sources_add_up_in_squares(page)
    # A cell opens its table.
    page.locator(f"{CELLS}[data-at='3-1']").focus()
    page.keyboard.press("Enter")
    until_page(page, "marginals")
    until_address(page, "attrs=smoked_month,binge_month")


def above_the_strip(part) -> None:
    box = box_of(part)
    assert box["y"] + box["height"] <= 648


def the_three_sources_add_up_in_squares(page) -> None:
    page.get_by_text("Why.").wait_for()
    text = page.locator(".st-key-reasons").inner_text()
    whole = number(re.search(r"square of (±\d+\.?\d*)", text)[1])
    parts = [
        number(n) for n in re.findall(r"(?:reports|sample|attributes|holds)\s+(±[\d.]+)", text)
    ]
    assert len(parts) == 3
    # One decimal is shown of each.
    assert sum(part**2 for part in parts) == pytest.approx(
        whole**2, abs=0.05 * 2 * (sum(parts) + whole)
    )


REMEDIES = {"epsilon": "epsilon=2.0", "n": "n=240000", "method": "method=calm_plus", "k": "k=2"}


def test_a_remedy_changes_exactly_its_setting_and_can_be_undone(visit):
    page = visit("errors?seed=3")
    before = page.url
    for field, query in REMEDIES.items():
        row = page.locator(f".st-key-offer_{field}")
        expect(row).to_have_text(re.compile(r"±\d"))
        expect(row.locator(".band")).to_have_count(1)
        row.get_by_role("button", name="Apply").click()
        until_address(page, query)
        asked = page.url.split("?")[1].split("&")
        assert sorted(asked) == sorted(["seed=3", query])
        settled(page)
        page.locator(".st-key-toast").get_by_role("button", name="Undo").click()
        until(page, "before => location.href === before", arg=before)
        settled(page)


def fills_the_room(page, height: int) -> None:
    """In a lecture, see test_every_page.py: one picture and nothing to press."""
    assert page.locator("[class*='st-key-offer_'], .st-key-view_errors").count() == 0
    box = box_of(page.locator(".st-key-pairs table"))
    strip = box_of(page.locator(".st-key-settings_bar .settings-bar"))
    assert box["height"] >= 0.58 * height and box["y"] + box["height"] <= strip["y"]
    names = page.locator(".st-key-pairs tfoot span")
    cut = names.evaluate_all(
        "all => all.filter(name => name.scrollWidth > name.clientWidth + 1).length"
    )
    assert not cut, "there is room for whole names"


# Of each remedy: where its hint ends and where its number begins.
OFFERS = """() => [...document.querySelectorAll("[class*='st-key-offer_']")].map(row => {
    const [said, promised] = [...row.querySelectorAll('[data-testid=stHtml]')].map(part => {
        const range = document.createRange();
        range.selectNodeContents(part);
        return range.getBoundingClientRect() });
    return [said.right, promised.left] })"""


def test_twelve_attributes_are_seen_at_once_and_of_more_the_worst(visit):
    all_in_sight(visit("errors?d=12&k=2&n=20000"))
    all_in_sight(visit("errors?source=browsing&d=12&k=2&n=20000"))
    page = visit("errors?presenter=1&d=12&k=2&n=20000")
    eventually(lambda: fills_the_room(page, 720))
    page = visit("errors?source=browsing&d=16&k=2&n=20000")
    expect(page.locator(".st-key-pairs .box.scrolls")).to_have_count(1)
    eventually(lambda: in_sight(page, ".st-key-pairs td button.worst"))


def all_in_sight(page) -> None:
    expect(page.locator(CELLS)).to_have_count(12 * 11 // 2)
    eventually(lambda: in_sight(page, ".st-key-pairs td button"))
    assert page.locator(".st-key-pairs .box.scrolls").count() == 0


def in_sight(page, cells: str) -> None:
    box, foot = (box_of(page.locator(f".st-key-pairs {part}")) for part in (".box", "tfoot"))
    for cell in map(box_of, page.locator(cells).all()):
        assert box["y"] <= cell["y"] and cell["y"] + cell["height"] <= foot["y"] + 1
        assert box["x"] <= cell["x"] and cell["x"] + cell["width"] <= box["x"] + box["width"] + 1


def test_many_attributes_scroll_in_their_box_only(visit):
    page = visit("errors?source=browsing&d=16&k=2&n=20000", width=390, height=844)
    expect(page.locator(CELLS)).to_have_count(16 * 15 // 2)

    def check() -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        box = page.locator(".st-key-pairs .box.scrolls")
        assert box.evaluate("box => box.scrollWidth > box.clientWidth")
        cell = box_of(page.locator(CELLS).first)
        assert cell["width"] >= 44 and cell["height"] >= 44
        offers = page.evaluate(OFFERS)
        assert offers and all(hint <= number for hint, number in offers), (
            "no hint runs into a number"
        )

    eventually(check)
    a_number_stands_beside_its_name_and_above_its_bar(page)


def a_number_stands_beside_its_name_and_above_its_bar(page) -> None:
    page.get_by_text(words.errors.VIEWS["sources"], exact=True).click()
    lines = page.locator(".calm-source")
    expect(lines).to_have_count(len(words.errors.RERUNS))

    def check() -> None:
        for line in lines.all():
            name, bar, number = (box_of(line.locator(f"> :nth-child({i})")) for i in (1, 2, 3))
            assert abs(name["y"] - number["y"]) < 4 and number["x"] > name["x"] + name["width"]
            assert bar["y"] >= number["y"] + number["height"] - 1 and bar["width"] > 300

    eventually(check)
