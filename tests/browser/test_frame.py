"""Header, stepper, settings bar, address and keys around every page (UI specification, section 11)."""

import re

from playwright.sync_api import expect

from calm_core.settings import Settings
from pages.ui.menu import LAB
from pages.words.shared import PAGES
from tests.browser.conftest import box_of, keys_heard, leave_lecture, sent, settled, until

STRIP = ".st-key-settings_bar .settings-bar"
# Parts of the frame that must be the same nodes after a change of page.
FRAME = [
    ".st-key-header",
    ".st-key-stepper",
    ".st-key-settings_bar",
    ".st-key-settings_bar .stBidiComponent",
]


def press_epsilon(page, presses: int, key: str = "ArrowRight") -> None:
    """Move the settings bar's slider by keys, as fast as they come."""
    page.locator(f"{STRIP} input[type=range]").focus()
    for _ in range(presses):
        page.keyboard.press(key)


def until_address(page, *parts: str) -> None:
    """Until the address holds all these parts."""
    until(
        page,
        "parts => parts.every(part => decodeURIComponent(location.search).includes(part))",
        arg=parts,
    )


def until_page(page, name: str) -> None:
    """Until the address bar is that of the page and its run is over."""
    until(page, "name => document.body.dataset.calm === name", arg=name)
    settled(page)


def test_epsilon_is_heard_once_and_the_address_follows_without_history(visit):
    page = visit("marginals")
    entries = page.evaluate("history.length")
    slider = page.locator(f"{STRIP} input[type=range]")
    press_epsilon(page, 8)
    until_address(page, "epsilon=3.5")
    settled(page)
    expect(page.locator(f"{STRIP} .value")).to_have_text("3.5")
    expect(slider).to_be_focused()
    expect(slider).to_have_attribute("aria-valuetext", re.compile("epsilon 3.5"))
    page.locator(f"{STRIP} .buttons button", has_text="2").click()
    until_address(page, "k=2", "epsilon=3.5")
    settled(page)
    page.locator(f"{STRIP} .n select").select_option("10000")
    until_address(page, "n=10000")
    settled(page)
    page.locator(f"{STRIP} .theta select").select_option(index=0)
    until_address(page, "theta=0.0001")
    settled(page)
    page.locator(f"{STRIP} .act.noise").click()
    until_address(page, "seed=2")
    settled(page)
    assert page.evaluate("history.length") == entries
    page.get_by_role("link", name="Errors").first.click()
    until_page(page, "errors")
    assert page.evaluate("history.length") == entries + 1
    query = dict(re.findall(r"(\w+)=([^&]*)", page.url.split("?")[1]))
    assert Settings.from_query(query)[0] == Settings(epsilon=3.5, k=2, n=10_000, theta=1e-4, seed=2)
    page.go_back()
    until_page(page, "marginals")
    until_address(page, "epsilon=3.5", "seed=2")
    page.reload()
    until_page(page, "marginals")
    expect(page.locator(f"{STRIP} .value")).to_have_text("3.5")


def test_more_settings_are_typed_checked_and_refused_in_a_sentence(visit):
    page = visit("data")
    # An answer that comes while a button is held down does not lose the press.
    page.locator(f"{STRIP} [data-name=more]").hover()
    page.mouse.down()
    page.locator(f"{STRIP} .act.noise").evaluate("button => button.click()")
    until_address(page, "seed=2")
    settled(page)
    page.mouse.up()
    expect(page.locator("#panel-seed")).to_have_value("2")
    # The panel begins below the stepper, which would hide its first label.
    rail = box_of(page.locator(".st-key-stepper"))
    assert box_of(page.locator(".panel"))["y"] >= rail["y"] + rail["height"]
    # Keys are not heard while somebody types.
    page.locator("#panel-seed").focus()
    before = sent(page)
    page.keyboard.press("l")
    settled(page)
    assert sent(page) == before and "presenter" not in page.url
    expect(page.locator(".st-key-header")).to_be_visible()
    page.keyboard.press("Backspace")
    page.locator("#panel-epsilon").fill("0,25")
    page.locator("#panel-epsilon").press("Enter")
    until_address(page, "epsilon=0.25")
    settled(page)
    page.locator("#panel-n").press_sequentially("60 000 people")
    # An answer finds the field being typed in, and leaves it as it is. A press by script leaves the focus there.
    page.locator(f"{STRIP} .act.noise").evaluate("button => button.click()")
    until_address(page, "seed=3")
    settled(page)
    expect(page.locator("#panel-n")).to_have_value("60 000 people")
    page.locator("#panel-n").press("Enter")
    expect(page.get_by_role("alert").first).to_contain_text("must be a whole number")
    expect(page.get_by_text("Nothing was changed")).to_be_visible()
    settled(page)
    # What the sentence advises is a button, and can be taken back.
    page.locator("#panel-d").fill("99")
    page.locator("#panel-d").press("Enter")
    advised = page.get_by_role("button", name="Use d = 18")
    advised.wait_for()
    expect(page.get_by_role("alert").first).to_contain_text("from 1 to 64")
    settled(page)
    page.keyboard.press("Escape")
    page.locator(".panel").wait_for(state="hidden")
    assert "epsilon=0.25" in page.url and "&n=" not in page.url and "&d=" not in page.url
    advised.click()
    until_address(page, "d=18", "epsilon=0.25")
    toast = page.locator(".st-key-toast")
    toast.get_by_text("Settings changed: d = 18").wait_for()
    advised.wait_for(state="detached")
    toast.get_by_role("button", name="Undo").click()
    until(page, "!location.search.includes('d=18')")
    assert "epsilon=0.25" in page.url


