"""Commands that use a release: from data and from a state."""

import json

import pandas as pd
import pytest

pytestmark = pytest.mark.usefixtures("parse_in_process")


@pytest.fixture
def table(tmp_path, rng):
    """A CSV of people, one of whose labels looks like a formula."""
    codes = rng.integers(0, [2, 3, 2], size=(1500, 3))
    labels = [("=no", "yes"), ("low", "mid", "high"), ("0", "1")]
    frame = pd.DataFrame({n: [v[c] for c in col] for n, v, col in zip("abc", labels, codes.T)})
    file = tmp_path / "people.csv"
    frame.to_csv(file, index=False)
    return file


@pytest.fixture
def state(tmp_path, table, call):
    """The state of a collection from these people."""
    for words in (
        ("schema", table, "--out", tmp_path / "schema.json"),
        ("plan", "--schema", tmp_path / "schema.json", "--n", 1500, "--epsilon", 2, "--k", 2,
         "--out", tmp_path / "plan.json"),
        ("collect", table, "--plan", tmp_path / "plan.json", "--out", tmp_path / "parts"),
        ("aggregate", tmp_path / "parts", "--plan", tmp_path / "plan.json", "--out",
         tmp_path / "state.json"),
    ):  # fmt: skip
        done = call(*words)
        assert done.status == 0, done.err
    return tmp_path / "state.json"


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
            "--theta (0.1) is not an option of direct",
        ),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(table, call, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    done = call(words[0], table, *words[1:])
    assert done.status == 2 and said in done.err and done.err.count("\n") <= 4
    assert not list(tmp_path.glob("rows.csv"))
