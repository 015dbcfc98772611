"""Lessons and classroom in four languages: no text is missing, and none asks for other numbers than the English one."""

import re
from string import Formatter

import pytest

from pages.panels.learn import lessons, screen
from pages.panels.learn.lesson import PLAY, PREDICT, REVEAL
from pages.ui.guessing import control_values
from pages.ui.navigation import Route
from pages.words import languages
from pages.words.classroom import PRINTED
from pages.words.glossary import WORDS
from tests.app.screen import clean, read

OTHERS = [code for code in languages.LANGUAGES if code != languages.ENGLISH]
TERM = re.compile(r"\[\[([^|\]]+)")


def leaves(part, path=()):
    """Every text of a file with its place."""
    if isinstance(part, dict | list):
        for name, one in part.items() if isinstance(part, dict) else enumerate(part):
            yield from leaves(one, (*path, name))
    else:
        yield path, part


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("name", languages.TRANSLATED)
@pytest.mark.parametrize("language", OTHERS)
def test_every_text_is_there_in_every_language_with_the_same_fields_and_terms(name, language):
    english, other = (dict(leaves(languages.read_file(name, one))) for one in ("en", language))
    assert list(english) == list(other)
    for place, text in other.items():
        if not isinstance(text, str):
            assert text == english[place], place
            continue
        assert bool(text.strip()) == bool(english[place].strip()), place
        assert fields(text) == fields(english[place]), place
        assert set(TERM.findall(text)) <= WORDS.keys(), place
        # What links to the glossary does so in every language.
        assert bool(TERM.search(text)) == bool(TERM.search(english[place])), place


@pytest.fixture(params=OTHERS)
def other_language(request, monkeypatch):
    """One of the other languages, while the test runs."""
    monkeypatch.setattr(languages, "_source", [lambda: request.param])
    return request.param


@pytest.mark.slow
def test_lessons_have_the_same_answers_and_choices_in_every_language(other_language, monkeypatch):
    here = lessons()
    monkeypatch.setattr(languages, "_source", [])
    english = lessons()
    assert list(here) == list(english)
    for key, lesson in here.items():
        assert lesson.truth(0) == english[key].truth(0)
        for mine, theirs in zip(lesson.controls, english[key].controls, strict=True):
            assert (mine.key, mine.options, mine.default) == (
                theirs.key,
                theirs.options,
                theirs.default,
            )
            assert [mine.form(option) for option in mine.options]


def test_every_step_of_every_lesson_is_said_and_a_guess_is_answered(other_language):
    for lesson in lessons().values():
        values = control_values(lesson.controls, lambda control: control.default)
        for at in range(PLAY + 1):
            shown = screen.make_screen(lesson, at, values, 0, None)
            assert shown.picture.alt and "{" not in shown.picture.alt + shown.picture.title
            assert all(shown.texts)
        truth = lesson.guess.round_to_step(lesson.truth(0))
        right, wrong, none = (
            lesson.guess.answer_text(truth, one) for one in (truth, lesson.guess.least, None)
        )
        assert len({right, wrong, none}) == 3
        assert "{" not in right + wrong + none


@pytest.mark.parametrize("language", ["", "de", "xx"])
def test_a_lesson_is_played_in_the_language_of_the_visit(open_app, language):
    """Taken from the link, kept in links; an unknown one is English."""
    app = open_app("learn", **({"lang": language} if language else {}))
    assert app.session_state["language"] == (language if language == "de" else "en")
    app.session_state["places"]["learn"] = Route("learn", lesson="coin", at=PREDICT)
    app.session_state["guesses"] = {"coin": 90}
    app = clean(app.run())
    app = clean(app.button(key="lesson_next").click().run())
    assert app.session_state["places"]["learn"].at == REVEAL
    german = language == "de"
    assert ("Weniger, als du dachtest: " in read(app)) == german
    assert ("Less than you thought: " in read(app)) != german
    app.session_state["go"] = "data"
    assert "Whose answers?" in read(clean(app.run())), "the other pages are in English"


def test_the_language_can_be_changed_on_learn(open_app):
    app = open_app("learn")
    app.session_state["go"] = "learn"
    app = clean(app.run())
    assert "Thirteen lessons" in read(app)
    app = clean(app.selectbox(key="language").set_value("es").run())
    assert "Trece lecciones" in read(app)


@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_what_is_printed_names_buttons_as_they_are_on_the_screen(language):
    room, results = (
        languages.read_file(name, language) for name in ("classroom", "classroom_results")
    )
    printed = str(PRINTED[language])
    names = (room["TEACHER_KEY"], room["WALL_KEY"], room["REHEARSE"], room["OPEN"])
    steps = (room["STEPS"][name] for name in ("arrived", "corrected", "together"))
    for name in (*names, *steps, results["VIEWS"]["lesson"]):
        # Within a sentence a name may begin small.
        assert name[1:].replace("\u00a0", " ") in printed.replace("\\xa0", " "), name
