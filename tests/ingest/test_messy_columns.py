"""Messy columns are decided as a careful person would, and nothing is wrong without a word."""

import pytest

from tests.ingest.messy.open_columns import OPEN
from tests.ingest.messy.score import ENOUGH, Score


@pytest.mark.slow
def test_columns_are_decided_as_a_careful_person_would():
    score = Score.of(OPEN)
    print(score)
    assert len({column.case for column in OPEN}) == score.columns >= 60
    assert score.share >= ENOUGH and not score.silent, str(score)
