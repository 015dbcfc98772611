"""Dates and times from real life, written blind: by someone who has not seen the import."""

import numpy as np

from tests.ingest.messy.column import (
    date,
    days,
    drawn,
    number,
    source,
    whole,
    with_cells,
    words,
    written,
)

VISITS = days("fresh visits", 110, "2021-01-04", "2024-06-28")
BIRTHS = days("fresh births", 120, "1938-02-01", "2004-11-30")
OLD_BIRTHS = days("fresh old births", 100, "1931-02-01", "1967-11-30")
STAMPED = days("fresh stamps", 90, "2024-01-08T06:00:00", "2024-03-20T21:00:00", "s")
TO_MINUTES = [at.astype("datetime64[m]").astype("datetime64[s]") for at in STAMPED]
EARLY_DAYS = [
    day for day in days("fresh early", 190, "2021-01-04", "2024-06-28") if day.item().day < 13
]
FIRSTS = [day.astype("datetime64[M]").astype("datetime64[D]") for day in VISITS]
ORDERED = ("ordered", "category")
LOOSE = ("category", "text", "id-like", "ordered")

NAMES = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "pl1": "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
    "abb": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "abd": "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
    "abf": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
}  # fmt: skip
NAMES = {language: names.split() for language, names in NAMES.items()}
WEEK = {
    "en": "Mon Tue Wed Thu Fri Sat Sun".split(),
    "de": "Mo Di Mi Do Fr Sa So".split(),
}


def like(form: str):
    """Writes a moment: year, month, day, hour, minute, second, names of months and weekdays."""

    def write(at: np.datetime64) -> str:
        t = at.astype("datetime64[s]").item()
        months = {language: names[t.month - 1] for language, names in NAMES.items()}
        return form.format(
            y=t.year, yy=t.year % 100, m=t.month, d=t.day, H=t.hour, M=t.minute, S=t.second,
            h=t.hour % 12 or 12, ap="PM" if t.hour > 11 else "AM", q=(t.month + 2) // 3,
            wen=WEEK["en"][t.weekday()], wde=WEEK["de"][t.weekday()],
            th=("th" if 10 < t.day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(t.day % 10, "th")),
            MON=months["abb"].upper(), **months,
        )  # fmt: skip

    return write


def iso(at: np.datetime64) -> str:
    return str(at.astype("datetime64[s]"))


def each(values: list, *forms: str) -> list:
    """The first value in the first form, the second in the second, and so on."""
    return [(like(forms[i % len(forms)])(at), iso(at)) for i, at in enumerate(values)]


def turned(values: list) -> tuple:
    """The same digits with day and month exchanged, where that is a date."""
    out = []
    for at in values:
        t = at.item()
        out.append(f"{t.year}-{t.day:02}-{t.month:02}T00:00:00" if t.day < 13 else iso(at))
    return tuple(out)


GERMAN, SLASHED = each(VISITS, "{d:02}.{m:02}.{y}"), each(EARLY_DAYS, "{d:02}/{m:02}/{y}")
BORN = each(BIRTHS, "{d:02}.{m:02}.{y}")
DAYS = (
    date("French slashes", "date de naissance", each(BIRTHS, "{d:02}/{m:02}/{y}")),
    date("American slashes, short years", "visit", each(VISITS, "{m}/{d}/{yy:02}")),
    date("American and padded", "DOB", each(BIRTHS, "{m:02}/{d:02}/{y}")),
    date("slashes that nobody can order", "date", SLASHED, ask="yes", alternative=turned(EARLY_DAYS)),
    date("slashes and short years that nobody can order", "when",
         each(EARLY_DAYS, "{d:02}/{m:02}/{yy:02}"), ask="yes", alternative=turned(EARLY_DAYS)),
    date("dashes that nobody can order", "date",
         each(EARLY_DAYS, "{d:02}-{m:02}-{y}"), ask="yes", alternative=turned(EARLY_DAYS)),
    date("midnights that nobody can order", "created",
         each(EARLY_DAYS, "{d}/{m}/{y} 0:00"), ask="yes", alternative=turned(EARLY_DAYS)),
    date("points are German even in the first days", "Datum",
         each(EARLY_DAYS, "{d:02}.{m:02}.{y}"), ask="may"),
    date("two digits of a year of birth", "Geburtsdatum", each(OLD_BIRTHS, "{d:02}.{m:02}.{yy:02}"), ask="may"),
    date("Dutch dashes", "Datum afspraak", each(VISITS, "{d:02}-{m:02}-{y}")),
    date("ISO without padding", "day", each(VISITS, "{y}-{m}-{d}")),
    date("digits only", "Buchungstag", each(VISITS, "{y}{m:02}{d:02}")),
    date("points and a point at the end", "kelt", each(VISITS, "{y}.{m:02}.{d:02}.")),
    date("Oracle", "ADMIT_DT", each(VISITS, "{d:02}-{MON}-{yy:02}")),
    date("SAS", "visitdt", each(VISITS, "{d:02}{MON}{y}")),
    date("Stata", "interview", [(text.lower(), says) for text, says in each(VISITS, "{d:02}{MON}{y}")]),
    date("day and month of Excel", "start", each(VISITS, "{d}-{abb}-{yy:02}")),
    date("apostrophes of Excel", "Eingang", each(VISITS, "'{d:02}.{m:02}.{y}")),
    date("midnight everywhere", "Belegdatum", each(VISITS, "{d:02}.{m:02}.{y} 00:00:00")),
    date("ISO and German by turns", "Termin", each(VISITS, "{y}-{m:02}-{d:02}", "{d:02}.{m:02}.{y}"), ask="may"),
    date("two orders in one column", "date of visit",
         each(VISITS, "{d:02}/{m:02}/{y}", "{m:02}/{d:02}/{y}"), ("date", "text", "category"),
         may_miss=[text for text, _ in each(VISITS, "{d:02}/{m:02}/{y}", "{m:02}/{d:02}/{y}")],
         alternative=turned(VISITS), ask="if read", left_out=None),
)  # fmt: skip

