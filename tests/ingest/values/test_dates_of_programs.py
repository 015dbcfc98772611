"""Dates as programs and other languages write them, and what is no date."""

import numpy as np
import pyarrow as pa
import pytest

from calm_core.ingest.detect import detect_schema
from calm_core.ingest.table import table_of
from calm_core.ingest.values.dates import FORMS, dates_of

SAID = {
    "Tue Feb  7 09:05:01 2017": "2017-02-07T09:05:01",
    "Tue Feb 07 09:05:01 CET 2017": "2017-02-07T09:05:01",
    "Tue Feb 07 2017 09:05:01 GMT+0100 (Central European Standard Time)": "2017-02-07T09:05:01",
    "2017/02/07 9:05:01 PM GMT+1": "2017-02-07T21:05:01",
    "20170207T090501Z": "2017-02-07T09:05:01",
    "20170207090501": "2017-02-07T09:05:01",
    "'07.02.2017": "2017-02-07T00:00:00",
    "07.02.2017*": "2017-02-07T00:00:00",
    "2017. 02. 07": None,
    "2017.02.07.": "2017-02-07T00:00:00",
    "7 lutego 2017 r.": "2017-02-07T00:00:00",
    "07.02.2017 r.": "2017-02-07T00:00:00",
    "wtorek, 7 lutego 2017": "2017-02-07T00:00:00",
    "den 7 augusti 2017": "2017-08-07T00:00:00",
    "7 februari 2017 om 14:30 uur": "2017-02-07T14:30:00",
    "terça-feira, 7 de fevereiro de 2017": "2017-02-07T00:00:00",
    "20171307T090501": None,
    "20170207256101": None,
    "Xyz 7 09:05:01 2017": None,
}


@pytest.mark.parametrize(("text", "said"), SAID.items())
def test_a_date_is_read_as_it_is_meant(text, said):
    forms = tuple(FORMS)
    seconds = dates_of(pa.array([text]), forms).read("dmy", forms)[0]
    assert (None if np.isnan(seconds) else str(np.datetime64(int(seconds), "s"))) == said


def test_moments_in_fourteen_digits_are_dates_and_other_long_numbers_are_not():
    moments = [f"2017{1 + i % 12:02}{1 + i % 28:02}{i % 24:02}{i % 60:02}00" for i in range(60)]
    numbers = [str(31_415_926_535_897 + 271_828_182_845 * i) for i in range(60)]
    schema = detect_schema(table_of({"sent": moments, "account": numbers}))
    assert [column.kind for column in schema.columns] == ["date", "id-like"]
