"""Kept out while the import is built: numbers, which the builder has not seen."""

from tests.ingest.messy.column import amounts, number, whole, with_cells, words, written
from tests.ingest.messy.open_numbers import german, spaced

WAGES = amounts("wages", 110, 4_000, 190_000)
SMALL = amounts("small", 90, 0.8, 1_800)
PLAIN = [float(round(value)) for value in amounts("plain", 100, 60, 880_000, 0)]
ANY = ("number", "category", "text", "id-like")


def only(cells: list) -> set:
    """Every text of the cells: none must be read, all must be counted."""
    return {text for text, _ in cells}


def megabytes() -> list:
    cells = []
    for i, value in enumerate(whole("bytes", 80, 1, 900)):
        unit, factor = [("MB", 1e6), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9)][i % 4]
        cells.append((f"{value:.0f} {unit}", value * factor))
    return cells


def shares() -> list:
    return [(f"{v:.0f}%" if i % 6 else f"{v / 100:g}", v)
            for i, v in enumerate(whole("both", 96, 2, 98))]  # fmt: skip


def full_width() -> list:
    wide = str.maketrans("0123456789", "０１２３４５６７８９")
    return [(f"{v:.0f}".translate(wide), v) for v in whole("wide", 60, 11, 980)]


BABIES = whole("babies", 80, 1_850, 4_620)
MONEY = (
    number("reais", "renda", written(WAGES, lambda v: f"R$ {german(v)}"), unit=("r$", "brl")),
    number("crowns after a blank and a comma", "lønn",
           [(f"{v:,.2f}".replace(",", " ").replace(".", ",") + " kr", v) for v in WAGES],
           unit=("kr", "nok", "sek", "dkk")),
    number("US$ with a blank", "grant", written(WAGES, lambda v: f"US$ {v:,.2f}"),
           unit=("us$", "$", "usd")),
    number("millions in German", "Budget",
           [(f"{v:.1f} Mio. €".replace(".", ",", 1), v) for v in amounts("mio", 70, 0.4, 60, 1)],
           scale_free=True),
    number("a dash for no cents", "Preis",
           [(f"{v:.0f},-" if v == int(v) else f"{v:.2f}".replace(".", ","), v)
            for v in [float(round(x)) if i % 2 else x for i, x in enumerate(SMALL)]]),
    number("accounting with the sign outside", "net",
           with_cells([(f"${v:,.2f}", v) if i % 4 else (f"$({v:,.2f})", -v)
                       for i, v in enumerate(WAGES)], ("$ -", 0.0, 3)),
           may_miss={"$ -"}, free={"$ -"}, unit=("$", "usd")),
    number("francs with a point", "Betrag", written(SMALL, lambda v: f"Fr. {v:.2f}"),
           unit=("fr.", "fr", "chf")),
    number("euro before points", "Umsatz 2012",
           written([float(round(v)) for v in WAGES], lambda v: f"€{german(v, 0)}"),
           unit=("€", "eur"), ask="may"),
    number("German accounting", "Ergebnis",
           [(german(v), v) if i % 3 else (f"({german(v)})", -v) for i, v in enumerate(WAGES)]),
    number("forints in groups of a blank", "ár",
           [(f"{spaced(v, ' ')} Ft", v) for v in whole("ft", 80, 900, 2_400_000)], unit=("ft", "huf")),
    number("cents", "stamp", written(whole("cents", 80, 1, 99), lambda v: f"{v:.0f}¢"),
           unit=("¢", "cent", "cents")),
    number("two currencies, by code", "loan",
           [(f"{'EUR' if i % 3 else 'USD'} {v:,.2f}", v) for i, v in enumerate(WAGES)],
           kinds=ANY, ask="if read", left_out=None, may_miss={f"USD {v:,.2f}" for v in WAGES}
           | {f"EUR {v:,.2f}" for v in WAGES}),
)  # fmt: skip

