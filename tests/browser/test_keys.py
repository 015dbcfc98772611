"""The keys of a lecture, each for what it does, and none while somebody types (UI specification, 5 and 11.8)."""

from playwright.sync_api import expect

from tests.browser.conftest import keys_heard, sent, settled, until
from tests.browser.test_frame import until_address

# What each key makes of the address, one after the other.
SET = (
    ("]", "epsilon=1.2"), ("]", "epsilon=1.4"), ("[", "epsilon=1.2"), ("2", "k=2"), ("4", "k=4"), ("1", "k=1"),
    ("n", "seed=2"),
)  # fmt: skip


def test_keys_of_a_lecture_play_fill_the_screen_and_set_epsilon_size_and_noise(visit):
    page = visit("marginals?presenter=1")
    p_plays_and_f_fills_the_screen(page)
    no_key_is_heard_while_somebody_types(page)
    page.locator("#own").evaluate("own => own.remove()")
    entries = page.evaluate("history.length")
    for key, part in SET:
        page.keyboard.press(key)
        until_address(page, part)
        settled(page)
        keys_heard(page)
    assert page.evaluate("history.length") == entries
    page.keyboard.press("3")
    until(page, "!location.search.includes('k=')")
    settled(page)
    keys_heard(page)
    page.keyboard.press("Escape")
    page.locator(".st-key-header").wait_for()
    settled(page)
    # Outside a lecture they are letters like any others.
    before = sent(page)
    for key in ("]", "2", "n", "p", "b", "PageDown"):
        page.keyboard.press(key)
    settled(page)
    assert sent(page) == before and page.locator("#calm-black").count() == 0


# What the page sends is lost from now on, as with a bad connection, or comes late; so many messages of it.
LOSE = """lost => {
    const send = WebSocket.prototype.send
    WebSocket.prototype.send = function (...told) { return lost-- > 0 ? undefined : send.apply(this, told) }
}"""
TWICE = """() => {
    const send = WebSocket.prototype.send
    WebSocket.prototype.send = function (...told) { send.apply(this, told); return send.apply(this, told) }
}"""


def test_a_key_whose_message_is_lost_is_told_again_and_done_once(visit):
    page = visit("marginals?presenter=1")
    page.evaluate(LOSE, 1)
    page.keyboard.press("]")
    until_address(page, "epsilon=1.2")
    settled(page)
    keys_heard(page)
    page.evaluate(TWICE)
    page.keyboard.press("]")
    until_address(page, "epsilon=1.4")
    settled(page)
    keys_heard(page)
    page.keyboard.press("[")
    until_address(page, "epsilon=1.2")


def p_plays_and_f_fills_the_screen(page) -> None:
    page.evaluate("addEventListener('calm-playing', event => { window.playing = event.detail })")
    page.keyboard.press("p")
    until(page, "window.playing !== undefined")
    page.keyboard.press("f")
    until(page, "document.fullscreenElement !== null")
    page.keyboard.press("f")
    until(page, "document.fullscreenElement === null")


def test_no_key_of_a_lesson_is_heard_while_somebody_types(visit):
    no_key_is_heard_while_somebody_types(visit("learn?lesson=coin&at=0"))


def no_key_is_heard_while_somebody_types(page) -> None:
    # A lecture has no text field of its own; one of the browser's, or of an extension, may be there.
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('input'), { id: 'own' }))"
    )
    page.locator("#own").focus()
    before, at = sent(page), page.url
    for key in ("PageDown", "PageUp", "ArrowRight", "n", "]", "2", "l", "b", "Escape"):
        page.keyboard.press(key)
    settled(page)
    assert sent(page) == before and page.url == at and page.locator("#calm-black").count() == 0
    expect(page.locator("#own")).to_have_value("n]2lb")
