"""The teacher's side of the live classroom, page by page, on a store of its own."""

import re
import time
from dataclasses import replace

import numpy as np
import pytest
import segno

from calm_core.classroom.database import LINK
from calm_core.classroom.results import infer_results
from calm_core.classroom.survey import LANGUAGES, PushedAnswer, Question, Survey
from calm_core.ingest.encode import encode_table
from calm_core.tables.dataset import Dataset
from pages import words
from pages.panels.classroom import address, lobby, open_survey, results
from pages.panels.classroom import wall as walls
from pages.panels.classroom.open_survey import OpenSurvey
from pages.ui import lecture
from pages.ui.result_cache import forget_results
from pages.words import languages
from tests.app.conftest import ASKED, SURVEY
from tests.app.screen import (
    change,
    in_app,
    offered_files,
    open_view,
    plain,
    press,
    read,
    session_of,
)
from tests.classroom.test_liars import count_lies, pushed_survey

SAID, RESULTS = words.classroom, words.classroom_results


def tickets(count: int, begin: int = 0) -> list[str]:
    return [f"{begin + number:022d}" for number in range(count)]


def join(room, keys, phones: list[str]) -> None:
    for ticket in phones:
        assert room.join(keys.code, ticket).result().body["state"] in ("lobby", "open")


def report(room, keys, phones: list[str], rng) -> None:
    """Every phone sends some cell of its view."""
    for ticket in phones:
        size = room.join(keys.code, ticket).result().body["size"]
        sent = room.report(keys.code, ticket, f"{rng.integers(size):04d}").result()
        assert sent.body == {"state": "counted"}


def begin(room, rng, *, phones: int = 24, reports: int = 24, survey: Survey = SURVEY):
    """An open survey with some reports: its keys."""
    keys = room.create(survey, expected=30)
    join(room, keys, tickets(phones))
    room.teacher(keys.teacher).open()
    report(room, keys, tickets(reports), rng)
    return keys


def collecting_again(room, teacher, rng, *, run_again: bool = True):
    """Another class of 15 phones with the same plan."""
    again = teacher.run_again() if run_again else teacher
    join(room, again, tickets(15, begin=100))
    again.open()
    report(room, again, tickets(15, begin=100), rng)
    return again


def show(open_app, room, keys, *, wall: bool = False, query=None, first: bool = False, **place):
    """The page with a survey open: as its teacher, or with the wall's key alone."""
    app = open_app("classroom", **(query or {}))
    if wall:
        survey = OpenSurvey(room.wall(keys.wall))
    else:
        teacher = room.teacher(keys.teacher, keys.code)
        survey = OpenSurvey(teacher, keys.teacher, keys if first else None)
    app.session_state["class_held"] = survey
    return open_view(app, "classroom", survey=keys.code, **place)


def keys_of(app) -> set[str]:
    return {button.key for button in app.button}


def test_a_survey_is_made_and_its_results_are_read_in_the_language_of_the_visit(
    open_app, room, rng
):
    language = "de"
    said, results = (
        languages.read_file(name, language) for name in ("classroom", "classroom_results")
    )
    app = open_app("classroom", lang=language)
    assert plain(app.title[0].value) == " ".join(said["TITLE"].split())
    assert said["LEAD"] in read(app)
    app.selectbox("class_template").select("sleep").run()
    app.number_input("class_size").set_value(25).run()
    app = app.button(key="class_make").click().run()
    assert plain(app.title[0].value) == said["KEYS_TITLE"] and not app.exception
    assert any(f"lang={language}" in code.value for code in app.code), "the wall's link"
    teacher = app.session_state["class_held"].teacher
    assert teacher.survey.language == language and teacher.progress().capacity == 50
    assert teacher.survey.questions[0].choices[0].startswith("unter")
    keys = begin(room, rng)
    app = show(open_app, room, keys, wall=True, query={"lang": language})
    assert said["NOT_SHOWN"] in read(app)
    room.teacher(keys.teacher).close()
    app = show(open_app, room, keys, query={"lang": language}, view="lesson")
    assert all(title in read(app) for title in results["LESSON_TITLES"])


# ---------------------------------------------------------------- the shell


