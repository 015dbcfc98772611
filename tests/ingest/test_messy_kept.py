"""Messy columns that the import's builder had not seen: the same share, and nothing silently wrong."""

import pytest

from tests.ingest.messy.kept_columns import KEPT, SETS
from tests.ingest.messy.open_columns import OPEN
from tests.ingest.messy.score import Score, verdict

ENOUGH = 0.95
JUDGED = SETS | {"all": (*OPEN, *KEPT)}


@pytest.mark.parametrize("name", JUDGED)
def test_columns_are_decided_as_a_careful_person_would(name):
    score = Score.of(JUDGED[name])
    print(score)
    assert score.share >= ENOUGH, str(score)


@pytest.mark.parametrize(
    "column", [pytest.param(column, id=f"{name}-{column.case}") for name in SETS for column in SETS[name]]
)  # fmt: skip
def test_nothing_is_silently_wrong(column):
    _, silent = verdict(column)
    assert not silent


def test_every_column_has_a_name_of_its_own():
    cases = [column.case for column in (*OPEN, *KEPT)]
    assert len(set(cases)) == len(cases)
