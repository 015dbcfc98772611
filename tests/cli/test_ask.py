"""The command ask: from data, from a state, in JSON; refusals are one line."""

import json

import numpy as np
import pytest

import calm_core as cc
from calm_core.cli import app
from calm_core.collection.simulation import collect
from calm_core.collection.states import State, save_state
from calm_core.collection.tally import Tally
from calm_core.errors import InputError


@pytest.fixture
def table(tmp_path, rng):
    path = tmp_path / "t.csv"
    rows = zip(rng.choice(["f", "m"], 4000), rng.choice(["no", "yes"], 4000))
    path.write_text("sex,ill\n" + "".join(f"{sex},{ill}\n" for sex, ill in rows))
    return path


@pytest.fixture
def state(tmp_path, rng):
    domain = cc.Domain(("sex", "ill"), (2, 2), (("f", "m"), ("no", "yes")))
    people = cc.Dataset.from_codes(rng.integers(0, 2, (4000, 2)), domain)
    plan = cc.make_plan(domain, people.n, epsilon=2.0, k=2, rng=rng)
    views = collect(people, plan, rng=rng).views
    support = np.concatenate([view.support for view in views])
    made = State(plan, (Tally((("a", "0f"),), support, [view.n for view in views]),))
    save_state(tmp_path / "s.json", made)
    return tmp_path / "s.json"


def ask(capsys, *words) -> str:
    app(["ask", *map(str, words)], standalone_mode=False)
    return capsys.readouterr().out


def test_a_question_is_answered_in_a_sentence_and_in_json(table, capsys):
    text = ask(capsys, table, "share ill=yes given sex=f", "--k", 2)
    assert text.startswith("ill is yes for ")
    found = json.loads(ask(capsys, table, "share ill=yes given sex=f", "--k", 2, "--json"))
    assert found["low"] <= found["value"] <= found["high"]
    assert found["sentence"] == text.strip()


def test_several_questions_have_intervals_that_hold_together(table, capsys):
    asked = "share ill=yes", "share sex=f"
    alone = json.loads(ask(capsys, table, asked[0], "--k", 2, "--json"))
    found = json.loads(ask(capsys, table, *asked, "--together", "--k", 2, "--json"))
    assert [one["level"] for one in found] == [0.975, 0.975] and found[0]["low"] < alone["low"]
    with pytest.raises(InputError, match="need --together"):
        ask(capsys, table, *asked)


def test_a_state_is_asked_without_data(state, capsys):
    found = json.loads(ask(capsys, state, "independence sex ill", "--json"))
    assert 0 < found["p_value"] <= 1


def test_options_of_a_simulation_are_refused_for_a_state(state, capsys):
    with pytest.raises(InputError, match="collected already"):
        ask(capsys, state, "share ill=yes", "--epsilon", 2)
