"""Dates as people write them, against Python's own calendar."""

import csv
import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calm_core.ingest.values.dates import (
    FORMS,
    MAX_BINS,
    ORDERS,
    UNITS,
    calendar_edges,
    choose_unit,
    end_of,
    parse_dates,
    period_labels,
    periods,
    start_of,
)

GERMAN = (
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
)
FRENCH = (
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
)
SPANISH = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()
ITALIAN = "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split()
WRITERS = {
    "iso": lambda d: f"{d:%Y-%m-%d}",
    "iso with time": lambda d: f"{d:%Y-%m-%dT%H:%M:%S}Z",
    "slashes": lambda d: f"{d:%Y/%m/%d}",
    "German": lambda d: f"{d.day}. {GERMAN[d.month - 1]} {d.year}",
    "German with weekday": lambda d: f"Mo., {d.day:02}. {GERMAN[d.month - 1][:3]} {d.year}",
    "US": lambda d: f"{d:%B %d, %Y}",
    "US short": lambda d: f"{d:%b} {d.day} {d.year}",
    "British": lambda d: f"{d:%d %B %Y}",
    "British with weekday": lambda d: f"{d:%A, %d %b %Y}",
    "ordinal": lambda d: f"{d.day}th {d:%B %Y}",
    "dashes": lambda d: f"{d:%d-%b-%Y}",
    "French": lambda d: f"{d.day}{'er' * (d.day == 1)} {FRENCH[d.month - 1]} {d.year}",
    "Spanish": lambda d: f"{d.day} de {SPANISH[d.month - 1]} de {d.year}",
    "Italian": lambda d: f"{d.day} {ITALIAN[d.month - 1]} {d.year}",
}
DATES = st.datetimes(datetime.datetime(1000, 1, 1), datetime.datetime(2999, 12, 31, 23, 59, 59))


@pytest.mark.parametrize("writer", WRITERS)
@settings(max_examples=10)
@given(dates=st.lists(DATES, min_size=1, max_size=40))
def test_unambiguous_dates_are_read_in_any_order(writer, dates):
    texts = [WRITERS[writer](date) for date in dates]
    dates = [date.replace(microsecond=0) if "time" in writer else date.date() for date in dates]
    expected = [int(np.datetime64(date, "s").astype(int)) for date in dates]
    for order in ORDERS:
        assert parse_dates(pa.array(texts)).read(order, tuple(FORMS)).tolist() == expected, texts


@pytest.mark.slow
@given(date=DATES, sign=st.sampled_from("-/."), clock=st.booleans())
def test_ambiguous_dates_are_read_in_the_given_order(date, sign, clock):
    tail = f" {date:%H:%M}" if clock else ""
    expected = date.replace(second=0, microsecond=0) if clock else date.date()
    for order, text in (
        ("dmy", f"{date.day}{sign}{date.month}{sign}{date.year:04}{tail}"),
        ("mdy", f"{date.month:02}{sign}{date.day:02}{sign}{date.year:04}{tail}"),
    ):
        seconds = parse_dates(pa.array([text])).read(order, tuple(FORMS))[0]
        assert np.datetime64(int(seconds), "s") == np.datetime64(expected, "s"), text


@pytest.mark.slow
def test_dates_of_programs_and_people():
    """A text of `data/dates.tsv` without a reading is no date, in whichever order."""
    wrong, forms = [], tuple(FORMS)
    with (Path(__file__).parent / "data" / "dates.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    for text, reading in (row.values() for row in rows):
        for order in ("dmy",) if reading else ORDERS:
            seconds = parse_dates(pa.array([text]), forms).read(order, forms)[0]
            found = "" if np.isnan(seconds) else str(np.datetime64(int(seconds), "s"))
            wrong += [f"{text!r} is {found!r}, expected {reading!r}"] * (found != reading)
    assert len(rows) > 40 and not wrong, "\n".join(wrong)


@given(st.integers(-300_000, 300_000), st.sampled_from(list(UNITS)))
def test_every_day_lies_in_its_period(day, unit):
    period = int(periods(np.array([float(day)]), unit)[0])
    assert start_of(period, unit) <= day < start_of(period + 1, unit)
    assert end_of(period, unit) < start_of(period + 1, unit)


@given(st.integers(-20_000, 20_000), st.integers(4, 30_000))
def test_bins_by_the_calendar_are_as_many_as_a_person_can_read(first, span):
    sketch = np.linspace(first, first + span, 121).round()
    unit = choose_unit(sketch, "day")
    edges = calendar_edges(sketch, unit)
    # Two weeks of days are seven bins of two; no other unit gives fewer than three.
    assert 3 <= len(edges) + 1 <= MAX_BINS + 1
    labels = period_labels(edges, sketch, unit)
    assert len(set(labels)) == len(labels) == len(edges) + 1