def test_a_change_of_page_keeps_header_and_strip_and_never_lacks_a_title(visit):
    page = visit("data")
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


def until_screen(page, number: int, path: str, query: str) -> None:
    """Until this screen of the lecture is shown, and the address says so."""
    until(
        page,
        "([path, query]) => location.pathname === path && location.search === query",
        arg=[path, query],
    )
    page.locator(f"{STRIP} .counter").get_by_text(re.compile(rf"^{number} /")).wait_for()
    keys_heard(page)


def test_the_strip_says_epsilon_and_points_at_rest_and_while_it_is_moved(visit):
    page = visit("plan?epsilon=2.0&seed=41")
    slider = page.locator(f"{STRIP} input[type=range]")
    for name in ("plan", "marginals"):
        if name == "marginals":
            page.locator(f".st-key-stepper .st-key-step_{name} a").click()
            until_page(page, name)
        expect(slider).to_have_attribute(
            "aria-valuetext", re.compile(r"epsilon 2: .*±[\d.]+ points")
        )
    # The table says it of every epsilon, before Python has heard of the new one.
    slider.evaluate("slider => { slider.value = +slider.value + 1; slider.oninput() }")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"epsilon 2.5: .*±[\d.]+ points"))


def test_a_reload_keeps_what_the_rail_has_told(visit):
    page = visit("errors?d=6&k=2")
    rail = page.locator(".st-key-stepper")
    expect(rail).to_contain_text("worst: ±")
    told = rail.inner_text()
    page.locator(".st-key-step_marginals a").click()
    until_page(page, "marginals")
    page.reload()
    expect(rail).to_contain_text("worst: ±")
    until_page(page, "marginals")
    worst = re.compile(r"worst:\W+[\d.]+ points")
    assert worst.search(rail.inner_text())[0] == worst.search(told)[0]


# The first screens, with the teacher's own epsilon of 4 in the lesson.
SCREENS = [
    ("/", "?epsilon=4.0&presenter=1"),
    ("/", "?presenter=1&own_epsilon=4.0"),
    ("/", "?epsilon=0.2&presenter=1&own_epsilon=4.0"),
    ("/learn", "?epsilon=4.0&presenter=1&lesson=coin&at=1"),
    ("/learn", "?epsilon=4.0&presenter=1&lesson=coin&at=2"),
]


def test_keys_of_a_lecture_turn_the_screens_and_back(visit):
    page = visit("?presenter=1&epsilon=4.0")
    until_screen(page, 1, *SCREENS[0])
    for number, screen in list(enumerate(SCREENS, 1))[1:]:
        page.keyboard.press("PageDown")
        until_screen(page, number, *screen)
        if "own_epsilon" in screen[1]:
            page.reload()
            until_screen(page, number, *screen)
    for number, screen in list(enumerate(SCREENS, 1))[-2::-1]:
        page.keyboard.press("PageUp")
        until_screen(page, number, *screen)
    # As fast as they come: none is lost, and none is taken for a key of the page that is being left.
    for _ in SCREENS[1:]:
        page.keyboard.press("PageDown")
    until_screen(page, len(SCREENS), *SCREENS[-1])
    for _ in SCREENS[1:]:
        page.keyboard.press("PageUp")
    until_screen(page, 1, *SCREENS[0])
    page.keyboard.press("b")
    expect(page.locator("#calm-black")).to_have_count(1)
    page.keyboard.press("b")
    expect(page.locator("#calm-black")).to_have_count(0)
    page.keyboard.press("n")
    until_address(page, "seed=2")
    page.keyboard.press("l")
    page.locator(".st-key-header").wait_for()


def test_old_links_show_what_they_did(visit, server):
    page = visit("marginals?epsilon=2&k=2")
    expect(page.locator(f"{STRIP} .value")).to_have_text("2")
    expect(page.locator(f"{STRIP} .buttons [aria-pressed=true]")).to_have_text("2")
    page.goto(f"{server}/data?hide=epsilon,k")
    until_page(page, "data")
    page.locator(f"{STRIP} .n").wait_for()
    assert page.locator(f"{STRIP} .epsilon").count() == page.locator(f"{STRIP} .k").count() == 0
    page.goto(f"{server}/?pages=learn")
    until_page(page, "start")
    expect(page.locator(".st-key-sections a")).to_have_text([PAGES["start"][0], PAGES["learn"][0]])
    page.goto(f"{server}/?presenter=1")
    until_page(page, "start")
    page.locator(f"{STRIP} .counter").wait_for()
    assert page.locator(".st-key-header").count() == 0


# The ring that Streamlit draws around what a key has reached, inside of the page as a whole.
RING = """() => {
    const focused = document.activeElement, ring = getComputedStyle(focused, focused.matches("main") ? "::before" : null);
    return { page: focused.matches("main"), seen: focused.matches(":focus-visible"), ring: ring.boxShadow };
}"""


def test_a_page_that_is_scrolled_is_not_framed_and_what_keys_reach_is(visit):
    page = visit("classroom")
    for lecture in (False, True):
        if lecture:
            page.keyboard.press("l")
            page.locator(".st-key-header").wait_for(state="detached")
            settled(page)
        page.evaluate("document.querySelector('main').focus()")
        page.keyboard.press("ArrowDown")
        assert page.evaluate(RING) == {"page": True, "seen": True, "ring": "none"}
    leave_lecture(page)
    page.get_by_role("textbox").first.focus()
    page.get_by_role("button", name="Lecture mode").focus()
    page.keyboard.press("Shift")
    reached = page.evaluate(RING)
    assert not reached["page"] and reached["seen"] and reached["ring"] != "none"
