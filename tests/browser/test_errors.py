"""Errors: a number for every pair, layout with many attributes, on a phone and in a lecture."""

import re

import numpy as np
from playwright.sync_api import expect

from calm_core.settings import EPSILONS
from tests.browser.conftest import (
    STRIP,
    above_the_strip,
    box_of,
    enter_lecture,
    eventually,
    fills_the_room,
    fits_the_width,
    resize,
    settle,
)
from tests.browser.test_frame import until_address, until_page

CELLS = ".st-key-pairs td button"


def number(text: str) -> float:
    """A number of a cell or a row: 5.3, <0.01, ±1.9."""
    return float(re.sub(r"[^\d.]", "", text))


def test_every_pair_has_its_number_and_opens_its_table_by_keyboard(visit):
    page = visit("errors")
    cells = page.locator(CELLS)
    expect(cells).to_have_count(8 * 7 // 2)
    settle(page)
    found = [number(text) for text in cells.all_inner_texts()]
    worst = page.locator(f"{CELLS}.worst")
    assert number(worst.inner_text()) == max(found)
    expect(worst, "the keyboard starts at the worst").to_have_attribute("tabindex", "0")
    worst.focus()
    page.keyboard.press("ArrowDown")
    below = page.evaluate(
        "[...document.querySelectorAll('*')].map(e => e.shadowRoot?.activeElement?.ariaLabel).find(Boolean)"
    )
    assert "of 100 people in the wrong cell" in below
    eventually(lambda: above_the_strip(page, ".st-key-offer_method"))
    page.locator(f"{CELLS}[data-at='3-1']").focus()
    page.keyboard.press("Enter")
    until_page(page, "marginals")
    until_address(page, "attrs=smoked_month,binge_month")


def pairs_fill_the_room(page) -> None:
    """In a lecture, see test_every_page.py: one picture and nothing to press."""
    assert page.locator("[class*='st-key-offer_']").count() == 0
    fills_the_room(page, ".st-key-pairs table")
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
    return said.right <= promised.left || said.bottom <= promised.top + 1 })"""


def test_twelve_attributes_are_in_sight_in_a_lecture_too_in_colors_of_their_errors(visit):
    page = visit("errors?d=12&k=2&n=2000")
    expect(page.locator(CELLS)).to_have_count(12 * 11 // 2)
    eventually(lambda: in_sight(page, ".st-key-pairs td button"))
    assert page.locator(".st-key-pairs .box.scrolls").count() == 0
    a_color_means_the_same_error_at_every_setting(page)
    enter_lecture(page)
    eventually(lambda: pairs_fill_the_room(page))


def a_color_means_the_same_error_at_every_setting(page) -> None:
    look = "all => all.map(one => [one.textContent, getComputedStyle(one).backgroundColor])"
    seen: dict[int, set] = {}
    for epsilon in (4.0, 0.2):
        page.locator(f"{STRIP} input[type=range]").fill(str(EPSILONS.index(epsilon)))
        until_address(page, f"epsilon={epsilon}")
        settle(page)
        expect(page.locator(CELLS)).to_have_count(12 * 11 // 2)
        key = [color for _, color in page.locator(".st-key-pairs .levels span").evaluate_all(look)]
        assert len(set(key)) == 6
        for text, color in page.locator(CELLS).evaluate_all(look):
            # A number is printed with two digits: at the border of two steps it may be either.
            level = int(np.searchsorted([1, 2, 5, 10, 20], number(text), side="right"))
            if number(text) not in (1, 2, 5, 10, 20):
                seen.setdefault(level, set()).add(color)
                assert color == key[level]
    assert len(seen) > 2 and all(len(colors) == 1 for colors in seen.values())


def in_sight(page, cells: str) -> None:
    box, foot = (box_of(page.locator(f".st-key-pairs {part}")) for part in (".box", "tfoot"))
    for cell in map(box_of, page.locator(cells).all()):
        assert box["y"] <= cell["y"] and cell["y"] + cell["height"] <= foot["y"] + 1
        assert box["x"] <= cell["x"] and cell["x"] + cell["width"] <= box["x"] + box["width"] + 1


def test_of_many_attributes_the_worst_pair_is_in_sight_and_they_scroll_inside_their_box(visit):
    page = visit("errors?source=browsing&d=16&k=2&n=2000")
    expect(page.locator(".st-key-pairs .box.scrolls")).to_have_count(1)
    eventually(lambda: in_sight(page, ".st-key-pairs td button.worst"))
    resize(page, 390, 844)
    expect(page.locator(CELLS)).to_have_count(16 * 15 // 2)

    def check() -> None:
        fits_the_width(page)
        box = page.locator(".st-key-pairs .box.scrolls")
        assert box.evaluate("box => box.scrollWidth > box.clientWidth")
        cell = box_of(page.locator(CELLS).first)
        assert cell["width"] >= 44 and cell["height"] >= 44
        offers = page.evaluate(OFFERS)
        assert offers and all(offers), "no hint runs into a number"

    eventually(check)
