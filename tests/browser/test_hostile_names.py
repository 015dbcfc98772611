"""Hostile column names and values are shown literally and run no script; nothing is requested from elsewhere."""

from playwright.sync_api import expect

from calm_core.ingest.schema import Schema
from pages.ui.navigation import LAB
from tests.bad_files.make import HOSTILE, hostile_csv
from tests.browser.conftest import choose_file, settle, wait_until

# What would be on a page if a name had been taken for markup.
INJECTED = "img[src='x'], a[href*='evil.example'], [data-testid=stMain] strong:text-is('bold')"


def check(page) -> None:
    settle(page)
    assert page.locator(INJECTED).count() == 0
    assert page.locator("[data-testid=stException]").count() == 0


def test_hostile_names_are_shown_literally_in_the_lab(visit, tmp_path):
    """A script that ran would open a dialog; `visit` sees what is asked of others."""
    page, file = visit("data", width=1300, height=1600), tmp_path / "<b>hostile & $x$.csv"
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    file.write_bytes(hostile_csv())
    a_hostile_schema_is_refused(page, tmp_path)
    choose_file(page, page.locator("input[type=file]").first, file)
    page.wait_for_selector("text=40 rows read, all used")
    check(page)
    for name in HOSTILE[:4]:
        expect(page.locator(".st-key-attributes_card")).to_contain_text(name[:24])
    for editor in ("seen", "order", "values"):
        page.locator(f".st-key-open_{editor} button").click()
        settle(page)
        check(page)
    for name in LAB[1:]:
        before = page.url
        page.locator(f".st-key-stepper .st-key-step_{name} a").click()
        wait_until(page, "before => location.href !== before", arg=before)
        check(page)
    assert not dialogs


def a_hostile_schema_is_refused(page, folder) -> None:
    file = folder / "schema.json"
    file.write_text(Schema(()).to_json().replace("[]", '[{"name": "<img src=x>", "kind": "?"}]'))
    page.get_by_text("Schema file").click()
    settle(page)
    choose_file(page, page.locator("input[type=file]").last, file)
    page.wait_for_selector("text=Nothing was changed")
    expect(page.locator("[data-testid=stAlert]").first).to_contain_text("<img src=x>")
    check(page)
