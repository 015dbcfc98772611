"""Numbers as people write them."""

from tests.ingest.messy.column import amounts, number, whole, with_cells, written

INCOMES = amounts("incomes", 120, 8_000, 140_000)
PRICES = amounts("prices", 90, 0.5, 2_500)
ROUND = [float(round(value)) for value in amounts("round", 110, 900, 95_000, 0)]


def german(value: float, digits: int = 2) -> str:
    """1234567.5 as 1.234.567,50."""
    return f"{value:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def spaced(value: float, space: str) -> str:
    """1234567 as 1 234 567 with any space."""
    return f"{value:,.0f}".replace(",", space)


def indian(value: float) -> str:
    """1234567 as 12,34,567."""
    digits = str(int(value))
    head, tail = digits[:-3], digits[-3:]
    parts = []
    while head:
        parts.insert(0, head[-2:])
        head = head[:-2]
    return ",".join([*parts, tail])


def mixed_currency() -> list:
    signs = ["€", "€", "$", "£"]
    return [(f"{signs[i % 4]}{v:,.2f}", v) for i, v in enumerate(PRICES)]


CURRENCY = (
    number(
        "euro sign before, English marks", "income", written(INCOMES, lambda v: f"€{v:,.2f}"),
        unit=("€", "eur"),
    ),
    number(
        "euro sign after, German thousands, no cents", "Einkommen",
        written(ROUND, lambda v: f"{german(v, 0)} €"), unit=("€", "eur"), ask="may",
    ),
    number(
        "euro sign after, German marks and cents", "Gehalt",
        written(INCOMES, lambda v: f"{german(v)} €"), unit=("€", "eur"),
    ),
    number(
        "dollars without cents", "salary", written(ROUND, lambda v: f"${v:,.0f}"),
        unit=("$", "usd"), ask="may",
    ),
    number(
        "dollars, a few written by hand", "Income (household)",
        with_cells(
            written(INCOMES, lambda v: f"${v:,.2f}"),
            ("29000", 29000.0, 4), ("$ 31,500", 31500.0, 3), ("USD 45,000.00", 45000.0, 2),
        ),
        unit=("$", "usd"),
    ),
    number(
        "Swiss francs with apostrophes", "Lohn",
        written(INCOMES, lambda v: "CHF " + f"{v:,.2f}".replace(",", "'")), unit=("chf",),
    ),
    number(
        "Swiss apostrophe of the typesetter", "Miete",
        written(ROUND, lambda v: f"{v:,.0f}".replace(",", "’")),
    ),
    number(
        "code after the number", "amount", written(PRICES, lambda v: f"{v:,.2f} EUR"),
        unit=("eur", "€"),
    ),
    number(
        "code before without a blank", "fee", written(PRICES, lambda v: f"GBP{v:.2f}"),
        unit=("gbp", "£"),
    ),
    number(
        "pounds with accounting negatives", "balance",
        [(f"£{v:,.2f}", v) if i % 3 else (f"(£{v:,.2f})", -v) for i, v in enumerate(PRICES)],
        unit=("£", "gbp"),
    ),
    number(
        "accounting negatives without a currency", "profit",
        [(f"{v:,.0f}", v) if i % 4 else (f"({v:,.0f})", -v) for i, v in enumerate(ROUND)],
        ask="may",
    ),
    number(
        "minus before the currency sign", "change",
        [(f"${v:,.2f}", v) if i % 3 else (f"-${v:,.2f}", -v) for i, v in enumerate(PRICES)],
        unit=("$", "usd"),
    ),
    number(
        "three currencies in one column", "price", mixed_currency(),
        kinds=("number", "category", "text", "id-like"), ask="if read", left_out=None,
        may_miss={text for text, _ in mixed_currency()},
    ),
    number(
        "rupees in lakh groups", "turnover",
        [("₹" + indian(v), v) for v in whole("rupees", 80, 45_000, 98_765_432)],
        unit=("₹", "inr"),
    ),
    number(
        "yen", "Kosten", written(whole("yen", 70, 800, 250_000), lambda v: f"¥{v:,.0f}"),
        unit=("¥", "jpy"), ask="may",
    ),
    number(
        "złoty after a decimal comma", "cena",
        written(PRICES, lambda v: f"{v:.2f} zł".replace(".", ",")), unit=("zł", "pln"),
    ),
)  # fmt: skip

