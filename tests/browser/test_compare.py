"""Three worlds and Methods in a browser: one scale, noise in green, a comparison that can be stopped."""

from playwright.sync_api import expect

from tests.browser.conftest import box_of, eventually, sent, settled, until
from tests.browser.test_frame import STRIP, press_epsilon, until_address, until_page

WORLD = ".st-key-worlds_cards .world"


def test_three_worlds_stand_side_by_side_on_one_scale(visit):
    page = visit("worlds", beforehand=EASING)
    nothing_moves_on_load(page)
    page.locator(f"{WORLD} svg text").first.wait_for()
    expect(page.locator(f"{WORLD} h2")).to_have_text(
        ["No privacy", "Trusted curator", "Nobody trusted"]
    )
    # The axis has room for the dots of other collections.
    page.locator(f"{WORLD}.ours circle.ghost").first.wait_for(state="attached")
    settled(page)
    assert page.locator(f"{WORLD}.ours circle.beyond").count() == 0
    ticks = [
        [text for text in world.locator("svg text").all_text_contents() if text.endswith("%")]
        for world in page.locator(WORLD).all()
    ]
    assert ticks[0] == ticks[1] == ticks[2] and len(ticks[0]) > 2
    # Green, and ± where green is not seen, is where noise is added: nowhere, at the curator, at the people.
    marked = [world.locator(".picture .private").count() for world in page.locator(WORLD).all()]
    assert marked == [0, 1, 1]
    signs = [world.locator(".picture .sign path").count() for world in page.locator(WORLD).all()]
    assert signs == [0, 1, 5]
    assert page.locator(f"{WORLD}.ours .picture g.private circle").count() == 5
    price = page.locator(".st-key-price")
    expect(price).to_contain_text("people instead of 60,000")
    eventually(lambda: above_the_strip(price))
    the_worlds_follow_epsilon_before_anything_is_collected(page)
    the_switch_leads_from_worlds_to_methods_and_back(page)


def above_the_strip(part) -> None:
    box = box_of(part)
    assert box["y"] + box["height"] <= 648


def the_worlds_follow_epsilon_before_anything_is_collected(page) -> None:
    ours = page.locator(f"{WORLD}.ours .number b")
    before, told = ours.inner_text(), sent(page)
    page.evaluate(
        "window.dispatchEvent(new CustomEvent('calm-epsilon', {detail: {index: 2, committed: false}}))"
    )
    expect(ours).not_to_have_text(before)
    assert sent(page) == told
    press_epsilon(page, 1)
    until_address(page, "epsilon=1.2")
    settled(page)


