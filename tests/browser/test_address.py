"""The address holds the state: after every change, a reload, Back and Forward (UI specification, 11.9, 11.13)."""

from playwright.sync_api import expect

from calm_core.settings import Settings
from tests.browser.conftest import STRIP, settle
from tests.browser.test_frame import press_epsilon, until_address, until_page


def values(page) -> dict[str, str]:
    """What the settings bar and the title show."""
    return {
        "epsilon": page.locator(f"{STRIP} .value").inner_text(),
        "k": page.locator(f"{STRIP} .k [aria-pressed=true]").inner_text(),
        "n": page.locator(f"{STRIP} .n select").input_value(),
        "d": page.locator(f"{STRIP} .d select").input_value(),
        "page": page.evaluate("document.body.dataset.calm"),
        "title": page.locator("h1").inner_text(),
    }


def unchanged_by_a_reload(page) -> None:
    """A reload keeps values, view and step, and adds no history."""
    settle(page)
    before, address, entries = values(page), page.url, page.evaluate("history.length")
    page.reload()
    settle(page)
    assert (values(page), page.url, page.evaluate("history.length")) == (before, address, entries)


CHANGES = {
    "epsilon": (lambda page: press_epsilon(page, 8), "epsilon=3.5"),
    "k": (lambda page: page.locator(f"{STRIP} .k button", has_text="2").click(), "k=2"),
    "n": (lambda page: page.locator(f"{STRIP} .n select").select_option("10000"), "n=10000"),
    "d": (lambda page: page.locator(f"{STRIP} .d select").select_option("6"), "d=6"),
    "view": (lambda page: page.locator(".st-key-view_plan button").nth(1).click(), "view="),
}


def test_the_address_holds_every_change_over_a_reload_back_and_forward(visit):
    page = visit("plan")
    entries = page.evaluate("history.length")
    for change, part in CHANGES.values():
        change(page)
        until_address(page, part)
        settle(page)
    unchanged_by_a_reload(page)
    assert page.evaluate("history.length") == entries
    page.get_by_role("link", name="Errors").first.click()
    until_page(page, "errors")
    assert page.evaluate("history.length") == entries + 1
    page.locator(f"{STRIP} .k button", has_text="4").click()
    until_address(page, "k=4")
    page.locator(f"{STRIP} .act.noise").click()
    until_address(page, f"seed={Settings.seed + 1}", "k=4")
    settle(page)
    for turn, name in ((page.go_back, "plan"), (page.go_forward, "errors")):
        turn()
        until_page(page, name)
        until_address(page, f"seed={Settings.seed + 1}", "k=4")
        expect(page.locator(f"{STRIP} .k [aria-pressed=true]")).to_have_text("4")
    assert page.evaluate("history.length") == entries + 1
