"""An assignment from building to grading: two students, and a third who changes the file of another."""

import csv
import io
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from calm_core.settings import EPSILONS
from pages.words import assignment as said
from tests.browser.conftest import settle

BEST = "More privacy and more error"


def build(visit, folder):
    """The link of an assignment that a teacher makes; its file for grading lies in the folder."""
    page = visit("learn?d=3&k=2&n=4000&epsilon=0.5")
    page.get_by_role("button", name="Assignments").click()
    page.get_by_role("button", name=said.TEACHERS).click()
    page.get_by_role("textbox", name=said.TITLE).fill("Our class")
    page.keyboard.press("Enter")
    settle(page)
    with page.expect_download() as taken:
        page.get_by_role("link", name=said.FOR_GRADING).click()
    taken.value.save_as(folder / "key.json")
    return page.get_by_test_id("stCode").first.inner_text().strip()


def hand_in(visit, link, folder, name, number):
    """One student's answers: the right choice, a goal by a larger epsilon, and a number."""
    page = visit(link)
    page.get_by_role("textbox", name=said.NAME).fill(name)
    page.get_by_role("button", name=said.BEGIN).click()
    expect(page.get_by_text(f"{name}, you have answered 0 of 3")).to_be_visible()
    assert not page.get_by_role("button", name="Run again").count(), "the seed is the student's"
    settle(page)
    page.get_by_role("slider").first.fill(str(EPSILONS.index(4.0)))
    page.get_by_text("✓ people of 100 in the wrong cell").wait_for()
    settle(page)
    page.get_by_role("button", name=said.GOAL).click()
    page.get_by_text("you have answered 1 of 3").wait_for()
    page.get_by_role("textbox", name=said.NUMBER).fill(number)
    page.keyboard.press("Enter")
    page.get_by_text("you have answered 2 of 3").wait_for()
    settle(page)
    page.get_by_text(BEST).click()
    page.get_by_text("you have answered 3 of 3").wait_for()
    settle(page)
    with page.expect_download() as taken:
        page.get_by_role("link", name=said.HAND_IN).click()
    taken.value.save_as(folder / taken.value.suggested_filename)
    return page


def test_a_class_is_graded_and_the_changed_file_is_found(visit, tmp_path, call):
    (folder := tmp_path / "handed in").mkdir()
    link = build(visit, tmp_path)
    assert BEST in (tmp_path / "key.json").read_text("utf-8")
    page = hand_in(visit, link, folder, "Ada", "54.6")
    hand_in(visit, link, folder, "Bob", "7")
    # On another page and back: the work is still there, and so it is after loading the address.
    page.get_by_role("link", name="Plan").first.click()
    page.get_by_role("link", name=said.BACK).click()
    page.get_by_text("Ada, you have answered 3 of 3").wait_for()
    assert {"task", "work"} <= set(parse_qs(urlsplit(page.url).query))
    page.reload()
    page.get_by_text("Ada, you have answered 3 of 3").wait_for()
    copied = (folder / "bob.json").read_text("utf-8")
    changed = copied.replace('"Bob"', '"Dan"').replace('"value": 7.0', '"value": 54.6')
    (folder / "dan.json").write_text(changed, "utf-8")
    done = call("grade", folder, "--assignment", tmp_path / "key.json")
    ada, bob, dan = csv.DictReader(io.StringIO(done.out))
    assert (ada["name"], ada["total"], ada["of"], ada["problem"]) == ("Ada", "3", "3", "")
    assert bob["total"] == "2" and "7 is not 54.6" in bob["why"]
    assert dan["total"] == "" and dan["problem"].startswith("file was changed: its checksum")
    assert done.status == 1