NAMED = (
    date("German with the month", "Aufnahme am", each(VISITS, "{d}. {de} {y}")),
    date("German months cut short", "Datum", each(VISITS, "{d}. {abd} {y}")),
    date("French with the month and the first", "date de la séance",
         [("1er" + text[1:] if text.startswith("1 ") else text, says)
          for text, says in each(VISITS, "{d} {fr} {y}")]),
    date("French months cut short, fixed blanks", "Date d'envoi",
         each(VISITS, "{d}\u00a0{abf}\u00a0{y}")),
    date("Spanish", "fecha", each(VISITS, "{d} de {es} de {y}")),
    date("Italian months", "data di nascita", each(BIRTHS, "{d} {it} {y}")),
    date("Portuguese", "data", each(VISITS, "{d} de {pt} de {y}")),
    date("Dutch", "geboortedatum", each(BIRTHS, "{d} {nl} {y}")),
    date("Swedish months", "datum", each(VISITS, "{d} {sv} {y}")),
    date("Polish, inflected", "data przyjęcia", each(VISITS, "{d} {pl} {y}")),
    date("Polish with r. for year", "data wpływu", each(VISITS, "{d:02}.{m:02}.{y} r.")),
    date("English ordinals", "opened", each(VISITS, "{en} {d}{th}, {y}")),
    date("weekday in English", "match day", each(VISITS, "{wen} {d} {abb} {y}")),
    date("weekday in German", "Training", each(VISITS, "{wde}, {d:02}.{m:02}.{y}")),
)  # fmt: skip

STAMPS = (
    date("Google Forms", "Timestamp", each(STAMPED, "{m}/{d}/{y} {H}:{M:02}:{S:02}")),
    date("Google Forms, as downloaded", "Timestamp",
         each(STAMPED, "{y}/{m:02}/{d:02} {h}:{M:02}:{S:02} {ap} GMT+1"), ask="may"),
    date("SurveyMonkey", "Start Date", each(STAMPED, "{m:02}/{d:02}/{y} {h:02}:{M:02}:{S:02} {ap}")),
    date("second head of Qualtrics over moments", "StartDate",
         [("Start Date", None), ('{"ImportId":"startDate","timeZone":"America/Denver"}', None),
          *each(STAMPED, "{y}-{m:02}-{d:02} {H:02}:{M:02}:{S:02}")],
         may_miss={"Start Date", '{"ImportId":"startDate","timeZone":"America/Denver"}'},
         free={"Start Date", '{"ImportId":"startDate","timeZone":"America/Denver"}'}, ask="may"),
    date("LimeSurvey, some not sent", "submitdate",
         with_cells(each(STAMPED, "{y}-{m:02}-{d:02} {H:02}:{M:02}:{S:02}"), ("", None, 14))),
    date("Zulu", "created_at", each(STAMPED, "{y}-{m:02}-{d:02}T{H:02}:{M:02}:{S:02}Z")),
    date("Zulu with thousandths", "updatedAt", each(STAMPED, "{y}-{m:02}-{d:02}T{H:02}:{M:02}:{S:02}.000Z")),
    date("UTC in words", "event_time", each(STAMPED, "{y}-{m:02}-{d:02} {H:02}:{M:02}:{S:02} UTC")),
    date("head of a mail", "Date", each(STAMPED, "{wen}, {d:02} {abb} {y} {H:02}:{M:02}:{S:02} +0000")),
    date("C library", "logged", each(STAMPED, "{wen} {abb} {d:>2} {H:02}:{M:02}:{S:02} {y}")),
    date("German with Uhr", "Termin", each(TO_MINUTES, "{d:02}.{m:02}.{y}, {H:02}:{M:02} Uhr")),
    date("French with h", "heure du rendez-vous", each(TO_MINUTES, "{d:02}/{m:02}/{y} à {H}h{M:02}")),
    date("a chat", "sent", each(TO_MINUTES, "{d:02}.{m:02}.{yy:02}, {H:02}:{M:02}")),
    date("T and no marks", "recorded", each(STAMPED, "{y}{m:02}{d:02}T{H:02}{M:02}{S:02}")),
    date("thousandths since 1970", "ts",
         [(str(int(at.astype(int)) * 1000), iso(at)) for at in STAMPED], ("date", "number", "id-like"),
         numbers=tuple(float(int(at.astype(int)) * 1000) for at in STAMPED),
         scale_free=True, ask="may", left_out=None),
    date("serial days of Excel", "Datum",
         [(str(int((day - np.datetime64("1899-12-30")).astype(int))), iso(day)) for day in VISITS],
         ("date", "number"), scale_free=True, ask="may",
         numbers=tuple(float((day - np.datetime64("1899-12-30")).astype(int)) for day in VISITS)),
)  # fmt: skip

