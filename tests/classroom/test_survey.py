"""What a class is asked: cleaned texts, JSON there and back, templates; limits are in tests/test_refusals.py."""

import pytest

from calm_core.classroom.survey import (
    LANGUAGES,
    Question,
    Survey,
    clean_text,
    load_template,
    questions_from_text,
    template_names,
)
from calm_core.errors import DataError, InputError

ASKED = tuple(Question(name, f"{name}?", ("No", "Yes")) for name in "abc")
HOSTILE = "<img onerror=alert(1)> **bold** $x$ =cmd()|'/C calc'!A0"


def test_control_and_bidi_characters_are_removed():
    marks = "\u202e\u2066\u200f\u061c\x00\x1b\x7f\u0085"
    question = Question(f"a{marks}", f"Is\tit\r\n{marks}so?", (f"{marks}No", "Ye\u202as"))
    assert question == Question("a", "Is it so?", ("No", "Yes"))
    assert Survey(f"T{marks}", ASKED).title == "T"
    # What joins signs of Persian or of an emoji is no control character.
    assert clean_text("می\u200cخواهم 👩\u200d🔬 é") == "می\u200cخواهم 👩\u200d🔬 é"
    assert clean_text("e\u0301") == "é"


def test_hostile_texts_are_stored_literally():
    assert Question("a", HOSTILE, ("No", "Yes")).text == HOSTILE
    assert questions_from_text(Survey(HOSTILE, ASKED).questions_text) == ASKED


@pytest.mark.parametrize(
    "text",
    [
        "{", "[" * 100_000, "{}", "[1]", '[{"name": "a", "text": "A?"}]',
        '[{"name": 1, "text": "A?", "choices": ["No", "Yes"]}]',
        '[{"name": "a", "text": "A?", "choices": "No"}]', '[{"name": "a", "text": "A?", "choices": ["No"]}]',
    ],
)  # fmt: skip
def test_damaged_questions_are_refused(text):
    with pytest.raises(DataError, match="damaged"):
        questions_from_text(text)


def test_templates_are_the_same_survey_in_every_language():
    assert len(template_names()) >= 6
    sizes = set()
    for name in template_names():
        surveys = [load_template(name, language) for language in LANGUAGES]
        assert len({survey.domain.sizes for survey in surveys}) == 1
        assert len({survey.title for survey in surveys}) == 4, "each is translated"
        for asked in zip(*(survey.questions for survey in surveys)):
            assert len({question.text for question in asked}) == 4
        assert all(survey.epsilon == 2.0 and survey.d <= 4 for survey in surveys)
        sizes |= set(surveys[0].domain.sizes)
    assert sizes == {2, 3, 4, 5, 6}


def test_unknown_templates_and_languages_are_refused():
    with pytest.raises(InputError, match="template"):
        load_template("nothing")
    with pytest.raises(InputError, match="language"):
        load_template("sleep", "it")