MARKS = (
    number(
        "Indian groups without a currency", "population",
        [(indian(v), v) for v in whole("lakh", 60, 100_000, 99_999_999)],
    ),
    number(
        "thin spaces as thousands", "habitants",
        [(spaced(v, "\u2009"), v) for v in whole("thin", 60, 120, 2_400_000)],
    ),
    number(
        "narrow no-break spaces and decimal comma", "chiffre d'affaires",
        [(f"{v:,.2f}".replace(",", "\u202f").replace(".", ","), v) for v in INCOMES],
    ),
    number(
        "no-break spaces and euro after", "Prix",
        [(f"{v:,.2f}".replace(",", "\u00a0").replace(".", ",") + "\u00a0€", v) for v in INCOMES],
        unit=("€", "eur"),
    ),
    number(
        "ordinary spaces as thousands", "views",
        [(f"{v:,.0f}".replace(",", " "), v) for v in whole("views", 80, 12, 3_500_000)],
    ),
    number(
        "decimal comma, plain", "Gewicht",
        written(amounts("weights", 100, 41, 130, 1), lambda v: str(v).replace(".", ",")),
    ),
    number(
        "decimal comma, one cell with thousands decides nothing new", "Umsatz",
        written(INCOMES, german),
    ),
    number(
        "points that may be thousands or decimals", "Wert",
        [(f"{int(v) // 1000}.{int(v) % 1000:03}", v) for v in whole("points", 80, 1_001, 9_989)],
        alternative=tuple(round(v / 1000, 3) for v in whole("points", 80, 1_001, 9_989)),
        ask="yes",
    ),
    number(
        "three digits after the point, but leading zeros tell", "ratio",
        [(f"{v:.3f}", v) for v in (x / 1000 for x in whole("ratio", 90, 12, 2_950))],
    ),
    number(
        "millions with points", "Einwohner",
        written(whole("millions", 60, 3_200, 84_000_000), lambda v: german(v, 0)),
    ),
    number(
        "mostly points, a few decimal commas", "height_m",
        [(f"{v:.2f}" if i % 8 else f"{v:.2f}".replace(".", ","), v)
         for i, v in enumerate(amounts("heights", 96, 1.5, 2.0))],
    ),
    number(
        "English thousands beside plain numbers", "miles",
        [(f"{v:,.0f}" if i % 2 else f"{v:.0f}", v)
         for i, v in enumerate(whole("miles", 90, 20, 240_000))],
        ask="may",
    ),
    number(
        "scientific notation", "concentration",
        written([float(f"{v:.2e}") for v in amounts("conc", 80, 1e-9, 1e-3, 15)],
                lambda v: f"{v:.2E}"),
    ),
    number(
        "scientific here and there", "p_value",
        [(repr(v), v) for v in [float(f"{x:.3g}") for x in amounts("p", 80, 1e-8, 1, 12)]],
    ),
    number(
        "minus sign of the typesetter", "temperature",
        written([(v - 150) / 10 for v in whole("cold", 90, 0, 420)],
                lambda v: f"{v:.1f}".replace("-", "\u2212")),
    ),
    number(
        "minus after the number", "Saldo",
        [(f"{v:.2f}", v) if i % 3 else (f"{v:.2f}-", -v) for i, v in enumerate(PRICES)],
    ),
    number(
        "plus signs", "difference",
        written([(v - 60) / 4 for v in whole("plus", 100, 0, 120)], lambda v: f"{v:+.2f}"),
    ),
    number(
        "thousands as k", "followers",
        [(f"{v / 1000:g}k" if v >= 1000 else f"{v:.0f}", v)
         for v in [float(f"{x:.3g}") for x in amounts("k", 90, 90, 90_000, 0)]],
        unit=("",),
    ),
    number(
        "k and M with dollars", "valuation",
        [(f"${v / 1e6:g}M" if v >= 1e6 else f"${v / 1e3:g}k", v)
         for v in [float(f"{x:.3g}") for x in amounts("kM", 90, 2_000, 40_000_000, 0)]],
        unit=("$", "usd"),
    ),
    number(
        "percent", "share", written(whole("percent", 100, 0, 100), lambda v: f"{v:.0f}%"),
        unit=("%",),
    ),
    number(
        "percent with decimal comma and a blank", "Anteil",
        written(amounts("anteil", 80, 0.4, 99, 1), lambda v: f"{v:.1f} %".replace(".", ",")),
        unit=("%",),
    ),
)  # fmt: skip


def body_heights() -> list:
    cells = [(f"{v:.0f} cm", v) for v in whole("cm", 70, 150, 199)]
    return with_cells(cells, ("1.75 m", 175.0, 2), ("1.82 m", 182.0, 2), ("5'11\"", None, 1))


