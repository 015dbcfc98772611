"""Whoever goes on and back before the server has answered is where she was, not where she had been meanwhile."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import BURST_OVER, HOLD, settled


@pytest.mark.parametrize("address", ["plan?epsilon=2.0&at=4", ""])
def test_a_slider_goes_back(visit, address):
    page = visit(address)
    # The fence of Plan, the epsilon of Start.
    slider = page.locator(".fence.left, .foot input[type=range]")
    slider.focus()
    before = told(slider)
    page.evaluate(HOLD)
    for key in ("ArrowRight", "ArrowLeft"):
        slider.press(key)
        page.evaluate(BURST_OVER)
    page.evaluate("letGo()")
    settled(page)
    assert told(slider) == before


def told(slider) -> str:
    return slider.get_attribute("aria-valuenow") or slider.input_value()


def test_a_card_is_chosen_again(visit):
    page = visit("collect")
    view = page.locator('.card[aria-pressed="true"]').get_attribute("data-view")
    chosen, other = page.locator(f'.card[data-view="{view}"]'), page.locator(".card").first
    assert view != "0"
    page.evaluate(HOLD)
    other.click()
    chosen.click()
    page.evaluate("letGo()")
    settled(page)
    expect(chosen).to_have_attribute("aria-pressed", "true")


def test_choices_that_reach_the_server_together_are_all_heard(visit):
    page = visit("data")
    boxes = page.locator("input[type=checkbox]")
    used = boxes.count()
    page.evaluate(HOLD)
    for at in (0, 1):
        boxes.nth(at).click()
    page.evaluate("letGo()")
    settled(page)
    expect(boxes).to_have_count(used - 2)
