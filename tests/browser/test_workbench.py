"""Journeys through Start, Data, Plan and Collect in Chromium."""

import re
import time

from calm_core.settings import Settings

PEOPLE = "sex,smoker,vote\n" + "".join(
    f"{'fm'[i % 2]},{'yes' if i % 5 == 0 else 'no'},{'abc'[i % 3]}\n" for i in range(6000)
)


def wait(page) -> None:
    """Until the page is complete and idle."""
    page.get_by_text("A real collector never has it").wait_for()
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
    page.wait_for_timeout(300)


BARS = "[...document.querySelectorAll('.js-plotly-plot .barlayer path')].map(p => p.getAttribute('d')).join('|')"


def bars(page) -> str:
    """The shapes of all bars, read in one go: the chart may be drawn anew at any moment."""
    page.locator(".js-plotly-plot .barlayer path").first.wait_for()
    return page.evaluate(BARS)


def move_epsilon(page, presses: int) -> None:
    """One step of the slider at a time, each waited for: a press while a page is still being built
    can get lost in the browser, and is then made again."""
    slider = page.locator(".st-key-in_epsilon").get_by_role("slider")
    words = page.get_by_test_id("stSidebar").get_by_text("reports say yes")
    for _ in range(presses):
        before = words.inner_text()
        for _ in range(4):
            slider.focus()
            page.keyboard.press("ArrowRight")
            for _ in range(40):
                if words.inner_text() != before:
                    break
                page.wait_for_timeout(200)
            if words.inner_text() != before:
                break


def test_first_visit(visit, record_property):
    visit()  # whoever comes first also warms the server
    started = time.perf_counter()
    page = visit(wait=False)
    bars(page)
    taken = time.perf_counter() - started
    wait(page)
    record_property("first_screen_seconds", round(taken, 2))
    print(f"first useful screen after {taken:.2f} s")
    assert page.get_by_role("heading", name="Statistics about everyone").is_visible()
    assert page.get_by_text("60,000").first.is_visible()
    assert page.get_by_text(re.compile(r"\d+ times less error than guessing")).is_visible()
    assert not page.get_by_role("alert").count()


def test_upload_to_result_and_epsilon_moves_the_chart(visit):
    page = visit("data")
    page.locator(".st-key-upload input[type=file]").set_input_files(
        {"name": "votes.csv", "mimeType": "text/csv", "buffer": PEOPLE.encode()}
    )
    page.get_by_text("6,000 rows read").first.wait_for()
    wait(page)
    page.get_by_role("link", name="Start").first.click()
    page.get_by_role("heading", name="Statistics about everyone").wait_for()
    before = bars(page)
    wait(page)
    page.wait_for_timeout(1500)
    move_epsilon(page, presses=2)
    page.wait_for_function(
        f"before => {{ const now = {BARS}; return now && now != before }}", arg=before
    )
    wait(page)
    words = page.get_by_test_id("stSidebar").get_by_text("reports say yes").inner_text()
    assert "about 73 reports" not in words
    page.get_by_role("link", name="Plan").first.click()
    page.get_by_role("heading", name="Plan").wait_for()
    wait(page)
    assert page.get_by_text(words[:60]).first.is_visible(), "settings came along"


def test_bad_upload_keeps_the_data(visit):
    page = visit("data?epsilon=2.0")
    page.locator(".st-key-upload input[type=file]").set_input_files(
        {"name": "<img src=x>.csv", "mimeType": "text/csv", "buffer": b"a,b\n"}
    )
    page.get_by_text("Nothing was changed").wait_for()
    assert page.get_by_role("alert").count() == 1
    assert page.locator("img[src=x]").count() == 0


def test_algorithm_1_steps_and_plays(visit):
    page = visit("plan?epsilon=2.0")
    page.get_by_role("button", name="Reset").click()
    page.get_by_text("Ready.").wait_for()
    page.get_by_role("button", name="Step", exact=True).click()
    page.get_by_text("Comparison 1 of").wait_for()
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_text("Chosen: l = 4, m = 14").wait_for(timeout=40_000)


def test_one_person_reports(visit):
    page = visit("collect")
    page.get_by_role("tab", name="One person").click()
    page.get_by_role("button", name="Report").click()
    page.get_by_text("What the server receives (press 1)").wait_for()
    page.get_by_role("button", name="Report again").click()
    page.get_by_text("What the server receives (press 2)").wait_for()
    assert page.get_by_text("What can the server conclude?").is_visible()


def test_share_link_in_a_fresh_browser(visit):
    page = visit("collect?source=browsing&d=12")
    move_epsilon(page, presses=2)
    page.get_by_text("about 80 reports say yes").first.wait_for()
    wait(page)
    page.get_by_role("button", name="Share").click()
    link = page.locator("code").filter(has_text="epsilon=").first.inner_text().strip()
    other = visit(link)
    assert other.get_by_role("heading", name="Collect").is_visible(), "the page is part of the link"
    assert other.get_by_text("about 80 reports say yes").first.is_visible()
    query = dict(part.split("=") for part in link.split("?")[1].split("&"))
    assert Settings.from_query(query)[0] == Settings(source="browsing", d=12, epsilon=1.4)


def test_phone_in_the_dark(visit):
    for path in ("", "data", "plan", "collect"):
        page = visit(path, width=390, height=844, dark=True)
        width = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
        assert width <= 390, f"{path or 'start'} scrolls sideways"
        ground = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
        assert ground == "rgb(16, 22, 29)"


def test_presenter_mode_has_large_type_and_no_sidebar(visit):
    page = visit("?presenter=1")
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "20px"
    assert not page.locator(".st-key-in_epsilon").is_visible()
    page.get_by_role("button", name="Leave presenter mode").click()
    page.locator(".st-key-in_epsilon").wait_for()


def test_nothing_comes_from_elsewhere(visit, server):
    page = visit(wait=False)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    wait(page)
    strangers = [url for url in asked if not url.startswith((server, "data:", "blob:"))]
    assert not strangers
