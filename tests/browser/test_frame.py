"""The frame of every page: header, stepper, settings bar, address, history and keys (UI specification, 11)."""

from playwright.sync_api import expect

from calm_core.settings import Settings
from pages.ui.lecture import screen_texts
from pages.ui.navigation import LAB
from pages.words.common import PAGES
from tests.browser.conftest import (
    STRIP,
    box_of,
    eventually,
    read_from_the_back_row,
    settle,
    wait_for_keys,
    wait_until,
)

# Parts of the frame that must be the same nodes after a change of page.
FRAME = [
    ".st-key-header",
    ".st-key-stepper",
    ".st-key-settings_bar",
    ".st-key-settings_bar .stBidiComponent",
]


def press_epsilon(page, presses: int, key: str = "ArrowRight") -> None:
    """Move the strip's slider by keys, as fast as they come."""
    page.locator(f"{STRIP} input[type=range]").focus()
    for _ in range(presses):
        page.keyboard.press(key)


def until_address(page, *parts: str) -> None:
    """Until the address holds all these parts."""
    wait_until(
        page,
        "parts => parts.every(part => decodeURIComponent(location.search).includes(part))",
        arg=parts,
    )


def until_page(page, name: str) -> None:
    """Until the address bar is that of the page and its run is over."""
    wait_until(page, "name => document.body.dataset.calm === name", arg=name)
    settle(page)


def test_settings_are_typed_and_refused_and_every_page_keeps_the_frame_and_has_a_title(visit):
    page = visit("data")
    # A rerun while a button is held down does not lose the press.
    page.locator(f"{STRIP} [data-name=more]").hover()
    page.mouse.down()
    page.locator(f"{STRIP} .act.noise").evaluate("button => button.click()")
    until_address(page, f"seed={Settings.seed + 1}")
    settle(page)
    page.mouse.up()
    expect(page.locator("#panel-seed")).to_have_value(str(Settings.seed + 1))
    # The panel begins below the stepper, which would hide its first label.
    page.locator(".panel").wait_for()
    rail = box_of(page.locator(".st-key-stepper"))
    assert box_of(page.locator(".panel"))["y"] >= rail["y"] + rail["height"]
    page.locator("#panel-epsilon").fill("0,25")
    page.locator("#panel-epsilon").press("Enter")
    until_address(page, "epsilon=0.25")
    settle(page)
    # A rerun leaves the field that is being typed in as it is.
    page.locator("#panel-n").press_sequentially("60 000 people")
    page.locator(f"{STRIP} .act.noise").evaluate("button => button.click()")
    until_address(page, f"seed={Settings.seed + 2}")
    settle(page)
    expect(page.locator("#panel-n")).to_have_value("60 000 people")
    page.locator("#panel-n").press("Enter")
    expect(page.get_by_text("Nothing was changed")).to_be_visible()
    settle(page)
    # The remedy that a refusal offers is a button, and can be undone.
    page.locator("#panel-d").fill("99")
    page.locator("#panel-d").press("Enter")
    remedy = page.get_by_role("button", name="Use d = 18")
    remedy.wait_for()
    settle(page)
    page.keyboard.press("Escape")
    page.locator(".panel").wait_for(state="hidden")
    assert "epsilon=0.25" in page.url and "&n=" not in page.url and "&d=" not in page.url
    remedy.click()
    until_address(page, "d=18", "epsilon=0.25")
    page.locator(".st-key-toast").get_by_role("button", name="Undo").click()
    wait_until(page, "!location.search.includes('d=18')")
    assert "epsilon=0.25" in page.url
    settle(page)
    # The script may be over before the browser has mounted what it says.
    for part in FRAME:
        page.locator(part).wait_for(state="attached")
    page.evaluate(
        """selectors => {
            window.before = selectors.map(selector => document.querySelector(selector))
            window.bare = 0
            const look = () => { if (!document.querySelector('h1')) window.bare++; requestAnimationFrame(look) }
            look()
        }""",
        FRAME,
    )
    for name in LAB[1:]:
        page.locator(f".st-key-stepper .st-key-step_{name} a").click()
        until_page(page, name)
    same = page.evaluate(
        "selectors => selectors.map((selector, i) => document.querySelector(selector) === window.before[i])",
        FRAME,
    )
    assert same == [True] * len(FRAME)
    assert page.evaluate("window.bare") == 0