def test_the_link_reader_knows_surveys_and_walls_and_the_shell_shows_no_simulation(open_app, room):
    app = open_app("classroom", survey="K7MX2P", wall="nobody's")
    assert "does not know" not in read(app)
    assert words.common.SIMULATION not in read(app) and words.common.LAST["classroom"] in read(app)
    assert not [e for e in app.get("bidi_component") if e.proto.id.endswith("-settings_bar")]
    # Only a class's own page is without: the Lab says what it is.
    assert words.common.SIMULATION in read(open_app("marginals"))


def test_a_lecture_ends_with_a_survey_for_the_room(open_app, room, monkeypatch):
    app = open_app("classroom", presenter="1")
    app.button(key="class_invite").click().run()
    assert app.title[0].value == SAID.LOBBY_TITLE and not app.text_input
    for key in ("back", "next"):
        in_app(app, lambda key=key: lecture.handle_key(key))
        app.run()
    assert app.title[0].value == SAID.LOBBY_TITLE, "it stays open"
    # Who has a password to give first makes no survey in a lecture.
    monkeypatch.setenv("CALM_TEACHER_PASSWORD", "wanted")
    app = open_app("classroom", presenter="1")
    assert SAID.LECTURE_EMPTY in read(app) and not app.button


# ---------------------------------------------------------------- a new survey


def test_own_questions_are_typed_added_and_removed(open_app, room):
    app = open_app("classroom")
    app.selectbox("class_template").select("").run()
    texts = [field for field in app.text_input if field.label.startswith("Question ")]
    assert [field.value for field in texts] == ["", "", ""]
    # Where there is a limit, the browser drops what is longer without a word.
    assert not any(field.proto.max_chars for field in app.text_input)
    app.button("class_make").click().run()
    assert "The title is empty" in app.error[0].value and "class_held" not in app.session_state
    app.button("class_add").click().run()
    long = "Do you eat breakfast in the morning before school begins?"
    for at, text in ((0, "Do you sleep?"), (1, long), (3, "Why?")):
        fields = [field for field in app.text_input if field.label.startswith("Question ")]
        fields[at].set_value(text).run()
    app.button("class_make").click().run()
    assert "Question 3 is empty" in app.error[0].value and "class_held" not in app.session_state
    press(app, "Remove question 3")
    choices = [field for field in app.text_input if field.label == SAID.CHOICES]
    choices[2].set_value("No /Yes/ Perhaps").run()
    app.text_input("class_title").set_value("Mine").run()
    app.button("class_make").click().run()
    made = app.session_state["class_held"].teacher.survey
    assert [question.text for question in made.questions][::2] == ["Do you sleep?", "Why?"]
    assert made.questions[2].choices == ("No", "Yes", "Perhaps") and made.title == "Mine"
    assert len({question.name for question in made.questions}) == 3


def test_the_forecast_follows_the_inputs_and_offers_three_without_choosing_it(open_app, room):
    app = open_app("classroom")
    few = read(app)
    assert "With 30 people, 3 questions and ε = 2 a share will be known to about ±" in few
    assert "Of 100 phones, 71 send their answers unchanged and 29 send something else." in few
    assert "3 groups (ℓ = 2, m = 3)" in few
    assert "With ε = 3 (weak privacy) it would be about ±" in few
    assert app.selectbox("class_epsilon").value == 2.0
    app.number_input("class_size").set_value(300).run()
    many = read(app)
    assert "With 300 people" in many and "With ε = 3" not in many
    app.number_input("class_size").set_value(30).run()
    app.button("class_three").click().run()
    assert app.selectbox("class_epsilon").value == 3.0 and "ε = 3 a share" in read(app)


def test_a_password_of_the_server_is_asked_before_a_survey_is_made(open_app, room, monkeypatch):
    monkeypatch.setenv("CALM_TEACHER_PASSWORD", "geheim")
    # A saved survey needs it too.
    assert not open_app("classroom", view="file").get("file_uploader")
    app = open_app("classroom")
    assert "class_make" not in keys_of(app)
    app.text_input("class_password").set_value("wrong")
    app.button("class_password_go").click().run()
    assert "not the password" in app.error[0].value and "class_make" not in keys_of(app)
    app.text_input("class_password").set_value("geheim")
    app.button("class_password_go").click().run()
    assert "class_make" in keys_of(app) and not app.error


