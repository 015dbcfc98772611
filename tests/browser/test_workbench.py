"""Journeys through the app: an uploaded table, and a link shared with somebody else."""

from playwright.sync_api import expect

from calm_core.settings import Settings
from tests.browser.conftest import choose_file, settled
from tests.browser.test_frame import STRIP, press_epsilon, until_address, until_page

PEOPLE = "sex,smoker,vote\n" + "".join(
    f"{'fm'[i % 2]},{'yes' if i % 5 == 0 else 'no'},{'abc'[i % 3]}\n" for i in range(6000)
)


def test_an_uploaded_table_is_followed_to_its_errors(visit):
    page = visit("data")
    choose_file(
        page,
        page.locator("input[type=file]").first,
        {"name": "votes.csv", "mimeType": "text/csv", "buffer": PEOPLE.encode()},
    )
    page.locator(".st-key-stepper").get_by_text("6,000 people").wait_for()
    settled(page)
    for name, told in (
        ("plan", "your question"),
        ("collect", "6,000 reports"),
        ("marginals", "points"),
        ("errors", "worst"),
    ):
        page.locator(f".st-key-stepper .st-key-step_{name} a").click()
        until_page(page, name)
        page.locator(f".st-key-step_{name}_here").get_by_text(told).wait_for()
    press_epsilon(page, 3)
    until_address(page, "epsilon=1.6")
    settled(page)
    assert page.locator("[data-testid=stException]").count() == 0


def test_the_shared_link_shows_the_same_page_in_another_browser(visit):
    page = visit("marginals?source=browsing&d=12")
    press_epsilon(page, 2)
    until_address(page, "epsilon=1.4")
    settled(page)
    page.get_by_role("button", name="Share").click()
    link = page.locator("code").filter(has_text="epsilon=1.4").first.inner_text().strip()
    assert link == page.url
    query = dict(part.split("=") for part in link.split("?")[1].split("&"))
    assert Settings.from_query(query)[0] == Settings(source="browsing", d=12, epsilon=1.4)
    other = visit(link, stranger=True)
    expect(other.locator(f"{STRIP} .value")).to_have_text("1.4")
    for part in (".st-key-stepper", "h1", ".number:has-text('points')"):
        expect(other.locator(part).first).to_have_text(page.locator(part).first.text_content())
