"""A file for download is made at the press of its button, for as long as its session shows its page."""

import gc

import pytest
from starlette.routing import Router
from streamlit.testing.v1 import AppTest

from calm_core.errors import DataError
from pages import words
from pages.ui.downloads import routes
from tests.app.screen import offered_files
from tests.app.test_serving import ask

PAGE = """
import streamlit as st
from pages.ui.downloads import forget_other_page, show_download
page = st.session_state.get("next_page", "tables")
forget_other_page(page)
st.session_state["page"] = page
if page == "tables":
    show_download("Take", st.session_state["make"], "ä.csv", "text/csv", "take")
"""


@pytest.fixture
def page():
    app = AppTest.from_string(PAGE)
    app.session_state["make"] = lambda: "a,b\n"
    return app.run()


def press(app):
    """The address of the button, and what its route answers: status, headers, content."""
    address = app.get("link_button")[0].proto.url
    return address, *get(address)


def get(address):
    first, *rest = ask(f"/{address}", app=Router(routes()))
    headers = {name.decode(): text.decode() for name, text in first["headers"]}
    return first["status"], headers, b"".join(part["body"] for part in rest)


def test_the_file_is_made_at_the_press_and_has_its_name(page):
    _, status, headers, content = press(page)
    assert (status, content) == (200, b"a,b\n")
    assert headers["content-disposition"] == "attachment; filename*=UTF-8''%C3%A4.csv"
    assert headers["content-type"].startswith("text/csv") and headers["cache-control"] == "no-store"


def test_an_address_gives_what_its_page_shows_now(page):
    before = press(page)[0]
    page.session_state["make"] = lambda: b"new"
    address, _, _, content = press(page.run())
    assert address == before and content == b"new"
    # Nobody else's: another session has another address.
    other = AppTest.from_string(PAGE)
    other.session_state["make"] = lambda: "other"
    assert press(other.run())[0] != before


def test_what_cannot_be_made_is_a_sentence(page):
    def make():
        raise DataError("The survey has no reports yet.")

    page.session_state["make"] = make
    assert press(page.run())[1::2] == (409, b"The survey has no reports yet.")


def test_nothing_is_kept_of_a_page_that_was_left(page):
    address = press(page)[0]
    page.session_state["next_page"] = "errors"
    page.session_state["make"] = None
    page.run()
    gc.collect()
    status, _, text = get(address)
    assert (status, text.decode()) == (404, words.exports.GONE)


def test_the_shell_forgets_the_downloads_of_the_page_before(open_app):
    app = open_app("marginals", d="4", k="2", n="3000")
    assert "table.csv" in offered_files(app)
    address = app.get("link_button")[0].proto.url
    app.switch_page("../plan.py").run()
    assert app.session_state["page"] == "plan" and not app.exception
    assert "table.csv" not in offered_files(app)
    gc.collect()
    assert get(address)[0] == 404
