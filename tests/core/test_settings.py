"""Settings: ranges, links there and back, the command line's call."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calm_core.errors import InputError
from calm_core.settings import EPSILONS, THETAS, Settings

NAMES = st.lists(st.text(min_size=1, max_size=12), unique=True, max_size=5).map(tuple)


@given(
    source=st.sampled_from(["survey", "browsing", "ab" * 32]),
    columns=NAMES.filter(lambda names: all("\x00" not in n and "\r" not in n for n in names)),
    n=st.none() | st.integers(2, 5_000_000),
    epsilon=st.sampled_from(EPSILONS) | st.floats(0.01, 16),
    k=st.integers(1, 8),
    theta=st.sampled_from(THETAS),
    l=st.none() | st.integers(1, 64),
    presenter=st.booleans(),
    hide=st.just(()) | st.just(("theta", "seed")),
)
def test_a_link_gives_the_settings_back(**choices):
    settings = Settings(**choices)
    back, remarks = Settings.from_query(settings.to_query())
    assert (back, remarks) == (settings, ())


def test_the_usual_settings_need_no_link():
    assert Settings().to_query() == {}


@pytest.mark.parametrize(
    "query",
    [
        {"epsilon": "0"}, {"epsilon": "nan"}, {"epsilon": "-1"}, {"epsilon": "1000"},
        {"epsilon": "one"}, {"k": "0"}, {"k": "2.5"}, {"theta": "7"}, {"n": "1"}, {"seed": "-1"},
        {"source": "../etc"}, {"oracle": "best of all"}, {"method": "magic"}, {"columns": "a,a"},
        {"l": "99999"}, {"rounds": "inf"}, {"colour": "red"},
    ],
)  # fmt: skip
def test_bad_links_fall_back_with_a_sentence(query):
    settings, remarks = Settings.from_query(query | {"seed": "7"} if "seed" not in query else query)
    assert len(remarks) == 1 and remarks[0].endswith(".")
    assert settings == Settings(seed=settings.seed)
    assert settings.seed == (1 if "seed" in query else 7), "the rest of the link is kept"


@pytest.mark.parametrize("bad", [{"epsilon": float("nan")}, {"k": 9}, {"queries": 0}, {"n": 2.5}])
def test_settings_cannot_be_wrong(bad):
    with pytest.raises(InputError):
        Settings(**bad)


def test_looks_do_not_recompute_and_results_do():
    usual = Settings()
    assert usual.changed(presenter=True, attrs=("a",)).results_key == usual.results_key
    for changes in ({"epsilon": 2.0}, {"seed": 2}, {"oracle": "grr"}, {"d": 7}, {"n": 1000}):
        assert usual.changed(**changes).results_key != usual.results_key


def test_command_names_everything_that_is_not_usual():
    settings = Settings(epsilon=2.0, n=1000, max_values=3, columns=("a b", "c"))
    words = shlex.split(settings.to_command("my file.csv"))
    assert words[:5] == ["python", "-m", "calm_core", "release", "my file.csv"]
    options = dict(zip(words[5::2], words[6::2]))
    assert options["--columns"] == "a b,c" and "--d" not in options
    assert options["--epsilon"] == "2.0" and options["--n"] == "1000"
    assert options["--max-values"] == "3" and "--theta" not in options
