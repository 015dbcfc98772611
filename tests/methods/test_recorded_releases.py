"""The same seed gives the same numbers as before, for every method.

`python -m tests.methods.test_recorded_releases NAME ...` records those of the methods named, or of
all, for a new method or a change that is meant to change them.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import calm_core as cc

RECORD = Path(__file__).resolve().parents[1] / "reference" / "releases.json"


def release_cells(name: str) -> list[float]:
    """Cells of two marginals that a method releases from fixed data with a fixed seed."""
    domain = cc.Domain(("a", "b", "c", "d"), (2, 2, 2, 2))
    rng = np.random.default_rng(20181015)
    first = rng.integers(0, 2, 6000)
    noise = (rng.random((3, 6000)) < [[0.1], [0.25], [0.4]]).astype(int)
    data = cc.Dataset.from_codes(np.stack([first, *(first ^ noise)], axis=1), domain)
    answer = cc.METHODS[name](epsilon=1.0, k=3).release(data, rng=np.random.default_rng(7))
    tables = answer.marginals([("a", "b", "d"), ("b", "c", "d")])
    return [float(cell) for table in tables for cell in table.values.ravel()]


@pytest.mark.parametrize("name", cc.METHODS)
def test_the_same_seed_releases_the_same_numbers(name):
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))
    how = f"python -m tests.methods.test_recorded_releases {name}"
    assert name in recorded, f"no recorded numbers of {name}: run `{how}`"
    # Processors differ in the last digits of long sums.
    assert release_cells(name) == pytest.approx(recorded[name], rel=1e-7, abs=1e-9)


if __name__ == "__main__":
    named = {name: release_cells(name) for name in sys.argv[1:] or cc.METHODS}
    # Those of the other methods stay.
    kept = json.loads(RECORD.read_text(encoding="utf-8")) | named
    RECORD.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