def test_a_store_that_forgets_or_cannot_be_opened_says_so(open_app, tmp_path, monkeypatch):
    def said() -> str:
        open_survey.get_store.cache_clear()
        return read(open_app("classroom"))

    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("CALM_CLASSROOM", str(tmp_path / "file" / "room.sqlite3"))
    assert SAID.TEMPORARY in said()
    open_survey.get_store().stop()
    # A host that empties its disk.
    with monkeypatch.context() as host:
        host.setenv("SPACE_ID", "somebody/lab")
        host.delenv("CALM_CLASSROOM")
        host.setenv("HOME", str(tmp_path))
        assert SAID.ON_SPACE in said()
        open_survey.get_store().stop()
    # One of a newer version, or none at all.
    (tmp_path / "room.sqlite3").write_bytes(b"no database at all" * 100)
    monkeypatch.setenv("CALM_CLASSROOM", str(tmp_path / "room.sqlite3"))
    assert re.search("left as it (is|was)", said())
    open_survey.get_store.cache_clear()


# ---------------------------------------------------------------- keys, coming back, walls


def test_the_keys_are_shown_once(open_app, room, keys):
    app = show(open_app, room, keys, first=True)
    # The first two belong to Share.
    codes = [code.value for code in app.get("code")][2:]
    assert codes[:2] == [keys.teacher, keys.wall]
    assert codes[2].endswith(f"?survey={keys.code}&wall={keys.wall}")
    assert SAID.KEYS_FILE.format(code=keys.code) in offered_files(app)
    app.button("class_on").click().run()
    assert len(app.get("code")) == 2 and keys.teacher not in read(app)
    # A teacher's key is in no address.
    place = app.session_state["places"]["classroom"]
    assert place.to_query() == {"survey": keys.code}


@pytest.mark.parametrize("forgotten", [False, True])
def test_coming_back_with_the_teacher_key(open_app, room, keys, forgotten):
    """By the way in, or after a reload: then the address still names the survey."""
    place = {"survey": keys.code, "at": "2"} if forgotten else {}
    app = open_app("classroom", view="back", **place)
    assert app.text_input("class_back_key").proto.autocomplete == "current-password"
    assert (SAID.FORGOTTEN in read(app)) == forgotten
    assert app.text_input("class_back_code").value == place.get("survey", "")
    app.text_input("class_back_key").set_value(keys.wall)
    app.button("class_back_go").click().run()
    assert "opens no survey" in app.error[0].value
    app.text_input("class_back_key").set_value(f" {keys.teacher} ")
    app.text_input("class_back_code").set_value(SAID.code(keys.code).lower())
    app.button("class_back_go").click().run()
    assert app.session_state["class_held"].code == keys.code and SAID.LOBBY_TITLE in read(app)
    # Not the way in: of that, the next reload would know nothing.
    assert app.session_state["places"]["classroom"].to_query() == {"survey": keys.code}


def test_the_wall_opens_by_its_link_or_its_key_and_can_do_nothing(open_app, room, rng, data_of):
    keys = begin(room, rng)
    app = open_app("classroom", survey=keys.code, wall=keys.wall)
    assert not app.exception and not {"class_show", "class_close_yes", "class_lock"} & keys_of(app)
    assert not data_of(app, "class_wall")["questions"] and SAID.NOT_SHOWN in read(app)
    place = app.session_state["places"]["classroom"]
    assert place.to_query() == {"survey": keys.code, "wall": keys.wall}
    room.teacher(keys.teacher).show_results()
    app.run()
    assert len(data_of(app, "class_wall")["questions"]) == 3
    other = open_app("classroom", view="wall")
    other.text_input("class_wall_key").set_value(keys.wall)
    other.button("class_wall_go").click().run()
    assert len(data_of(other, "class_wall")["questions"]) == 3
    assert not other.session_state["class_held"].teacher


def test_a_wall_that_is_not_there_is_one_sentence(open_app, room):
    app = open_app("classroom", survey="K7MX2P", wall="wrong")
    assert "opens no survey" in read(app) and not app.exception and app.button("class_make")


