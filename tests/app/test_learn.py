"""The lessons: the guess comes before the answer, and the numbers are true; the teacher's sheet."""

import html
import re
from dataclasses import replace
from functools import partial
from itertools import product
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
import segno
import streamlit as st

import calm_core as cc
from calm_core.settings import Settings
from pages import words
from pages.panels.learn import lessons, screen
from pages.panels.learn.lesson import IDEA, PLAY, PREDICT, REVEAL, STEP_COUNT, Lesson
from pages.ui import display
from pages.ui.guessing import Scale, control_values, keep_guess
from pages.ui.lecture import screen_texts
from pages.ui.navigation import Route
from tests.app.screen import open_view, plain

BY_KEY = lessons()
KEYS = list(BY_KEY)
why, coin, epsilon, many_answers, splitting, sizes, agreement, shrinkage, *more = BY_KEY.values()
best_possible, limits, one_person, asked_again, liars = more
ALL_STEPS = (IDEA, PREDICT, REVEAL, PLAY)


def values_of(lesson: Lesson, **chosen) -> dict:
    return control_values(lesson.controls, lambda control: chosen.get(control.key))


def make_screen(lesson: Lesson, at: int, guess: float | None = None) -> screen.Screen:
    return screen.make_screen(lesson, at, values_of(lesson), 0, guess)


def picture_of(lesson: Lesson, at: int):
    return make_screen(lesson, at).picture


def texts(lesson: Lesson, at: int, guess: float | None = None) -> str:
    """Everything a screen says."""
    shown = make_screen(lesson, at, guess)
    legend = (text for _, text in shown.picture.legend)
    return " ".join((*shown.texts, shown.title, shown.picture.title, shown.picture.alt, *legend))


@pytest.mark.parametrize("key", KEYS)
def test_the_answer_is_not_shown_before_the_guess(key, monkeypatch):
    monkeypatch.setattr(screen.frame, "is_lecture", lambda: False)
    lesson = BY_KEY[key]
    assert STEP_COUNT == 4
    answer = lesson.guess.format_value(lesson.truth(0)).lower()
    for at in (IDEA, PREDICT):
        assert not re.search(rf"(?<!\d){re.escape(answer)}", texts(lesson, at).lower())
        assert lesson.text.because not in texts(lesson, at)
    assert answer in texts(lesson, REVEAL).lower() and lesson.text.because in texts(lesson, REVEAL)
    assert answer not in f"{lesson.text.title} {lesson.text.line}".lower()
    # Nor is it sent to the browser.
    sent = {at: screen.picture_data(lesson, at, picture_of(lesson, at), None) for at in ALL_STEPS}
    assert [sent[at]["truth"] is None for at in ALL_STEPS] == [True, True, False, True]
    assert [sent[at]["guess"] is None for at in ALL_STEPS] == [True, False, False, True]
    assert lesson.guess.parse_guess(sent[REVEAL]["truth"]) == sent[REVEAL]["truth"]


def test_the_picture_of_a_guess_shows_no_answer():
    assert set(coin.predict().data["colors"]) == {"line"}
    assert {bar["value"] for bar in limits.predict().data["bars"]} == {0.0}
    assert agreement.predict().data["true"] is None
    assert "agreed" not in [row["label"] for row in agreement.predict().data["rows"]]
    assert not epsilon.idea().data["x"]["ticks"] and not epsilon.idea().data["marks"]


@pytest.mark.parametrize("key", KEYS)
def test_right_and_wrong_guesses_are_answered_with_the_reason(key):
    lesson = BY_KEY[key]
    truth = lesson.guess.round_to_step(lesson.truth(0))
    far = lesson.guess.parse_guess(2 if truth != 2 else 3)
    shown = [make_screen(lesson, REVEAL, guess).texts[-1] for guess in (truth, far, None)]
    assert all(text.endswith(f"> {lesson.text.because}") for text in shown)
    assert len({text.split("\n")[0] for text in shown}) == 3


@pytest.mark.parametrize("key", KEYS)
def test_every_option_of_a_control_can_be_chosen_and_taken_to_the_lab(key):
    lesson = BY_KEY[key]
    for control in lesson.controls:
        assert control.default in control.options
        for option in control.options:
            values = values_of(lesson, **{control.key: option})
            assert values[control.key] == option
            assert lesson.play(values, 1).alt and lesson.take(values)


