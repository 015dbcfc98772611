"""What was found in a messy file: questions and suggestions, answered by single presses and undone."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import settle, wait_until
from tests.browser.test_data_step import drop
from tests.browser.test_every_page import IN_COLORS, STAGE, check_sizes, check_usable

ROWS = 600
COLUMNS = {
    "member id": lambda i: f"R{i:05}",
    "<b>income</b>": lambda i: f"{20_000 + 37 * i:,}.50 €" if i % 40 else "",
    "discount": lambda i: f"{i * 7 % 40}%",
    "joined": lambda i: f"{i % 28 + 1:02}/{i % 12 + 1:02}/202{i % 4}",
    "smokes": lambda i: ("no", "no", "No", "yes", "yes", "yes", "YES", "Yes?")[i % 8],
    "drinks": lambda i: i // 2 % 2,
    "sex": lambda i: ("Male", "Female", "male", "Female", "Male")[i % 5],
    "age": lambda i: 999 if i % 50 == 0 else 18 + i * 11 % 60,
    "fee": lambda i: f"1.{101 + i % 400}",
    "visits": lambda i: ("0", "1", "2", "3", "unknown")[i % 5],
    "country": lambda i: "Germany",
    "comment": lambda i: f"as usual and number {i} of many",
}
MESSY = "\n".join(
    [";".join(COLUMNS), *(";".join(str(made(i)) for made in COLUMNS.values()) for i in range(ROWS))]
)


def rows_of(page):
    return page.locator(".st-key-import_review [role=row][data-row]")


def row_of(page, name: str):
    return page.locator(f".st-key-import_review [role=row][data-row='{name}']")


def test_decisions_about_a_messy_file_are_single_presses_and_can_be_undone(visit):
    page = visit("data")
    drop(page, "messy.csv", MESSY)
    page.get_by_role("button", name="look at what we saw").click()
    expect(rows_of(page)).to_have_count(len(COLUMNS))
    expect(row_of(page, "<b>income</b>").locator("b").first).to_have_text("<b>income</b>")
    settle(page)
    assert page.locator(".st-key-open_offers").count() == 0
    check_usable(page, within=STAGE)

    # A question is answered with the keyboard; the focus stays in its row.
    fee = row_of(page, "fee")
    expect(fee.locator("[aria-pressed=true]")).to_have_count(1)
    fee.locator("[aria-pressed=false]").focus()
    page.keyboard.press("Enter")
    fee.get_by_role("button", name="As found").wait_for()
    expect(fee.locator(".asked")).to_have_count(0)
    wait_until(page, "location.search.includes('schema=')")
    settle(page)
    assert fee.evaluate("row => row.contains(row.getRootNode().activeElement)")

    offers = page.locator(".st-key-import_review .offer")
    row_of(page, "visits").get_by_role("button", name=re.compile("^Treat “unknown”")).click()
    row_of(page, "visits").get_by_text("Keep “unknown”").wait_for()
    for left in range(offers.count() - 1, -1, -1):
        offers.first.get_by_role("button").first.click()
        expect(offers).to_have_count(left)
        settle(page)

    # Decisions are there after a reload, in the dark, on a phone.
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    expect(rows_of(page)).to_have_count(len(COLUMNS))
    settle(page)
    row_of(page, "visits").get_by_role("button", name="As found").wait_for()
    assert page.locator(".st-key-import_review .offer").count() == 0

    check_sizes(page)
    check_usable(page, *IN_COLORS, within=STAGE)
