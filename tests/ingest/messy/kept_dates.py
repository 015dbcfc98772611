"""Kept out while the import is built: dates and times, which the builder has not seen."""

import numpy as np

from tests.ingest.messy.column import date, days, drawn, number, whole, with_cells, words, written
from tests.ingest.messy.open_dates import (
    EARLY,
    LOGINS,
    MONTHS,
    as_form,
    first_of_month,
    parts,
    swapped,
)

CALLS = days("calls", 110, "2012-04-09", "2014-08-30")
SPANS = days("spans", 110, "2005-01-01", "2013-12-28")
ANY = ("date", "category", "ordered", "text", "id-like")
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MINUTES = [moment.astype("datetime64[m]").astype("datetime64[s]") for moment in LOGINS]


def half_day(moment: np.datetime64, form: str) -> str:
    """With AM and PM."""
    hour, minute = map(int, as_form("{t}")(moment).split(":"))
    return f"{as_form(form)(moment)} {hour % 12 or 12}:{minute:02} {'PM' if hour > 11 else 'AM'}"


def quarters(form: str) -> list:
    out = []
    for day in SPANS:
        y, m, _ = parts(day)
        q = (m + 2) // 3
        out.append((form.format(q=q, y=y), f"{y}-{3 * q - 2:02}-01T00:00:00"))
    return out


def weeks() -> list:
    mondays = [day - (day.astype(int) + 3) % 7 for day in CALLS]
    return [("{}-W{:02}".format(*day.item().isocalendar()[:2]), str(day.astype("datetime64[s]")))
            for day in mondays]  # fmt: skip


def weekday(day: np.datetime64) -> str:
    return WEEKDAYS[(day.astype(int) + 3) % 7]


def in_three_languages() -> list:
    return [
        written([day], as_form(["{d} {en} {y}", "{d}. {de} {y}", "{d} {fr} {y}"][i % 3]))[0]
        for i, day in enumerate(CALLS)
    ]


PM = [(half_day(moment, "{m}/{d}/{y}"), str(moment)) for moment in MINUTES]
DASHES = written(EARLY, as_form("{d:02}-{m:02}-{y}"))
STAMPS = [float(moment.astype(int)) for moment in LOGINS]
MONTH_STARTS = first_of_month(SPANS)

KEPT_DATES = (
    date("short month and two-digit year", "hired", written(CALLS, as_form("{d}-{en3}-{yy}")), ask="may"),
    date("the whole weekday before", "call",
         [(f"{weekday(day)}, {text}", says)
          for day, (text, says) in zip(CALLS, written(CALLS, as_form("{d} {en} {y}")))]),
    date("a French first", "date",
         [(text.replace("1 ", "1er ", 1) if text.startswith("1 ") else text, says)
          for text, says in written(CALLS, as_form("{d} {fr} {y}"))]),
    date("weeks", "week", weeks(), kinds=ANY, left_out=None),
    date("fractions of a second", "created",
         [(f"{text}.{i:06}", says)
          for i, (text, says) in enumerate(written(LOGINS, as_form("{y}-{m:02}-{d:02} {ts}")))],
         may_miss=()),
    date("with AM and PM", "when", PM),
    date("months in German words", "Monat", written(MONTH_STARTS, as_form("{de} {y}"))),
    date("months as a spreadsheet shortens them", "month", written(MONTH_STARTS, as_form("{en3}-{yy}")),
         ask="may"),
    date("year before the quarter", "quarter", quarters("{y}-Q{q}")),
    date("quarters in German", "Quartal", quarters("{q}. Quartal {y}"), kinds=ANY, left_out=None),
    words("seasons over two years", "season",
          drawn("season", 150, {"2009/10": 20, "2010/11": 30, "2011/12": 25, "2012/13": 28}),
          ("ordered", "category"), order=("2009/10", "2010/11", "2011/12", "2012/13")),
    date("year and month with a slash", "period", written(MONTH_STARTS, as_form("{y}/{m:02}"))),
    date("two-digit year with a time", "Zeit", written(MINUTES, as_form("{d:02}.{m:02}.{yy} {t}")),
         ask="may"),
    date("dashes, day first", "date", written(CALLS, as_form("{d:02}-{m:02}-{y}"))),
    date("dashes, nobody can say", "date of birth", DASHES, alternative=swapped(DASHES), ask="yes"),
    date("midnight everywhere", "due", written(CALLS, as_form("{y}-{m:02}-{d:02} 00:00:00"))),
    number("seconds since 1970", "ts", written(STAMPS, lambda v: f"{v:.0f}"),
           kinds=("number", "date", "id-like"), scale_free=True, left_out=None, ask="may"),
    words("decades", "built", drawn("decade", 150, {"1950s": 20, "1960s": 30, "1970s": 25, "1980s": 28}),
          ("ordered", "category"), order=("1950s", "1960s", "1970s", "1980s")),
    date("three languages", "day", in_three_languages()),
    date("zero for no date", "end",
         with_cells(written(CALLS, as_form("{y}-{m:02}-{d:02}")), ("0000-00-00", None, 7), ("", None, 4)),
         free={"0000-00-00"}, ask="may"),
    number("clock with seconds", "finish",
           [(f"{int(v) // 3600:02}:{int(v) // 60 % 60:02}:{int(v) % 60:02}", v)
            for v in whole("finish", 120, 21_000, 80_000)],
           kinds=("date", "number", "ordered"), scale_free=True, ask="may"),
    words("birthdays without a year", "Geburtstag",
          [f"{d:02.0f}.{m:02.0f}." for d, m in zip(whole("bd", 200, 1, 28), whole("bm", 200, 1, 12))],
          ("category", "text", "id-like", "ordered"), left_out=None),
    date("month first, a few day first cannot be", "date",
         with_cells(written([day for day in CALLS if parts(day)[2] <= 12], as_form("{m:02}/{d:02}/{y}")),
                    ("07/25/2013", "2013-07-25T00:00:00", 1)), ask="may"),
    date("short German months", "Datum",
         [(f"{parts(day)[2]}. {MONTHS['de'][parts(day)[1] - 1][:3]} {parts(day)[0]}", says)
          for day, (_, says) in zip(CALLS, written(CALLS, str))]),
    date("month names in capitals", "DATE", [(text.upper(), says) for text, says in
                                             written(CALLS, as_form("{d:02}{en3}{y}"))]),
)  # fmt: skip
