"""A collection below --data-root: opened, looked at from all sides, there again after a reload."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from pages import words
from pages.ui.navigation import LAB
from tests.browser.conftest import (
    choose_option,
    eventually,
    fits_the_width,
    resize,
    settle,
    wait_until,
)
from tests.browser.test_every_page import PHONE, STAGE, UNITLESS, WIDE, check_sizes, check_usable
from tests.browser.test_frame import until_page


def query(page) -> dict:
    return parse_qs(urlsplit(page.url).query)


def view(page, name: str) -> None:
    page.locator(".st-key-view_collection").get_by_text(name, exact=True).click()
    settle(page)


def test_a_state_of_10_12_people_is_opened_fits_a_phone_and_every_view_survives_a_reload(visit):
    page = visit("collection")
    choose_option(page, page.locator(".st-key-collection_below input"), "trillion.json")
    page.locator(".st-key-collection_open button").click()
    page.locator(".st-key-collection_head").wait_for()
    settle(page)
    # One for each of eight cells, and one that the legend explains.
    intervals = page.locator(".whisker")
    expect(intervals).to_have_count(9)
    wait_until(page, "location.search.includes('open=')")
    title = page.locator("h1").inner_text()
    for name, label in list(words.collection.VIEWS.items())[1:]:
        view(page, label)
        wait_until(page, "name => location.search.includes(`view=${name}`)", arg=name)
        check_usable(page, within=STAGE)
        assert not page.evaluate(UNITLESS)
        resize(page, *PHONE)
        check_sizes(page)
        resize(page, *WIDE)
    page.reload()
    settle(page)
    assert query(page) == {"open": ["./trillion.json"], "view": [name]}
    view(page, words.collection.VIEWS[""])
    wait_until(page, "!location.search.includes('view=')")
    expect(page.locator("h1")).to_have_text(title)
    expect(intervals).to_have_count(9)
    # Back from another page finds the collection.
    page.locator(".st-key-section_about a").click()
    until_page(page, "about")
    page.go_back()
    until_page(page, "collection")
    expect(page.locator("h1")).to_have_text(title)
    resize(page, *PHONE)
    check_sizes(page)


def test_10_12_people_fit_the_pages_of_the_lab(visit):
    page = visit(f"{LAB[0]}?n={10**12}", width=PHONE[0], height=PHONE[1])
    for name in LAB:
        until_page(page, name)
        eventually(lambda: fits_the_width(page))
        assert "1,000,000,000,000 people" not in page.locator("body").inner_text()
        if name != LAB[-1]:
            page.locator(".st-key-top").get_by_role("link", name="→").click()
