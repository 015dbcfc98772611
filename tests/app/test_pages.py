"""Every page and every view of it, with many settings: opened without complaint, and worded by rules."""

import re

import pytest

from pages import words
from pages.ui.navigation import Route
from tests.app.screen import plain, settings_of, upload
from tests.app.test_words import OTHER_WORDS, PAPERS

VIEWS = {
    "plan": words.plan.VIEWS,
    "collect": words.collect.SEGMENTS,
    "marginals": words.marginals.VIEWS,
}
# Classroom and collections of reports have tests of their own.
PAGES = [page for page in words.common.PAGES if page not in ("classroom", "collection")]
CASES = {
    "survey": {"source": "survey", "d": "6", "k": "2"},
    "browsing, another design": {
        "source": "browsing", "d": "5", "k": "2", "method": "calm_plus", "design": "optimal",
    },
    "one table": {"d": "2", "k": "2", "n": "1000"},
    "two people": {"d": "2", "k": "1", "n": "2"},
    "weak privacy": {"epsilon": "16", "n": "1000000000", "d": "3", "k": "2"},
    "central, strong privacy": {"method": "priview", "epsilon": "0.01", "n": "100", "d": "4", "k": "2"},
    "no formula": {"method": "em", "d": "3", "k": "2", "n": "2000"},
    "lecture": {"presenter": "1", "d": "4", "k": "2"},
}  # fmt: skip
ONE_OF_MANY = re.compile(
    r"(?i)\b(?:1 (?:views|tables|pairs|attributes|groups|marginals|cells|answers)\b|all 1(?![\d,]))"
)
HOSTILE = "**bold** <img src=x> $a$ :red[no]"
AWKWARD = f'"{HOSTILE}",*a*:red[b],id\n' + "".join(
    f'"{("<img src=x>", "$a$")[i % 3 % 2]}",_{i % 2}_,{1000 + i}\n' for i in range(200)
)


def texts_of(app) -> list[str]:
    """What the page says outside its drawers."""
    drawers = {part.value for one in app.expander for part in (*one.markdown, *one.caption)}
    parts = (*app.title, *app.subheader, *app.markdown, *app.caption, *app.info, *app.warning)
    return [plain(part.value) for part in parts if part.value not in drawers]


def each_view(app):
    """Every view of every page, one after the other: its name and the app that shows it."""
    for page in PAGES:
        app.switch_page(f"../{page}.py")
        for view in VIEWS.get(page, ("",)):
            app.session_state["places"] = {page: Route(page, view=view, at=99)}
            app.run()
            assert not app.exception, (page, view, app.exception)
            yield f"{page} {view}", app


@pytest.mark.parametrize("case", CASES)
def test_every_view_opens_and_keeps_the_rules_of_wording(open_app, case):
    broken = []
    for where, app in each_view(open_app(**CASES[case])):
        broken += [(where, error.value) for error in app.error]
        quoting = where.startswith("about") or settings_of(app).presenter
        broken += [(where, text) for text in texts_of(app) if badly_worded(text, quoting)]
    assert not broken, "\n".join(map(str, broken))


def badly_worded(text: str, quoting: bool) -> bool:
    """Whether a text uses a plural for one thing, lacks a unit, or has another word for a thing.

    With `quoting` words of the papers are allowed: on About, and in drawers, which a lecture hides.
    """
    rest = re.sub(r"±[\d.,]*\d\*{0,2} points", "", text)
    return bool(
        ONE_OF_MANY.search(text)
        or (re.search(r"±\d", rest) and "points" not in rest.lower())
        or not (quoting or "Details" in text)
        and (OTHER_WORDS.search(text) or PAPERS.search(text))
    )


def test_names_from_files_are_shown_literally_on_every_page(open_app, data_of):
    uploaded = upload(open_app("data"), AWKWARD, "<script>.csv")
    assert settings_of(uploaded).is_upload
    for where, app in each_view(uploaded):
        formatted = [str(part.value) for part in (*app.markdown, *app.caption, *app.title)]
        drawn = [str(part.value) for part in app.html]
        drawn += [chart.proto.spec for chart in app.get("plotly_chart")]
        assert not any("**bold** " in text or "$a$" in text for text in formatted), where
        assert not any("<img src=x>" in text for text in (*formatted, *drawn)), where
        if where == "marginals table":
            assert data_of(app, "marginal")["chips"]["chosen"][0][0] == HOSTILE
