"""Dates and times as people write them."""

import numpy as np

from tests.ingest.messy.column import date, days, number, whole, with_cells, written

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre",
}
MONTHS = {language: names.split() for language, names in MONTHS.items()}


def parts(day: np.datetime64) -> tuple[int, int, int]:
    """Year, month and day."""
    year, month, date_of = str(day.astype("datetime64[D]")).split("-")
    return int(year), int(month), int(date_of)


def as_form(form: str):
    """A writer of dates: {y}, {yy}, {m}, {d} as numbers, {en}, {de}, ... names, {en3} shortened."""

    def write(day: np.datetime64) -> str:
        y, m, d = parts(day)
        names = {language: names[m - 1] for language, names in MONTHS.items()}
        short = {f"{language}3": name[:3] for language, name in names.items()}
        clock = str(day.astype("datetime64[s]")).split("T")[1]
        return form.format(
            y=y, yy=f"{y % 100:02}", m=m, d=d, t=clock[:5], ts=clock, **names, **short
        )

    return write


def swapped(cells: list) -> tuple:
    """The other reading of dates whose day and month may be either."""
    out = []
    for _, day in cells:
        y, m, d = parts(np.datetime64(day))
        out.append(str(np.datetime64(f"{y}-{d:02}-{m:02}", "s")) if d <= 12 else day)
    return tuple(out)


def first_of_month(moments: list) -> list:
    return [moment.astype("datetime64[M]").astype("datetime64[D]") for moment in moments]


VISITS = days("visits", 120, "2012-11-03", "2014-02-27")
EARLY = [
    np.datetime64(f"{2011 + i % 3}-{1 + i * 5 % 12:02}-{1 + (i * 7 + i // 12) % 12:02}", "D")
    for i in range(90)
]
LOGINS = days("logins", 110, "2021-03-01T00:04:11", "2021-09-20T23:51:09", "s")
EARLY_SLASHES = written(EARLY, as_form("{d:02}/{m:02}/{y}"))


def mixed_forms() -> list:
    forms = ["{d:02}/{m:02}/{y}", "{y}-{m:02}-{d:02}", "{d:02}/{m:02}/{y}"]
    return [written([day], as_form(forms[i % 3]))[0] for i, day in enumerate(VISITS)]


def by_hand() -> list:
    forms = ["{en} {d:02}, {y}", "{d} {en3} {y}", "{y}-{m:02}-{d:02}", "{en3} {d}, {y}"]
    return [written([day], as_form(forms[i % 4]))[0] for i, day in enumerate(VISITS)]


WITH_DAYS = (
    date("ISO", "visit", written(VISITS, as_form("{y}-{m:02}-{d:02}"))),
    date("ISO with slashes", "day", written(VISITS, as_form("{y}/{m:02}/{d:02}"))),
    date("compact, eight digits", "admission_date", written(VISITS, as_form("{y}{m:02}{d:02}"))),
    date("day first with slashes", "Date", written(VISITS, as_form("{d:02}/{m:02}/{y}"))),
    date("month first with slashes", "Date", written(VISITS, as_form("{m}/{d}/{y}"))),
    date("day first with points", "Datum", written(VISITS, as_form("{d}.{m}.{y}"))),
    date(
        "day or month first, nobody can say", "date of visit", EARLY_SLASHES,
        alternative=swapped(EARLY_SLASHES), ask="yes",
    ),
    date(
        "points say day first where slashes would not", "Besuch am",
        written(EARLY, as_form("{d:02}.{m:02}.{y}")), ask="may",
    ),
    date("dd/mm/yyyy and ISO mixed", "entry", mixed_forms()),
    date("English month names", "Joined", written(VISITS, as_form("{en} {d:02}, {y}"))),
    date("short month names", "joined", written(VISITS, as_form("{d:02}-{en3}-{y}"))),
    date("German month names", "Beginn", written(VISITS, as_form("{d}. {de} {y}"))),
    date("French month names", "début", written(VISITS, as_form("{d} {fr} {y}"))),
    date("Spanish month names", "fecha", written(VISITS, as_form("{d} de {es} de {y}"))),
    date("Italian month names", "data", written(VISITS, as_form("{d} {it} {y}"))),
    date("four ways in one column", "start of work", by_hand()),
    date("two-digit years, day first", "Datum", written(VISITS, as_form("{d:02}.{m:02}.{yy}")),
         ask="may"),
    date(
        "two-digit years of birth", "birthday",
        written(days("births", 100, "1931-01-09", "1999-12-02"), as_form("{m:02}/{d:02}/{yy}")),
        kinds=("date", "category", "text", "id-like"), ask="may", left_out=None,
    ),
    date(
        "with empty cells, dashes and a word", "last contact",
        with_cells(written(VISITS, as_form("{y}-{m:02}-{d:02}")),
                   ("", None, 5), ("-", None, 6), ("unknown", None, 4), ("n/a", None, 3)),
        told={"-", "unknown", "n/a"},
    ),
    date(
        "with days that never were", "date",
        with_cells(written(VISITS, as_form("{d:02}/{m:02}/{y}")),
                   ("31/02/2013", None, 2), ("00/00/0000", None, 3)),
        free={"00/00/0000"}, maybe={"31/02/2013"}, ask="may",
    ),
    date(
        "a date stands for missing", "discharge",
        with_cells(written(VISITS, as_form("{y}-{m:02}-{d:02}")),
                   ("9999-12-31", "9999-12-31T00:00:00", 9)),
        maybe={"9999-12-31"}, ask="may",
    ),
    date(
        "a weekday before", "workshop",
        [(f"{['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'][(day.astype(int) + 3) % 7]}, {text}", says)
         for day, (text, says) in zip(VISITS, written(VISITS, as_form("{d:02} {en3} {y}")))],
    ),
)  # fmt: skip


