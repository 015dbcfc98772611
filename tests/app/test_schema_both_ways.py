"""A schema decided in the app gives the same release on the command line, and the other way round."""

import json

import pytest
import streamlit as st

from calm_core.ingest.encode import load_dataset
from calm_core.ingest.schema import Schema
from calm_core.settings import Settings
from pages.panels.data import columns
from pages.ui import cached_calls, state

ROWS = 900
COLUMNS = {
    "id": lambda i: f"R{i:04}",
    "smokes": lambda i: ("no", "no", "No", "yes", "yes", "yes", "YES", "Yes?")[i % 8],
    "half": lambda i: "NS"[i // 3 % 2],
    "treated": lambda i: (0, 1, 1, 9)[i % 4],
    "joined": lambda i: f"{i % 12 + 1:02}/{i % 11 + 1:02}/202{i % 4}",
    "fee": lambda i: f"1.{101 + i % 400}",
    "visits": lambda i: ("1", "2", "3", "none")[i % 4],
    "city": lambda i: "Bonn" if i % 5 else "Ulm",
}


@pytest.fixture
def messy(tmp_path):
    """The file, as bytes and on a disk."""
    rows = (";".join(str(made(i)) for made in COLUMNS.values()) for i in range(ROWS))
    path = tmp_path / "messy.csv"
    path.write_text("\n".join([";".join(COLUMNS), *rows]), encoding="utf-8")
    return path


@pytest.fixture
def session(monkeypatch, messy):
    """A session with the file uploaded."""
    monkeypatch.setattr(st, "session_state", {"settings": Settings(d=2, k=2, queries=6)})
    assert state.use_source(cached_calls.keep_upload(messy.name, messy.read_bytes()))


def decide(name: str, what: str) -> None:
    """Accept the first suggestion of this sort; or give the first other answer."""
    column = cached_calls.schema(state.current()).column(name)
    if what == "answer":
        (question,) = column.questions
        other = next(i for i, c in enumerate(question.choices) if c != question.taken)
        decision = {"act": "answer", "about": question.about, "choice": other}
    else:
        key = next(made.key for made in column.proposals if made.what == what)
        decision = {"act": "accept", "offer": key}
    columns.apply_decision(decision | {"column": name})


def release_by_command(call, *words) -> dict:
    done = call(
        "release",
        *words,
        "--epsilon",
        1,
        "--k",
        2,
        "--seed",
        Settings.seed,
        "--queries",
        6,
        "--json",
    )
    assert done.status == 0, done.err
    return json.loads(done.out)


def app_results() -> tuple:
    """What the app shows: attributes, and what the tables are off by."""
    run = cached_calls.outcome(state.current())
    return run.dataset.domain, run.n, run.scores.sse.mean()


@pytest.mark.slow
def test_a_schema_edited_in_the_app_gives_the_same_release_on_the_command_line(
    session, messy, call, tmp_path
):
    assert state.change(d=6, k=2)
    for name, what in (("joined", "answer"), ("fee", "answer"), ("smokes", "merge"),
                       ("treated", "missing"), ("visits", "missing")):  # fmt: skip
        decide(name, what)
    saved = tmp_path / "schema.json"
    saved.write_text(cached_calls.schema(state.current()).to_json(), encoding="utf-8")
    found = release_by_command(call, messy, "--schema", saved, "--d", 6)
    domain, n, error = app_results()
    assert (found["n"], found["d"], found["sse_mean"]) == (n, 6, pytest.approx(error, rel=1e-12))
    whole = load_dataset(messy, schema=Schema.load(saved), d=6).dataset
    assert whole.domain == domain


def test_a_schema_made_on_the_command_line_gives_the_same_release_in_the_app(
    session, messy, call, tmp_path
):
    saved = tmp_path / "schema.json"
    answers = ["--read", "date_order=dmy", "--read", "decimal=,", "--d", 5]
    done = call("schema", messy, *answers, "--out", saved)
    assert done.status == 0 and "asked:" not in done.out
    assert state.change(d=5, k=2)
    assert state.load_schema(Schema.from_json(saved.read_bytes()))
    column = cached_calls.schema(state.current()).column("joined")
    assert column.date_order == "dmy" and not column.questions
    found = release_by_command(call, messy, "--schema", saved)
    _, n, error = app_results()
    assert (found["n"], found["d"], found["sse_mean"]) == (n, 5, pytest.approx(error, rel=1e-12))
