"""The frame on a phone: one line, and a sheet with all sections and steps (UI specification, section 6)."""

from playwright.sync_api import expect

from pages import words
from tests.browser.conftest import box_of, eventually, fits_the_width, resize, settle, wait_until
from tests.browser.test_every_page import check_usable
from tests.browser.test_frame import until_address, until_page

SHEET = ".st-key-top :is(.st-key-sections, .st-key-steps) a, .st-key-top .st-key-tools button"


def test_the_lab_is_one_line_between_back_and_on_and_its_sheet_is_led_by_keys(visit):
    page = visit("plan", width=320, height=844, dark=True)
    menu = page.get_by_role("button", name="2 Plan . Step 2 of 6. Menu", exact=True)
    menu.wait_for()
    expect(page.locator(SHEET).filter(visible=True)).to_have_count(0)
    dots = menu.locator(".dots i").evaluate_all("all => all.map(dot => dot.className)")
    assert dots == ["done", "here", "", "", "", ""]
    back = page.get_by_role("link", name="← Data", exact=True)
    on = page.get_by_role("link", name="Collect →", exact=True)

    def one_line() -> None:
        assert box_of(page.locator(".st-key-top"))["height"] == 52
        places = [box_of(part) for part in (back, menu, on)]
        assert all(box["height"] >= 44 and box["width"] >= 44 for box in places)
        assert [box["x"] for box in places] == sorted(box["x"] for box in places)
        assert all(box["y"] + box["height"] <= 52 for box in places)
        fits_the_width(page)

    for width in (320, 390):
        resize(page, width, 844)
        eventually(one_line)
    on.click()
    until_page(page, "collect")
    page.get_by_role("button", name="3 Collect").wait_for()
    page.emulate_media(color_scheme="light")
    settle(page)
    the_sheet_is_opened_left_and_followed_by_keys(page)


# Fields of the settings bar's sheet that can be seen, and the one that has the focus.
FIELDS = """() => {
    const strip = [...document.querySelectorAll("*")].map(one => one.shadowRoot).find(shadow => shadow?.querySelector(".panel"));
    const shown = [...strip.querySelectorAll(".panel .label")].filter(one => one.checkVisibility());
    return [shown.map(one => one.textContent), !!strip.activeElement?.closest(".panel"), strip.activeElement?.dataset.name];
}"""


def test_the_settings_on_a_phone_stand_once_each_and_keep_the_focus(visit):
    page = visit("marginals", width=390, height=844)
    change = page.locator(".st-key-settings_bar [data-name=more]")
    change.click()
    dialog = page.get_by_role("dialog", name=words.settings.LABELS["more"])
    expect(dialog).to_have_attribute("aria-modal", "true")
    labels, within, first = page.evaluate(FIELDS)
    assert within and len(labels) == len(set(labels)) > 8, labels
    assert {*words.settings.OWN.values(), words.settings.LABELS["k"]} < set(labels)
    page.keyboard.press("Shift+Tab")
    expect(dialog.get_by_role("button", name=words.settings.LABELS["close"])).to_be_focused()
    for _ in range(40):
        page.keyboard.press("Tab")
        assert page.evaluate(FIELDS)[1], "the focus has left the sheet"
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(change).to_be_focused()
    resize(page, 1280, 720)
    change.click()
    assert dialog.get_attribute("aria-modal") is None, (
        "beside the page, which can be used meanwhile"
    )
    assert page.evaluate(FIELDS)[1]
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    resize(page, 390, 844)
    lecture_mode_is_entered_from_the_sheet_and_left(page)
    the_sheet_is_gone_in_a_wide_window(page)


def the_sheet_is_opened_left_and_followed_by_keys(page) -> None:
    menu = page.locator(".st-key-menu button")
    shown = page.locator(SHEET).filter(visible=True)
    for width in (320, 390):
        resize(page, width, 844)
        expect(menu).to_have_attribute("aria-expanded", "false")
        menu.focus()
        page.keyboard.press("Enter")
        expect(menu).to_have_attribute("aria-expanded", "true")
        expect(page.locator(".st-key-section_start a")).to_be_focused()
        told = " ".join(shown.all_inner_texts())
        for name in ("Start", "Compare", "About", "60,000 people", "Errors", "Share", "Lecture"):
            assert name in told
        eventually(lambda: apart(page, shown))
        if width == 320:
            check_usable(page)
        page.keyboard.press("Escape")
        expect(menu).to_have_attribute("aria-expanded", "false")
        expect(menu).to_be_focused()
        expect(shown).to_have_count(0)
        menu.click()
        expect(menu).to_have_attribute("aria-expanded", "true")
        page.mouse.click(width / 2, 800)
        expect(menu).to_have_attribute("aria-expanded", "false")
    menu.click()
    page.locator(".st-key-section_compare a").press("Enter")
    until_page(page, "worlds")
    expect(shown).to_have_count(0)
    expect(page.get_by_role("button", name="Menu", exact=True)).to_be_visible()


def apart(page, parts) -> None:
    """As large as a finger, one below or beside the other, all in view."""
    boxes = parts.evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).map(b => [b.x, b.y, b.right, b.bottom])"
    )
    assert all(right - x >= 44 and bottom - y >= 44 for x, y, right, bottom in boxes)
    for i, (x, y, right, bottom) in enumerate(boxes):
        assert all(
            x >= r or right <= l or y >= b - 0.5 or bottom <= t + 0.5
            for l, t, r, b in boxes[i + 1 :]  # noqa: E741
        )
    fits_the_width(page)


def the_sheet_is_gone_in_a_wide_window(page) -> None:
    page.locator(".st-key-menu button").click()
    page.locator(".st-key-section_learn a").wait_for()
    page.set_viewport_size({"width": 1280, "height": 720})
    wait_until(page, "!document.documentElement.classList.contains('calm-menu')")
    expect(page.locator(".st-key-menu button")).to_be_hidden()
    expect(page.locator(".st-key-section_learn a")).to_be_visible()


def lecture_mode_is_entered_from_the_sheet_and_left(page) -> None:
    page.locator(".st-key-menu button").click()
    page.get_by_role("button", name="Lecture mode").click()
    until_address(page, "presenter=1")
    expect(page.locator(".st-key-top")).to_have_count(0)
    page.get_by_role("button", name="Leave lecture mode").click()
    page.locator(".st-key-menu button").wait_for()
    settle(page)
    expect(page.locator(SHEET).filter(visible=True)).to_have_count(0)
