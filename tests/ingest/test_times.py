"""Weeks, quarters, half-years, school years, times of the day and lengths of time, as people write them."""

import datetime

import numpy as np
import pytest

from calm_core.ingest import detect_schema
from calm_core.ingest.detect import detect_as
from calm_core.ingest.findings import describe_column
from calm_core.ingest.schema import read_numbers
from calm_core.ingest.table import make_table

DAYS = [datetime.date(2019, 12, 23) + datetime.timedelta(days) for days in range(0, 1200, 5)]


def detect(texts, name="x"):
    """The schema of a table's only column."""
    return detect_schema(make_table({name: list(texts)})).columns[0]


def read_days(texts):
    """The days that texts of a column are read as."""
    table = make_table({"x": list(texts)})
    column, texts = detect_schema(table).columns[0], table.texts("x")
    assert column.kind == "date", column.labels
    days = read_numbers(texts.dictionary, column)[np.asarray(texts.indices)]
    return column, days.astype("datetime64[D]").astype(object).tolist()


def iso_week(day):
    return day.isocalendar()[:2]


WEEKS = {
    "ISO": lambda year, week: f"{year}-W{week:02}",
    "ISO, compact": lambda year, week: f"{year}W{week:02}",
    "week first": lambda year, week: f"W{week:02} {year}",
    "German": lambda year, week: f"KW {week}/{year}",
    "German, year first": lambda year, week: f"{year}-KW{week}",
    "German, spoken": lambda year, week: f"{week}. KW {year}",
    "English": lambda year, week: f"week {week} of {year}",
    "calendar week": lambda year, week: f"CW{week:02}-{year}",
    "French": lambda year, week: f"semaine {week} {year}",
    "French, short": lambda year, week: f"{year}-S{week:02}",
    "Swedish": lambda year, week: f"v. {week} {year}",
}


@pytest.mark.parametrize("writer", WEEKS)
def test_weeks_are_dates_by_week_or_month(writer):
    column, days = read_days(WEEKS[writer](*iso_week(day)) for day in DAYS)
    assert [iso_week(day) for day in days] == [iso_week(day) for day in DAYS]
    assert column.bin_unit in ("week", "2 weeks", "month", "quarter", "half-year")


def test_weeks_that_a_year_does_not_have_are_no_dates():
    _, days = read_days(["2020-W53", "2021-W52", "2020-W01-1", "2020-W01-7"] * 5)
    assert [str(day) for day in days[:4]] == [
        "2020-12-28",
        "2021-12-27",
        "2019-12-30",
        "2020-01-05",
    ]
    assert detect(["2021-W53", "2021-W00", "2021-W54"] * 9).kind == "category"


PARTS = {
    "2024Q1": 4, "2024-Q1": 4, "Q1 2024": 4, "Q1/2024": 4, "1. Quartal 2024": 4, "T1 2024": 4, "1T2024": 4,
    "1st quarter 2024": 4, "1er trimestre 2024": 4, "1º trimestre de 2024": 4, "Quartal 1/2024": 4,
    "2024H1": 2, "2024-H1": 2, "H1 2024": 2, "1H 2024": 2, "1. Halbjahr 2024": 2, "S1 2024": 2, "2024-S1": 2,
    "1er semestre 2024": 2, "2024 HJ1": 2, "1. półrocze 2024": 2,
}  # fmt: skip


