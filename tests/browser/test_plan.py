"""Plan: the fence, the steps, lecture, phone, reduced motion."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import (
    BURST_OVER,
    HOLD,
    above_the_strip,
    box_of,
    count_sent,
    enter_lecture,
    eventually,
    fills_the_room,
    settle,
    wait_for_keys,
    wait_until,
)
from tests.browser.test_frame import until_address

QUESTION = "How many questions should each person answer?"
RESULT = "4 questions each, in 14 groups (ℓ = 4, m = 14)"


# One key up, and as if it had just come (Python hears where keys end) until what was held back is answered.
UP_UNTIL_ANSWERED = """fence => new Promise(done => {
    const press = key => fence.dispatchEvent(new KeyboardEvent("keydown", { key }));
    press("ArrowUp");
    letGo();
    const look = () => {
        if (calmRuns.begun === calmRuns.asked && !calmRuns.on) return done();
        press("ArrowDown");
        press("ArrowUp");
        setTimeout(look, 50);
    };
    look();
})"""


def all_are(page, wanted: dict[str, str]) -> None:
    assert states(page) == wanted


def states(page) -> dict[str, str]:
    """What became of each row drawn."""
    return page.locator(".scales .row:not(.out)").evaluate_all(
        "rows => Object.fromEntries(rows.map(row => [row.dataset.l, row.dataset.state]))"
    )


def load(visit, path, **how):
    page = visit(path, **how)
    page.locator(".scales .row").first.wait_for()
    return page


def wait_until_chosen(page, l="4"):  # noqa: E741
    page.locator(f'.row[data-l="{l}"][data-state="won"]').wait_for()


def test_steps_play_to_the_result_and_the_fence_moves_by_pointer_and_keys(visit):
    """Acceptance 5 (the fence) and 18."""
    page = load(visit, "plan?view=steps&epsilon=2.0")
    expect(page.locator("h1")).to_have_text(QUESTION)
    eventually(lambda: all_are(page, dict.fromkeys("2345", "open")))
    fence = page.get_by_role("slider", name=re.compile("side of noise"))
    for button, state in (("Step →", "lost"), ("← Step", "open")):
        page.get_by_role("button", name=button).click()
        page.locator(f'.row[data-l="5"][data-state="{state}"]').wait_for()
        settle(page)
    # Play of the settings bar ends at one winner; the reason of each loser can be read.
    page.get_by_role("region", name="Settings").get_by_role("button", name="Play").click()
    wait_until_chosen(page)
    eventually(lambda: all_are(page, {"2": "lost", "3": "lost", "4": "won", "5": "lost"}))
    for head in ("5 fell:", "2 fell:", "3 lost to 4:"):
        expect(page.locator(".side .reason", has_text=head)).to_be_visible()
    expect(page.locator("h1")).to_have_text(RESULT)
    until_address(page, "at=4")
    settle(page)
    # Dragging the fence sends nothing until it is released; hovering waits until it is at rest.
    fence.locator(".pill").hover()
    box = box_of(fence.locator(".pill"))
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    before = count_sent(page)
    for i in range(30):
        page.mouse.move(x + 4 * i, y)
    page.locator('.row[data-l="2"][data-state="won"]').wait_for()
    page.locator('.row[data-l="4"][data-state="lost"]').wait_for()
    settle(page)
    assert count_sent(page) == before
    page.mouse.up()
    wait_until(page, "/theta=0.000[1-9]/.test(location.search)")
    settle(page)
    assert count_sent(page) == before + 1
    expect(page.locator("h1")).to_contain_text("2 questions each")
    # Keys: sideways the handle goes where the arrow points, up is looser; the focus stays.
    fence.focus()
    first = int(fence.get_attribute("aria-valuenow"))
    page.evaluate(HOLD)
    for key, by in (("ArrowLeft", 1), ("ArrowRight", 0), ("ArrowUp", 1)):
        page.keyboard.press(key)
        expect(fence).to_have_attribute("aria-valuenow", str(first + by))
    expect(fence).to_have_attribute("aria-valuetext", re.compile("of 100"))
    # A key that comes with the answer to the one before is not lost.
    page.evaluate(BURST_OVER)
    fence.evaluate(UP_UNTIL_ANSWERED)
    settle(page)
    expect(fence).to_have_attribute("aria-valuenow", str(first + 2))
    page.keyboard.press("End")
    wait_until(page, "location.search.includes('theta=0.1')")
    settle(page)
    expect(fence).to_be_focused()
    wait_until_chosen(page)


def test_with_less_motion_the_scales_follow_epsilon_and_every_step_is_a_screen_of_the_lecture(
    visit,
):
    page = load(visit, "plan?view=steps&epsilon=2.0", less_motion=True)
    page.get_by_role("button", name="▶ Play").click()
    wait_until_chosen(page)
    lost = page.locator('.row[data-l="5"]')
    assert lost.evaluate("e => getComputedStyle(e).transform") == "none"
    assert lost.evaluate("e => getComputedStyle(e, '::after').borderTopStyle") == "solid"
    until_address(page, "at=4")
    settle(page)
    # Before the server answers.
    noise = page.locator('.row[data-l="2"] .noise .fill')
    # Until nothing moves there.
    noise.evaluate("part => Promise.allSettled(part.getAnimations().map(one => one.finished))")
    wide = noise.evaluate("e => e.clientWidth")
    page.evaluate(
        "window.dispatchEvent(new CustomEvent('calm-epsilon', {detail: {index: 2, committed: false}}))"
    )
    page.locator('.row[data-l="2"][data-state="won"]').wait_for()
    eventually(lambda: wider_than(noise, 1.5 * wide))
    assert page.url.endswith("epsilon=2.0&view=steps&at=4")
    enter_lecture(page)
    heading = page.locator("h1")
    page.keyboard.press("PageUp")
    expect(heading).to_contain_text("3 lost to 4:")
    settle(page)
    wait_for_keys(page)
    page.keyboard.press("PageDown")
    expect(heading).to_have_text(RESULT)
    wait_until_chosen(page)
    eventually(lambda: fills_the_room(page, ".chart"))


def wider_than(part, width: float) -> None:
    assert part.evaluate("e => e.clientWidth") > width


def test_in_a_lecture_warnings_leave_room_for_every_row(visit):
    page = load(visit, "plan?presenter=1&view=steps&at=1&epsilon=0.1&source=elsewhere&seed=many")
    expect(page.locator(".calm-headline")).to_contain_text("Unusable")
    alert = page.locator("[data-testid=stAlert]")
    expect(alert.locator("li")).to_have_count(2)
    eventually(lambda: is_whole(page, alert))


def is_whole(page, alert) -> None:
    """The last row and both handles stand above the strip, and the alert beside the number."""
    rows, pills = page.locator(".row:not(.out) .center b"), page.locator(".fence .pill")
    above_the_strip(page, rows.last, *pills.all())
    said, number = box_of(alert), box_of(page.locator(".calm-headline"))
    assert said["x"] + said["width"] <= number["x"]
    assert (
        alert.locator("li").first.evaluate("li => parseFloat(getComputedStyle(li).fontSize)") >= 22
    )


def heights(page) -> list[float]:
    """Heights of the bars, with all their parts."""
    return page.locator(".bar").evaluate_all(
        "bars => bars.map(bar => [...bar.querySelectorAll('rect:not(.frame)')].reduce((all, part) => all + +part.getAttribute('height'), 0))"
    )


def test_the_trade_off_shows_the_chosen_bar_and_moves_with_epsilon_without_asking(visit):
    page = visit("plan")
    own = page.locator(".bar.own")
    expect(own).to_have_count(1)
    settle(page)
    above_the_strip(page, own.locator(".frame"))
    chosen = own.get_attribute("data-l")
    numbers = [float(text) for text in page.locator(".bar .total").all_text_contents()]
    lowest = page.locator(".bar .mark", has_text="lowest")
    assert lowest.count() == 1 or min(numbers) == float(own.locator(".total").text_content())
    before, drawn = count_sent(page), heights(page)
    said = page.locator(".words .number").inner_text()
    page.evaluate(
        "window.dispatchEvent(new CustomEvent('calm-epsilon', {detail: {index: 15, committed: false}}))"
    )
    eventually(lambda: check_moved(page, drawn, chosen, said))
    settle(page)
    assert count_sent(page) == before
    # A bar that is pressed is planned with, and Undo goes back.
    page.reload()
    page.locator(".bar[data-l='5']").click()
    until_address(page, "l=5")
    expect(page.locator(".bar.own")).to_have_attribute("data-l", "5")
    expect(page.locator("h1")).to_have_text("Set by hand: 5 questions each")
    settle(page)
    page.get_by_role("region", name="Settings").get_by_role("button", name="Undo").click()
    expect(page.locator(".bar.own")).to_have_attribute("data-l", chosen)


def check_moved(page, drawn: list[float], chosen: str, said: str) -> None:
    assert heights(page) != drawn and page.locator(".words .number").inner_text() != said
    assert page.locator(".bar.own").get_attribute("data-l") != chosen
