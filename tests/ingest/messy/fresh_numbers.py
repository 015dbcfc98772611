"""Numbers from real life, written blind: by someone who has not seen the import."""

from tests.ingest.messy.column import amounts, drawn, number, source, whole, with_cells, written

NARROW, FIXED, MINUS = "\u202f", "\u00a0", "\u2212"
BILLS = amounts("fresh bills", 120, 3, 48_000)
PRICES = amounts("fresh prices", 90, 0.4, 950)
LARGE = whole("fresh large", 100, 1_050, 8_900_000)
SHARES = [round(v, 1) for v in source("fresh shares").uniform(0.2, 98, 110).tolist()]
FEVERS = [round(v, 1) for v in source("fresh fevers").normal(37.4, 0.7, 90).tolist()]
FROSTS = [round(v, 1) for v in source("fresh frosts").normal(1, 7, 110).tolist()]
MINUTES = whole("fresh minutes", 90, 12, 290)
SECONDS = whole("fresh seconds", 80, 9_100, 19_800)
AGES = whole("fresh ages", 140, 18, 84)


def en(value: float, digits: int = 2) -> str:
    return f"{value:,.{digits}f}"


def de(value: float, digits: int = 2) -> str:
    return en(value, digits).translate(str.maketrans(",.", ".,"))


def fr(value: float, digits: int = 2, blank: str = NARROW) -> str:
    return en(value, digits).replace(",", blank).replace(".", ",")


def comma(value: float, digits: int = 1) -> str:
    return f"{value:.{digits}f}".replace(".", ",")


def lakh(value: float) -> str:
    head, tail = f"{value:.0f}"[:-3], f"{value:.0f}"[-3:]
    groups = [head[max(i - 2, 0) : i] for i in range(len(head), 0, -2)][::-1]
    return ",".join([*groups, tail])


