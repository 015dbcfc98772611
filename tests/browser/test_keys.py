"""What each key of a lecture does, and that none acts while somebody types (UI specification, 5 and 11.8)."""

from playwright.sync_api import expect

from calm_core.settings import Settings
from pages.words.common import KEYS
from tests.browser.conftest import count_sent, settle, wait_for_keys, wait_until
from tests.browser.test_frame import until_address

# What each key makes of the address, one after the other.
SET = (
    ("]", "epsilon=1.2"), ("]", "epsilon=1.4"), ("[", "epsilon=1.2"), ("2", "k=2"), ("n", f"seed={Settings.seed + 1}"),
)  # fmt: skip


def test_the_keys_of_a_lecture_set_epsilon_size_and_noise_and_are_off_elsewhere(visit):
    page = visit("marginals?presenter=1")
    page.evaluate("addEventListener('calm-playing', event => { window.playing = event.detail })")
    page.keyboard.press("p")
    wait_until(page, "window.playing !== undefined")
    for full in ("!==", "==="):
        page.keyboard.press("f")
        wait_until(page, f"document.fullscreenElement {full} null")
    all_keys_are_listed(page)
    keys_are_off_while_typing(page)
    entries = page.evaluate("history.length")
    for key, part in SET:
        page.keyboard.press(key)
        until_address(page, part)
        settle(page)
        wait_for_keys(page)
    a_key_whose_message_is_lost_is_sent_again_and_applied_once(page)
    assert page.evaluate("history.length") == entries
    page.keyboard.press("Escape")
    page.locator(".st-key-header").wait_for()
    settle(page)
    # Outside a lecture they are letters like any others.
    before = count_sent(page)
    for key in ("]", "2", "n", "p", "b", "PageDown"):
        page.keyboard.press(key)
    settle(page)
    assert count_sent(page) == before and page.locator("#calm-black").count() == 0


# From now on so many messages of the page are lost, or every one arrives twice until `once()`.
LOSE = """lost => {
    const send = WebSocket.prototype.send
    WebSocket.prototype.send = function (...told) { return lost-- > 0 ? undefined : send.apply(this, told) }
}"""
TWICE = """() => {
    const send = WebSocket.prototype.send
    window.once = () => { WebSocket.prototype.send = send }
    WebSocket.prototype.send = function (...told) { send.apply(this, told); return send.apply(this, told) }
}"""


def a_key_whose_message_is_lost_is_sent_again_and_applied_once(page) -> None:
    page.evaluate(LOSE, 1)
    page.keyboard.press("]")
    until_address(page, "epsilon=1.4")
    settle(page)
    wait_for_keys(page)
    page.evaluate(TWICE)
    page.keyboard.press("]")
    until_address(page, "epsilon=1.6")
    settle(page)
    wait_for_keys(page)
    page.keyboard.press("[")
    until_address(page, "epsilon=1.4")
    page.evaluate("once()")
    settle(page)
    wait_for_keys(page)


def all_keys_are_listed(page) -> None:
    page.keyboard.press("?")
    shown = page.get_by_role("dialog", name="Keys")
    expect(shown.get_by_role("row")).to_have_count(len(KEYS))
    page.keyboard.press("Escape")
    expect(shown).to_have_count(0)
    assert "presenter=1" in page.url


def keys_are_off_while_typing(page) -> None:
    # A lecture has no text field of its own; one of the browser, or of an extension, may be there.
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('input'), { id: 'own' }))"
    )
    page.locator("#own").focus()
    before, at = count_sent(page), page.url
    for key in ("PageDown", "PageUp", "ArrowRight", "n", "]", "2", "l", "b", "Escape"):
        page.keyboard.press(key)
    settle(page)
    assert (
        count_sent(page) == before and page.url == at and page.locator("#calm-black").count() == 0
    )
    expect(page.locator("#own")).to_have_value("n]2lb")
    page.locator("#own").evaluate("own => own.remove()")