# Addresses of the twelve screens; the teacher's epsilon is 4.
SCREENS = [
    ("/learn", "&lesson=why"), ("/learn", "&lesson=coin&at=1"), ("/learn", "&lesson=coin&at=2"),
    ("/learn", "&lesson=epsilon&at=2"), ("/learn", "&lesson=coin&at=3"), ("/", ""),
    ("/learn", "&lesson=splitting&at=2"), ("/learn", "&lesson=sizes&at=2"), ("/marginals", ""),
    ("/marginals", ""), ("/worlds", ""), ("/classroom", ""),
]  # fmt: skip


def until_screen(page, number: int) -> None:
    """Until this screen of the lecture is shown, the address says so, and everybody can read it."""
    path, rest = SCREENS[number - 1]
    address = f"{path}?epsilon=4.0&presenter=1{rest}"
    wait_until(page, "at => location.pathname + location.search === at", arg=address)
    page.locator(".counter").get_by_text(f"{number} / {len(SCREENS)}").wait_for()
    wait_for_keys(page)


def test_a_lecture_is_walked_from_any_page_by_keys_and_buttons(visit):
    """The order of all twelve is tested in tests/app; each kind of page is read in test_every_page.py."""
    page = visit("about?presenter=1&epsilon=4.0")
    for number in (1, 2):
        page.keyboard.press("ArrowRight")
        until_screen(page, number)
        settle(page)
        eventually(lambda: readable_with_one_number(page))
    page.get_by_role("button", name="All screens and keys").click()
    page.get_by_role("button", name=list(screen_texts().values())[-1].name, exact=True).click()
    until_screen(page, 12)
    page.reload()
    until_screen(page, 12)
    page.get_by_role("button", name="Screen before").click()
    until_screen(page, 11)
    page.keyboard.press("ArrowLeft")
    until_screen(page, 10)
    # The settings of the screen before are the teacher's own.
    page.reload()
    until_screen(page, 9)
    page.keyboard.press("ArrowRight")
    until_screen(page, 10)
    page.get_by_role("button", name="All screens and keys").click()
    # The screen that is shown has the focus.
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    until_screen(page, 11)
    page.get_by_role("button", name="All screens and keys").click()
    page.get_by_role("button", name="Flip a coin").click()
    until_screen(page, 2)
    # Keys pressed fast are neither lost nor applied to the page that is being left.
    for _ in range(3):
        page.keyboard.press("PageDown")
    until_screen(page, 5)
    for _ in range(4):
        page.keyboard.press("PageUp")
    until_screen(page, 1)
    page.keyboard.press("b")
    expect(page.locator("#calm-black")).to_have_count(1)
    page.keyboard.press("b")
    expect(page.locator("#calm-black")).to_have_count(0)
    page.keyboard.press("n")
    until_address(page, f"seed={Settings.seed + 1}")
    page.keyboard.press("l")
    page.locator(".st-key-header").wait_for()


def readable_with_one_number(page) -> None:
    read_from_the_back_row(page)
    assert page.locator("h1:visible").count() == 1
    assert page.locator(".number:visible, .calm-headline:visible").count() in (1, 4, 5), (
        "of worlds 4 and their price"
    )


# The ring that Streamlit draws around what has the focus, inside of the page as a whole.
RING = """() => {
    const focused = document.activeElement, ring = getComputedStyle(focused, focused.matches("main") ? "::before" : null);
    return { page: focused.matches("main"), seen: focused.matches(":focus-visible"), ring: ring.boxShadow };
}"""


def test_a_link_hides_pages_a_control_with_the_focus_has_a_ring_and_the_page_has_none(visit):
    page = visit("classroom?pages=classroom")
    shown = [PAGES["start"][0], PAGES["classroom"][0]]
    expect(page.locator(".st-key-sections a")).to_have_text(shown)
    page.evaluate("document.querySelector('main').focus()")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(RING) == {"page": True, "seen": True, "ring": "none"}
    page.get_by_role("textbox").first.focus()
    page.get_by_role("button", name="Lecture mode").focus()
    page.keyboard.press("Shift")
    reached = page.evaluate(RING)
    assert not reached["page"] and reached["seen"] and reached["ring"] != "none"