def clock(minutes: float) -> str:
    return f"{int(minutes) // 60:02}:{int(minutes) % 60:02}"


def zoned() -> tuple[list, tuple]:
    """Moments of two zones: the same instant, or as the clock on the wall showed it."""
    cells, wall = [], []
    for i, moment in enumerate(LOGINS):
        hours = 2 if i % 2 else 1
        shown = moment + np.timedelta64(hours, "h")
        cells.append((f"{shown}+0{hours}:00", str(moment)))
        wall.append(str(shown))
    return cells, tuple(wall)


QUARTERS = [
    np.datetime64(f"{2009 + i % 9}-{1 + 3 * (i * 5 // 9 % 4):02}-01", "D") for i in range(96)
]
SERIALS = whole("serials", 160, 41_275, 41_420)

OTHER = (
    date("with the time of day", "created at", written(LOGINS, as_form("{y}-{m:02}-{d:02} {ts}"))),
    date("T and Z", "timestamp", written(LOGINS, as_form("{y}-{m:02}-{d:02}T{ts}Z"))),
    date("day first with a time", "Zeitpunkt", written(
        [moment.astype("datetime64[m]").astype("datetime64[s]") for moment in LOGINS],
        as_form("{d:02}.{m:02}.{y} {t}"))),
    date("two time zones", "logged", zoned()[0], alternative=zoned()[1], ask="may"),
    date("month and year in words", "month", written(first_of_month(VISITS), as_form("{en} {y}")),
         kinds=("date", "ordered")),
    date("month and year in figures", "Monat",
         written(first_of_month(days("months", 120, "2008-01-01", "2013-12-01")),
                 as_form("{m:02}/{y}"))),
    date("year and month", "period",
         written(first_of_month(days("periods", 120, "2008-01-01", "2013-12-01")),
                 as_form("{y}-{m:02}"))),
    date("quarters", "quarter", [(f"Q{(parts(q)[1] + 2) // 3} {parts(q)[0]}", str(q.astype("datetime64[s]")))
                                 for q in QUARTERS]),
    number(
        "years only", "year", written(whole("year", 120, 1961, 2013), lambda v: f"{v:.0f}"),
        kinds=("number", "date"),
    ),
    number(
        "times of day", "start",
        [(clock(v), v) for v in whole("clock", 120, 5 * 60, 22 * 60 + 59)],
        kinds=("date", "number", "ordered"), scale_free=True, ask="may",
    ),
    number(
        "hours and minutes of a duration", "duration",
        [(f"{int(v) // 60} h {int(v) % 60:02} min", v) for v in whole("lasting", 90, 61, 500)],
        kinds=("number", "date", "ordered", "category", "text"), scale_free=True, ask="may",
        left_out=None, may_miss={f"{v // 60} h {v % 60:02} min" for v in range(501)},
    ),
    number(
        "a spreadsheet's days as numbers", "date_of_interview",
        written(SERIALS, lambda v: f"{v:.0f}"), kinds=("number", "date"), ask="may", scale_free=True,
    ),
)  # fmt: skip


def american_and_not() -> list:
    """Both orders in one column: what may be either cannot be read safely."""
    cells = []
    for i, day in enumerate(VISITS):
        form = "{d:02}/{m:02}/{y}" if i % 2 else "{m:02}/{d:02}/{y}"
        cells += written([day], as_form(form))
    return cells


BOTH = american_and_not()
UNREAD = {text for text, _ in BOTH}
MIXED = (
    date(
        "dd/mm and mm/dd in one column", "date of call", BOTH, alternative=swapped(BOTH),
        kinds=("date", "category", "text", "id-like"), ask="if read", may_miss=UNREAD, left_out=None,
    ),
    date(
        "dates beside years alone", "since",
        [(text, says) if i % 6 else (text[:4], f"{text[:4]}-01-01T00:00:00")
         for i, (text, says) in enumerate(written(VISITS, as_form("{y}-{m:02}-{d:02}")))],
        may_miss={"2012", "2013", "2014"}, ask="may",
    ),
)  # fmt: skip

DATES = (*WITH_DAYS, *OTHER, *MIXED)
