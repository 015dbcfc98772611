"""Messy columns that the import's builder had not seen: the same share, and nothing silently wrong."""

import pytest

from tests.ingest.messy.kept_columns import KEPT, SETS
from tests.ingest.messy.open_columns import OPEN
from tests.ingest.messy.score import ENOUGH, Score


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_columns_are_decided_as_a_careful_person_would(name):
    score = Score.of(SETS[name])
    print(score)
    assert score.share >= ENOUGH and not score.silent, str(score)


def test_every_column_has_a_name_of_its_own():
    cases = [column.case for column in (*OPEN, *KEPT)]
    assert len(set(cases)) == len(cases)