def test_the_surveys_of_a_key_can_be_changed_between(open_app, room, rng):
    keys = begin(room, rng)
    first = room.teacher(keys.teacher)
    first.close()
    again = first.run_again()
    app = show(open_app, room, keys)
    app.selectbox(f"class_other_{keys.code}").select(again.code).run()
    assert app.session_state["class_held"].code == again.code and SAID.LOBBY_TITLE in read(app)


# ---------------------------------------------------------------- the lobby


def reach(room, keys, typed: str) -> str:
    """The teacher types an address: what is refused."""
    with session_of("classroom", class_address=typed) as session:
        address._set_address(room.teacher(keys.teacher))
    return session.get("refused", "")


def test_the_qr_code_has_its_border(monkeypatch):
    link = "https://lab.example.org/calm/r/K7MX2P"
    drawn = address.qr_svg(link)
    modules = segno.make(link, error="m", micro=False).symbol_size(border=4)[0]
    assert f'viewBox="0 0 {4 * modules} {4 * modules}"' in drawn and 'fill="#fff"' in drawn


@pytest.mark.parametrize(
    ("typed", "says", "own"),
    [("10.1.2.3:9000/", "10.1.2.3:9000/r/", False), ("http://localhost:9000", "localhost:9000/r/", True)],
)  # fmt: skip
def test_another_address_can_be_typed(open_app, room, keys, typed, says, own):
    assert not reach(room, keys, typed)
    # In the lobby, beside the keys, and on every other screen.
    ways = read(show(open_app, room, keys)), read(show(open_app, room, keys, first=True))
    for text, remedy in zip(ways, (f"{SAID.OR_TYPE}.", SAID.OR_TYPE_NEXT)):
        assert (SAID.OWN_ONLY in text) == (remedy in text) == own
    for text in (ways[0], read(show(open_app, room, keys, wall=True))):
        assert f"{says}{keys.code}" in text


def test_the_guess_follows_the_network_unless_an_address_is_chosen(
    open_app, room, keys, monkeypatch
):
    own = ["10.0.0.7", "192.168.1.2"]
    monkeypatch.setattr(address, "list_private_addresses", lambda: own)
    first, second = (f"{one}/r/{keys.code}" for one in own)
    assert first in read(show(open_app, room, keys)) and LINK not in room.wall(keys.wall).notes
    own.reverse()
    assert second in read(show(open_app, room, keys, wall=True))
    room.teacher(keys.teacher).set_link("http://10.0.0.7")
    assert first in read(show(open_app, room, keys, wall=True))


def test_a_lobby_that_nobody_finds_says_why_after_a_minute(open_app, room, keys, monkeypatch):
    app = show(open_app, room, keys)
    assert SAID.NOBODY_YET in read(app) and SAID.HINTS[1] not in read(app)
    now = time.monotonic()
    monkeypatch.setattr(lobby.time, "monotonic", lambda: now + 61)
    app.run()
    assert all(hint in read(app) for hint in SAID.HINTS)
    # The page was opened on a phone: it reaches this computer.
    room.note_visit(keys.code)
    # It is noted once the next write is done.
    room.write(lambda db: None).result()
    app.run()
    assert SAID.HINTS[1] not in read(app) and SAID.NOBODY_YET not in read(app)


def test_cards_let_in_once_each_and_are_on_the_sheet_alone(open_app, room, keys):
    app = show(open_app, room, keys)
    app.number_input("class_cards_number").set_value(3).run()
    app.button("class_cards_make").click().run()
    sheet = app.session_state["class_cards"][keys.code]
    assert sheet.count("<section") == 3 == sheet.count("<svg")
    assert len(set(sheet.split("<section"))) == 4
    assert room.teacher(keys.teacher).progress().roster == "cards" and SAID.CARDS_WAIT in read(app)
    assert room.join(keys.code, tickets(1)[0]).result().body["state"] == "card"
    assert offered_files(app)[SAID.CARDS_FILE.format(code=keys.code)]() == sheet