def plain(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else str(value)


def turns(values: list, *writers) -> list:
    """The first value in the first way of writing, the second in the second, and so on."""
    return [(writers[i % len(writers)](v), v) for i, v in enumerate(values)]


def signed(values: list) -> list:
    """Every fifth amount is paid back."""
    return [-v if i % 5 == 2 else v for i, v in enumerate(values)]


def some(values: list, write, starred, every: int = 9) -> list:
    """Most values plain, every so many with something to it."""
    return [(starred(v) if i % every == 4 else write(v), v) for i, v in enumerate(values)]


def marked(cells: list, mark) -> set:
    """The texts among the cells that satisfy a test."""
    return {text for text, _ in cells if mark(text)}


MONEY = (
    number("Swiss francs with an apostrophe", "Lohn brutto",
           written(BILLS, lambda v: f"CHF {v:,.2f}".replace(",", "'")), unit=("chf",)),
    number("Swiss francs with a printed apostrophe", "Betrag CHF",
           written(BILLS, lambda v: en(v).replace(",", "’"))),
    number("euros after a narrow blank", "Montant TTC",
           written(BILLS, lambda v: f"{fr(v)}{FIXED}€"), unit=("€", "eur")),
    number("zlotys with fixed blanks", "Kwota",
           written(BILLS, lambda v: f"{fr(v, 2, FIXED)} zł"), unit=("zł", "zl", "pln")),
    number("rupees in lakhs", "Amount (INR)", written(LARGE, lakh)),
    number("Swedish crowns with a colon", "pris",
           written(PRICES, lambda v: f"{v:.2f} kr".replace(".", ":")), ask="may"),
    number("Swiss prices without rappen", "Preis",
           turns([float(round(v)) if i % 2 else v for i, v in enumerate(PRICES)],
                 lambda v: f"{v:.2f}", lambda v: f"{v:.0f}.–")),
    number("SAP puts the minus last", "Betrag in HW",
           [(f"{de(abs(v))}-" if v < 0 else de(v), v) for v in signed(BILLS)]),
    number("debit and credit in German", "Umsatz",
           [(f"{de(abs(v))} {'S' if v < 0 else 'H'}", v) for v in signed(BILLS)],
           ("number", "text"), ask="may", left_out=None),
    number("minus after the euro sign", "Bedrag",
           [(f"€ {'-' if v < 0 else ''}{de(abs(v))}", v) for v in signed(BILLS)],
           unit=("€", "eur")),
    number("minus before the pound sign", "Paid in/out",
           [(f"{'-' if v < 0 else ''}£{en(abs(v))}", v) for v in signed(BILLS)],
           unit=("£", "gbp")),
    number("a printed minus in a bank statement", "Importo",
           [(de(v).replace("-", MINUS), v) for v in signed(BILLS)]),
    number("EUR sometimes before, sometimes after", "Spende",
           turns(PRICES, lambda v: f"{comma(v, 2)} EUR", lambda v: f"EUR {comma(v, 2)}",
                 lambda v: f"{comma(v, 2)} €"), unit=("eur", "€")),
    number("Danish crowns", "beløb", written(BILLS, lambda v: f"kr. {de(v)}"),
           unit=("kr.", "kr", "dkk", "nok", "sek")),
    number("a dash for nothing", "Saldo",
           with_cells(written(BILLS, de), ("-", 0.0, 12)), may_miss={"-"}, free={"-"}),
    number("hashes of a narrow column", "Umsatz 2023",
           with_cells(written(BILLS, de), ("########", None, 4)), told={"########"}),
    number("errors of Excel", "cost per head",
           with_cells(written(PRICES, lambda v: f"{v:.2f}"), ("#DIV/0!", None, 5), ("#N/A", None, 3)),
           told={"#DIV/0!", "#N/A"}),
    number("errors of German Excel", "Anteil",
           with_cells(written(SHARES, comma), ("#NV", None, 4), ("#BEZUG!", None, 2), ("#WERT!", None, 3)),
           told={"#NV", "#BEZUG!", "#WERT!"}),
)  # fmt: skip

WEIGHED = written([round(v, 3) for v in PRICES], lambda v: f"{v / 100:.3f}")
PACKED = [1000.0 * k + 50 * (k % 19) for k in whole("fresh packed", 70, 1, 96)]
UNCLEAR = whole("fresh unclear", 70, 1_050, 96_500)
UNITS_SOLD = with_cells(written(PACKED, lambda v: de(v, 0)), ("950", 950.0, 4), ("720", 720.0, 3))
SIGNS = (
    number("three places, some below one", "Gewicht kg",
           [(text, float(text)) for text, _ in WEIGHED]),
    number("thousands in German, and some below", "Menge", UNITS_SOLD, ask="may"),
    number("thousands in German or three decimals", "value", written(UNCLEAR, lambda v: de(v, 0)),
           ask="yes", alternative=tuple(v / 1000 for v in UNCLEAR)),
    number("thousands in English or three decimals", "X2", written(UNCLEAR, lambda v: en(v, 0)),
           ask="yes", alternative=tuple(v / 1000 for v in UNCLEAR)),
    number("two points are thousands", "Einwohner",
           with_cells(written(LARGE, lambda v: de(v, 0)), ("3.748.148", 3_748_148.0, 1))),
    number("comma and point by turns", "height in m",
           turns([round(1.5 + k / 100, 2) for k in whole("fresh tall", 90, 1, 48)],
                 lambda v: f"{v:.2f}", lambda v: comma(v, 2)), ask="may"),
    number("whole numbers in groups of a fixed blank", "nombre d'habitants",
           written(LARGE, lambda v: fr(v, 0, FIXED))),
    number("scientific, of a machine", "conc_M",
           [(f"{v:.2E}", float(f"{v:.2E}"))
            for v in amounts("fresh molar", 80, 1e-9, 1e-3, 12)]),
    number("scientific in German", "Keimzahl",
           [(f"{v:.2E}".replace(".", ","), float(f"{v:.2E}"))
            for v in amounts("fresh germs", 80, 1_000, 9e7, 0)]),
    number("ten to the power", "CFU/ml",
           [(f"{m:.1f} x 10^{p:.0f}", float(f"{m:.1f}e{p:.0f}"))
            for m, p in zip(amounts("fresh m", 70, 1, 9.9, 1), whole("fresh p", 70, 3, 8))],
           ("number", "text"), ask="may", left_out=None),
    number("numbers kept as text by an apostrophe", "score",
           written(SHARES, lambda v: f"'{v:.1f}")),
    number("blanks and tabs around", "reading",
           turns(SHARES, lambda v: f" {v:.1f}", lambda v: f"{v:.1f}\t", lambda v: f"{v:.1f}{FIXED}")),
    number("not a number and infinite", "loss",
           with_cells(written(PRICES, lambda v: f"{v:.4f}"), ("nan", None, 6), ("inf", None, 2)),
           told={"nan"}, may_miss={"inf"}, free={"inf"}),
)  # fmt: skip

CENSORED = with_cells(written(PRICES, plain), ("<0.3", 0.3, 9), (">1000", 1000.0, 3))
ABOUT = some(MINUTES, plain, lambda v: f"~{v:g}", 6)
CIRCA = some(MINUTES, plain, lambda v: f"ca. {v:g}", 6)
NOTED = some(SHARES, comma, lambda v: f"{comma(v)}¹")
SHARED = (
    number("percent after a fixed blank", "taux",
           written(SHARES, lambda v: f"{comma(v)}{FIXED}%"), unit=("%",)),
    number("percent named in the header", "Anteil in %", written(SHARES, comma)),
    number("change with its sign", "Veränderung ggü. Vorjahr",
           [("±0,0 %" if abs(v) < 0.05 else f"{v:+.1f} %".replace(".", ","), v if abs(v) >= 0.05 else 0.0)
            for v in FROSTS], unit=("%",)),
    number("below and above what the lab can measure", "CRP mg/l", CENSORED,
           may_miss={"<0.3", ">1000"}, ask="may"),
    number("about so many minutes", "commute (minutes)", ABOUT,
           may_miss=marked(ABOUT, lambda t: t[0] == "~"), ask="may"),
    number("circa in German", "Fahrzeit in Minuten", CIRCA,
           may_miss=marked(CIRCA, lambda t: t[0] == "c"), ask="may"),
    number("stars of a regression table", "coefficient",
           turns(FROSTS, lambda v: f"{v:.1f}", lambda v: f"{v:.1f}*", lambda v: f"{v:.1f}***"), ask="may"),
    number("raised footnotes", "Quote", NOTED, may_miss=marked(NOTED, lambda t: "¹" in t), ask="may"),
    number("flags of Eurostat", "2021",
           with_cells(some(SHARES, plain, lambda v: f"{v:g} e"), (":", None, 8)), told={":"}, ask="may"),
    number("signs of the statistical office", "Arbeitslose",
           with_cells(written(LARGE, plain), (".", None, 5), ("...", None, 3), ("/", None, 3), ("-", 0.0, 4)),
           told={".", "...", "/"}, free={"-"}, may_miss={"-"}),
    number("suppressed in British tables", "pupils",
           with_cells(written(AGES, plain), ("[c]", None, 6), ("[x]", None, 3), ("[z]", None, 2)),
           told={"[c]", "[x]", "[z]"}),
)  # fmt: skip

WEIGHTS = [round(v, 1) for v in source("fresh weights").normal(74, 12, 90).tolist()]
TALL = whole("fresh cm", 90, 151, 199)
DOSES = [float(v) for v in source("fresh doses").choice([250, 500, 750, 1000, 2000], 90)]
MONTHS_OLD = [float(v) for v in source("fresh old").choice([3, 8, 11, 18, 24, 36, 60, 84], 80)]
INCHES = whole("fresh inches", 80, 59, 77)
EYES = source("fresh lat").uniform(47.3, 54.9, 90).round(4).tolist()
RAIN = with_cells(
    written(amounts("fresh rain", 80, 0.2, 40, 1), lambda v: f"{comma(v)} mm"), ("Spuren", 0.0, 5)
)


def dms(value: float) -> str:
    seconds = round(value * 3600)
    return f"{seconds // 3600}°{seconds // 60 % 60:02}'{seconds % 60:02}\"N"


MEASURED = (
    number("fever in German", "Temp.", written(FEVERS, lambda v: f"{comma(v)}°C"), unit=("°c", "c")),
    number("Fahrenheit", "body temp",
           written([round(v * 1.8 + 32, 1) for v in FEVERS], lambda v: f"{v:.1f} °F"), unit=("°f", "f")),
    number("frost with a printed minus", "Tmin (°C)",
           written(FROSTS, lambda v: comma(v).replace("-", MINUS))),
    number("kilos in three ways", "Gewicht",
           turns(WEIGHTS, lambda v: f"{comma(v)} kg", lambda v: f"{comma(v)}kg", lambda v: f"{comma(v)} Kg"),
           unit=("kg",)),
    number("centimetres or metres, always said", "Größe",
           turns(TALL, lambda v: f"{v:.0f} cm", lambda v: f"{v / 100:.2f} m",
                 lambda v: f"{v / 100:.2f} m".replace(".", ",")), scale_free=True, ask="may"),
    number("feet and inches", "height",
           [(f"{v // 12:.0f}'{v % 12:.0f}\"", v) for v in INCHES], scale_free=True),
    number("feet and inches in letters", "Height (self-reported)",
           [(f"{v // 12:.0f} ft {v % 12:.0f} in", v) for v in INCHES], scale_free=True),
    number("milligrams and grams", "dose",
           [(f"{v:.0f} mg" if v < 1000 else f"{v / 1000:.0f} g", v) for v in DOSES],
           ("number", "ordered"), scale_free=True, ask="may"),
    number("ages of children in French", "âge",
           [(f"{v:.0f} mois" if v < 24 else f"{v / 12:.0f} ans", v) for v in MONTHS_OLD],
           ("number", "ordered"), scale_free=True, ask="may"),
    number("rain with traces", "Niederschlag", RAIN, may_miss={"Spuren"}, free={"Spuren"}, unit=("mm",)),
    number("latitude with a comma", "Breite", written(EYES, lambda v: comma(v, 4))),
    number("degrees, minutes, seconds", "latitude",
           [(dms(v), round(v * 3600) / 3600) for v in EYES], ("number", "text"),
           scale_free=True, ask="may", left_out=None),
    number("European shoe sizes with halves", "Schuhgröße",
           [(f"{v:.0f}" if v == int(v) else f"{v - 0.5:.0f}½", v)
            for v in (k / 2 for k in whole("fresh shoes", 90, 72, 93))], ("number", "ordered")),
    number("shoe sizes in thirds", "EU size",
           turns([float(v) for v in range(36, 48)] * 6, plain) + [("41 1/3", 124 / 3), ("42 2/3", 128 / 3)] * 8,
           ("number", "ordered"), scale_free=True, ask="may"),
    number("cups of a recipe", "cups",
           [({0.5: "1/2", 0.75: "3/4", 1.5: "1 1/2", 2.25: "2 1/4"}.get(v, plain(v)), v)
            for v in source("fresh cups").choice([0.5, 0.75, 1.0, 1.5, 2.0, 2.25, 3.0], 80).tolist()],
           ("number", "ordered"), ask="may"),
    number("followers in thousands", "followers",
           [(f"{v / 1e6:.1f}M" if v >= 1e6 else f"{v / 1e3:.1f}K", round(v, -5 if v >= 1e6 else -2))
            for v in [k * 100_000 if k % 3 else k * 100 for k in whole("fresh follow", 80, 11, 95)]]),
    number("wind with its unit", "vent moyen",
           written(MINUTES, lambda v: f"{v:.0f} km/h"), unit=("km/h", "kmh")),
)  # fmt: skip

CHILDREN = [float(v) for v in source("fresh children").choice([0, 1, 2, 3, 4], 110)]
KIDS = [({0: "keine", 1: "1 Kind"}.get(int(v), f"{v:.0f} Kinder"), v) for v in CHILDREN]
HOURS = [60.0 * 30 + 15 * k for k in whole("fresh hours", 80, 1, 60)]
LAPS = [round(v, 1) for v in source("fresh laps").uniform(190, 410, 80).tolist()]
POINTS = [k / 2 for k in whole("fresh points", 110, 8, 40)]
STARS = whole("fresh stars", 90, 1, 5)
PLACES = whole("fresh places", 80, 1, 38)


def ordinal(value: float) -> str:
    n = int(value)
    return f"{n}{'th' if 10 < n % 100 < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


def lasting(value: float) -> str:
    hours, minutes = divmod(int(value), 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours}h {minutes:02}" if minutes else f"{hours}h"


def clock(value: float) -> str:
    return f"{value // 60:.0f}:{value % 60:02.0f}"


COUNTED = (
    number("so many children in words", "Kinder im Haushalt", KIDS, ("number", "ordered"),
           may_miss={"keine"}, free={"keine"}, ask="may"),
    number("some numbers spelt out", "How many pets do you have?",
           [(("zero", "one", "two", "three", "four")[int(v)] if i % 12 == 5 else plain(v), v)
            for i, v in enumerate(CHILDREN)], ("number", "ordered"),
           may_miss={"zero", "one", "two", "three", "four"}, ask="may"),
    number("so many of five", "quiz", written(STARS, lambda v: f"{v:.0f} of 5"),
           ("number", "ordered"), scale_free=True),
    number("so many of ten", "Bewertung", written(whole("fresh ten", 90, 1, 10), lambda v: f"{v:.0f}/10"),
           ("number", "ordered"), scale_free=True, ask="may"),
    number("French marks of twenty", "note",
           written(POINTS, lambda v: f"{plain(v)}/20".replace(".", ",")), scale_free=True, ask="may"),
    number("stars printed", "rating", written(STARS, lambda v: "★" * int(v) + "☆" * (5 - int(v))),
           ("number", "ordered", "category"), ask="may"),
    number("places in a race", "place", written(PLACES, ordinal), ("number", "ordered"), ask="may"),
    number("places in German", "Rang", written(PLACES, lambda v: f"{v:.0f}."),
           ("number", "ordered"), ask="may"),
    number("hours and minutes in letters", "durée du trajet", written(MINUTES, lasting), scale_free=True),
    number("hours worked in a week", "Arbeitszeit", written(HOURS, clock), scale_free=True),
    number("laps in minutes and seconds", "lap",
           written(LAPS, lambda v: f"{v // 60:.0f}:{v % 60:04.1f}"), scale_free=True),
    number("marathon", "Nettozeit",
           with_cells(written(SECONDS, lambda v: f"{v // 3600:.0f}:{v % 3600 // 60:02.0f}:{v % 60:02.0f}"),
                      ("DNF", None, 5), ("DNS", None, 3)),
           scale_free=True, told={"DNF", "DNS"}, may_miss={"DNF", "DNS"}),
    number("durations of a web form", "video length",
           written(MINUTES, lambda v: f"PT{v // 60:.0f}H{v % 60:.0f}M"), ("number", "text"),
           scale_free=True, ask="may", left_out=None),
    number("recommend from 0 to 10", "NPS", written(whole("fresh nps", 140, 0, 10), plain),
           ("number", "ordered")),
)  # fmt: skip

WAVE = written(AGES, plain)
BMI = written([round(v, 1) for v in source("fresh bmi").normal(26, 4, 120).tolist()], plain)
ONE_TO_FIVE = drawn(
    "fresh 15",
    140,
    dict.fromkeys(("1 - strongly disagree", "2", "3", "4", "5 - strongly agree"), 1),
)
MISSING = (
    number("97, 98, 99 for no answer", "age",
           with_cells(WAVE, ("97", 97.0, 7), ("98", 98.0, 11), ("99", 99.0, 9)),
           proposed={"97", "98", "99"}, ask="may"),
    number("minus codes of a panel", "hours_worked",
           with_cells(WAVE, ("-1", -1.0, 9), ("-2", -2.0, 6), ("-8", -8.0, 3)),
           proposed={"-1", "-2", "-8"}, ask="may"),
    number("seen and not answered in Qualtrics", "Q12_1",
           with_cells(written(STARS, plain), ("-99", -99.0, 12)), ("number", "ordered"),
           proposed={"-99"}, ask="may"),
    number("999 for a body mass index", "bmi", with_cells(BMI, ("999", 999.0, 8)),
           proposed={"999"}, ask="may"),
    number("no answer in German", "Alter", with_cells(WAVE, ("k.A.", None, 8), ("k. A.", None, 2)),
           told={"k.A.", "k. A."}),
    number("without object in French", "nombre d'enfants scolarisés",
           with_cells(WAVE, ("s/o", None, 7), ("n.d.", None, 4), ("NSP", None, 3)),
           told={"s/o", "n.d.", "NSP"}),
    number("no data in Polish", "wiek", with_cells(WAVE, ("b.d.", None, 6), ("brak danych", None, 3)),
           told={"b.d.", "brak danych"}),
    number("does not know in Spanish", "edad", with_cells(WAVE, ("NS/NC", None, 8)), told={"NS/NC"}),
    number("does not apply in Dutch", "leeftijd",
           with_cells(WAVE, ("n.v.t.", None, 6), ("onbekend", None, 3)), told={"n.v.t.", "onbekend"}),
    number("nothing known in Swedish", "ålder", with_cells(WAVE, ("uppgift saknas", None, 7)),
           told={"uppgift saknas"}),
    number("dashes of three lengths", "Puls",
           with_cells(WAVE, ("-", None, 4), ("–", None, 5), ("---", None, 3)), told={"-", "–", "---"}),
    number("nulls of a database", "amount_due",
           with_cells(written(PRICES, lambda v: f"{v:.2f}"), ("\\N", None, 6), ("NULL", None, 4)),
           told={"\\N", "NULL"}),
    number("second head of Qualtrics over seconds", "Duration (in seconds)",
           [("Duration (in seconds)", None), ('{"ImportId":"duration"}', None), *written(SECONDS, plain)],
           may_miss={"Duration (in seconds)", '{"ImportId":"duration"}'}, ask="may",
           free={"Duration (in seconds)", '{"ImportId":"duration"}'}),
    number("words at the ends of a scale", "I felt welcome",
           [(text, float(text[0])) for text in ONE_TO_FIVE], ("ordered", "number"),
           order=("1 - strongly disagree", "2", "3", "4", "5 - strongly agree"), ask="may"),
)  # fmt: skip

FRESH_NUMBERS = MONEY + SIGNS + SHARED + MEASURED + COUNTED + MISSING
