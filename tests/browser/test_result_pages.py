"""The reports that result pages offer: one prints on one sheet, the technical one opens without a network."""

import re
from pathlib import Path

from playwright.sync_api import expect

from pages import words
from tests.browser.conftest import PATIENCE, box_of, settle


def download(page, name: str, folder: Path) -> Path:
    """The file behind a link of this name."""
    with page.expect_download() as waiting:
        page.get_by_role("link", name=name, exact=True).click()
    file = folder / f"{name}.html"
    waiting.value.save_as(file)
    return file


def prints_on_one_sheet(page, file: Path) -> None:
    context = page.context.browser.new_context(offline=True)
    report = context.new_page()
    report.goto(file.as_uri())
    for paper in ("A4", "Letter"):
        assert len(re.findall(rb"/Type\s*/Page\b", report.pdf(format=paper))) == 1, paper
    report.set_viewport_size({"width": 390, "height": 844})
    assert report.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def test_the_report_opens_offline_and_its_figures_move(visit, tmp_path):
    page = visit("ask?d=6&k=2&n=20000")
    page.get_by_text(words.ask.INTO_REPORT).click()
    settle(page)
    page.get_by_text("Take it with you", exact=True).click()
    page.get_by_role("link", name="Report", exact=True).wait_for()
    settle(page)
    file = download(page, "Report", tmp_path)
    assert words.ask.IN_REPORT in file.read_text(encoding="utf-8")
    prints_on_one_sheet(page, file)
    file = download(page, "Technical report", tmp_path)
    context = page.context.browser.new_context(offline=True)
    context.set_default_timeout(PATIENCE)
    report, asked, problems = context.new_page(), [], []
    report.on("request", lambda request: asked.append(request.url))
    report.on("pageerror", lambda problem: problems.append(str(problem)))
    report.goto(file.as_uri())
    report.locator(".js-plotly-plot .main-svg").first.wait_for()
    expect(report.locator(".js-plotly-plot .main-svg:first-child")).to_have_count(1)
    pairs = report.locator(".js-plotly-plot .heatmaplayer .hm").first
    pairs.scroll_into_view_if_needed()
    box = box_of(pairs)
    for x in (box["x"] + box["width"] / 4 - 1, box["x"] + box["width"] / 4):
        report.mouse.move(x, box["y"] + 0.7 * box["height"])
    report.locator(".hovertext").first.wait_for()
    assert not problems and asked == [file.as_uri()]
    context.close()
