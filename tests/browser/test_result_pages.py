"""Journeys through Marginals, Errors, Compare, Learn and About in a real Chromium."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.browser
ARTEFACTS = Path(__file__).resolve().parents[2] / "artefacts"
PAGES = ("marginals", "errors", "compare", "learn", "about")
DATA = "d=6&k=2&n=20000"


def settle(page) -> None:
    """Wait until the app has nothing left to do."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_timeout(600)


def open_page(page, server: str, name: str) -> None:
    page.goto(f"{server}/{name}?{DATA}")
    page.get_by_text("A real collector never has it").wait_for()
    settle(page)


def keep(page, name: str) -> None:
    """A screenshot for whoever looks at the run afterwards."""
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTEFACTS / f"{name}.png")


def bar_shapes(page) -> list[str]:
    paths = page.locator(".js-plotly-plot .barlayer .trace:nth-child(2) path")
    return [path.get_attribute("d") or "" for path in paths.all()]


def true_marks(page) -> list[str]:
    marks = page.locator(".js-plotly-plot .scatterlayer path.point")
    return [mark.get_attribute("transform") or "" for mark in marks.all()]


def test_play_20_collections_moves_the_bars_and_not_the_truth(server, browser_page):
    page = browser_page
    open_page(page, server, "marginals")
    page.get_by_text("Play 20 collections", exact=True).click()
    page.get_by_text("20 independent collections").wait_for()
    settle(page)
    before, truth = bar_shapes(page), true_marks(page)
    assert len(before) == 4 and len(truth) == 8
    page.locator(".updatemenu-button").first.click()
    page.wait_for_timeout(3_000)
    keep(page, "play-20-collections")
    assert bar_shapes(page) != before and true_marks(page) == truth


def test_click_on_an_error_cell_opens_that_marginal(server, browser_page):
    page = browser_page
    open_page(page, server, "errors")
    page.locator(".js-plotly-plot .heatmaplayer image").first.wait_for()
    # The middle of the cell in column 3 and row 1, in pixels of the page.
    x, y = page.evaluate(
        """() => {
            const gd = document.querySelector('.js-plotly-plot'), box = gd.getBoundingClientRect();
            const l = gd._fullLayout;
            return [box.left + l.xaxis._offset + l.xaxis.d2p(3), box.top + l.yaxis._offset + l.yaxis.d2p(1)];
        }"""
    )
    page.mouse.move(x - 2, y)
    page.mouse.move(x, y)
    page.wait_for_timeout(300)
    keep(page, "error-cell")
    page.mouse.click(x, y)
    page.wait_for_url("**/marginals*")
    settle(page)
    chips = page.locator(".st-key-in_attrs").inner_text()
    assert "smoked_month" in chips and "binge_month" in chips and "female" not in chips
    keep(page, "error-cell-opened")


def test_compare_shows_curves_and_opens_a_point(server, browser_page):
    page = browser_page
    open_page(page, server, "compare")
    page.locator(".st-key-compare_repetitions input").fill("2")
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("Least error of its kind").wait_for()
    page.get_by_role("button", name="Cancel").wait_for(state="detached")
    settle(page)
    keep(page, "compare")
    x, y = page.evaluate(
        """() => {
            const gd = document.querySelector('.js-plotly-plot'), box = gd.getBoundingClientRect();
            const l = gd._fullLayout, at = gd._fullData.findIndex(t => t.name === 'CALM');
            const point = gd.calcdata[at][3];
            return [box.left + l.xaxis._offset + l.xaxis.c2p(point.x),
                    box.top + l.yaxis._offset + l.yaxis.c2p(point.y)];
        }"""
    )
    page.mouse.move(x - 2, y)
    page.mouse.move(x, y)
    page.wait_for_timeout(300)
    page.mouse.click(x, y)
    page.get_by_text("CALM, epsilon = 2:").wait_for()
    keep(page, "compare-opened")


def test_report_opens_offline_and_its_figures_move(server, browser_page, tmp_path):
    page = browser_page
    open_page(page, server, "marginals")
    page.get_by_text("Take it with you", exact=True).click()
    page.get_by_role("button", name="Report").wait_for()
    settle(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Report").click()
    file = tmp_path / "report.html"
    waiting.value.save_as(file)
    context = page.context.browser.new_context(offline=True)
    report, asked, problems = context.new_page(), [], []
    report.on("request", lambda request: asked.append(request.url))
    report.on("pageerror", lambda problem: problems.append(str(problem)))
    report.goto(file.as_uri())
    report.locator(".js-plotly-plot .main-svg").first.wait_for()
    assert report.locator(".js-plotly-plot").count() == 3
    bar = report.locator(".js-plotly-plot .barlayer path").first
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    report.mouse.move(box["x"] + box["width"] / 2 - 1, box["y"] + box["height"] / 2)
    report.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    report.locator(".hovertext").first.wait_for()
    assert not problems and asked == [file.as_uri()]
    assert "a real collector never has them" in report.locator("main").inner_text()
    keep(report, "report-offline")
    context.close()


def serious(page) -> list[str]:
    """What axe finds that keeps people from using the page."""
    from axe_playwright_python.sync_playwright import Axe

    # KaTeX lays out formulas in boxes that scroll by a pixel; nothing in them needs the keyboard.
    found = Axe().run(page, context={"exclude": [[".katex-display"]]}).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


CONTRAST = """() => {
    const light = colour => {
        const [r, g, b] = colour.match(/[\\d.]+/g).map(v => v / 255).map(
            v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = light(getComputedStyle(document.querySelector('.stApp')).backgroundColor);
    return [...document.querySelectorAll('.js-plotly-plot .xtick text, .js-plotly-plot .ytitle')].map(
        text => {
            const [a, b] = [light(getComputedStyle(text).fill), ground].sort((x, y) => y - x);
            return (a + 0.05) / (b + 0.05);
        });
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axes_of_charts_can_be_read_from_afar(server, browser_page, dark):
    page = browser_page
    page.emulate_media(color_scheme="dark" if dark else "light")
    open_page(page, server, "marginals")
    page.locator(".js-plotly-plot .xtick text").first.wait_for()
    found = page.evaluate(CONTRAST)
    assert len(found) > 3 and min(found) > 7


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_serious_barrier_and_no_sideways_scroll_on_a_phone(server, browser_page, dark):
    page, barriers, wide = browser_page, {}, []
    page.emulate_media(color_scheme="dark" if dark else "light")
    for name in PAGES:
        page.set_viewport_size({"width": 1280, "height": 720})
        open_page(page, server, name)
        if found := serious(page):
            barriers[name] = found
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_timeout(500)
        keep(page, f"{name}-phone-{'dark' if dark else 'light'}")
        width = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
        if width > 391:
            wide.append((name, width))
    assert not barriers and not wide
