"""Three worlds and Methods: one scale, noise marked, a comparison that can be stopped."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import (
    PATIENCE,
    above_the_strip,
    box_of,
    count_sent,
    eventually,
    fills_the_room,
    settle,
)

WORLD = ".st-key-worlds_cards .world"


def test_three_worlds_share_one_scale_and_mark_where_noise_is_added(visit):
    page = visit("worlds")
    page.locator(f"{WORLD} svg text").first.wait_for()
    # The axis has room for the dots of other collections.
    page.locator(f"{WORLD}.ours circle.ghost").first.wait_for(state="attached")
    settle(page)
    assert page.locator(f"{WORLD}.ours circle.beyond").count() == 0
    worlds = page.locator(WORLD).all()
    ticks = [
        [text for text in world.locator("svg text").all_text_contents() if text.endswith("%")]
        for world in worlds
    ]
    assert all(one == ticks[0] for one in ticks) and len(ticks[0]) > 2
    # Green, and ± where green is not seen, is where noise is added: nowhere, at the curator, at the people, with and without a shuffler.
    assert [world.locator(".picture .private").count() for world in worlds] == [0, 1, 1, 1]
    assert [world.locator(".picture .sign path").count() for world in worlds] == [0, 1, 5, 5]
    eventually(lambda: above_the_strip(page, ".st-key-price"))
    # The worlds follow epsilon before the server has answered.
    ours = page.locator(f"{WORLD}.ours .number b")
    before, messages = ours.inner_text(), count_sent(page)
    page.evaluate(
        "window.dispatchEvent(new CustomEvent('calm-epsilon', {detail: {index: 2, committed: false}}))"
    )
    expect(ours).not_to_have_text(before)
    assert count_sent(page) == messages


def worlds_fill_the_room(page) -> None:
    """In a lecture, see test_every_page.py: the worlds stand on one line, even with a long number, and no name is cut."""
    expect(page.locator(f"{WORLD} .plot text", has_text="…")).to_have_count(0)
    # As long as the predicted number, which is shown until it is measured.
    ours = page.locator(f"{WORLD}.ours .number b")
    assert re.fullmatch(r"[\d.]+", ours.inner_text())
    ours.evaluate("number => { number.textContent = 'under 0.01' }")
    fills_the_room(page, f"{WORLD}.ours .plot svg")
    for part in ("", " .plot svg", " .plot .key"):
        worlds = page.locator(f"{WORLD}{part}").all()
        tops = [box_of(one)["y"] for one in worlds]
        assert len(worlds) >= 4 and max(tops) - min(tops) < 1
        above_the_strip(page, *worlds)


# Of each method in a lecture: its words, and whether they are cut.
READ = """() => [...document.querySelectorAll('.calm-row')].map(row => {
    const said = row.querySelector('span:not(.verdict)')
    return [said.textContent.trim(), said.scrollHeight > said.clientHeight + 2] })"""


def rows_are_read(page) -> None:
    """In a lecture, see test_every_page.py: the words of every method are shown in full."""
    rows = page.evaluate(READ)
    assert len(rows) >= 5 and all(said and not cut for said, cut in rows)
    above_the_strip(page, *page.locator(".calm-row").all())


def test_a_comparison_can_be_stopped_and_shows_what_is_there(visit):
    page = visit("compare?d=4&k=2&n=4000")
    page.locator(".st-key-compare_repetitions input").fill("100")
    page.get_by_role("button", name="Compare", exact=True).click()
    # It takes its turn after what others compare on the same server.
    some = page.get_by_text(re.compile(r"\b[1-9]\d* of 300 collections")).first
    some.wait_for(timeout=3 * PATIENCE)
    page.get_by_role("button", name="Stop and keep what is there").click()
    page.get_by_text("was stopped by you after").wait_for()
    page.locator(".js-plotly-plot .scatterlayer path.point").first.wait_for()
