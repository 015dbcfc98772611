"""Whoever goes on and back before the server has answered is where she was, not where she had been meanwhile."""

from playwright.sync_api import expect

from tests.browser.conftest import BURST_OVER, HOLD, settle
from tests.browser.test_frame import until_page
from tests.browser.test_table import wait_measured

# Presses one view, and the next one while the first is being drawn; that press is held back.
PRESS_BOTH = """async ([hold, first, second]) => {
    const buttons = document.querySelectorAll(".st-key-view_marginals button"), before = calmRuns.asked;
    buttons[first].click();
    while (calmRuns.asked === before) await new Promise(done => setTimeout(done, 1));
    eval(hold)();
    buttons[second].click();
}"""


def test_what_is_pressed_forth_and_back_before_the_server_answers_is_as_before(visit):
    page = visit()
    # Then nothing comes by itself.
    wait_measured(page)
    goes_back(page, page.locator(".foot input[type=range]"))
    page.locator(".st-key-section_lab a").click()
    until_page(page, "data")
    check_simultaneous_choices(page)
    open_step(page, "plan")
    page.locator(".st-key-view_plan button").nth(1).click()
    goes_back(page, page.locator(".fence.left"))
    open_step(page, "collect")
    check_card_chosen_again(page)
    open_step(page, "marginals")
    check_view_opened_again(page)


def open_step(page, step: str) -> None:
    page.locator(f".st-key-stepper .st-key-step_{step} a").click()
    until_page(page, step)


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


def check_card_chosen_again(page) -> None:
    cards = page.locator(".card[data-view]")
    cards.nth(1).click()
    settle(page)
    press_two(page, cards)
    expect(cards.nth(1)).to_have_attribute("aria-pressed", "true")


def check_simultaneous_choices(page) -> None:
    boxes = page.locator("input[type=checkbox]")
    used = boxes.count()
    press_two(page, boxes)
    expect(boxes).to_have_count(used - 2)


def press_two(page, parts) -> None:
    page.evaluate(HOLD)
    for at in (0, 1):
        parts.nth(at).click()
    page.evaluate("letGo()")
    settle(page)


def check_view_opened_again(page) -> None:
    """Streamlit's client forgets what a view was drawn from, after the server has been told that it knows it."""
    wait_measured(page)
    for at in (1, 0):
        page.locator(".st-key-view_marginals button").nth(at).click()
        settle(page)
    page.evaluate(PRESS_BOTH, [HOLD, 4, 1])
    settle(page)
    page.evaluate("letGo()")
    page.get_by_role("heading", name="Raw view").wait_for()