FORMS = (
    number("blanks and decimal comma", "population density",
           [(f"{v:,.2f}".replace(",", " ").replace(".", ","), v) for v in WAGES]),
    number("weights at birth: grams or kilograms?", "Geburtsgewicht",
           [(f"{int(v) // 1000},{int(v) % 1000:03}", v / 1000) for v in BABIES],
           alternative=tuple(BABIES), ask="yes"),
    number("the same number in three forms", "distance",
           [((f"{v:.0f}", f"{v:.1f}", f"{v:.2f}")[i % 3], v)
            for i, v in enumerate(whole("forms", 120, 1, 240))]),
    number("groups of three only where long", "steps", written(PLAIN, lambda v: f"{v:,.0f}"), ask="may"),
    number("what a spreadsheet makes of large numbers", "cells counted",
           written([float(f"{v:.2e}") for v in amounts("large", 70, 1e5, 9e11, 0)],
                   lambda v: f"{v:.2E}")),
    number("every digit of a computer", "z score",
           [(repr(v / 7), v / 7) for v in whole("digits", 90, -20, 20)]),
    number("latitudes", "lat", written(amounts("lat", 110, 47.3, 54.9, 5), lambda v: f"{v:.5f}")),
    number("latitudes with a comma", "Breite",
           written(amounts("lat2", 110, 47.3, 54.9, 5), lambda v: f"{v:.5f}".replace(".", ","))),
    number("full-width digits", "人数", full_width(), kinds=ANY, left_out=None, may_miss=only(full_width())),
    number("an apostrophe keeps the number a text", "articles",
           [("'" * (i % 2) + f"{v:.0f}", v) for i, v in enumerate(whole("apostrophe", 90, 10, 800))],
           may_miss={f"'{v}" for v in range(801)}, kinds=ANY, left_out=None),
    number("a lonely trailing point", "length", [(f"{v:.0f}.", v) for v in whole("point", 80, 3, 260)]),
    number("no zero before the point", "rate",
           [(f"{v:.2f}".removeprefix("0"), v) for v in (x / 100 for x in whole("zero", 90, 1, 180))]),
    number("minus of the typesetter with a unit", "Temperatur",
           [(f"{v:.1f} °C".replace("-", "\u2212").replace(".", ","), v)
            for v in [(x - 150) / 10 for x in whole("frost", 90, 0, 420)]], unit=("°c", "°", "c")),
    number("minus with a blank", "Saldo", [(f"- {v:.2f}", -v) if i % 3 else (f"{v:.2f}", v)
                                           for i, v in enumerate(SMALL)]),
    number("upper-case K", "salary", [(f"{v:.0f}K", v * 1000) for v in whole("K", 90, 18, 190)],
           unit=("",)),
    number("percent, and shares among them", "quota", shares(), ask="may",
           may_miss={text for text, _ in shares() if "%" not in text}),
)  # fmt: skip

UNITS = (
    number("litres on a hundred kilometres", "Verbrauch",
           [(f"{v:.1f} l/100 km".replace(".", ","), v) for v in amounts("fuel", 90, 3.8, 14, 1)],
           unit=("l/100 km",)),
    number("square metres", "flat", [(f"{v:.0f} m²", v) for v in whole("flat", 90, 18, 160)],
           unit=("m²", "m2")),
    number("beats, in two spellings", "pulse",
           [(f"{v:.0f} {'bpm' if i % 7 else 'BPM'}", v) for i, v in enumerate(whole("bpm", 100, 48, 150))],
           unit=("bpm",)),
    number("bytes of three sizes", "size of file", megabytes(), kinds=ANY, scale_free=True,
           left_out=None, ask="may", may_miss=only(megabytes())),
    number("hours with h", "sleep", [(f"{v:g}h", v) for v in amounts("sleep", 100, 3.5, 10.5, 1)],
           unit=("h",)),
    words("pressure of the blood", "bp",
          [f"{a:.0f}/{b:.0f}" for a, b in zip(whole("sys", 90, 100, 170), whole("dia", 90, 55, 99))],
          ("category", "text", "id-like"), left_out=None),
    number("people, and how they were counted", "visitors",
           with_cells(written(whole("counted", 90, 40, 2_900), lambda v: f"{v:.0f}"),
                      ("about 500", 500.0, 2), ("1000+", None, 2), ("300-400", None, 1)),
           may_miss={"about 500"}, ask="may"),
)  # fmt: skip

CODES = (
    number("ages with 998 and 999", "age",
           with_cells(written(whole("998", 180, 16, 94), lambda v: f"{v:.0f}"),
                      ("998", 998.0, 5), ("999", 999.0, 8)), proposed={"998", "999"}),
    number("negative codes of a panel", "hours worked",
           with_cells(written(whole("panel", 180, 0, 70), lambda v: f"{v:.0f}"),
                      ("-8", -8.0, 7), ("-9", -9.0, 4)), proposed={"-9"}, maybe={"-8"}),
    number("weights with 777 and 999", "weight_lb",
           with_cells(written(whole("lb", 200, 92, 330), lambda v: f"{v:.0f}"),
                      ("777", 777.0, 6), ("999", 999.0, 5)), proposed={"999"}, maybe={"777"}),
    number("heights in cm with 0", "height", with_cells(
        written(whole("h0", 150, 148, 202), lambda v: f"{v:.0f}"), ("0", 0.0, 6)), maybe={"0"}),
    number("999 is one of many", "rent", written(
        [*whole("999ok", 200, 310, 1_450), 999.0, 999.0], lambda v: f"{v:.0f}")),
    number("money with all kinds of nothing", "bonus",
           with_cells(written(SMALL, lambda v: f"€{v:.2f}"), ("NULL", None, 3), ("nan", None, 2),
                      ("#REF!", None, 2), ("--", None, 4), ("", None, 5), ("None", None, 3)),
           sure={"NULL", "nan", "#REF!"}, told={"--", "None"}, unit=("€", "eur")),
    number("percent with n/a", "growth",
           with_cells([(f"{v:.1f}%", v) for v in [(x - 200) / 10 for x in whole("grow", 100, 0, 600)]],
                      ("n/a", None, 6), ("N/A", None, 2), (".", None, 2)),
           sure={"n/a", "N/A"}, told={"."}, unit=("%",)),
    number("words of a person among numbers", "books",
           with_cells(written(amounts("sib", 90, 1, 70, 0), lambda v: f"{v:.0f}"),
                      ("two", None, 2), ("don't know", None, 4), ("a few", None, 1)),
           free={"don't know"}, may_miss={"two"}, ask="may"),
)  # fmt: skip

KEPT_NUMBERS = (*MONEY, *FORMS, *UNITS, *CODES)