MIXED = [(like("{y}")(day), f"{day.item().year}-01-01T00:00:00") for day in VISITS[:9]]
MIXED += [(like("{m:02}.{y}")(day), iso(first)) for day, first in zip(VISITS[9:18], FIRSTS[9:18])]
HOLES = (
    date("zeros for no date", "letzte Zahlung", with_cells(GERMAN, ("00.00.0000", None, 9)), told={"00.00.0000"}),
    date("zeros of a database", "cancelled_on",
         with_cells(each(VISITS, "{y}-{m:02}-{d:02}"), ("0000-00-00", None, 12)), told={"0000-00-00"}),
    date("a first day that means none", "birth_date",
         with_cells(each(BIRTHS, "{y}-{m:02}-{d:02}"), ("1900-01-01", "1900-01-01T00:00:00", 13)),
         maybe={"1900-01-01"}, ask="may"),
    date("open end", "gültig bis", with_cells(GERMAN, ("31.12.9999", "9999-12-31T00:00:00", 15)),
         may_miss={"31.12.9999"}, free={"31.12.9999"}, ask="may"),
    date("unknown and see the file", "Diagnosedatum",
         with_cells(GERMAN, ("unbekannt", None, 7), ("siehe Akte", None, 3)),
         told={"unbekannt"}, may_miss={"siehe Akte"}, free={"siehe Akte"}),
    date("days that do not exist", "Datum", with_cells(GERMAN, ("31.02.2023", None, 1), ("15.13.2022", None, 1)),
         may_miss={"31.02.2023", "15.13.2022"}, free={"31.02.2023", "15.13.2022"}),
    date("Polish with no data", "data urodzenia",
         with_cells(BORN, ("b.d.", None, 6), ("-", None, 3)), told={"b.d.", "-"}),
    date("R", "enrolled", with_cells(each(VISITS, "{y}-{m:02}-{d:02}"), ("NA", None, 11)), told={"NA"}),
    date("some remember the month or the year only", "Operation am", MIXED + GERMAN[18:],
         may_miss=[text for text, _ in MIXED], free=[text for text, _ in MIXED], ask="may"),
    date("stars for estimates", "Beginn",
         [(f"{text}*" if i % 11 == 3 else text, says) for i, (text, says) in enumerate(GERMAN)],
         may_miss=[f"{text}*" for text, _ in GERMAN], ask="may"),
)  # fmt: skip

