"""Who has no mouse, and who hears the page: keys alone, nothing covered that has the focus, views that no other test opens."""

from playwright.sync_api import expect

from pages import words
from tests.browser.conftest import eventually, settle
from tests.browser.test_every_page import PHONE, STAGE, WIDE, check_sizes, check_usable, resize

# Whether what has the focus is out of sight: outside the window, or all behind what stands still above the page.
COVERED = """() => {
    const above = node => node.parentNode ?? node.host;
    const held = node => {
        for (let at = node; at; at = above(at))
            if (at instanceof Element && ["fixed", "sticky"].includes(getComputedStyle(at).position)) return at;
        return null;
    };
    const hit = (x, y) => {
        let found = document.elementFromPoint(x, y);
        for (let inner; found?.shadowRoot && (inner = found.shadowRoot.elementFromPoint(x, y)) && inner !== found;) found = inner;
        return found;
    };
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    if (!at || at === document.body) return "";
    // A hidden box of a choice is seen as its label.
    const { left, top, width, height } = (at.closest("label") ?? at).getBoundingClientRect(), inside = [0.1, 0.5, 0.9];
    const points = inside.flatMap(a => inside.map(b => [left + a * width, top + b * height]));
    const seen = points.some(([x, y]) => {
        const found = hit(x, y), over = found && held(found);
        return found && (!over || over === held(at) || over.contains(at));
    });
    return seen || width < 2 ? "" : at.outerHTML.slice(0, 200);
}"""
FOCUSED = """wanted => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at === wanted;
}"""
MAX_STOPS = 90


def reach(page, part) -> None:
    """Press Tab until a part has the focus; on the way nothing with the focus is covered."""
    part.wait_for()
    for _ in range(MAX_STOPS):
        page.keyboard.press("Tab")
        eventually(lambda: check_focus_uncovered(page))
        if part.evaluate(FOCUSED):
            return
    raise AssertionError(f"no key leads to {part}")


def check_focus_uncovered(page) -> None:
    covered = page.evaluate(COVERED)
    assert not covered, covered


def press(page, part) -> None:
    """Reach a part and press Enter on it."""
    reach(page, part)
    page.keyboard.press("Enter")
    settle(page)


def guess_by_keys(page) -> None:
    """Move the guess by a step."""
    reach(page, page.get_by_role("slider", name=words.learn.YOUR_GUESS))
    page.keyboard.press("ArrowRight")
    settle(page)


def test_a_lesson_is_played_with_keys_alone_and_its_dialogs_can_be_used(visit):
    page = visit("learn?lang=en")
    press(page, page.locator("a.card").filter(has_text=words.learn.lesson("coin").title))
    press(page, page.get_by_role("button", name=words.learn.TO_PREDICT))
    guess_by_keys(page)
    press(page, page.get_by_role("button", name=words.learn.TO_REVEAL))
    expect(page.get_by_text("you thought:").first).to_be_visible()
    dialogs_can_be_used(page)


def attack_is_run_with_keys_alone(page) -> None:
    press(page, page.locator(".st-key-attack_card_one-person button"))
    guess_by_keys(page)
    press(page, page.get_by_role("button", name=words.attack.RUN))
    expect(page.get_by_text(words.attack.BOUND)).to_be_visible()


def test_what_has_the_focus_is_never_covered(visit):
    """Below the header and above the settings bar, on a page that is longer than the window."""
    page = visit("data")
    for size in (WIDE, PHONE):
        resize(page, *size)
        for _ in range(MAX_STOPS // 2):
            page.keyboard.press("Tab")
            eventually(lambda: check_focus_uncovered(page))


def test_every_attack_can_be_used_and_run_with_keys_alone_and_the_builder_of_assignments_used(
    visit, server
):
    page = visit("attack")
    for name in words.attack.ATTACKS:
        page.locator(f".st-key-attack_card_{name} button").click()
        page.locator(".st-key-attack_all").wait_for()
        wide_and_on_a_phone(page)
        page.locator(".st-key-attack_all button").click()
    page.locator(".st-key-attack_cards").wait_for()
    settle(page)
    attack_is_run_with_keys_alone(page)
    for place in ("assignment?view=build", "classroom?lang=de&view=back"):
        page.goto(f"{server}/{place}")
        wide_and_on_a_phone(page)


def wide_and_on_a_phone(page) -> None:
    settle(page)
    check_usable(page, within=STAGE)
    resize(page, *PHONE)
    check_sizes(page)
    resize(page, *WIDE)


def dialogs_can_be_used(page) -> None:
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    check_usable(page, within="[role=dialog]")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Share").click()
    page.get_by_test_id("stCode").first.wait_for()
    check_usable(page, within="[data-testid=stPopoverBody]")


def test_screen_readers_get_the_language_of_the_page(visit):
    page = visit("learn?lang=de")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator(".st-key-chrome")).to_have_attribute("lang", "en")
    assert "lang=de" in page.url
    page.get_by_role("link", name=words.common.SECTIONS["lab"]).click()
    settle(page)
    expect(page.locator("html")).to_have_attribute("lang", "en")
