"""Settings: ranges, links there and back, the command line's call."""

import shlex
from dataclasses import fields

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from calm_core.cli import app
from calm_core.cli.options import parse_names
from calm_core.errors import InputError
from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.inference.reconstruction.answers import RECONSTRUCTION
from calm_core.ingest.table import ReadOptions
from calm_core.methods import METHODS, make_method, unused_settings
from calm_core.methods.calm_plus import DESIGNS, VIEW_SIZES
from calm_core.oracles import ORACLE_RULES
from calm_core.settings import EPSILONS, THETAS, Settings
from calm_core.settings import NAMES as FIELDS

NAMES = st.lists(
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12),
    unique=True,
    max_size=5,
).map(tuple)


@given(
    source=st.sampled_from(["survey", "browsing", "ab" * 32]),
    columns=NAMES.filter(lambda names: all("\x00" not in n and "\r" not in n for n in names)),
    n=st.none() | st.integers(2, 10**12),
    epsilon=st.sampled_from(EPSILONS) | st.floats(0.01, 16),
    k=st.integers(1, 8),
    theta=st.sampled_from(THETAS),
    l=st.none() | st.integers(1, 64),
    design=st.sampled_from(DESIGNS),
    presenter=st.booleans(),
    hide=st.just(()) | st.just(("theta", "seed")),
)
def test_a_link_gives_the_settings_back(**choices):
    settings = Settings(**choices)
    back, remarks = Settings.from_query(settings.to_query())
    assert (back, remarks) == (settings, ())


def test_every_field_is_checked():
    assert FIELDS == tuple(item.name for item in fields(Settings))


def test_default_settings_need_no_link():
    assert Settings().to_query() == {}


BAD_LINKS = (
    {"epsilon": "0"}, {"epsilon": "nan"}, {"epsilon": "-1"}, {"epsilon": "1000"},
    {"epsilon": "one"}, {"k": "0"}, {"k": "2.5"}, {"theta": "7"}, {"n": "1"},
    {"source": "../etc"}, {"oracle": "best of all"}, {"design": "cells"}, {"method": "magic"}, {"columns": "a,a"},
    {"l": "99999"}, {"rounds": "inf"}, {"color": "red"},
)  # fmt: skip


def test_a_bad_part_of_a_link_is_left_out_with_a_sentence():
    for query in BAD_LINKS:
        settings, remarks = Settings.from_query(query | {"seed": "7"})
        assert len(remarks) == 1 and remarks[0].endswith("."), query
        assert settings == Settings(seed=7), query


def test_the_command_names_what_differs_from_the_defaults():
    settings = Settings(epsilon=2.0, n=1000, max_values=3, columns=("a b", "c"))
    words = shlex.split(settings.to_command("my file.csv"))
    assert words[:5] == ["python", "-m", "calm_core", "release", "my file.csv"]
    options = dict(zip(words[5::2], words[6::2]))
    assert options["--columns"] == "a b,c" and "--d" not in options
    assert options["--epsilon"] == "2.0" and options["--n"] == "1000"
    assert options["--max-values"] == "3" and "--theta" not in options


def parse_command(command: str) -> dict:
    """What the command line makes of a call of `release`; nothing is run."""
    words = shlex.split(command)
    assert words[:4] == ["python", "-m", "calm_core", "release"]
    call = typer.main.get_command(app).commands["release"]
    return call.make_context("release", words[4:]).params


READING = st.fixed_dictionaries(
    {
        "separator": st.none() | st.sampled_from([";", "\t", " ", "=", "'", "-"]),
        "encoding": st.none() | st.sampled_from(["cp1252", "utf-16"]),
        "decimal": st.sampled_from([None, ".", ","]),
        "header": st.sampled_from([None, True, False]),
        "header_row": st.none() | st.integers(0, 40),
        "sheet": st.none() | st.text("aé ='\"-,;=", min_size=1, max_size=9),
        "shape": st.sampled_from([None, "table", "baskets"]),
        "items": st.integers(1, 99),
        "normalize": st.booleans(),
        "ragged": st.sampled_from([None, "leave_out"]),
    }
).map(lambda chosen: ReadOptions(**chosen))


@given(options=READING)
def test_reading_options_become_words_and_come_back(options):
    assert ReadOptions.from_words(options.to_words()) == options


@pytest.mark.slow
@settings(max_examples=40)
@given(
    options=READING,
    file=st.sampled_from(["a b.csv", "-x.csv", "it's.csv"]),
    columns=NAMES.filter(lambda names: all(n == n.strip() and "\x00" not in n for n in names)),
    max_values=st.none() | st.integers(2, 9),
    n=st.none() | st.integers(2, 10**12),
    epsilon=st.floats(0.01, 10),
    theta=st.sampled_from(THETAS),
    l=st.none() | st.integers(1, 64),
    m=st.none() | st.integers(1, 64),
    oracle=st.sampled_from(list(ORACLE_RULES)),
    nonnegativity=st.sampled_from(list(NONNEGATIVITY)),
    rounds=st.integers(0, 5),
    reconstruction=st.sampled_from(list(RECONSTRUCTION)),
    seed=st.integers(0, 99),
    queries=st.integers(1, 99),
)
def test_the_command_gives_the_settings_back(options, **choices):
    settings = Settings(source="ab" * 32, read=options.to_words(), **choices)
    told = parse_command(settings.to_command())
    chosen = {name: told[name] for name in vars(settings) if told.get(name) is not None}
    chosen |= {"columns": parse_names(told["columns"]) or (), "read": tuple(told["read"] or ())}
    back = Settings(source=settings.source, file=told["data"].name, **chosen)
    # What decides nothing is not written: the command line refuses it.
    usual = {name: getattr(Settings(), name) for name in unused_settings(settings.method_settings)}
    assert back == settings.with_changes(**usual)


@pytest.mark.parametrize("method", ["ft", "fc", "priview", "uni", "calm_plus"])
def test_the_command_names_only_options_of_its_method(method):
    settings = Settings(method=method, nonnegativity="norm_sub", rounds=1, theta=0.01)
    told = parse_command(settings.to_command())
    assert told["nonnegativity"] is told["rounds"] is None
    # Theta is given where the method has it: the command line refuses it elsewhere.
    assert told["theta"] == (0.01 if method == "calm_plus" else 0.001)
    assert "rounds" not in settings.method_settings


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
def test_the_command_carries_the_design_of_calm_plus_and_of_no_other(design):
    settings = Settings(method="calm_plus", design=design, l=2, m=9)
    told = parse_command(settings.to_command())
    # The command line refuses views by hand beside others, and theta beside those it says nothing of.
    assert (told["l"], told["m"]) == ((2, 9) if design == "algorithm1" else (None, None))
    told = parse_command(settings.with_changes(l=None, m=None, theta=0.01).to_command())
    assert told["theta"] == (0.001 if design in VIEW_SIZES else 0.01)
    assert (told["method"], told["design"] or "algorithm1") == ("calm_plus", design)
    assert make_method("calm_plus", **settings.method_settings).design == design
    for other in set(METHODS) - {"calm_plus"}:
        without = settings.with_changes(method=other)
        assert parse_command(without.to_command())["design"] is None
        assert "design" not in without.method_settings


def test_reading_options_belong_to_uploads():
    assert "--read" not in Settings(read=("separator=;",)).to_command()
    with pytest.raises(InputError, match="name=value"):
        Settings(read=("comma",))
