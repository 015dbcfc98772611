"""Messy columns are decided as a careful person would, and nothing is wrong without a word."""

import pytest

from tests.ingest.messy.open_columns import OPEN
from tests.ingest.messy.score import Score, verdict

ENOUGH = 0.95


def test_columns_are_decided_as_a_careful_person_would():
    score = Score.of(OPEN)
    print(score)
    assert len({column.case for column in OPEN}) == score.columns >= 60
    assert score.share >= ENOUGH, str(score)


@pytest.mark.parametrize("column", OPEN, ids=lambda column: column.case)
def test_nothing_is_silently_wrong(column):
    _, silent = verdict(column)
    assert not silent
