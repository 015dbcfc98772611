"""The Data page, and uploads that survive a reload of their tab and travel with no link."""

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from pages import words
from tests.browser.conftest import (
    above_the_strip,
    choose_file,
    eventually,
    fits,
    resize,
    settle,
    wait_until,
)
from tests.browser.test_frame import until_page

CLASS = "sex,age_group,smokes,id\n" + "".join(
    f"{'fm'[i * i % 3 % 2]},{['young', 'middle', 'old'][i % 7 % 3]},{i % 11 % 2},{i}\n" for i in range(3000)
)  # fmt: skip
# Whether a text stands within a component of ours.
SHADOWS = "key => [...document.querySelectorAll('*')].some(one => one.shadowRoot?.innerHTML.includes(key))"


def drop(page, name: str = "class.csv", content: str = CLASS) -> None:
    """Choose a file in the drop zone, and wait until it is used."""
    zone = page.locator(".st-key-drop input[type=file]")
    choose_file(page, zone, {"name": name, "mimeType": "text/csv", "buffer": content.encode()})
    page.locator("[class*=st-key-card_here]").get_by_text(name).wait_for()
    settle(page)


def open_tables(page) -> None:
    """Go on to the step whose numbers are compared."""
    page.locator(".st-key-stepper a").filter(has_text="Marginals").first.click()
    until_page(page, "marginals")


def numbers(page) -> str:
    """What the rail says: people, views, reports, people in the wrong cell."""
    page.locator(".st-key-stepper").get_by_text("of 100 wrong").first.wait_for()
    return page.locator(".st-key-stepper").inner_text()


def key_of(page) -> str | None:
    return page.evaluate("sessionStorage.getItem('calm.kept')")


def test_an_upload_survives_a_reload_and_its_key_is_in_no_link_and_no_log(visit, server_folder):
    page = visit("data?epsilon=2&k=2")
    drop(page)
    open_tables(page)
    told, address, key = numbers(page), page.url, key_of(page)
    query = parse_qs(urlsplit(address).query)
    assert query["file"] == ["class.csv"] and query["epsilon"] == ["2.0"]
    assert len(key) == 43

    page.reload()
    until_page(page, "marginals")
    assert numbers(page) == told and page.url == address and key_of(page) == key
    log = (server_folder / "log.txt").read_text()
    assert key not in page.url and key not in page.content()
    assert not page.evaluate(SHADOWS, key)
    assert log and key not in log
    page.get_by_role("button", name="Share").click()
    shared = page.locator("[data-testid=stPopoverBody]")
    expect(shared.locator("code").filter(has_text="file=class.csv")).to_have_text(page.url)
    assert key not in shared.inner_text()

    # What another tab of the same browser has not, nobody else has.
    other = visit(address, wait=False)
    other.get_by_role("heading", name="class.csv is no longer here").wait_for()
    settle(other)
    assert key_of(other) is None and other.url == address
    expect(other.locator("body")).to_contain_text("ε = 2, k = 2, 3 attributes")
    expect(other.get_by_role("button", name="Go on with the Health survey")).to_be_visible()
    assert not other.locator(".st-key-settings_bar, .st-key-stepper").count()
    other.get_by_role("button", name="Choose class.csv again").click()
    wait_until(other, "document.activeElement?.closest('.st-key-drop') !== null")
    drop(other)
    query = f"?{address.partition('?')[2]}"
    wait_until(other, "query => location.search === query", arg=query)
    open_tables(other)
    assert numbers(other) == told and key_of(other) not in (None, key)
    other.locator(".st-key-stepper a").filter(has_text="Data").first.click()
    until_page(other, "data")
    other.get_by_role("button", name="Forget this file").click()
    wait_until(other, "sessionStorage.getItem('calm.kept') === null")


def test_the_step_lies_above_the_strip_and_a_box_adds_an_attribute(visit):
    page = visit("data")
    rows = page.locator(".st-key-attributes_card li")
    expect(rows).to_have_count(8)
    assert rows.nth(0).inner_text().split("\n") == ["Sex", "man / woman", "51%"]
    parts = (".st-key-drop", ".st-key-cards", ".st-key-rows", ".st-key-attributes_card li >> nth=7")
    eventually(lambda: above_the_strip(page, *parts))
    page.get_by_role("button", name="Show 10 more").click()
    page.get_by_role("checkbox", name="Use Age").check()
    page.get_by_text("9 of 18 attributes used").wait_for()
    wait_until(page, "location.search.startsWith('?columns=female')")
    expect(rows.filter(has_text="Age").get_by_role("img")).to_have_attribute(
        "aria-label", re.compile("18-25")
    )


def test_a_refused_choice_and_file_are_explained_and_the_number_of_values_stays_in_its_row(visit):
    page = visit("data?columns=female,age&k=2&d=2")
    page.get_by_role("checkbox", name="Use Sex").uncheck()
    page.get_by_text("Nothing was changed").wait_for()
    settle(page)
    expect(page.get_by_role("checkbox", name="Use Sex")).to_be_checked()
    card = page.locator(".st-key-attributes_card")
    expect(card.get_by_text("2 of 18 attributes used")).to_be_visible()

    # Of a file that is not even sent, Streamlit tells the reason only to who points at its red mark.
    program = {"name": "class.exe", "mimeType": "application/x-msdownload", "buffer": b"MZ"}
    page.locator(".st-key-drop input[type=file]").set_input_files(program)
    page.locator(".st-key-drop [data-testid=stFileChip][aria-invalid=true]").wait_for()
    chips = page.locator(".st-key-drop [data-testid=stFileChips]")
    assert words.common.NOT_TAKEN in chips.evaluate("c => getComputedStyle(c, '::after').content")

    resize(page, 390, 844)
    shown = page.locator("li .share").filter(has_text=words.data.share_text([0.2] * 5))
    eventually(lambda: fits(shown))