@pytest.mark.parametrize("key", KEYS)
def test_asking_again_is_offered_where_the_answer_is_random(key):
    lesson = BY_KEY[key]
    values = values_of(lesson)
    drawn = {REVEAL: lesson.reveal, PLAY: partial(lesson.play, values)}
    random = {at for at, draw in drawn.items() if draw(press=0).data != draw(press=1).data}
    assert random == set(lesson.random_steps)


def test_the_answers_are_those_of_the_formulas():
    assert epsilon.truth() == pytest.approx(100 * np.e / (np.e + 9))
    alone = np.exp(0.1) / (np.exp(0.1) - 1) ** 2
    dealt = 10 * np.e / (np.e - 1) ** 2 + 10 / 4 * 0.9 * 60_000 / 59_999
    assert splitting.truth() == pytest.approx(np.sqrt(alone / dealt))
    p, q = np.array([np.e, 1]) / (np.e + 3)
    assert one_person.truth() == pytest.approx(100 * p)
    assert liars.truth() == pytest.approx(5 * ((1 - q) / (p - q) - 0.12))


def test_one_report_changes_no_guess_where_a_cell_is_common_enough():
    budgets, cells, times = (control.options for control in BY_KEY["person"].controls)
    for budget, count, common in product(budgets, cells, times):
        said = one_person.play({"epsilon": budget, "cells": count, "times": common}).alt
        assert ("changes no guess" in said) == (common > np.exp(budget)), said


def test_people_in_the_wrong_cell_are_as_many_as_expected():
    for questions in (2, 6):
        found = [many_answers.ask_everyone(questions, press)[:2] for press in range(40)]
        measured = np.mean([np.abs(noisy - true).sum() / 2 for true, noisy in found])
        assert measured == pytest.approx(many_answers.expected_wrong(questions), rel=0.1)


def test_only_whoever_is_alone_is_given_away_in_two_clicks():
    rows, alone = why.get_people(), 0
    for age in why.AGES:
        for area in why.AREAS:
            picture = why.play({"age": age, "area": area})
            left = rows[(rows.age == age) & (rows.area == area)]
            assert picture.data["colors"].count("line") == 100 - len(left)
            assert ("No name was needed" in picture.alt) == (len(left) == 1)
            alone += len(left) == 1 and left[why.SECRET].item() == 1
    assert alone, "somebody with a secret is found"


def test_the_best_number_of_questions_is_neither_few_nor_many():
    found = {size.l: size.wrong for size in sizes.forecast(1_000_000, 2.0, 4)}
    best = min(found, key=lambda size: found[size].total)
    assert sizes.truth() == best and best not in (2, 8)
    assert found[2].rebuilding > found[2].noise and found[8].noise > 100 * found[8].rebuilding


def test_the_parts_of_the_remaining_error_add_up_to_100_percent():
    for people in (3_000, 30_000, 300_000, 3_000_000):
        for kind in best_possible.SPREADS:
            for budget in (0.2, 0.5, 1.0, 2.0, 4.0):
                said = best_possible.play({"people": people, "epsilon": budget, "kind": kind}).alt
                assert sum(map(int, re.findall(r"(\d+)%", said))) == 100, said


def test_the_number_of_shares_below_zero_is_stated_with_what_else_is_lost():
    found = set()
    for press in range(100):
        said = limits.play({"people": 5_000, "epsilon": 8.0}, press).alt
        below = int((limits.rare_cells(5_000, 8.0, press)[1] < 0).sum())
        shown = {0: "no share is below zero this time", 1: "1 share is below zero"}
        assert shown.get(below, f"{below} shares are below zero") in said
        found.add(below)
    assert found >= {0, 1, 2}
    assert "up to about 2,981 times" in said and "is then typically ±0.03 points off." in said


def test_the_bounds_of_beliefs_follow_bayes_rule_in_text_and_picture():
    for before in epsilon.PRIORS:
        for budget in epsilon.CHOICES:
            picture = epsilon.play({"epsilon": budget, "prior": before}, 0)
            most, least = (text for _, _, text in picture.data["marks"])
            said = f"at most {most} after a yes and at least {least} after a no"
            assert said in picture.alt
            # With Bayes' rule, not with the lesson's function.
            odds = before / (100 - before)
            up, down = (100 * o / (1 + o) for o in (odds * np.exp(budget), odds / np.exp(budget)))
            assert up <= float(most[:-1]) < 100 and 0 < float(least[:-1]) <= down
            assert float(most[:-1]) - up <= 0.01 * min(up, 100 - up)
            assert down - float(least[:-1]) <= 0.01 * min(down, 100 - down)