QUARTERS = [day.astype("datetime64[M]") for day in FIRSTS]
QUARTERS = [(m - m.astype(int) % 3).astype("datetime64[D]") for m in QUARTERS]
MONDAYS = [day - (day.astype(int) + 3) % 7 for day in VISITS]
BIRTH_YEARS = [float(day.item().year) for day in BIRTHS]
SPOKEN = ("date", "ordered")
PERIODS = (
    date("months of ISO", "mois", each(FIRSTS, "{y}-{m:02}"), SPOKEN),
    date("months with a slash", "Monat", each(FIRSTS, "{m:02}/{y}"), SPOKEN),
    date("months in German", "Berichtsmonat", each(FIRSTS, "{de} {y}"), SPOKEN),
    date("months of Excel", "Month", each(FIRSTS, "{abb}-{yy:02}"), SPOKEN, ask="may"),
    date("months in Spanish", "Mes", each(FIRSTS, "{es} de {y}"), SPOKEN),
    date("quarters after the year", "TIME_PERIOD", each(QUARTERS, "{y}-Q{q}"), SPOKEN),
    date("quarters in German", "Quartal", each(QUARTERS, "{q}. Quartal {y}"), SPOKEN),
    date("quarters in French", "trimestre", each(QUARTERS, "T{q} {y}"), SPOKEN),
    date("weeks in German", "Woche",
         [("KW {1:02}/{0}".format(*day.item().isocalendar()[:2]), iso(day)) for day in MONDAYS], (*SPOKEN, "category")),
    date("weeks of ISO", "week",
         [("{}-W{:02}".format(*day.item().isocalendar()[:2]), iso(day)) for day in MONDAYS], SPOKEN),
    number("year of birth", "Geburtsjahr", written(BIRTH_YEARS, lambda v: f"{v:.0f}"), ("number", "date"),
           dates=tuple(f"{v:.0f}-01-01T00:00:00" for v in BIRTH_YEARS), ask="may"),
    words("school years", "année scolaire",
          drawn("fresh school", 120, {"2019/20": 3, "2020/21": 4, "2021/22": 4, "2022/23": 5, "2023/24": 5}),
          ORDERED, order=("2019/20", "2020/21", "2021/22", "2022/23", "2023/24")),
    words("school years written out", "school_year",
          drawn("fresh school 2", 120, {"2020-2021": 4, "2021-2022": 4, "2022-2023": 5, "2023-2024": 5}),
          ORDERED, order=("2020-2021", "2021-2022", "2022-2023", "2023-2024")),
    words("semesters", "Semester",
          drawn("fresh semester", 120, {"WS 2021/22": 3, "SoSe 2022": 4, "WS 2022/23": 4, "SoSe 2023": 5}),
          ORDERED, order=("WS 2021/22", "SoSe 2022", "WS 2022/23", "SoSe 2023")),
    words("fiscal years", "fiscal year", drawn("fresh fy", 110, {"FY21": 3, "FY22": 4, "FY23": 4, "FY24": 5}),
          ORDERED, order=("FY21", "FY22", "FY23", "FY24")),
    words("decades", "built", drawn("fresh built", 130, {"1960s": 3, "1970s": 5, "1980s": 4, "1990s": 4, "2000s": 2}),
          ORDERED, order=("1960s", "1970s", "1980s", "1990s", "2000s")),
    words("months in Polish without a year", "miesiąc",
          drawn("fresh months", 150, dict.fromkeys(NAMES["pl1"], 1)), ORDERED, order=tuple(NAMES["pl1"])),
    words("weekdays in French", "jour",
          drawn("fresh jours", 130, dict.fromkeys("lundi mardi mercredi jeudi vendredi".split(), 1)), ORDERED,
          order=tuple("lundi mardi mercredi jeudi vendredi".split())),
    words("from and to in one cell", "Zeitraum",
          [f"{like('{d:02}.{m:02}.')(day)}–{like('{d:02}.{m:02}.{y}')(day + 11)}" for day in VISITS],
          LOOSE, left_out=None, ask="may"),
)  # fmt: skip

OF_DAY = [float(v) for v in source("fresh day").integers(26, 86, 90) * 15]
WALL = whole("fresh wall", 90, 420, 1_310)
TIMES = (
    number("clock", "Ankunft", written(WALL, lambda v: f"{v // 60:.0f}:{v % 60:02.0f}"), kinds=("number", "date"), scale_free=True),
    number("clock with Uhr", "Uhrzeit", written(OF_DAY, lambda v: f"{v // 60:02.0f}:{v % 60:02.0f} Uhr"),
           kinds=("number", "date"), scale_free=True),
    number("clock with points", "Uhrzeit", written(OF_DAY, lambda v: f"{v // 60:.0f}.{v % 60:02.0f} Uhr"),
           kinds=("number", "date"), scale_free=True, ask="may"),
    number("clock in French", "heure d'arrivée",
           written(OF_DAY, lambda v: f"{v // 60:.0f}h{v % 60:02.0f}"), kinds=("number", "date"), scale_free=True),
    number("clock of twelve hours", "bedtime",
           written(WALL, lambda v: f"{v // 60 % 12 or 12:.0f}:{v % 60:02.0f} {'pm' if v >= 720 else 'am'}"),
           kinds=("number", "date"), scale_free=True),
    number("clock with seconds", "time", written(WALL, lambda v: f"{v // 60:02.0f}:{v % 60:02.0f}:00"),
           kinds=("number", "date"), scale_free=True),
    number("clock with none given", "Weckzeit",
           with_cells(written(OF_DAY, lambda v: f"{v // 60:02.0f}:{v % 60:02.0f}"),
                      ("--:--", None, 5), ("keine Angabe", None, 4)),
           kinds=("number", "date"), scale_free=True, told={"--:--", "keine Angabe"}, may_miss={"--:--"}),
)  # fmt: skip

FRESH_DATES = DAYS + NAMED + STAMPS + HOLES + PERIODS + TIMES
