"""Columns from real life, written blind: their author has seen neither the import nor its tests."""

from dataclasses import replace

from tests.ingest.messy.fresh_dates import FRESH_DATES
from tests.ingest.messy.fresh_numbers import FRESH_NUMBERS
from tests.ingest.messy.fresh_words import FRESH_WORDS

# Two of one name may be meant otherwise by others.
KEPT_FRESH = tuple(
    replace(column, case=f"{column.case}, blind")
    for column in (*FRESH_NUMBERS, *FRESH_DATES, *FRESH_WORDS)
)