def test_the_better_of_splitting_people_and_splitting_epsilon_is_named():
    better = set()
    for budget in BY_KEY["splitting"].controls[1].options:
        for questions in range(1, splitting.MAX_QUESTIONS + 1):
            picture = splitting.play({"epsilon": budget, "questions": questions})
            dealt, split = (float(text[1:]) for _, _, text in picture.data["marks"])
            verdict = {-1: "splitting the people", 0: "the same either way", 1: "splitting ε is"}
            assert verdict[int(np.sign(dealt - split))] in picture.alt, picture.alt
            assert (questions == 1) == (dealt == split)
            dealt, split = splitting.errors(budget, questions)
            if split < dealt - 1e-10:
                better.add((budget, questions))
    # With a large epsilon and few questions only, as the lesson says.
    assert better == {(4.0, 2), (4.0, 3)}


def test_the_best_possible_error_and_that_of_the_reports_match_a_simulation(rng):
    """Its error and that of the reports, by playing both."""
    spread, asked, repeated = best_possible.SPREADS["loosely"], 1000, 4000
    true = rng.normal(0, spread, repeated).clip(-1, 1)
    cells = rng.multinomial(asked, np.stack([1 + true, 1 - true, 1 - true, 1 + true], axis=1) / 4)
    oracle = cc.choose_oracle(4, 0.5)
    shares = np.array([oracle.estimate(oracle.simulate(c[None], rng=rng)[0], asked) for c in cells])
    seen = shares @ [1, -1, -1, 1]
    error = best_possible.reported_error(asked * best_possible.PAIRS, 0.5)
    assert np.sqrt(np.mean((seen - true) ** 2)) == pytest.approx(error, rel=0.05)
    left = {share: np.sqrt(np.mean((share * seen - true) ** 2)) for share in np.linspace(0, 1, 101)}
    assert min(left.values()) == pytest.approx(best_possible.best_error(error, spread), rel=0.05)
    # The more is in the way, the more is left; never more than is reported, or than there is.
    for people, budget in ((3_000, 0.2), (3_000_000, 4.0)):
        reported, *found = best_possible.errors(people, budget, "loosely")
        assert sorted(found, reverse=True) == found and found[0] < min(spread, reported)


@pytest.mark.parametrize(
    ("guess", "value", "kept"),
    [
        (Scale(0, 100, 1), 25.4, 25), (Scale(0, 100, 1), 101, None), (Scale(0, 100, 1), "9", None),
        (Scale(1, 16, 0.1), 1.5180, 1.5), (Scale(0, 100, 1), None, None),
    ],
)  # fmt: skip
def test_only_possible_guesses_are_accepted(guess, value, kept):
    assert guess.parse_guess(value) == kept


def page_text(app) -> str:
    return " ".join([app.title[0].value, *(text.value for text in app.markdown)])


def press(app, key: str):
    app = app.button(key=key).click().run()
    assert not app.exception, app.exception
    return app


def open_lesson(open_app, lesson: str, at: int = 0, **query: str):
    """As a link does; that links say so is for the browser to show: here every visit begins at Start."""
    return open_view(open_app("learn", **query), "learn", lesson=lesson, at=at)


def place(app):
    return app.session_state["places"]["learn"]


def test_a_lesson_continues_after_the_guess_and_leads_to_the_lab(open_app):
    app = open_lesson(open_app, "epsilon", 1)
    assert app.button(key="lesson_next").disabled and app.session_state["steps"] == (
        "learn",
        PREDICT + 1,
    )
    app.session_state["guesses"] = {"epsilon": 50}
    app = press(app.run(), "lesson_next")
    assert "23%" in page_text(app) and "50%" in page_text(app)
    app = press(app, "lesson_next")
    app.select_slider(key="lesson_epsilon_epsilon").set_value(3.0).run()
    assert "ε = 3" in page_text(app) and app.session_state["settings"].epsilon == 1.0
    app = press(app, "lesson_open")
    assert app.session_state["settings"].epsilon == 3.0 and app.session_state["page"] == "marginals"
    assert "Settings changed:" in page_text(app) and "ε = 3" in page_text(app)
    app = press(app, "undo")
    assert app.session_state["settings"].epsilon == 1.0
    assert place(app) == Route("learn", lesson="epsilon", at=PLAY), "back where it was pressed"