def test_the_sheet_has_the_qr_code_once_there_is_a_survey(open_app, room, monkeypatch):
    monkeypatch.setenv("CALM_JOIN_URL", "https://lab.example.org")
    keys = room.create(replace(SURVEY, language="de", title="<b>Titel</b>"), expected=30)
    sheet = offered_files(show(open_app, room, keys))[SAID.SHEET_FILE]()
    assert f"lab.example.org/r/{keys.code}<" in sheet and "<html lang='de'>" in sheet
    for language in LANGUAGES:
        alone = lobby.sheet_html(language)
        assert "<svg" not in alone and SAID.PRINTED[language]["no_code"] in alone
        full = lobby.sheet_html(language, "<b>Titel</b>", "http://lab.example.org/r/K7MX2P")
        assert full.count("<svg") == 1 and "K7M X2P" in full and "&lt;b&gt;Titel" in full
        assert SAID.PRINTED[language]["poster"][0] in full and "lab.example.org/r " in full
        for head, lines in SAID.PRINTED[language]["advice"]:
            assert head in full and len(lines) >= 5


def test_before_the_lesson_says_it_all_on_the_page(open_app, room):
    app = open_app("classroom", view="before")
    for head, lines in SAID.PRINTED["en"]["advice"]:
        assert head in read(app) and all(line in read(app) for line in lines)
    app.selectbox("class_language").select("fr").run()
    assert SAID.PRINTED["fr"]["advice"][0][0] in read(app) and not app.exception
    assert SAID.PAGE_HASH.strip() in read(app)


# ---------------------------------------------------------------- the wall


def test_results_wait_for_ten_reports_and_for_the_teacher(open_app, room, rng, data_of):
    keys = begin(room, rng, phones=20, reports=9)
    app = show(open_app, room, keys)
    assert SAID.from_ten(reports=9, least=10) in read(app) and app.button("class_show").disabled
    counts = {label: value for label, value, _ in data_of(app, "class_wall")["counts"]}
    smallest = str(min(room.teacher(keys.teacher).progress().groups))
    assert counts == {"Phones": "20", "Reports": "9", "Smallest group": smallest}
    report(room, keys, tickets(1, begin=9), rng)
    app.run()
    assert not data_of(app, "class_wall")["questions"] and SAID.NOT_SHOWN in read(app)
    app.button("class_show").click().run()
    drawn = data_of(app, "class_wall")["questions"]
    assert [asked["text"] for asked in drawn] == ["tired?", "late?", "happy?"]
    app.button("class_show").click().run()
    assert not data_of(app, "class_wall")["questions"]


def test_what_arrived_then_corrected_then_which_go_together(open_app, room, rng, data_of):
    keys = begin(room, rng)
    teacher = room.teacher(keys.teacher)
    teacher.show_results()
    found = infer_results(teacher.report_counts())
    # Where a guess would do as well it is said beside the question.
    asked = [
        SAID.phones_asked(found.report_counts.count_asked(one.name), equal=found.share(one.name).may_be_equal)
        for one in ASKED
    ]  # fmt: skip
    for at, share_of in enumerate((found.raw, found.share)):
        app = show(open_app, room, keys, at=at)
        drawn = data_of(app, "class_wall")["questions"]
        marks = [question["rows"][0]["marks"][0] for question in drawn]
        assert [mark["share"] for mark in marks] == [share_of(one.name).values[1] for one in ASKED]
        assert all((mark["low"] is None) == (at == 0) for mark in marks)
    assert [question["asked"] for question in drawn] == asked
    app = show(open_app, room, keys, at=2)
    drawn = data_of(app, "class_wall")
    assert not drawn["questions"] and len(drawn["pair"]["rows"]) == 2
    assert app.selectbox("class_pair").value == (found.links[0].first, found.links[0].second)
    total = sum(cell["share"] for row in drawn["pair"]["rows"] for cell in row["marks"])
    assert total == pytest.approx(1)
    assert any(told in drawn["pair"]["notes"][0] for told in ("direction only", "no link"))


def test_a_question_nobody_was_asked_says_so(room, rng):
    keys = begin(room, rng, phones=12, reports=12)
    collected = room.teacher(keys.teacher).report_counts()
    # Ten more reports on the only view without it.
    changed = tuple(
        counts * 0 if "late" in view else counts + 10
        for view, counts in zip(collected.plan.views, collected.counts)
    )
    found = infer_results(replace(collected, counts=changed))
    (late,) = walls.build_questions([found], "corrected", [ASKED[1]])
    (mark,) = late["rows"][0]["marks"]
    assert late["text"] == "late?" and mark["text"] == SAID.NOT_ASKED and mark["share"] is None
    assert walls.build_pair(found, "tired", "late") is None


