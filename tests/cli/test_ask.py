"""The command ask: from data, from a state, in JSON; refusals are one line."""

import json

import pytest

from calm_core.cli import app
from calm_core.errors import InputError


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