def test_lessons_wait_for_the_guess_follow_each_other_and_end_at_the_overview(open_app):
    for key, following in ((KEYS[0], KEYS[1]), (KEYS[-1], "")):
        app = open_lesson(open_app, key)
        assert plain(app.title[0].value) == BY_KEY[key].text.title and place(app).at == IDEA
        app = press(app, "lesson_next")
        assert place(app).at == PREDICT and app.button(key="lesson_next").disabled, key
        app.session_state["places"]["learn"] = replace(place(app), at=PLAY)
        app = press(app.run(), "lesson_next")
        assert place(app) == Route("learn", lesson=following)


def test_going_back_to_the_idea_forgets_the_guess(open_app):
    app = open_lesson(open_app, "coin", 2)
    app.session_state["guesses"] = {"coin": 10, "limits": 4}
    app = press(press(app.run(), "lesson_back"), "lesson_back")
    assert place(app).at == IDEA and app.session_state["guesses"] == {"limits": 4}


def test_a_guess_is_kept_for_its_lesson_even_if_the_lesson_is_left(monkeypatch):
    # Both presses come in one run: the lesson is left when its guess arrives.
    session = {"page": "learn", "places": {"learn": Route("learn")}}
    monkeypatch.setattr(st, "session_state", session)
    keep_guess("coin", BY_KEY["coin"].guess, 30)
    keep_guess("epsilon", BY_KEY["epsilon"].guess, "a lot")
    assert session["guesses"] == {"coin": 30}


def test_a_lecture_shows_the_same_numbers_as_the_lesson(open_app):
    lesson = BY_KEY["limits"]
    for seed, presses in ((str(Settings.seed), 0), ("0", 2**32 - Settings.seed)):
        answer = lesson.guess.answer_text(lesson.truth(presses), None)
        for query in ({}, {"presenter": "1"}):
            app = open_app("learn", lesson="limits", at="2", seed=seed, **query)
            assert answer in page_text(app), (seed, query)


def test_a_link_to_an_unknown_lesson_or_step_is_answered(open_app):
    app = open_lesson(open_app, "cion")
    assert words.learn.NOT_A_LESSON in [info.value for info in app.info]
    assert app.title[0].value == display.markdown(words.learn.TITLE, 200)
    assert place(app) == Route("learn")
    app = open_lesson(open_app, "coin", 77)
    assert app.title[0].value == display.markdown(BY_KEY["coin"].text.play, 200)
    assert place(app).at == PLAY, "as the address says from now on"


def test_the_sheet_is_made_on_request_only(monkeypatch):
    monkeypatch.setattr(screen.frame, "is_lecture", lambda: False)
    monkeypatch.setattr(screen, "sheet_html", lambda address, language: f"the sheet of {address}")
    assert screen.landing_data("http://a/learn", sheet_wanted=False)["sheet"] is None
    brought = screen.landing_data("http://a/learn?epsilon=2", sheet_wanted=True)["sheet"]
    assert brought == {"name": screen.SHEET_FILE, "html": "the sheet of http://a/learn"}


def test_the_sheet_has_link_code_and_answer_of_every_lesson_and_the_notes_of_a_speaker():
    page = html.unescape(screen.sheet_html("http://lab.school:8501/learn"))
    for notes in screen_texts().values():
        assert all(text in page for text in vars(notes).values())
    for lesson in BY_KEY.values():
        link = screen.lesson_link("http://lab.school:8501/learn", lesson)
        drawn = segno.make(link, error="m", micro=False).svg_inline(scale=3, border=2)
        assert f"href='{link}'" in page and drawn in page
        assert lesson.expected_answer() in page
        assert parse_qs(urlsplit(link).query) == {"lesson": [lesson.key]}
    assert "[[" not in page and "{alone}" not in page and "<script" not in page
    assert not re.search(r"(src|@import)\s*=?", page.split("</style>")[0])


def test_the_sheet_warns_where_a_class_cannot_reach_its_links():
    for host in ("localhost", "127.0.0.1", "[::1]", "lab.school"):
        warned = "this computer only" in screen.sheet_html(f"http://{host}:8501/learn")
        assert warned == (host != "lab.school"), host
