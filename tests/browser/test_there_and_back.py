"""Whoever goes on and back before the server has answered is where she was, not where she had been meanwhile."""

from playwright.sync_api import expect

from tests.browser.conftest import BURST_OVER, HOLD, settle
from tests.browser.test_frame import until_page
from tests.browser.test_table import wait_measured


def test_what_is_pressed_forth_and_back_before_the_server_answers_is_as_before(visit):
    page = visit()
    # Then nothing comes by itself.
    wait_measured(page)
    goes_back(page, page.locator(".foot input[type=range]"))
    page.locator(".st-key-section_lab a").click()
    until_page(page, "data")
    check_simultaneous_choices(page)
    for step, check in (("plan", the_fence), ("collect", a_card_is_chosen_again)):
        page.locator(f".st-key-stepper .st-key-step_{step} a").click()
        until_page(page, step)
        if step == "plan":
            page.locator(".st-key-view_plan button").nth(1).click()
        check(page)


def the_fence(page) -> None:
    goes_back(page, page.locator(".fence.left"))


def goes_back(page, slider) -> None:
    slider.focus()
    before = slider_value(slider)
    page.evaluate(HOLD)
    for key in ("ArrowRight", "ArrowLeft"):
        slider.press(key)
        page.evaluate(BURST_OVER)
    page.evaluate("letGo()")
    settle(page)
    assert slider_value(slider) == before


def slider_value(slider) -> str:
    return slider.get_attribute("aria-valuenow") or slider.input_value()


def a_card_is_chosen_again(page) -> None:
    cards = page.locator(".card[data-view]")
    cards.nth(1).click()
    settle(page)
    page.evaluate(HOLD)
    for at in (0, 1):
        cards.nth(at).click()
    page.evaluate("letGo()")
    settle(page)
    expect(cards.nth(1)).to_have_attribute("aria-pressed", "true")


def check_simultaneous_choices(page) -> None:
    boxes = page.locator("input[type=checkbox]")
    used = boxes.count()
    page.evaluate(HOLD)
    for at in (0, 1):
        boxes.nth(at).click()
    page.evaluate("letGo()")
    settle(page)
    expect(boxes).to_have_count(used - 2)
