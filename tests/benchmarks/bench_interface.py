"""How long the interface lets a visitor wait, in Chromium; medians of several, paired with an empty page.

    python -m tests.benchmarks.bench_interface [--times 5]

Needs a quiet machine, and Chromium. UI specification, section 11: the first chart comes at most 0.4 s after
the title, the title of the next page at most 0.5 s after the press; a change of epsilon is seen within 0.3 s,
in the address within 1 s; frames while dragging take at most 20 ms (95%). The empty page is what Streamlit
itself needs here: a title and a button.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from pages.ui.menu import LAB
from tests.browser import test_data_step
from tests.browser.conftest import (
    CHROMIUM,
    keys_heard,
    new_profile,
    sent,
    serving,
    settled,
    until,
)

EMPTY = "import streamlit as st\nst.title('Title')\nst.button('Again')\nst.container(key='last').write('.')\n"
# When something is first seen, in milliseconds since the navigation began.
SEEN = """(() => {
    const seen = window.seen = {};
    const charts = () => [...document.querySelectorAll("*")].some(e => e.shadowRoot?.querySelector("[data-ready] svg"));
    const look = now => {
        if (!seen.title && document.querySelector("h1")) seen.title = now;
        if (seen.title && !seen.chart && charts()) seen.chart = now;
        if (!seen.chart) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
})()"""
# Milliseconds from a press until something is so, looked at in every frame.
UNTIL = """([press, so]) => new Promise(done => {
    const begun = performance.now(), over = eval(so);
    eval(press)();
    const look = () => over() ? done(performance.now() - begun) : requestAnimationFrame(look);
    look();
})"""
INSIDE = "(what => [...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector(what)).find(Boolean))"
# The collection of before, while the one asked for is not there.
FADED = f"{INSIDE}('.pale.faded')"


def first_visit(browser, address: str, chart: bool) -> dict[str, float]:
    """A browser as new: nothing of the app is kept."""
    profile = new_profile(browser)
    page = profile.new_page()
    page.add_init_script(SEEN)
    page.goto(address)
    until(page, "chart => chart ? window.seen.chart : window.seen.title", chart)
    seen = page.evaluate("window.seen")
    profile.close()
    found = {"title": seen["title"]}
    return found | {"chart after it": seen["chart"] - seen["title"]} if chart else found


def dragged(page) -> dict[str, float]:
    """Epsilon is dragged through its values and let go."""
    slider = page.locator("input[type=range]").first
    slider.hover()
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    page.evaluate(
        "() => { window.spans = []; let last = performance.now(); const tick = now => {"
        " window.spans.push(now - last); last = now; requestAnimationFrame(tick) }; requestAnimationFrame(tick) }"
    )
    page.mouse.down()
    for i in range(30):
        page.mouse.move(box["x"] + box["width"] * (0.3 + 0.015 * i), y)
        page.evaluate("() => new Promise(requestAnimationFrame)")
    spans = sorted(page.evaluate("window.spans.slice(2)"))
    address, before = page.url, sent(page)
    let_go = time.perf_counter()
    page.mouse.up()
    page.wait_for_function(
        f"before => calmRuns.sent > before && !{FADED}", arg=before, polling="raf"
    )
    anew = 1000 * (time.perf_counter() - let_go)
    until(page, "address => location.href !== address", address, polling="raf")
    told = 1000 * (time.perf_counter() - let_go)
    settled(page)
    return {
        "a frame while dragged (95%)": spans[int(0.95 * len(spans))],
        "let go, collected anew": anew,
        "let go, in the address": told,
    }


def pressed(page) -> dict[str, float]:
    """Epsilon by one key: until the picture follows, and until the new collection is drawn."""
    page.locator("input[type=range]").first.focus()
    ghost = f"{INSIDE}('.ghosts circle').getAttribute('cy')"
    before = page.evaluate(ghost)
    begun = time.perf_counter()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"before => {ghost} !== before", arg=before, polling="raf")
    said = 1000 * (time.perf_counter() - begun)
    page.wait_for_function(f"() => {FADED}", polling="raf")
    page.wait_for_function(f"() => !{FADED}", polling="raf")
    anew = 1000 * (time.perf_counter() - begun)
    settled(page)
    return {"a key, in the picture": said, "a key, collected anew": anew}


def turned(page) -> dict[str, float]:
    """Through the steps of the Lab: until the next page has its own title."""
    found = {}
    for name in (*LAB[1:], LAB[0]):
        title = page.locator("h1").text_content()
        press = f"() => document.querySelector('.st-key-stepper .st-key-step_{name} a').click()"
        so = (
            f"() => (document.body.dataset.calm === '{name}' && document.querySelector('h1')"
            f" && document.querySelector('h1').textContent !== {title!r})"
        )
        found[f"to {name}"] = page.evaluate(UNTIL, [press, so])
        settled(page)
    return found


def again(page) -> float:
    """A rerun of the empty page."""
    begun = time.perf_counter()
    page.get_by_role("button", name="Again").click()
    page.wait_for_function(
        "() => calmRuns.begun && calmRuns.begun === calmRuns.asked && !calmRuns.on", polling="raf"
    )
    return 1000 * (time.perf_counter() - begun)


def uploaded(browser, address: str) -> float:
    """A table of one's own, after a reload of its tab."""
    profile = new_profile(browser)
    page = profile.new_page()
    page.goto(f"{address}/data")
    settled(page)
    test_data_step.drop(page)
    test_data_step.open_tables(page)
    began = time.monotonic()
    page.reload()
    test_data_step.numbers(page)
    taken = 1000 * (time.monotonic() - began)
    profile.close()
    return taken


def measure(times: int) -> dict[str, list[float]]:
    """Everything, in turn: one of each, then again."""
    found: dict[str, list[float]] = {}

    def add(what: str, values: dict[str, float]) -> None:
        for name, value in values.items():
            found.setdefault(f"{what}: {name}", []).append(value)

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        script = Path(folder) / "empty.py"
        script.write_text(EMPTY)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        logs = [Path(folder) / name for name in ("app", "empty")]
        for log in logs:
            log.mkdir()
        with serving(logs[0]) as (app, _), serving(logs[1], script=str(script)) as (empty, _):
            first_visit(browser, app, chart=True)
            lab, bare = (new_profile(browser).new_page() for _ in range(2))
            for page, address in ((lab, f"{app}/data"), (bare, empty)):
                page.set_viewport_size({"width": 1280, "height": 720})
                page.goto(address)
                settled(page)
            keys_heard(lab)
            # What a server does once is not what a visitor waits for.
            turned(lab)
            for _ in range(times):
                add("empty page", first_visit(browser, empty, chart=False) | {"rerun": again(bare)})
                add("Start", first_visit(browser, app, chart=True))
                add("page", turned(lab))
                start = new_profile(browser).new_page()
                start.set_viewport_size({"width": 1280, "height": 720})
                start.goto(app)
                settled(start)
                add("epsilon", pressed(start) | dragged(start))
                start.context.close()
                add("upload", {"there after a reload": uploaded(browser, app)})
        browser.close()
    return found


def main() -> None:
    """Print the medians, and the worst."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5)
    for what, values in measure(parser.parse_args().times).items():
        print(f"{what:32} {statistics.median(values):7.0f} ms  worst {max(values):7.0f}")


if __name__ == "__main__":
    main()
