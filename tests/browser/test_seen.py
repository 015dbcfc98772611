"""What we saw: a messy file is asked about, decided by single presses, and taken back."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import choose_option, eventually, settled, until
from tests.browser.test_data_step import drop
from tests.browser.test_every_page import usable

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
# Every button and field of the table, with its size.
SMALL = """() => [...document.querySelector('.st-key-import_review [class*=BidiComponent], .st-key-import_review').querySelectorAll('*')]
    .flatMap(part => [part, ...(part.shadowRoot?.querySelectorAll('button, input') ?? [])])
    .filter(part => ['BUTTON', 'INPUT'].includes(part.tagName) && part.offsetHeight)
    .filter(part => part.offsetHeight < 43.5).map(part => part.textContent)"""


def rows_of(page):
    return page.locator(".st-key-import_review [role=row][data-row]")


def row_of(page, name: str):
    return page.locator(f".st-key-import_review [role=row][data-row='{name}']")


def undo(page) -> None:
    """Take the last decision back, once it is told."""
    settled(page)
    page.locator(".st-key-undo button").click()


def test_a_messy_file_is_decided_by_single_presses_and_taken_back(visit):
    page = visit("data")
    drop(page, "messy.csv", MESSY)
    expect(page.locator(".st-key-asked")).to_contain_text("fee")
    page.get_by_role("button", name="look at what we saw").click()
    expect(rows_of(page)).to_have_count(len(COLUMNS))
    expect(row_of(page, "<b>income</b>").locator("b").first).to_have_text("<b>income</b>")
    settled(page)
    assert page.locator(".st-key-open_offers").count() == 0
    usable(page)

    # A question is answered with the keyboard; the focus stays in its row.
    fee = row_of(page, "fee")
    expect(fee.locator("[aria-pressed=true]")).to_have_count(1)
    fee.locator("[aria-pressed=false]").focus()
    page.keyboard.press("Enter")
    fee.get_by_role("button", name="As found").wait_for()
    expect(fee.locator(".asked")).to_have_count(0)
    # This one stands outside the table, until the run is over.
    expect(page.locator(".st-key-asked")).to_have_count(0)
    until(page, "location.search.includes('schema=')")
    settled(page)
    assert fee.evaluate("row => row.contains(row.getRootNode().activeElement)")
    undo(page)
    fee.locator(".asked").wait_for()
    settled(page)

    # One suggestion, by itself; and all.
    row_of(page, "smokes").get_by_role(
        "button", name="Merge these 3 into “yes”", exact=True
    ).click()
    page.locator(".st-key-toast").get_by_text("3 spellings").wait_for()
    settled(page)
    page.get_by_role("button", name=re.compile(r"Accept \d+ suggestions of")).click()
    page.locator(".st-key-toast").get_by_text("suggestions accepted").wait_for()
    page.locator(".st-key-toast").get_by_text("for you alone").wait_for()
    # What may be an answer is asked by itself.
    expect(page.locator(".st-key-import_review .offer")).to_have_count(1)
    row_of(page, "visits").get_by_role(
        "button", name="Treat “unknown” as missing (120 rows)", exact=True
    ).click()
    expect(page.locator(".st-key-import_review .offer")).to_have_count(0)
    expect(page.locator(".st-key-import_review .asked")).to_have_count(1)
    settled(page)
    row_of(page, "smokes").get_by_role("button", name="As found").click()
    row_of(page, "smokes").locator(".offer").first.wait_for()
    undo(page)
    expect(row_of(page, "smokes").locator(".offer")).to_have_count(0)
    settled(page)

    # Two values are named by typing.
    drinks = row_of(page, "drinks")
    drinks.get_by_role("button", name="Name the two values").click()
    expect(drinks.get_by_role("textbox").first).to_be_focused()
    page.keyboard.type("never")
    drinks.get_by_role("textbox").nth(1).fill("sometimes")
    page.keyboard.press("Enter")
    page.locator(".st-key-toast").get_by_text("never and sometimes").wait_for()
    settled(page)

    # What was decided is there after a reload, in the dark, on a phone.
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    expect(rows_of(page)).to_have_count(len(COLUMNS))
    settled(page)
    drinks.get_by_role("button", name="As found").wait_for()
    assert page.locator(".st-key-import_review .offer").count() == 0

    def fits() -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert not page.evaluate(SMALL)

    eventually(fits)
    usable(page)


def choose(page, label: str, option: str) -> None:
    """Take an option of a field that opens a list."""
    choose_option(page, page.get_by_role("combobox", name=label), option, exact=True)


def test_a_kind_that_does_not_fit_is_refused_or_lists_what_it_leaves(visit):
    page = visit("data")
    days = "".join(f"{i % 50 + (i % 7) / 10},{'fm'[i % 2]}\n" for i in range(400))
    words = "".join(
        f"{text},f\n" * 3 for text in ("soon", "later", "one week", "two weeks", "never")
    )
    drop(page, "days.csv", "days,sex\n" + days + words)
    # Nothing is scrolled: that would close a list that a press has opened.
    page.set_viewport_size({"width": 1280, "height": 1600})
    page.locator(".st-key-open_values button").click()
    apply = page.get_by_role("button", name="Apply to this column")
    apply.wait_for()
    settled(page)
    choose(page, "Column to change", "sex")
    choose(page, "Kind", "number")
    apply.click()
    refused = page.get_by_role("alert").filter(has_text="cells such as")
    expect(refused).to_contain_text("'f', 'm'")
    expect(refused).to_contain_text("Nothing was changed.")
    settled(page)
    choose(page, "Column to change", "days")
    page.get_by_role("button", name="List them all").click()
    page.get_by_test_id("stPopoverBody").get_by_test_id("stDataFrame").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Treat these 15 as missing").click()
    page.locator(".st-key-toast").get_by_text("15 rows count as missing").wait_for()
    expect(page.get_by_role("button", name="List them all")).to_have_count(0)


def test_advice_is_followed_by_one_press_and_taken_back(visit):
    page = visit("data?k=2")
    zips = "zip,sex,ill\n" + "".join(
        f"{10 + i % 8}{i % 64:03},{'fm'[i % 2]},{('no', 'yes')[i % 3 % 2]}\n" for i in range(4200)
    )
    drop(page, "zips.csv", zips)
    advice = page.locator(".st-key-advice_0")
    expect(advice).to_contain_text("Predicted typical error of all tables of 2")
    advice.get_by_role("button", name="Merge to 8").click()
    page.locator(".st-key-toast").get_by_text("8 values").wait_for()
    expect(page.locator(".st-key-attributes_card")).to_contain_text("8 values")
    expect(page.locator(".st-key-advice")).not_to_contain_text("too fine")
    until(page, "location.search.includes('schema=')")
    undo(page)
    advice.get_by_role("button", name="Merge to 8").wait_for()
    until(page, "!location.search.includes('schema=')")