@pytest.mark.parametrize("form", PARTS)
@pytest.mark.parametrize("years", [1, 9])
def test_quarters_and_half_years_are_ordered(form, years):
    number, parts = "1", PARTS[form]
    at = form.index(number) if form.index("2024") else form.rindex(number)
    written = [
        (form[:at] + str(part) + form[at + 1 :]).replace("2024", str(year))
        for year in range(2024, 2024 + years)
        for part in range(1, parts + 1)
    ]
    column, days = read_days(written * 5)
    months = [(day.year, (day.month - 1) * parts // 12 + 1) for day in days[: len(written)]]
    assert months == [(2024 + i // parts, i % parts + 1) for i in range(len(written))]
    if years == 1:
        assert column.labels == tuple(written)


ORDERED = {
    "Polish, Roman": [f"{n} kwartał {y}" for y in (2023, 2024) for n in ("I", "II", "III", "IV")],
    "English, in words": [
        f"{n} half of {y}" for y in (2022, 2023, 2024) for n in ("First", "Second")
    ],
    "year of two digits": [f"Q{n} '{y}" for y in (23, 24) for n in (1, 2, 3, 4)],
    "analysts": [f"{n}Q{y}" for y in (23, 24) for n in (1, 2, 3, 4)],
    "fiscal years": [f"FY{y}-Q{n}" for y in (2023, 2024) for n in (1, 2, 3, 4)],
    "underscores": [f"{y}_Q{n}" for y in (2023, 2024) for n in (1, 2, 3, 4)],
    "German, year first": [f"{y}/{n}. Halbjahr" for y in (2022, 2023, 2024) for n in (1, 2)],
}


@pytest.mark.parametrize("texts", ORDERED.values(), ids=ORDERED)
def test_quarters_and_half_years_in_words_are_ordered(texts):
    column = detect([texts[i * 5 % len(texts)] for i in range(200)])
    assert column.kind == "date" and list(column.labels) == [*dict.fromkeys(texts)]


@pytest.mark.parametrize(
    "form",
    [
        "{0} / {1}",
        "año {0}-{1}",
        "AY{0}-{2:02}",
        "{0}/{2:02}",
        "{0}-{2:02}",
        "{0}/{1}",
        "{0}–{2:02}",
        "SY {0}/{2:02}",
        "Schuljahr {0}/{1}",
    ],
)
@pytest.mark.parametrize("first", [1998, 2005, 2008, 2022])
def test_school_years_are_ordered(form, first):
    years = [form.format(y, y + 1, (y + 1) % 100) for y in range(first, first + 4)]
    column = detect([years[i] for i in (2, 0, 3, 1)] * 9)
    assert column.kind == "ordered" and column.labels == tuple(years)


def test_months_are_no_school_years():
    _, days = read_days(["2009-10", "2010-11", "2010-10"] * 9)
    assert [str(day) for day in days[:3]] == ["2009-10-01", "2010-11-01", "2010-10-01"]
    assert detect(["2010/13", "2011/15", "2012/14"] * 9).kind == "category"


# Seconds as hours, minutes and seconds; each by the name of its column, if that matters.
SECONDS = [97 + 41 * i for i in range(60)]
LENGTHS = {
    "hh:mm:ss": ("x", lambda s: f"{s // 3600:02}:{s // 60 % 60:02}:{s % 60:02}"),
    "h:mm:ss": ("x", lambda s: f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}"),
    "mm:ss": ("Dauer", lambda s: f"{s // 60:02}:{s % 60:02}" if s < 1440 else None),
    "min s": ("x", lambda s: f"{s // 60} min {s % 60} s"),
    "programs": ("x", lambda s: f"PT{s // 60}M{s % 60}S"),
    "programs, short": ("x", lambda s: f"PT{s}S"),
}


@pytest.mark.parametrize("form", LENGTHS)
def test_lengths_of_time_are_numbers_of_minutes(form):
    name, write = LENGTHS[form]
    table = make_table({name: [write(s) for s in SECONDS]})
    column, texts = detect_schema(table).columns[0], table.texts(name)
    assert column.kind == "number" and column.unit in ("min", ":60")
    read = read_numbers(texts.dictionary, column)
    expected = [s / 60 for s in SECONDS if write(s) is not None]
    np.testing.assert_allclose(read[np.asarray(texts.indices.drop_null())], expected)


def clock(minutes):
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


@pytest.mark.parametrize(
    "name", ["duration", "Dauer der Fahrt", "durée", "Time taken", "travel_time", "duración"]
)
def test_clocks_called_lengths_are_numbers(name):
    column = detect([clock(13 * i) for i in range(90)], name)
    assert column.kind == "number" and column.unit == ":60" and column.labels[0] == "up to 3:41"
    assert describe_column(column).saw == "90 lengths of time such as 1:30"


@pytest.mark.parametrize("name", ["arrived", "x", "Uhrzeit", "bedtime", "start"])
def test_clocks_are_times_of_the_day(name):
    for write in (clock, lambda m: f"{(m // 60 - 1) % 12 + 1}:{m % 60:02} {'AP'[m // 720 % 2]}M"):
        column = detect([write(7 * i) for i in range(200)], name)
        assert column.kind == "date" and column.bin_unit.endswith(("hour", "hours"))


def test_what_may_be_a_time_or_a_length_is_said_and_can_be_changed():
    texts = [f"{2 + i // 30}:{i * 7 % 60:02}:{i * 13 % 60:02}" for i in range(90)]
    column = detect(texts, "marathon")
    (warning,) = describe_column(column).warnings
    assert column.kind == "date" and warning.endswith(
        "if these are lengths of time, make it a number."
    )
    changed = detect_as(make_table({"marathon": texts}), "marathon", "number")
    assert changed.unit == "h" and 2 <= changed.sketch[0] < changed.sketch[-1] < 5
    assert not describe_column(detect([clock(11 * i) for i in range(90)])).warnings


@pytest.mark.parametrize(
    "name", ["Geburtsdatum", "date of birth", "DOB", "fecha de nacimiento", "Födelsedatum"]
)
def test_births_are_grouped_by_decade(name):
    born = [str(datetime.date(1946, 5, 1) + datetime.timedelta(97 * i)) for i in range(200)]
    assert detect(born, name).bin_unit == "decade" != detect(born).bin_unit
    assert detect(born[:40], name).bin_unit != "decade", "a decade would hold everybody"
