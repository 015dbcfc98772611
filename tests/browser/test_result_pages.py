"""What is taken away from Tables opens elsewhere; what is drawn there can be read from afar."""

import pytest
from playwright.sync_api import expect

from pages.words.marginals import VIEWS
from tests.browser.conftest import PATIENCE, box_of, eventually, settled, until
from tests.browser.test_frame import until_address

pytestmark = pytest.mark.browser
DATA = "d=6&k=2&n=20000"


def open_page(page, server: str, name: str) -> None:
    page.goto(f"{server}/{name}?{DATA}")
    settled(page)


def test_report_opens_offline_and_its_figures_move_and_tables_are_read_from_afar(
    server, browser_page, tmp_path
):
    page = browser_page
    open_page(page, server, "marginals")
    page.get_by_text("Take it with you", exact=True).click()
    page.get_by_role("button", name="Report").wait_for()
    settled(page)
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Report").click()
    file = tmp_path / "report.html"
    waiting.value.save_as(file)
    context = page.context.browser.new_context(offline=True)
    context.set_default_timeout(PATIENCE)
    report, asked, problems = context.new_page(), [], []
    report.on("request", lambda request: asked.append(request.url))
    report.on("pageerror", lambda problem: problems.append(str(problem)))
    report.goto(file.as_uri())
    report.locator(".js-plotly-plot .main-svg").first.wait_for()
    expect(report.locator(".js-plotly-plot .main-svg:first-child")).to_have_count(3)
    bar = report.locator(".js-plotly-plot .barlayer path").first
    bar.scroll_into_view_if_needed()
    box = box_of(bar)
    report.mouse.move(box["x"] + box["width"] / 2 - 1, box["y"] + box["height"] / 2)
    report.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    report.locator(".hovertext").first.wait_for()
    expect(report.locator("main")).to_contain_text("a real collector never has them")
    assert not problems and asked == [file.as_uri()]
    context.close()
    tables_can_be_read_from_afar(page)


# Every text and mark of the table against its ground: the lightest and darkest of each kind.
CONTRAST = """marks => {
    const root = [...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.root[data-ready]')).find(Boolean);
    const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(
        v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce(
        (sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const numbers = colour => colour.match(/[\\d.]+/g).map(Number).slice(0, 3);
    const ground = numbers(getComputedStyle(document.querySelector('.stApp')).backgroundColor);
    return [...root.querySelectorAll(marks)].map(element => {
        const style = getComputedStyle(element), line = element.tagName === 'line' || style.fill === 'none';
        const alpha = line ? 1 : parseFloat(style.fillOpacity);
        const shown = numbers(line ? style.stroke : style.fill).map((v, i) => alpha * v + (1 - alpha) * ground[i]);
        const [a, b] = [light(shown), light(ground)].sort((x, y) => y - x);
        return (a + 0.05) / (b + 0.05);
    });
}"""


def tables_can_be_read_from_afar(page) -> None:
    page.locator(".st-key-view_marginals button").filter(has_text=VIEWS["plays"]).click()
    until_address(page, "view=plays")
    settled(page)
    until(
        page,
        "[...document.querySelectorAll('*')].some(e => e.shadowRoot?.querySelector('[data-ready] .ghost'))",
    )

    def check() -> None:
        texts = page.evaluate(CONTRAST, "svg text:not(.worst)")
        marks = page.evaluate(CONTRAST, ".true, .cap, .ghost, .bar, .yes, .no, .zero")
        assert len(texts) > 10 and min(texts) > 4.5
        assert len(marks) > 10 and min(marks) > 3

    for scheme, ground in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(16, 22, 29)")):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator(".stApp")).to_have_css("background-color", ground)
        settled(page)
        eventually(check)