def test_a_picture_is_made_once_for_all_and_only_after_five_reports_more(room, rng, monkeypatch):
    keys = begin(room, rng, phones=30, reports=12)
    teacher, wall = room.teacher(keys.teacher), room.wall(keys.wall)
    teacher.show_results()
    made, infer = [], infer_results
    monkeypatch.setattr(
        open_survey, "infer_results", lambda *given: made.append(1) or infer(*given)
    )

    def reports(view, **pooled) -> int:
        return open_survey.find_results(view, view.progress(), **pooled).report_counts.n

    assert (reports(teacher), reports(wall), len(made)) == (12, 12, 1)
    report(room, keys, tickets(2, begin=12), rng)
    assert (reports(wall), len(made)) == (12, 1)
    report(room, keys, tickets(1, begin=14), rng)
    assert (reports(wall), len(made)) == (15, 2)
    report(room, keys, tickets(2, begin=15), rng)
    teacher.close()
    assert (reports(teacher), len(made)) == (17, 3)
    forget_results(keys.code)
    assert (reports(teacher), len(made)) == (17, 4)
    # Pooled results follow the other classes.
    collecting_again(room, teacher, rng)
    assert (reports(teacher, pooled=True), reports(teacher)) == (32, 17)


class Again(Exception):
    """The whole page is drawn anew."""


def again() -> None:
    """In place of `st.rerun`."""
    raise Again


def test_texts_of_a_survey_are_shown_literally(open_app, room, rng, data_of):
    hostile = "<img src=x onerror=alert(1)> **b** $x$ :red[r] [a](b)"
    survey = Survey(hostile, (Question("one", hostile, ("*No*", "=Yes")), *ASKED[1:]), epsilon=2.0)
    keys = begin(room, rng, survey=survey)
    room.teacher(keys.teacher).show_results()
    app = show(open_app, room, keys, at=1)
    escaped = (r"\<img", r"\*\*b\*\*", r"\$x\$", ":\u200bred")
    assert all(text in app.title[0].value for text in escaped)
    assert data_of(app, "class_wall")["questions"][0]["text"] == hostile
    room.teacher(keys.teacher).close()
    for view in RESULTS.VIEWS:
        app = show(open_app, room, keys, view=view)
        for part in (*app.title, *app.markdown, *app.caption):
            assert "**b**" not in part.value and "<img src" not in part.value.replace("\\<", "")
        assert not any("<img src=x" in part.proto.body for part in app.get("html"))


# ---------------------------------------------------------------- results


@pytest.fixture
def school(room, rng):
    """A closed survey of 24 phones: its keys."""
    keys = begin(room, rng)
    room.teacher(keys.teacher).close()
    return keys


def test_what_is_known_has_intervals_by_calm_plus_and_none_by_calm(open_app, room, school, data_of):
    app = show(open_app, room, school, at=1)
    marks = [asked["rows"][0]["marks"][0] for asked in data_of(app, "class_wall")["questions"]]
    assert all(mark["low"] < mark["high"] for mark in marks)
    app.button_group("class_method").select("calm").run()
    plain = [asked["rows"][0]["marks"][0] for asked in data_of(app, "class_wall")["questions"]]
    assert all(mark["low"] is None for mark in plain) and RESULTS.CALM_NOTE in read(app)
    counts = {label: value for label, value, _ in data_of(app, "class_wall")["counts"]}
    assert counts["Reports"] == "24" and counts["Groups"] == "3"


def test_which_go_together_tells_links_with_direction_only(open_app, room, school, data_of):
    app = show(open_app, room, school, at=2)
    assert len([part for part in app.markdown if part.value.startswith("- ")]) == 3
    assert "direction only" in read(app) or "no link is seen" in read(app)
    assert len(app.selectbox("class_pair").options) == 3
    app.selectbox("class_pair").select(("late", "happy")).run()
    pair = data_of(app, "class_wall")["pair"]
    assert (pair["first"], pair["second"]) == ("late?", "happy?")


