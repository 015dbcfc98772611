"""The command design: what is left out is found, and options that contradict each other are refused."""

import json

import pytest

from calm_core.cli import app
from calm_core.errors import InputError


def design(capsys, *words, d=("--d", "2")) -> str:
    app(["design", *d, *map(str, words)], standalone_mode=False)
    return capsys.readouterr().out


@pytest.mark.slow
def test_the_people_for_an_interval_are_found_in_points_of_100(capsys):
    asked = "--epsilon", 1, "--share", 30, "--within", 40
    found = json.loads(design(capsys, *asked, "--json"))
    assert (found["solved"], found["n"], found["half_width"]) == ("n", 100, 40)
    text = design(capsys, *asked)
    assert text.startswith(found["sentence"]) and f"m = {found['m']}" in text


@pytest.mark.slow
def test_a_difference_without_more_is_for_a_power_of_80(capsys):
    found = json.loads(
        design(capsys, "--n", 100, "--difference", -1, "--groups", "20,80", "--json")
    )
    assert (found["power"], found["difference"], found["epsilon"]) == (80, -1, None)


@pytest.mark.slow
def test_people_like_those_of_a_table_say_what_is_assumed_otherwise(capsys, tmp_path):
    table = tmp_path / "last year.csv"
    table.write_text("a,b\n" + "yes,no\n" * 30 + "yes,yes\n" * 10 + "no,yes\n" * 20)
    asked = "--n", 200, "--like", table, "--question"
    found = json.loads(design(capsys, *asked, "share a=yes", "--within", 40, "--json", d=()))
    assert "a share of 67 of 100" in found["sentence"] and found["solved"] == "epsilon"
    with pytest.raises(InputError, match="all or none"):
        design(capsys, *asked, "difference a=yes between b=no and b=yes", d=())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--n", 100, "--columns", "a"), "is for --like"),
        (("--n", 100, "--like", "x.csv", "--share", 30), "is taken from the people of --like"),
        (("--n", 100, "--like", "x.csv"), "needs --question"),
        (("--within", 3), "give two of people"),
        (("--n", 100, "--within", 3, "--power", 80), "for a --difference"),
        (("--n", 100, "--difference", 5, "--attributes", 2), "--attributes .2. is for a share"),
    ],
)
def test_options_without_effect_are_refused(capsys, words, message):
    with pytest.raises(InputError, match=message):
        design(capsys, *words)
