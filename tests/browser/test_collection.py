"""A collection below --data-root: opened, looked at from all sides, there again after a reload."""

from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import expect

import calm_core as cc
from calm_core.collection.simulation import collect
from calm_core.collection.states import State, save_state
from calm_core.collection.tally import Tally
from calm_core.ingest.encode import encode_table
from calm_core.ingest.samples import sample_schema, sample_table
from calm_core.tables.population import Population
from pages import words
from pages.ui.navigation import LAB
from tests.browser.conftest import (
    choose_option,
    eventually,
    serving,
    settled,
    until,
)
from tests.browser.test_every_page import PHONE, UNITLESS, small, usable


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A folder with a state of 60,000 reports and one of 10^12."""
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


def test_a_state_is_opened_and_every_view_survives_a_reload(visit, rooted):
    page = opened(visit, rooted)
    # One for each of eight cells, and one that the legend explains.
    intervals = page.locator(".whisker")
    expect(intervals).to_have_count(9)
    until(page, "location.search.includes('open=')")
    title = page.locator("h1").inner_text()
    page.reload()
    settled(page)
    expect(page.locator("h1")).to_have_text(title)
    expect(intervals).to_have_count(9)
    for name, label in list(words.collection.VIEWS.items())[1:]:
        view(page, label)
        until(page, "name => location.search.includes(`view=${name}`)", arg=name)
        usable(page)
        assert not page.evaluate(UNITLESS)
    page.reload()
    settled(page)
    assert query(page) == {"open": ["./survey.json"], "view": [name]}
    view(page, words.collection.VIEWS[""])
    until(page, "!location.search.includes('view=')")
    # Back from another page finds the collection.
    page.locator(".st-key-section_about a").click()
    page.wait_for_url("**/about*")
    settled(page)
    page.go_back()
    page.wait_for_url("**/collection*")
    settled(page)
    expect(page.locator("h1")).to_have_text(title)


def test_a_collection_of_10_12_people_fits_a_phone_in_every_view(visit, rooted):
    page = opened(visit, rooted, "trillion.json", width=PHONE[0], height=PHONE[1])
    for label in words.collection.VIEWS.values():
        view(page, label)
        small(page)


def test_10_12_people_fit_the_pages_of_the_lab(visit, server):
    page = visit(width=PHONE[0], height=PHONE[1])
    for name in LAB:
        page.goto(f"{server}/{name}?n={10**12}")
        settled(page)
        eventually(lambda: in_view(page))
        assert "1,000,000,000,000 people" not in page.locator("body").inner_text()
