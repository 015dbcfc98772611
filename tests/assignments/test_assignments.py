"""Assignments: made, worked on, handed in, graded; whatever was changed on the way is found."""

import base64
import json
import re
import zlib
from dataclasses import replace

import pytest

from calm_core.assignments import (
    LEVELS,
    Assignment,
    Bound,
    Choice,
    Free,
    Goal,
    Number,
    Option,
    Work,
    from_link,
    grade,
    read_assignment,
    read_work,
    ready,
)
from calm_core.assignments.work import checksum
from calm_core.errors import UserError
from calm_core.settings import Settings


@pytest.fixture(scope="module")
def make() -> Assignment:
    """Each kind of question once, on few people."""
    return Assignment(
        "Small",
        "bachelor",
        Settings(d=3, k=2, n=1000),
        (Free("epsilon", 0.5, 4), Free("method", words=("calm", "direct")), Free("l", 1, 3)),
        (
            Goal("Reach it.", (Bound("wrong", "most", 6), Bound("epsilon", "least", 2))),
            Number("Odds?", "odds", 0.01, points=2),
            Choice("Which?", (Option("this", "", True), Option("that", "it is not that"))),
        ),
    )


@pytest.fixture(scope="module")
def right(make) -> Work:
    """Everything right."""
    work = Work(make, "Ada").answer(1, chosen={"epsilon": 4.0})
    return work.answer(2, 54.6, {"epsilon": 4.0}).answer(3, "this")


def test_right_answers_have_all_points_and_the_seed_of_the_name(make, right):
    assert grade(right).points == (1, 2, 1) and make.points == 4
    assert right.settings().seed == Work(make, " ADA").seed != Work(make, "Bob").seed
    other = replace(make, title="Other")
    assert Work(other, "Ada").seed != right.seed


@pytest.mark.parametrize(
    ("number", "value", "chosen", "reason"),
    [
        (1, None, {"epsilon": 0.5}, r"mean of all tables: at most 6, but it is \d.*; ε: at least 2, but it is 0.5"),
        (2, 7.4, {"epsilon": 4.0}, "7.4 is not 54.6, within 0.01"),
        (2, None, {}, "no number given"),
        (3, "that", {}, "it is not that"),
        (3, "both", {}, "none of the answers"),
    ],
)  # fmt: skip
def test_wrong_answers_say_why(right, number, value, chosen, reason):
    graded = grade(right.answer(number, value, chosen))
    assert graded.points[number - 1] == 0 and sum(graded.points) >= 2 and not graded.problem
    assert re.search(f"question {number}: .*{reason}", graded.reasons[0])


def change(work: Work, edit, *, again: bool) -> str:
    """The file with an edit; with a checksum made `again` as somebody who knows how would."""
    plain = json.loads(work.to_json())
    edit(plain)
    return json.dumps(plain | ({"checksum": checksum(plain)} if again else {}))


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (lambda plain: plain["answers"][0]["results"].update(wrong=0.5), "wrong is 0.5 in the file"),
        (lambda plain: plain["answers"][0]["results"].clear(), "results are not there"),
        (lambda plain: plain.update(name="Bob"), "wrong is .* computed again"),
        (lambda plain: plain["answers"][0]["chosen"].update(epsilon=2.0), "computed again"),
        (lambda plain: plain.update(name="Bob", version="0.0"), "with version 0.0, this is"),
    ],
)  # fmt: skip
def test_changed_files_are_found_by_checksum_or_by_computing_again(make, right, edit, problem):
    known = {make.digest: make}
    work, whole = read_work(change(right, edit, again=False), known)
    assert not whole
    work, whole = read_work(change(right, edit, again=True), known)
    graded = grade(work)
    assert whole and graded.points == ()
    assert problem.split(".*")[-1] in graded.problem and "file was changed" in graded.problem


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        ({"k": 1}, "k is fixed"),
        ({"epsilon": 9}, "epsilon .9. must be from 0.5 to 4"),
        ({"epsilon": "1"}, "must be from"),
        ({"method": "fc"}, "must be one of calm, direct"),
    ],
)
def test_settings_out_of_range_earn_nothing_and_are_not_computed(make, right, chosen, reason):
    edited = change(right, lambda p: p["answers"][0]["chosen"].update(chosen), again=True)
    graded = grade(read_work(edited, {make.digest: make})[0])
    assert graded.points == (0, 2, 1) and reason.split(".")[0] in graded.reasons[0]
    with pytest.raises(UserError, match=reason):
        right.answer(1, chosen=chosen)


def test_a_cell_must_be_one_of_the_data(make):
    asked = Number("Share?", "share", 1, ("female=2",))
    with pytest.raises(UserError, match="is not a value of 'female'"):
        replace(make, questions=(*make.questions, asked))


def test_students_get_no_key(make):
    told = make.public().to_json()
    assert "it is not that" not in told and "true" not in told
    assert from_link(make.to_link()) == make.public() == read_assignment(told)
    assert make.public().digest == make.digest


@pytest.mark.parametrize(
    "text", ["", "!", "AAAA", base64.urlsafe_b64encode(zlib.compress(b" " * 10**7)).decode()]
)
def test_damaged_links_are_refused(text):
    with pytest.raises(UserError, match="link is damaged|no assignment"):
        from_link(text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "no file handed in"),
        (b"[]", "not of format"),
        (b'{"format": "calm-lab hand-in 1"}', "no file handed in"),
        (b'{"format": "calm-lab hand-in 1", "name": 1}', "name must be text"),
    ],
)
def test_files_that_were_not_handed_in_say_so(content, message):
    with pytest.raises(UserError, match=message):
        read_work(content, {})
    with pytest.raises(UserError):
        read_assignment(content)


def test_the_ready_assignments_are_of_their_level():
    assert [ready(level).level for level in LEVELS] == [*LEVELS]
    assert all(ready(level).has_key for level in LEVELS)
