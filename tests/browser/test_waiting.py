"""What takes long, what is lost, what was changed for somebody: said in plain sight, with a way back."""

import re

from playwright.sync_api import expect

from pages import words
from tests.browser.conftest import STRIP, new_page, settle
from tests.browser.test_frame import until_address

# Four seconds of scoring for k = 6, on a quiet machine: nothing that a faster one would have done in one, nor a
# slower one be refused for taking more than a page may.
SLOW = "source=browsing&d=32&n=2000000&reconstruction=lp&queries=150"
AT_WORK = ".st-key-at_work_page"


def test_a_long_collection_says_how_far_it_is_and_can_be_stopped(visit):
    other = visit(f"marginals?{SLOW}&k=2")
    page = visit(f"marginals?{SLOW}&k=2")
    title = page.locator("h1").text_content()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    page.locator(f"{STRIP} [data-name=bar-k-6]").click()
    stop = page.locator(AT_WORK).get_by_role("button", name="Stop")
    stop.wait_for()
    expect(page.locator(AT_WORK)).to_contain_text(re.compile("groups.*(left|not known yet)"))
    until_address(page, "k=6")
    # Another session that wants the same waits for it and says so; left alone it goes on, and is stopped too.
    other.locator(f"{STRIP} [data-name=bar-k-6]").click()
    expect(other.locator(AT_WORK)).to_contain_text(words.common.ELSEWHERE)
    stop.click()
    other.locator(AT_WORK).get_by_role("button", name="Stop").click()
    until_address(page, "k=2")
    settle(page)
    expect(page.locator("h1")).to_have_text(title)
    toast = page.locator(".st-key-toast")
    expect(toast).to_contain_text("Stopped")
    expect(page.locator(AT_WORK)).to_be_hidden()
    until_address(other, "k=2")


# The page can lose its connection, and then is a stranger to the server: the third word names its session.
STRANGER = """window.WebSocket = class extends WebSocket {
    constructor(url, words) { super(url, words.slice(0, 2)); window.connection = this }
}"""


def test_where_the_server_is_away_the_page_says_so_and_a_press_reaches_the_next_one(
    profile, server
):
    """As where one of several processes dies: the session is gone, its settings are in the address."""
    page = new_page(profile)
    page.add_init_script(STRANGER)
    page.goto(f"{server}/marginals?n=1000&d=6&epsilon=2.0")
    settle(page)
    page.locator(f"{STRIP} [data-name=bar-k-1]").click()
    until_address(page, "k=1")
    settle(page)
    expect(page.get_by_text(words.common.AWAY)).to_be_hidden()
    profile.set_offline(True)
    page.evaluate("connection.close()")
    expect(page.get_by_text(words.common.AWAY)).to_be_visible()
    assert "epsilon=2.0" in page.url
    page.locator(f"{STRIP} [data-name=bar-k-2]").click()
    profile.set_offline(False)
    until_address(page, "k=2")
    assert "epsilon=2.0" in page.url
    settle(page)
    expect(page.get_by_text(words.common.AWAY)).to_be_hidden()
    # The choice before was of the session that is gone.
    page.get_by_role("button", name="Undo").click()
    until_address(page, "k=1")
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
