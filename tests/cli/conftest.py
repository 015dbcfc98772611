"""Sources of the commands: a table, and a state of reports."""

import numpy as np
import pytest

import calm_core as cc
from calm_core.collection.simulation import collect
from calm_core.collection.states import State, save_state
from calm_core.collection.tally import Tally


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
