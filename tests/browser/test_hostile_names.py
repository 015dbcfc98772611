"""Hostile column names and values are shown literally on every page; nothing leaves the computer."""

import pytest

from calm_core.ingest import Schema
from tests.bad_files.make import HOSTILE, hostile_csv

pytestmark = pytest.mark.browser
# What would be on a page if a name had been taken for markup.
INJECTED = "img[src='x'], a[href*='evil.example'], [data-testid=stMain] strong:text-is('bold')"


def settle(page) -> None:
    """Wait until the app has nothing left to do."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_timeout(500)


def check(page) -> None:
    settle(page)
    assert page.locator(INJECTED).count() == 0
    assert page.locator("[data-testid=stException]").count() == 0
    assert page.dialogs == [] and page.outgoing == []


def test_hostile_names_are_shown_literally_on_every_page(server, browser_page, tmp_path):
    page, file = browser_page, tmp_path / "<b>hostile & $x$.csv"
    file.write_bytes(hostile_csv())
    page.goto(f"{server}/data")
    page.wait_for_selector("[data-testid=stFileUploader]")
    settle(page)
    page.locator("input[type=file]").first.set_input_files(file)
    page.wait_for_selector("text=40 rows read, 40 used")
    check(page)
    chips = page.locator("[data-testid=stMultiSelect]").first.inner_text()
    for name in HOSTILE[:4]:
        assert name[:24] in chips
    links = page.locator("[data-testid=stTopNavLink]")
    assert links.count() >= 2
    for at in range(links.count()):
        links.nth(at).click()
        check(page)


def test_refused_file_with_a_hostile_schema(server, browser_page, tmp_path):
    page, file = browser_page, tmp_path / "schema.json"
    file.write_text(Schema(()).to_json().replace("[]", '[{"name": "<img src=x>", "kind": "?"}]'))
    page.goto(f"{server}/data")
    page.get_by_text("Schema file").click()
    settle(page)
    page.locator("input[type=file]").last.set_input_files(file)
    page.wait_for_selector("text=Nothing was changed")
    assert "<img src=x>" in page.locator("[data-testid=stAlert]").first.inner_text()
    check(page)
