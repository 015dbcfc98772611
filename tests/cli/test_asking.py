"""Commands that use a release: from data and from a state."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from calm_core.collection.report_files import LIE, NONE_REFUSED
from calm_core.collection.states import State, load_state, save_state

pytestmark = pytest.mark.usefixtures("parse_in_process")


def test_microdata_are_a_safe_csv_that_the_seed_decides(table, call, tmp_path):
    texts = []
    for seed in (1, 1, 2):
        out = tmp_path / "rows.csv"
        done = call(
            "microdata", table, "--rows", 40, "--out", out, "--epsilon", 2, "--k", 2, "--seed", seed
        )
        assert done.status == 0 and "No row is anybody's" in done.err
        texts.append(out.read_text())
    assert texts[0] == texts[1] != texts[2]
    found = pd.read_csv(tmp_path / "rows.csv", dtype=str)
    assert found.shape == (40, 3) and set(found.a) == {"'=no", "yes"}


def test_microdata_and_card_of_a_state(state, call, tmp_path):
    out = tmp_path / "rows.csv"
    assert call("microdata", state, "--rows", 7, "--out", out).status == 0
    assert len(pd.read_csv(out)) == 7
    done = call("card", state, "--method", "calm")
    fields = {field["key"]: field["value"] for field in json.loads(done.out)["fields"]}
    assert (fields["epsilon_per_person"], fields["people"]) == (2.0, 1500)
    assert fields["mechanism"].endswith("attributes")
    refused = call("card", state, "--epsilon", 1)
    assert refused.status == 2 and "--epsilon (1.0) is for data" in refused.err


def test_a_card_is_a_page_or_json(table, call, tmp_path):
    for kind, start in ((".html", "<!doctype html>"), (".json", "{")):
        out = tmp_path / f"card{kind}"
        assert call("card", table, "--out", out, "--method", "direct", "--k", 2).status == 0
        text = out.read_text()
        assert text.startswith(start) and "Central" in text


def test_people_are_sampled_from_the_table(table, call):
    done = call("card", table, "--n", 700, "--k", 2)
    fields = {field["key"]: field["value"] for field in json.loads(done.out)["fields"]}
    assert fields["people"] == 700


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("microdata", "--rows", 0, "--out", "rows.csv"), "rows (0)"),
        (("card", "--out", "card.pdf"), "must end in .html or .json"),
        (
            ("card", "--method", "direct", "--theta", 0.1),
            "--theta (0.1) is not an option of Direct",
        ),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(table, call, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    done = call(words[0], table, *words[1:])
    assert done.status == 2 and said in done.err and done.err.count("\n") <= 4
    assert not list(tmp_path.glob("rows.csv"))


def test_every_command_that_writes_says_in_json_what_it_wrote(table, call, tmp_path):
    plan, parts = tmp_path / "plan.json", tmp_path / "parts"
    assert (
        call("plan", "--data", table, "--n", 1500, "--epsilon", 2, "--k", 2, "--out", plan).status
        == 0
    )
    expected = {
        ("schema", table): {"cleaning": [], "columns": ...},
        ("client", "--plan", plan, "--out", tmp_path / "form"): {
            "out": str(tmp_path / "form"), "files": ...,
        },
        ("collect", table, "--plan", plan, "--out", parts): {"out": str(parts), "files": 1},
        ("aggregate", parts, "--plan", plan, "--out", tmp_path / "s.json"): {
            "files": 1, "counted": 1, "known": 0, "refused": [], "reports": 1500, "batches": 1, "refused_reports": {},
        },
        ("merge", tmp_path / "s.json", "--out", tmp_path / "all.json"): {
            "reports": 1500, "batches": 1, "refused_reports": {},
        },
        ("microdata", tmp_path / "s.json", "--rows", 9, "--out", tmp_path / "m.csv"): {
            "out": str(tmp_path / "m.csv"), "rows": 9, "k": 2, "tables": 3, "sse": ..., "wrong_cell_share": ...,
            "information_kept": ..., "error_ratio": None, "sentence": ...,
        },
        ("compare", table, "--methods", "uni", "--k", 2, "--epsilon", 1, "--repeats", 1, "--queries", 2, "--jobs", 1,
         "--out", tmp_path / "scores.csv"): {"out": str(tmp_path / "scores.csv"), "rows": 2, "means": ...},
    }  # fmt: skip
    for words, keys in expected.items():
        done = call(*words, "--json")
        assert done.status == 0, (words[0], done.err)
        found = json.loads(done.out)
        assert list(found) == list(keys), words[0]
        assert {key: found[key] for key, value in keys.items() if value is not ...} == {
            key: value for key, value in keys.items() if value is not ...
        }, words[0]


def test_a_question_that_has_no_answer_is_refused_before_the_release(
    table, state, call, monkeypatch
):
    monkeypatch.setattr("calm_core.methods.Calm.release", lambda *a, **b: pytest.fail("too late"))
    monkeypatch.setattr(
        "calm_core.evaluation.prediction.answer_state", lambda *a: pytest.fail("too late")
    )
    alone = "'groups b=low by a' has not one interval"
    for words, refused in (
        (["share c=2"], "'share c=2' has no answer"),
        (["mean age"], "'mean age' has no answer"),
        (["share a=yes", "groups b=low by a", "--together"], alone),
        (["groups b=low by a", "--together"], alone),
    ):
        for source in (table, state):
            done = call("ask", source, *words)
            assert done.status == 2 and refused in done.err, words


def test_lies_of_a_class_are_said(state, call):
    held, refused = load_state(state), list(NONE_REFUSED)
    refused[LIE] = 7
    save_state(state, State(held.plan, (replace(held.tallies[0], refused=tuple(refused)),)))
    said = "The state holds 1,500 reports, 7 reports refused (7 for a lie for the experiment of a class).\n"
    for words in (("answer", state, "--attrs", "a"), ("ask", state, "share a=yes")):
        assert said in call(*words).err


def test_a_question_is_answered_in_a_sentence_and_in_json(table, call):
    asked = ("ask", table, "share a=yes given c=1", "--k", 2)
    text, found = call(*asked).out, json.loads(call(*asked, "--json").out)
    assert text.startswith("a is yes for ") and found["sentence"] == text.strip()
    assert found["low"] <= found["value"] <= found["high"]


def test_several_questions_have_intervals_that_hold_together(table, call):
    asked = ("ask", table, "share a=yes", "share c=1", "--k", 2)
    alone = json.loads(call(*asked[:3], "--k", 2, "--json").out)
    found = json.loads(call(*asked, "--together", "--json").out)
    assert [one["level"] for one in found] == [0.975, 0.975] and found[0]["low"] < alone["low"]
    assert "need --together" in call(*asked).err


def test_a_state_is_asked_without_data(state, call):
    found = json.loads(call("ask", state, "independence a b", "--json").out)
    assert 0 < found["p_value"] <= 1
