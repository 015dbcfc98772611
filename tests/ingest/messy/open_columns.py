"""All messy columns that everybody may see."""

from tests.ingest.messy.open_dates import DATES
from tests.ingest.messy.open_left_out import LEFT_OUT
from tests.ingest.messy.open_numbers import NUMBERS
from tests.ingest.messy.open_words import WORD_COLUMNS

OPEN = (*NUMBERS, *DATES, *WORD_COLUMNS, *LEFT_OUT)
