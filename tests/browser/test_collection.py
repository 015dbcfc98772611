"""A collection below --data-root: opened, looked at from all sides, there again after a reload."""

from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect

import calm_core as cc
from calm_core.collection.collecting import collect
from calm_core.collection.state_files import save_state
from calm_core.collection.states import State
from calm_core.collection.tallying import Tally
from calm_core.ingest.encode import encode_table
from calm_core.ingest.samples import sample_schema, sample_table
from calm_core.tables.population import Population
from pages import words
from pages.ui.menu import LAB
from tests.browser.conftest import (
    choose_file,
    choose_option,
    eventually,
    resized,
    serving,
    settled,
    until,
)
from tests.browser.test_every_page import PHONE, UNITLESS, WIDE, small, usable
from tests.browser.test_frame import until_page


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A state of 60,000 real reports, one of 10^12 people, and a table."""
    folder = tmp_path_factory.mktemp("root")
    table = sample_table("survey")
    people = encode_table(table, schema=sample_schema(table), d=8).dataset
    for name, who in (
        ("survey.json", people), ("trillion.json", Population(people, 10**12)),
    ):  # fmt: skip
        rng = np.random.default_rng(2)
        plan = cc.make_plan(who.domain, who.n, epsilon=1.0, k=3, theta=1e-3, rng=rng)
        reports = collect(who, plan, rng=rng)
        support = np.concatenate([view.support for view in reports.views])
        batch = Tally(((name, "0f"),), support, [view.n for view in reports.views])
        save_state(folder / name, State(plan, (batch,)))
    rows = np.random.default_rng(1).integers(0, 2, (5_000, 4))
    lines = "\n".join(",".join(map(str, row)) for row in rows)
    (folder / "people.csv").write_text(f"a,b,c,d\n{lines}\n")
    return folder


@pytest.fixture(scope="module")
def rooted(root, chromium, tmp_path_factory):
    """A server that was started with the folder."""
    with serving(tmp_path_factory.mktemp("rooted"), "--", "--data-root", str(root)) as (address, _):
        yield address


def opened(visit, rooted, name="survey.json", **how):
    """The page with a collection open, chosen from the list."""
    page = visit(f"{rooted}/collection", **how)
    choose(page, "collection_below", name)
    page.locator(".st-key-collection_open button").click()
    page.locator(".st-key-collection_head").wait_for()
    settled(page)
    return page


def choose(page, key: str, name: str) -> None:
    """Choose from a list of Streamlit's."""
    choose_option(page, page.locator(f".st-key-{key} input"), name)


def query(page) -> dict:
    return parse_qs(urlsplit(page.url).query)


def view(page, name: str) -> None:
    page.locator(".st-key-view_collection").get_by_text(name, exact=True).click()
    settled(page)


def in_view(page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_state_is_opened_looked_at_and_there_after_a_reload(visit, rooted):
    page = opened(visit, rooted)
    # One for each of eight cells, and one that the legend explains.
    intervals = page.locator(".whisker")
    expect(intervals).to_have_count(9)
    until(page, "location.search.includes('open=')")
    assert query(page) == {"open": ["./survey.json"]}
    expect(page.get_by_text("60,000 reports of 1 batch")).to_be_visible()
    title = page.locator("h1").inner_text()
    page.reload()
    settled(page)
    expect(page.locator("h1")).to_have_text(title)
    expect(page.locator(".st-key-collection_head")).to_be_visible()
    expect(intervals).to_have_count(9)
    for name, told in list(words.collection.VIEWS.items())[1:]:
        view(page, told)
        until(page, "name => location.search.includes(`view=${name}`)", arg=name)
        usable(page)
        assert not page.evaluate(UNITLESS)
        page.reload()
        settled(page)
        expect(page.locator(".st-key-collection_head")).to_be_visible()
        assert query(page) == {"open": ["./survey.json"], "view": [name]}
    view(page, words.collection.VIEWS[""])
    until(page, "!location.search.includes('view=')")
    expect(page.locator("h1")).to_have_text(title)
    back_comes_back_to_the_collection(page)


def back_comes_back_to_the_collection(page) -> None:
    title = page.locator("h1").inner_text()
    page.locator(".st-key-section_about a").click()
    page.wait_for_url("**/about*")
    settled(page)
    page.go_back()
    page.wait_for_url("**/collection*")
    settled(page)
    expect(page.locator("h1")).to_have_text(title)
    assert query(page) == {"open": ["./survey.json"]}


def test_an_uploaded_state_comes_back_for_its_tab_alone(visit, rooted, root):
    page = visit(f"{rooted}/collection")
    choose_file(page, page.locator("input[type=file]"), root / "survey.json")
    page.locator(".st-key-collection_head").wait_for()
    settled(page)
    until(page, "/open=[0-9a-f]{64}/.test(location.search)")
    page.reload()
    page.locator(".st-key-collection_head").wait_for()
    other = visit(page.url, stranger=True)
    expect(other.get_by_text("no longer here")).to_be_visible()
    expect(other.locator(".st-key-collection_head")).to_have_count(0)


def test_a_table_of_the_server_is_used(visit, rooted):
    page = visit(f"{rooted}/data")
    choose(page, "shared_table", "people.csv")
    page.get_by_role("button", name=words.data.OPEN_SHARED, exact=True).click()
    until(page, "location.search.includes('file=people.csv')")
    settled(page)
    expect(page.get_by_text("4 of 4 attributes used")).to_be_visible()


@pytest.mark.parametrize("name", ["survey.json", "trillion.json"])
def test_a_phone_shows_every_view_without_scrolling_sideways(visit, rooted, name):
    page = opened(visit, rooted, name, width=PHONE[0], height=PHONE[1])
    for told in words.collection.VIEWS.values():
        view(page, told)
        small(page)
    resized(page, 1280, 720)
    eventually(lambda: in_view(page))
    if name == "trillion.json":
        expect(page.get_by_text("10¹² reports of 1 batch")).to_be_visible()


def test_ten_to_the_twelve_people_fit_everywhere(visit):
    """The pages of the Lab, wide and on a phone."""
    page = visit(f"{LAB[0]}?n={10**12}")
    for name in LAB:
        if name != LAB[0]:
            page.locator(f".st-key-stepper .st-key-step_{name} a").click()
            until_page(page, name)
        assert query(page) == {"n": [str(10**12)]}
        eventually(lambda: in_view(page))
        assert "1,000,000,000,000 people" not in page.locator("body").inner_text()
        resized(page, *PHONE)
        eventually(lambda: in_view(page))
        resized(page, *WIDE)