def test_how_sure_stands_beside_what_was_predicted(open_app, room, school, data_of):
    app = show(open_app, room, school, view="sure")
    assert "Expected for 24 people: ±" in read(app) and "Came out: ±" in read(app)
    # More people are drawn hatched, in columns of their own, and are never counted.
    bigger = data_of(app, "class_more_wall")
    assert len(bigger["columns"]) == 3 and not bigger["counts"]
    marks = [asked["rows"][0]["marks"] for asked in bigger["questions"]]
    widths = np.array([[mark["high"] - mark["low"] for mark in row] for row in marks])
    assert (widths.mean(axis=0)[:-1] > 2 * widths.mean(axis=0)[1:]).all()
    assert room.teacher(school.teacher).progress().reports == 24
    app.button("class_play").click().run()
    assert "off the known truth" in read(app)


def test_the_lesson_is_about_this_class(open_app, room, school):
    app = show(open_app, room, school, view="lesson")
    said = read(app)
    assert [part.value for part in app.subheader] == list(RESULTS.LESSON_TITLES)
    assert "Of 100 phones 71 sent what was tapped, and 29 something else" in said
    assert "at most 7.4" in said.replace("7.39", "7.4") and "without the noise it is" in said
    assert RESULTS.HONEST in said
    dots = next(part.proto.body for part in app.get("html") if "calm-hundred" in part.proto.body)
    assert dots.count("<i></i>") == 71 and dots.count("class='else'") == 29


def test_a_lecture_shows_the_steps_with_what_is_surest_and_then_the_lesson(open_app, room, school):
    lecture = {"presenter": "1"}
    # What lies did is for a survey with liars.
    for at, kind in enumerate(list(SAID.STEPS)[:3]):
        app = show(open_app, room, school, query=lecture, at=at)
        assert f"**{SAID.STEPS[kind]}.** {SAID.STEP_LINES[kind]}" in read(app)
        assert not app.button_group
        # Which answer is surest is another with every class.
        found = any(said in app.title[0].value for said in ("majority", "Most say", "Fewer than"))
        assert found if kind == "corrected" else app.title[0].value == "School"
    app = show(open_app, room, school, query=lecture, at=3)
    assert app.session_state["steps"] == ("classroom", 4)
    assert [part.value for part in app.subheader] == list(RESULTS.LESSON_TITLES)


def test_who_begins_a_lecture_stays_at_the_step(open_app, room, school, rng):
    app = show(open_app, room, school, view="lesson")
    assert app.title[0].value == RESULTS.VIEWS["lesson"]
    assert change(app, presenter=True).title[0].value == RESULTS.VIEWS["lesson"]
    # Of many questions a lecture has more screens.
    many = Survey("Many", tuple(Question(f"q{at}", f"{at}?", tuple("abcd")) for at in range(5)))
    keys = begin(room, rng, survey=many)
    room.teacher(keys.teacher, keys.code).show_results(True)
    app = show(open_app, room, keys, at=1)
    assert app.segmented_control("class_step").value == "corrected"
    app = change(app, presenter=True)
    assert f"**{SAID.STEPS['corrected']}.**" in read(app)
    assert app.session_state["places"]["classroom"].at == 3
    app = change(app, presenter=False)
    assert app.segmented_control("class_step").value == "corrected"


def test_a_tenth_is_asked_to_lie_from_the_lobby(open_app, room, keys, rng):
    app = show(open_app, room, keys)
    assert app.selectbox(f"class_pushed_{keys.code}").value is None
    app.selectbox(f"class_pushed_{keys.code}").select_index(1).run()
    teacher, phones = room.teacher(keys.teacher), tickets(36)
    assert teacher.progress().pushed == PushedAnswer(0, 1)
    join(room, keys, phones)
    teacher.open()
    asked = {phone: room.join(keys.code, phone).result().body for phone in phones}
    report(room, keys, [phone for phone in phones if "lie" not in asked[phone]], rng)
    teacher.show_results()
    app = show(open_app, room, keys, at=len(SAID.STEPS) - 1)
    assert SAID.NO_LIES in read(app) and "2 phones are asked to lie; 0 have." in read(app)


