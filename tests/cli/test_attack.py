"""The command attack: every attack by its name, on data and on a state; options of the attack; refusals are one line."""

import json

import pytest

from calm_core.attacks import ATTACKS
from calm_core.cli import app
from calm_core.errors import InputError


def attack(capsys, *words) -> dict:
    app(["attack", *map(str, words), "--json"], standalone_mode=False)
    return json.loads(capsys.readouterr().out, parse_constant=lambda word: pytest.fail(word))


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_every_attack_runs_on_data_and_on_a_state(name, table, state, capsys):
    for source, epsilon, words in (table, 1.5, ["--epsilon", "1.5", "--k", "2"]), (state, 2.0, []):
        found = attack(capsys, name, source, *words)
        assert found["attack"] == name
        assert found["table"]
        assert found["settings"]["epsilon"] == epsilon
        assert (found["settings"]["n"], found["settings"]["d"]) == (1500, 3)


def test_fields_of_the_attack_are_options(table, capsys):
    words = ["asked-again", "--days", 3, table, "--k", 2, "--first=0.25", "--people", 500]
    found = attack(capsys, *words)
    assert max(row["day"] for row in found["table"]) == 3
    assert (found["settings"]["first"], found["settings"]["people"]) == (0.25, 500)


@pytest.mark.slow
def test_pairs_are_options(table, capsys):
    found = attack(capsys, "liars", table, "--k", 2, "--target", "a=1,c=0")
    assert sorted(found["settings"]["target"]) == [["a", 1], ["c", 0]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing"], "must be one of one-person"),
        (
            ["one-person", "--days", "3"],
            "--days .3. is not an option of one-person, which has --prior",
        ),
        (["liars", "--target", "a"], "--target .a. must be names with codes"),
        (["asked-again", "--days", "0"], "days .0. must be a whole number from 1"),
    ],
)
def test_wrong_words_are_refused(words, message):
    with pytest.raises(InputError, match=message):
        app(["attack", *words], standalone_mode=False)
