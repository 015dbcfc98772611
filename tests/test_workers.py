"""How tests are assigned to the workers of xdist (tests/conftest.py)."""

from itertools import chain, pairwise

import pytest

from tests.conftest import assign_to_workers


class Item:
    """A test of a file, marked or not."""

    def __init__(self, file: int, mark: str):
        self.file, self.mark = file, mark

    def get_closest_marker(self, name: str) -> bool:
        return name == self.mark


FILES = (
    (7, "browser"),
    (15, "browser"),
    (1, "slow"),
    (30, ""),
    (9, "slow"),
    (3, "browser"),
    (80, ""),
)
ITEMS = [Item(file, mark) for file, (tests, mark) in enumerate(FILES) for _ in range(tests)]


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 5, 8, 200])
def test_every_test_is_assigned_once_and_slow_ones_first(workers):
    order = assign_to_workers(ITEMS, workers)
    assert len(order) == len(ITEMS) and set(order) == set(ITEMS)
    ends = [len(order) * part // workers for part in range(workers + 1)]
    parts = [order[first:last] for first, last in pairwise(ends)]
    for at, part in enumerate(parts):
        marks = [item.mark for item in part]
        if workers < 50:
            assert marks == sorted(marks, key=["browser", "slow", ""].index)
            assert ("browser" in marks) == (at % 3 != 1) and "slow" in marks
    if workers < 50:
        # A file is cut where a part ends, and nowhere else.
        cuts = sum(len({at for at, part in enumerate(parts) for item in part if item.file == file}) - 1
                   for file in range(7))  # fmt: skip
        assert cuts <= 3 * (workers - 1)
        assert list(chain(*parts)) == order
