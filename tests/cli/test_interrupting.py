"""Ctrl-C: exit status 130 and a sentence; no traceback, and no file that is half done or about a part of the people."""

import os
import signal
from pkgutil import resolve_name

import pytest

from calm_core.collection import parts

pytestmark = pytest.mark.usefixtures("parse_in_process")

# Where Ctrl-C comes, and at which of its calls there. Of `compare` and `reproduce` see tests/experiments.
INTERRUPTED = {
    "collect TABLE --plan PLAN --out NEW --partitions 3": ("calm_core.collection.parts:report_part", 3),
    "aggregate PARTS --plan PLAN --out NEW.json": ("calm_core.collection.parts:tally_file", 1),
    "merge STATE --out NEW.json": ("os:replace", 1),
    "answer STATE --attrs a,b": ("calm_core.evaluation.prediction:answer_state", 1),
    "ask TABLE independence+a+b --k 2": ("calm_core.collection.simulation:assign_groups", 1),
    "microdata TABLE --k 2 --rows 9 --out NEW.csv": ("os:replace", 1),
    "card TABLE --k 2 --out NEW.html": ("os:fsync", 1),
    "release TABLE --k 2": ("calm_core.evaluation.run:score", 1),
    "reproduce table2 --out NEW": ("os:replace", 1),
    "design --d 8 --epsilon 1 --within 3": ("calm_core.evaluation.needs:solve_question", 1),
    "attack liars TABLE --k 2": ("calm_core.attacks.liars:aggregate", 1),
    "audit PAIRS": ("calm_core.attacks.distinguishing:fit_codings", 1),
    "grade PARTS --out NEW.csv": ("calm_core.assignments.grading:grades_table", 1),
}  # fmt: skip


@pytest.fixture
def interrupt(monkeypatch):
    """`interrupt("module:function", at)`: Ctrl-C comes when the function is called for the at-th time."""

    def interrupt(where: str, at: int = 1) -> None:
        whole, calls = resolve_name(where), 0

        def called(*args, **named):
            nonlocal calls
            calls += 1
            if calls == at:
                os.kill(os.getpid(), signal.SIGINT)
            return whole(*args, **named)

        monkeypatch.setattr(where.replace(":", "."), called)

    return interrupt


@pytest.fixture
def places(table, state, call, tmp_path):
    """The files of the calls, and names of new ones in an empty folder."""
    plan, reports, pairs = tmp_path / "plan.json", tmp_path / "parts", tmp_path / "pairs.csv"
    pairs.write_text("input,output\n" + "1,1\n0,0\n1,0\n" * 100)
    asked = ("--n", 1500, "--epsilon", 1, "--k", 2, "--out", plan)
    assert call("plan", "--data", table, *asked).status == 0
    made = call("collect", table, "--plan", plan, "--out", reports, "--partitions", 3)
    assert made.status == 0, made.err
    (tmp_path / "empty").mkdir()
    return {
        "TABLE": table, "PLAN": plan, "STATE": state, "PAIRS": pairs, "PARTS": reports,
        "NEW": tmp_path / "empty" / "new",
    }  # fmt: skip


def fill(words: str, places: dict) -> list[str]:
    for name, path in places.items():
        words = words.replace(name, str(path))
    return [word.replace("+", " ") for word in words.split()]


@pytest.mark.parametrize("words", INTERRUPTED)
def test_ctrl_c_is_a_sentence_and_leaves_nothing(words, places, call, interrupt):
    interrupt(*INTERRUPTED[words])
    done = call(*fill(words, places))
    assert (done.status, done.out) == (130, "")
    assert done.err.splitlines()[-1] == "interrupted; nothing was written"
    assert not list(places["NEW"].parent.iterdir())


def test_an_interrupted_count_says_what_is_kept_and_goes_on(places, call, interrupt, monkeypatch):
    monkeypatch.setattr(parts, "SAVE_SECONDS", 0)
    monkeypatch.setattr(parts, "SAVE_SHARE", 0)
    words = fill("aggregate PARTS --plan PLAN --out NEW.json", places)
    interrupt("calm_core.collection.parts:tally_file", 2)
    done = call(*words)
    said = f"interrupted; 1 of 3 files are counted in {places['NEW']}.json; the same command continues from there\n"
    assert (done.status, done.err) == (130, said)
    assert "2 of 3 files counted now, 1 holds what is counted already" in call(*words).err