UNITS = (
    number(
        "kilograms", "weight", written(amounts("kg", 80, 42, 120, 1), lambda v: f"{v:g} kg"),
        unit=("kg",),
    ),
    number(
        "minutes, now and then without a blank", "commute",
        [(f"{v:.0f} min" if i % 5 else f"{v:.0f}min", v)
         for i, v in enumerate(whole("min", 100, 3, 110))],
        unit=("min",),
    ),
    number(
        "euros a month", "rent", written(whole("rent", 90, 280, 1_900), lambda v: f"{v:.0f} €/month"),
        unit=("€/month",),
    ),
    number(
        "a unit in most cells only", "Gewicht (kg)",
        [(f"{v:g} kg" if i % 3 else f"{v:g}", v) for i, v in enumerate(amounts("kg2", 90, 42, 120, 1))],
        unit=("kg", ""),
    ),
    number(
        "centimetres, and a few metres among them", "body height", body_heights(),
        unit=("cm",), may_miss={"1.75 m", "1.82 m"}, ask="may",
    ),
    number(
        "years old, in words", "age",
        written(whole("years", 100, 18, 91), lambda v: f"{v:.0f} years"), unit=("years", "year"),
    ),
    number(
        "degrees", "temp", written([(v - 80) / 10 for v in whole("deg", 80, 0, 450)],
                                   lambda v: f"{v:.1f}°C"),
        unit=("°c", "°", "c"),
    ),
    number(
        "notes after some numbers", "sales",
        with_cells(
            written(whole("sales", 100, 110, 9_800), lambda v: f"{v:.0f}"),
            ("1200*", 1200.0, 2), ("845 (est.)", 845.0, 2), ("ca. 900", 900.0, 2), ("~750", 750.0, 1),
        ),
        may_miss={"1200*", "845 (est.)", "ca. 900", "~750"}, ask="may",
    ),
    number(
        "laboratory values below the limit", "crp",
        with_cells(written(amounts("crp", 90, 0.5, 80, 1), lambda v: f"{v:.1f}"),
                   ("<0.5", None, 9), (">200", None, 2)),
        ask="may",
    ),
)  # fmt: skip

MISSING = (
    number(
        "errors of a spreadsheet among prices", "unit price",
        with_cells(written(PRICES, lambda v: f"{v:.2f}"),
                   ("#N/A", None, 5), ("#DIV/0!", None, 3), ("#VALUE!", None, 2), ("", None, 4)),
        sure={"#N/A", "#DIV/0!", "#VALUE!"},
    ),
    number(
        "not a number, spelled in six ways", "score",
        with_cells(written(whole("score", 120, 0, 100), lambda v: f"{v:.0f}"),
                   ("NaN", None, 4), ("nan", None, 3), ("NULL", None, 3), ("N/A", None, 3),
                   ("n.a.", None, 2), ("", None, 5)),
        sure={"NaN", "nan", "NULL", "N/A"}, told={"n.a."},
    ),
    number(
        "signs for missing among money", "donation",
        with_cells(written(PRICES, lambda v: f"${v:,.2f}"),
                   ("-", None, 6), ("?", None, 3), (".", None, 4), ("", None, 2)),
        told={"-", "?", "."}, unit=("$", "usd"),
    ),
    number(
        "words for missing among numbers", "hours",
        with_cells(written(whole("hours", 110, 0, 80), lambda v: f"{v:.0f}"),
                   ("unknown", None, 5), ("none", None, 3), ("keine Angabe", None, 4),
                   ("refused", None, 2)),
        told={"unknown", "none"}, free={"keine Angabe", "refused"}, ask="may",
    ),
    number(
        "ages with 999", "age",
        with_cells(written(whole("age999", 150, 18, 88), lambda v: f"{v:.0f}"), ("999", 999.0, 7)),
        proposed={"999"},
    ),
    number(
        "ages with 99 and -9", "Alter",
        with_cells(written(whole("age99", 200, 18, 79), lambda v: f"{v:.0f}"),
                   ("99", 99.0, 11), ("-9", -9.0, 6)),
        proposed={"99", "-9"},
    ),
    number(
        "weeks worked, 99 is one of many", "points",
        written(whole("points99", 200, 0, 120), lambda v: f"{v:.0f}"),
    ),
    number(
        "temperatures that fall below -9", "degrees",
        written([v - 25 for v in whole("winter", 200, 0, 50)], lambda v: f"{v:.0f}"),
    ),
    number(
        "hours with -1 for no answer", "tv hours",
        with_cells(written(amounts("tv", 120, 0.5, 9, 1), lambda v: f"{v:.1f}"), ("-1", -1.0, 9)),
        maybe={"-1"}, ask="may",
    ),
    number(
        "years with a number of digits like a code", "year of birth",
        with_cells(written(whole("born", 150, 1931, 2004), lambda v: f"{v:.0f}"), ("9999", 9999.0, 5)),
        proposed={"9999"},
    ),
)  # fmt: skip

NUMBERS = (*CURRENCY, *MARKS, *UNITS, *MISSING)