def test_the_wall_and_the_results_show_what_lies_did(open_app, room, rng, data_of):
    keys = room.restore(count_lies(pushed_survey(), 0.3, 6, 54, rng))
    teacher = room.teacher(keys.teacher)
    teacher.show_results()
    found = infer_results(teacher.report_counts())
    sentence = SAID.lies_sentence(*(table.values[1] for table in found.lie_tables))
    in_lecture = {"wall": True, "at": len(SAID.STEPS) - 1, "query": {"presenter": "1"}}
    for place in (in_lecture, {"at": len(SAID.STEPS) - 1}):
        app = show(open_app, room, keys, **place)
        assert sentence in read(app)
        drawn = data_of(app, "class_wall")
        lies = SAID.with_lies(lies=found.report_counts.n_lies)
        labels = [row["label"] for row in drawn["questions"][0]["rows"]]
        assert labels == [SAID.WITHOUT_LIES, lies, SAID.DEFENDED]
        assert "lies" in drawn["counts"][1][2]


def test_too_few_reports_tell_nothing(open_app, room, rng, data_of):
    keys = begin(room, rng, phones=12, reports=7)
    room.teacher(keys.teacher).close()
    for view in ("", "lesson"):
        assert "7 reports have come in" in read(show(open_app, room, keys, view=view))


def test_running_again_takes_the_same_plan_and_the_wall_shows_one_class_or_all(
    open_app, room, rng, school, data_of
):
    app = show(open_app, room, school, view="next")
    app.button("class_again").click().run()
    again = app.session_state["class_held"].teacher
    assert RESULTS.AGAIN_MADE in read(app) and again.code != school.code
    collecting_again(room, again, rng, run_again=False)
    again.show_results()
    app.run()
    for pooled, n in ((False, 15), (True, 39)):
        app.button_group("class_all").select(pooled).run()
        counts = again.pooled_counts() if pooled else again.report_counts()
        drawn = data_of(app, "class_wall")
        asked = SAID.phones_asked(counts.count_asked("tired"))
        assert drawn["questions"][0]["asked"] == asked and counts.n == n
        # The number is of what stands below.
        assert {label: value for label, value, _ in drawn["counts"]}["Reports"] == str(n)


def test_it_opens_as_a_collection(open_app, room, school):
    app = show(open_app, room, school, view="next")
    app.button("class_collection").click().run()
    assert not app.exception and "24 reports" in read(app)


def test_an_invented_population_is_the_data_and_every_page_says_what_it_is(open_app, room, school):
    app = show(open_app, room, school, view="next")
    app.button("class_invent").click().run()
    assert not app.exception and not app.error
    settings = app.session_state["settings"]
    assert settings.file == "School (invented from reports).csv" and settings.d == 3
    assert words.data.INVENTED_BANNER in read(app)
    assert words.data.INVENTED_BANNER not in read(open_app("data"))


# What a reader of files would take for a header, for numbers, for nothing, or in another order.
TEXTS = (
    Question("2024", "Which year?", ("9", "10", "11")),
    Question("say", "Agree?", ("=yes", "NA", "-")),
    Question("b", "Agree?", ("Yes", "No")),
)


@pytest.mark.parametrize("alike", [False, True])
def test_invented_people_keep_the_answers_of_the_survey(room, rng, monkeypatch, alike):
    asked = TEXTS if alike else (*TEXTS[:2], replace(TEXTS[2], text="Why?"))
    keys = begin(room, rng, survey=replace(SURVEY, questions=asked))
    found = infer_results(room.teacher(keys.teacher).report_counts())
    # All of them alike: each but one answer has the share 0.
    domain = found.report_counts.survey.domain
    everybody = Dataset.from_codes(np.full((50, 3), (2, 1, 1)), domain)
    monkeypatch.setattr(results, "sample_population", lambda *found, **more: everybody)
    source = results.invented_source(found)
    encoded = encode_table(source.table, schema=source.schema)
    assert (encoded.dataset.codes == everybody.codes).all()
    assert encoded.dataset.domain == domain and encoded.dataset.domain.labels == domain.labels
    assert encoded.dataset.domain.titles == (domain.names if alike else domain.titles)
    assert len(encoded.schema.used_columns) == 3