# How long a mark would take to its place in the first frame that shows one.
EASING = """
const look = () => {
    for (const element of document.querySelectorAll('*')) {
        const mark = element.shadowRoot?.querySelector('.world .plot rect.pale');
        if (mark) return window.easing = getComputedStyle(mark).transitionDuration;
    }
    requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


def nothing_moves_on_load(page) -> None:
    until(page, "window.easing !== undefined")
    assert page.evaluate("easing") == "0s"


def the_switch_leads_from_worlds_to_methods_and_back(page) -> None:
    page.locator(f"{STRIP} .k button", has_text="2").click()
    until_address(page, "k=2")
    settled(page)
    page.locator(".st-key-compare_switch").get_by_text("Methods").click()
    until_page(page, "compare")
    until_address(page, "k=2")
    page.locator(".st-key-compare_switch").get_by_text("Three worlds").click()
    until_page(page, "worlds")


def fills_the_room(page, height: int) -> None:
    """In a lecture, see test_every_page.py."""
    box = box_of(page.locator(f"{WORLD}.ours .plot svg"))
    strip = box_of(page.locator(".st-key-settings_bar .settings-bar"))
    assert box["height"] >= 0.58 * height and box["y"] + box["height"] <= strip["y"]


# Of each method in a lecture: whether its words are cut, and where it ends.
READ = """() => [...document.querySelectorAll('.calm-row')].map(row => {
    const said = row.querySelector('span:not(.band)')
    return [said.textContent.trim(), said.scrollHeight > said.clientHeight + 2, row.getBoundingClientRect().bottom] })"""


def rows_are_read(page, height: int) -> None:
    """In a lecture, see test_every_page.py: every method says in whole what it does, or why it has no number."""
    rows = page.evaluate(READ)
    strip = box_of(page.locator(".st-key-settings_bar .settings-bar"))
    assert len(rows) >= 5 and all(said and not cut for said, cut, _ in rows)
    assert all(bottom <= strip["y"] for *_, bottom in rows)


def test_in_a_lecture_the_worlds_stand_on_one_line_above_the_strip_with_a_long_number(visit):
    """ "about ±48 points" came after the charts had taken their room, and pushed one under the settings bar."""
    page = visit("worlds?presenter=1&epsilon=0.05")
    expect(page.locator(f"{WORLD}.ours .number")).to_contain_text("about ±")
    eventually(lambda: on_one_line(page))
    # Cells are few here, and leave their attributes room.
    assert not page.locator(f"{WORLD} .plot svg text", has_text="…").count()


def on_one_line(page) -> None:
    strip = box_of(page.locator(".st-key-settings_bar .settings-bar"))
    for part in ("", " .plot svg", " .plot .key"):
        boxes = [
            box_of(page.locator(f"{WORLD}{part}").nth(i))
            for i in range(page.locator(f"{WORLD}{part}").count())
        ]
        assert (
            len(boxes) >= 3 and max(box["y"] for box in boxes) - min(box["y"] for box in boxes) < 1
        )
        assert all(box["y"] + box["height"] <= strip["y"] for box in boxes)
    for world in page.locator(WORLD).all():
        inside, key = box_of(world), box_of(world.locator(".plot .key").first)
        assert inside["x"] + 8 <= key["x"], "a name of the legend has left its card"


def test_methods_are_predicted_then_measured_a_point_opens_and_a_long_comparison_is_stopped(visit):
    page = visit("compare?d=6&k=2&n=20000")
    rows = page.locator(".calm-row")
    rows.first.wait_for()
    settled(page)
    shown = rows.locator("strong").all_inner_texts()
    known = [float(text[1:]) for text in shown if text]
    assert known == sorted(known) and len(known) >= 5
    page.locator(".st-key-compare_repetitions input").fill("2")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.locator("h1", has_text="comes closest without trust").wait_for()
    settled(page)
    # FT has two lines: as published, and its shares mended.
    expect(rows).to_have_count(4)
    expect(rows.last.locator("b")).to_have_text("Uniform")
    page.get_by_text("Curves over ε").click()
    page.locator(".js-plotly-plot .scatterlayer path.point").first.wait_for()
    settled(page)
    page.evaluate("document.querySelector('.js-plotly-plot').scrollIntoView({block: 'center'})")
    settled(page)
    x, y = page.evaluate(
        """() => {
            const gd = document.querySelector('.js-plotly-plot');
            const box = gd.getBoundingClientRect(), l = gd._fullLayout;
            const at = gd._fullData.findIndex(t => t.name === 'CALM'), point = gd.calcdata[at][3];
            return [box.left + l.xaxis._offset + l.xaxis.c2p(point.x),
                    box.top + l.yaxis._offset + l.yaxis.c2p(point.y)];
        }"""
    )
    page.mouse.move(x - 2, y)
    page.mouse.move(x, y)
    # What is pressed is what the figure shows under the pointer.
    page.locator(".js-plotly-plot .hovertext").first.wait_for()
    page.mouse.click(x, y)
    page.get_by_text("CALM, ε = 2:").wait_for()
    settled(page)
    a_long_comparison_says_how_far_it_is_and_stops(page)


def a_long_comparison_says_how_far_it_is_and_stops(page) -> None:
    page.locator(".st-key-compare_repetitions input").fill("100")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_text("Comparing 3 methods").wait_for()
    page.get_by_text("of 400 collections").wait_for()
    page.get_by_role("button", name="Stop and keep what is there").click()
    page.get_by_text("was stopped by you after").wait_for()
    page.get_by_role("button", name="Stop and keep what is there").wait_for(state="detached")
