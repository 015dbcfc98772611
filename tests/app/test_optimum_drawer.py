"""How near anybody could come: said on Errors and on Compare, once asked."""

import pytest

from pages import words


def said(app) -> str:
    return " ".join(text.value for text in (*app.markdown, *app.caption))


@pytest.mark.parametrize(
    ("page", "key", "more"),
    [("errors", "errors_optimum", {"view": "sources"}), ("compare", "compare_optimum", {})],
    ids=["errors", "compare"],
)
def test_how_near_anybody_could_come_is_said_once_asked(open_app, page, key, more):
    app = open_app(page, d="4", k="2", n="4000", **more)
    assert words.optimum.LEAD not in said(app)
    app.session_state[key] = True
    app = app.run()
    assert not app.exception and not app.error
    text = said(app)
    assert words.optimum.LEAD in text and "times** as much as the best possible answer" in text


def test_a_table_that_is_too_large_is_a_sentence(open_app):
    app = open_app("compare", source="browsing", d="12", k="2", n="4000")
    app.session_state["compare_optimum"] = True
    app = app.run()
    assert not app.exception
    assert any("at most 1,024 possible people" in error.value for error in app.error)
    assert any(button.label == "Compare" for button in app.button)
