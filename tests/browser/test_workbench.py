"""Journeys through the app in Chromium: a first visit, a table of one's own, a link to somebody else."""

import time

from playwright.sync_api import expect

from calm_core.settings import Settings
from tests.browser.conftest import box_of, choose_file, eventually, settled
from tests.browser.test_frame import STRIP, press_epsilon, until_address, until_page

PEOPLE = "sex,smoker,vote\n" + "".join(
    f"{'fm'[i % 2]},{'yes' if i % 5 == 0 else 'no'},{'abc'[i % 3]}\n" for i in range(6000)
)


def test_first_visit(visit, record_property):
    page = visit()  # whoever comes first also warms the server
    started = time.perf_counter()
    page.reload()
    page.locator(".st-key-first_table svg").first.wait_for()
    taken = time.perf_counter() - started
    settled(page)
    record_property("first_screen_seconds", round(taken, 2))
    print(f"first useful screen after {taken:.2f} s")
    expect(page.get_by_role("heading", name="Statistics about everyone")).to_be_visible()

    def first_window() -> None:
        for words in ("60,000 people", "points", "Learn it", "Try your data", "Show someone"):
            box = box_of(page.get_by_text(words).first)
            assert box["y"] + box["height"] <= 720, words

    eventually(first_window)
    assert not page.get_by_role("alert").count()


def test_a_table_of_ones_own_to_its_errors(visit):
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


def test_bad_upload_keeps_the_data(visit):
    page = visit("data?epsilon=2.0")
    choose_file(
        page,
        page.locator("input[type=file]").first,
        {"name": "<img src=x>.csv", "mimeType": "text/csv", "buffer": b"a,b\n"},
    )
    page.get_by_text("Nothing was changed").wait_for()
    settled(page)
    expect(page.get_by_role("alert")).to_have_count(1)
    assert page.locator("img[src=x]").count() == 0


def test_the_link_to_share_is_the_address_and_shows_the_same_in_a_fresh_browser(visit):
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
