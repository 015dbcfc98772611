"""Sources of the commands: a table, and a state of reports."""

import numpy as np
import pandas as pd
import pytest

import calm_core as cc
from calm_core.collection.simulation import collect
from calm_core.collection.states import State, save_state
from calm_core.collection.tally import Tally
from calm_core.ingest.encode import load_dataset


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
def state(tmp_path, table, rng, parse_in_process):
    """The state of a collection from these people."""
    people = load_dataset(table).dataset
    plan = cc.make_plan(people.domain, people.n, epsilon=2.0, k=2, rng=rng)
    views = collect(people, plan, rng=rng).views
    support = np.concatenate([view.support for view in views])
    made = State(plan, (Tally((("a", "0f"),), support, [view.n for view in views]),))
    save_state(tmp_path / "state.json", made)
    return tmp_path / "state.json"
