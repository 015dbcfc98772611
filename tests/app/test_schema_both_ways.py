"""A schema decided in the app gives the same release on the command line, and the other way round."""

import json

import numpy as np
import pytest
import streamlit as st

from calm_core.ingest import Schema, load_dataset, stream_batches
from calm_core.settings import Settings
from pages.panels.data import seen
from pages.ui import cached, state

ROWS = 900
TIMES = 250  # until the file is streamed in several parts
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
    assert state.use_source(cached.keep_upload(messy.name, messy.read_bytes()))


def decide(name: str, what: str) -> None:
    """Accept the first suggestion of this sort; or give the first other answer."""
    column = cached.schema(state.current()).column(name)
    if what == "answer":
        (question,) = column.questions
        other = next(i for i, c in enumerate(question.choices) if c != question.taken)
        seen.decide({"act": "answer", "column": name, "about": question.about, "choice": other})
    else:
        key = next(made.key for made in column.proposals if made.what == what)
        seen.decide({"act": "accept", "column": name, "offer": key})


def released(call, *words) -> dict:
    done = call("release", *words, "--epsilon", 1, "--k", 2, "--seed", 1, "--queries", 6, "--json")
    assert done.status == 0, done.err
    return json.loads(done.out)


def of_app() -> tuple:
    """What the app shows: attributes, and what the tables are off by."""
    run = cached.outcome(state.current())
    return run.dataset.domain, run.n, run.scores.sse.mean()


def test_what_is_decided_in_the_app_is_decided_on_the_command_line(session, messy, call, tmp_path):
    assert state.change(d=6, k=2)
    for name, what in (("joined", "answer"), ("fee", "answer"), ("smokes", "merge"),
                       ("treated", "missing"), ("visits", "missing")):  # fmt: skip
        decide(name, what)
    saved = tmp_path / "schema.json"
    saved.write_text(cached.schema(state.current()).to_json(), encoding="utf-8")
    found = released(call, messy, "--schema", saved, "--d", 6)
    domain, n, error = of_app()
    assert (found["n"], found["d"], found["sse_mean"]) == (n, 6, pytest.approx(error, rel=1e-12))
    told = call("schema", messy, "--schema", saved).out
    assert (
        "asked:" not in told
        and "treated: 675 answers of yes or no, 225 taken as empty ('9')" in told
    )
    whole = load_dataset(messy, schema=Schema.load(saved), d=6).dataset
    assert whole.domain == domain
    head, rows = messy.read_text(encoding="utf-8").split("\n", 1)
    long = tmp_path / "long.csv"
    long.write_text("\n".join([head, *[rows] * TIMES]), encoding="utf-8")
    parts = [one.dataset.codes for one in stream_batches(long, Schema.load(saved).first(6))]
    assert len(parts) > 1
    np.testing.assert_array_equal(np.concatenate(parts), np.tile(whole.codes, (TIMES, 1)))


def test_what_is_decided_on_the_command_line_is_decided_in_the_app(session, messy, call, tmp_path):
    saved = tmp_path / "schema.json"
    answers = ["--read", "date_order=dmy", "--read", "decimal=,", "--d", 5]
    asked = call("schema", messy).out
    assert asked.count("asked:") == 2 and "Answer with --read date_order=dmy" in asked
    done = call("schema", messy, *answers, "--out", saved)
    assert done.status == 0 and "asked:" not in done.out
    assert f"Schema of {len(COLUMNS)} columns, 5 used, written to {saved}." in done.err
    streamed = call("schema", messy, *answers, "--stream", "--out", tmp_path / "streamed.json")
    assert streamed.out == done.out
    assert (tmp_path / "streamed.json").read_bytes() == saved.read_bytes()
    assert state.load_schema(Schema.from_json(saved.read_bytes()))
    column = cached.schema(state.current()).column("joined")
    assert column.date_order == "dmy" and not column.questions
    assert state.change(d=5, k=2)
    found = released(call, messy, "--schema", saved)
    _, n, error = of_app()
    assert (found["n"], found["d"], found["sse_mean"]) == (n, 5, pytest.approx(error, rel=1e-12))
