"""Words from real life, written blind: by someone who has not seen the import."""

import hashlib

from tests.ingest.messy.column import drawn, left_out, source, whole, words

NO_YES = ("yes/no",)
WORDS = ("yes/no", "category")
TICKED = ("yes/no", "category")
RANKED = ("ordered",)
EITHER = ("ordered", "category")
LOOSE = ("category", "text", "id-like")
ID, TEXT = ("id-like", "text"), ("text", "id-like")
ALIKE = ("identif", "id-like", "different", "unique", "distinct", "own value", "every row", "each row", "name", "key", "text", "sentence", "words")  # fmt: skip
SAME = (
    "same",
    "every row",
    "constant",
    "one value",
    "only value",
    "single",
    "vary",
    "varies",
    "empty",
    "no value",
)


def even(case: str, n: int, *texts: str) -> list[str]:
    return drawn(case, n, dict.fromkeys(texts, 1))


def scale(case: str, header: str, *texts: str, extra=(), kinds=RANKED, **more):
    """An ordered column from one end to the other, with others that are no part of the order."""
    counts = {text: 2 + 3 * (i % 3) for i, text in enumerate(texts)} | dict.fromkeys(extra, 1.2)
    return words(case, header, drawn(f"fresh {case}", 150, counts), kinds, order=texts, **more)


def yes_no(case: str, header: str, yes: str, no: str, *more: str, kinds=NO_YES, **kwargs):
    counts = {yes: 6, no: 9} | dict.fromkeys(more, 1)
    return words(case, header, drawn(f"fresh {case}", 130, counts), kinds, **kwargs)


YES_NO = (
    yes_no("French with no answer", "fumeur", "oui", "non", "NSP", "", kinds=WORDS, told={"NSP"}),
    yes_no("Italian", "patente", "sì", "no"),
    words("Spanish with and without the accent", "¿Ha votado?",
          drawn("fresh si", 140, {"Sí": 40, "Si": 12, "sí": 9, "No": 50, "no": 8}), WORDS,
          merges=(("Sí", "Si", "sí"), ("No", "no"))),
    yes_no("Polish with hard to say", "Czy palisz?", "tak", "nie", "trudno powiedzieć",
           kinds=("yes/no", "category", "ordered"), maybe={"trudno powiedzieć"}),
    yes_no("Swedish", "rökare", "Ja", "Nej", "Ej svar", kinds=WORDS, told={"Ej svar"}),
    yes_no("Dutch with does not apply", "zwanger", "ja", "nee", "n.v.t.", kinds=WORDS, told={"n.v.t."}),
    yes_no("Portuguese with does not know", "Tem plano de saúde?", "Sim", "Não", "Não sabe", kinds=WORDS,
           maybe={"Não sabe"}),
    yes_no("French Excel", "actif", "VRAI", "FAUX", kinds=WORDS),
    yes_no("Spanish Excel", "activo", "VERDADERO", "FALSO", kinds=WORDS),
    yes_no("Polish Excel", "aktywny", "PRAWDA", "FAŁSZ", kinds=WORDS),
    yes_no("Dutch Excel", "actief", "WAAR", "ONWAAR", kinds=WORDS),
    yes_no("dBase", "MEMBER", ".T.", ".F.", kinds=WORDS),
    yes_no("Postgres", "is_admin", "t", "f", kinds=WORDS),
    yes_no("Access", "Bezahlt", "-1", "0", kinds=WORDS, ask="may"),
    yes_no("REDCap boxes", "Allergies (choice=Nuts)", "Checked", "Unchecked", kinds=WORDS),
    yes_no("a box selected or not", "Newsletter", "Selected", "Not Selected", kinds=WORDS),
    yes_no("present and absent in French", "présence", "présent", "absent", "excusé", kinds=("category",)),
    yes_no("positive and negative of a lab", "PCR", "positiv", "negativ", "n. b.", kinds=WORDS, told={"n. b."}),
    yes_no("plus and minus of a lab", "Hep B", "+", "-", kinds=WORDS),
    yes_no("passed or not in German", "Prüfung", "bestanden", "nicht bestanden", kinds=WORDS),
    yes_no("ticks and crosses", "done", "✓", "✗", kinds=WORDS),
    yes_no("has and has not, in words", "Do you own a car?", "Yes, I do", "No, I don't", kinds=WORDS),
    yes_no("yes or no with a reserve", "consent", "Yes", "No", "Prefer not to say", kinds=WORDS,
           maybe={"Prefer not to say"}),
    yes_no("paid and open", "Status", "bezahlt", "offen", kinds=WORDS),
    yes_no("crosses or nothing", "Einverständnis", "x", "", kinds=TICKED, ask="may"),
    yes_no("the box of Google Sheets, half kept", "Attended", "TRUE", "", kinds=TICKED, ask="may"),
    yes_no("the box of LimeSurvey", "Q3[SQ001]", "Y", "", kinds=TICKED, ask="may"),
    yes_no("the box of SurveyMonkey", "Which media? - Radio", "Radio", "",
           kinds=("yes/no", "category", "constant"), ask="may", left_out=None, reason=SAME),
)  # fmt: skip

LIKERT = (
    scale("agreement in English", "Q7", "Strongly disagree", "Disagree", "Neither agree nor disagree",
          "Agree", "Strongly agree", extra=("N/A",), told={"N/A"}),
    scale("agreement in seven", "item_3", "Strongly disagree", "Disagree", "Somewhat disagree", "Neutral",
          "Somewhat agree", "Agree", "Strongly agree"),
    scale("agreement in German", "Aussage 4", "stimme gar nicht zu", "stimme eher nicht zu", "teils/teils",
          "stimme eher zu", "stimme voll zu", extra=("keine Angabe",), told={"keine Angabe"}),
    scale("agreement in French", "Q12", "Pas du tout d'accord", "Plutôt pas d'accord", "Plutôt d'accord",
          "Tout à fait d'accord", extra=("Sans opinion",), maybe={"Sans opinion"}),
    scale("satisfaction in Spanish", "satisfacción", "Muy insatisfecho", "Insatisfecho", "Neutral",
          "Satisfecho", "Muy satisfecho", extra=("NS/NC",), told={"NS/NC"}),
    scale("agreement in Italian", "D5", "Per niente d'accordo", "Poco d'accordo", "Abbastanza d'accordo",
          "Molto d'accordo"),
    scale("decidedly in Polish", "Pytanie 3", "Zdecydowanie nie", "Raczej nie", "Raczej tak", "Zdecydowanie tak",
          kinds=EITHER),
    scale("agreement in Dutch", "stelling 2", "helemaal mee oneens", "mee oneens", "neutraal", "mee eens",
          "helemaal mee eens"),
    scale("agreement in Portuguese", "P9", "Discordo totalmente", "Discordo", "Nem concordo nem discordo",
          "Concordo", "Concordo totalmente"),
    scale("agreement in Swedish", "påstående", "Instämmer inte alls", "Instämmer delvis", "Instämmer helt",
          kinds=EITHER),
    scale("how often in German", "Sport", "nie", "selten", "manchmal", "oft", "immer"),
    scale("how often in English", "exercise", "Never", "Less than once a week", "1-2 times a week",
          "3-5 times a week", "Every day", kinds=EITHER),
    scale("how likely", "recommend", "Very unlikely", "Unlikely", "Neutral", "Likely", "Very likely",
          extra=("Don't know",), maybe={"Don't know"}),
    scale("quality in English", "food", "Very poor", "Poor", "Fair", "Good", "Excellent"),
    scale("marks in words", "Note in Worten", "sehr gut", "gut", "befriedigend", "ausreichend", "mangelhaft"),
    words("codes of LimeSurvey", "G2Q4", even("fresh lime", 130, "A1", "A2", "A3", "A4", "A5"), EITHER),
)  # fmt: skip

BANDS = (
    scale("bands of age", "Age group", "Under 18", "18-24", "25-34", "35-44", "45-54", "55-64", "65+"),
    scale("bands of age in German", "Alter", "unter 20", "20–29", "30–39", "40–49", "50 und älter"),
    scale("bands of income", "household income", "Less than $25,000", "$25,000 - $49,999",
          "$50,000 - $99,999", "$100,000 or more", extra=("Prefer not to answer",), maybe={"Prefer not to answer"}),
    scale("staff in bands", "company size", "1-10", "11-50", "51-200", "201-500", "501-1000", "1000+"),
    scale("schooling in English", "education", "Primary school", "High school", "Bachelor's degree",
          "Master's degree", "PhD", kinds=EITHER),
    scale("schooling in German", "Abschluss", "kein Abschluss", "Hauptschule", "Realschule", "Abitur",
          "Studium", kinds=EITHER),
    scale("sizes of shirts", "size", "XS", "S", "M", "L", "XL", "XXL"),
    scale("sizes of shirts with digits", "T-Shirt", "S", "M", "L", "XL", "2XL", "3XL"),
    scale("German marks with tendency", "Note", "1", "1-", "2+", "2", "2-", "3+", "3", "3-", "4+", "4", "5",
          kinds=("ordered", "category")),
    scale("letters with tendency", "grade", "A", "A-", "B+", "B", "B-", "C+", "C", "C-", "D", "F"),
    scale("labels of energy", "Energieklasse", "A+++", "A++", "A+", "A", "B", "C", "D"),
    scale("levels of a language", "niveau", "A1", "A2", "B1", "B2", "C1", "C2"),
    scale("pluses of a lab", "protein (urine)", "-", "+", "++", "+++"),
    scale("severity", "adverse event", "mild", "moderate", "severe", "life-threatening"),
    scale("risk in French", "risque", "faible", "moyen", "élevé"),
    scale("roman stages", "NYHA", "I", "II", "III", "IV", kinds=("ordered", "category")),
    scale("stages with letters", "pT", "T1", "T2", "T3", "T4", kinds=EITHER, extra=("Tx",), maybe={"Tx"}),
    scale("teams by age", "Mannschaft", "U9", "U11", "U13", "U15", "U17", kinds=EITHER),
    scale("French classes", "classe", "CP", "CE1", "CE2", "CM1", "CM2", kinds=EITHER),
    scale("belts of judo", "Gurt", "weiß", "gelb", "orange", "grün", "blau", "braun", kinds=EITHER),
    scale("priority", "Priority", "Low", "Medium", "High", "Critical"),
    scale("distance in words", "Entfernung zur Schule", "weniger als 1 km", "1 bis 5 km", "5 bis 10 km",
          "mehr als 10 km", kinds=EITHER),
)  # fmt: skip


def cat(case: str, header: str, counts: dict, kinds=("category",), n: int = 150, **more):
    return words(case, header, drawn(f"fresh {case}", n, counts), kinds, **more)


SPELLINGS = (
    cat("cities with and without accents", "ville",
        {"Orléans": 40, "Orleans": 8, "ORLEANS": 5, "Besançon": 30, "Besancon": 4, "Lyon": 30},
        merges=(("Orléans", "Orleans", "ORLEANS"), ("Besançon", "Besancon"))),
    cat("umlauts written in two letters", "Wohnort",
        {"Zürich": 50, "Zuerich": 6, "zürich": 5, "Bern": 30, "Köniz": 20, "Koeniz": 3},
        merges=(("Zürich", "Zuerich", "zürich"), ("Köniz", "Koeniz"))),
    cat("Polish without its marks", "miasto",
        {"Łódź": 40, "Lodz": 6, "łódź": 3, "Kraków": 40, "Krakow": 7, "Gdynia": 20},
        merges=(("Łódź", "Lodz", "łódź"), ("Kraków", "Krakow"))),
    cat("points in abbreviations", "department",
        {"HR": 30, "H.R.": 4, "Human Resources": 9, "IT": 30, "I.T.": 3, "Sales": 30, "sales": 4},
        merges=(("HR", "H.R.", "Human Resources"), ("IT", "I.T."), ("Sales", "sales"))),
    cat("a slip in a species", "species",
        {"Quercus robur": 40, "Quercus robor": 2, "quercus robur": 5, "Fagus sylvatica": 40, "Fagus silvatica": 3,
         "Quercus rubra": 25}, merges=(("Quercus robur", "Quercus robor", "quercus robur"),
                                       ("Fagus sylvatica", "Fagus silvatica"))),
    cat("a slip in a sport", "Sportart",
        {"Fußball": 40, "Fussball": 8, "Fußbal": 2, "Handball": 30, "Volleyball": 30, "Voleyball": 3},
        merges=(("Fußball", "Fussball", "Fußbal"), ("Volleyball", "Voleyball"))),
    cat("grey and gray", "colour", {"grey": 30, "gray": 7, "Grey": 5, "green": 30, "Green": 4, "blue": 20},
        merges=(("grey", "gray", "Grey"), ("green", "Green"))),
    cat("gender in Spanish", "Sexo",
        {"Mujer": 40, "mujer": 10, "Hombre": 40, "hombre": 7, "No binario": 3, "Prefiero no decirlo": 4},
        merges=(("Mujer", "mujer"), ("Hombre", "hombre")), maybe={"Prefiero no decirlo"}),
    cat("classes in two cases", "Klasse", {"5a": 30, "5A": 4, "5b": 30, "6a": 25, "6b": 30, "6B": 3},
        EITHER, merges=(("5a", "5A"), ("6b", "6B"))),
    cat("sides of the body", "Seite", {"links": 40, "Links": 6, "rechts": 40, "Rechts": 5, "beidseits": 9},
        merges=(("links", "Links"), ("rechts", "Rechts"))),
    cat("saint in three ways", "Gemeinde", {"St. Gallen": 40, "St.Gallen": 9, "Sankt Gallen": 4, "Wil": 30, "Gossau": 30},
        merges=(("St. Gallen", "St.Gallen", "Sankt Gallen"),)),
    cat("streets cut short", "Straße",
        {"Hauptstraße": 30, "Hauptstr.": 9, "Bahnhofstraße": 25, "Bahnhofstr.": 6, "Am Markt": 20},
        merges=(("Hauptstraße", "Hauptstr."), ("Bahnhofstraße", "Bahnhofstr."))),
    cat("fixed blanks after a word", "canton", {"Vaud": 30, "Vaud\u00a0": 9, "Genève": 30, "Genève ": 4, "Jura": 20},
        may_merge=(("Vaud", "Vaud\u00a0"), ("Genève", "Genève "))),
    cat("hyphens in three ways", "plan", {"full-time": 40, "full time": 12, "Full-time": 9, "part-time": 30, "part time": 5},
        merges=(("full-time", "full time", "Full-time"), ("part-time", "part time"))),
)  # fmt: skip

APART = (
    cat("groups of blood", "blood group", {"A+": 30, "A-": 9, "B+": 20, "B-": 4, "AB+": 5, "AB-": 2, "0+": 30, "0-": 8}),
    cat("opposites of one stem", "mood", {"happy": 40, "unhappy": 20, "neither": 15}, EITHER),
    cat("screws", "Artikel", {"M6x20": 30, "M6x25": 20, "M8x20": 30, "M8x25": 15}),
    cat("winds", "wind", {"N": 20, "NE": 9, "E": 15, "SE": 9, "S": 20, "SW": 30, "W": 30, "NW": 20}),
    cat("treatment arms", "arm", {"placebo": 50, "10 mg": 40, "20 mg": 40}, EITHER),
    cat("teams with digits", "Team", {"Team 1": 20, "Team 2": 20, "Team 11": 20, "Team 12": 20}, EITHER),
    cat("parties", "partito", {"PD": 30, "PDL": 20, "FI": 20, "FdI": 30, "M5S": 30}),
    cat("Niger and Nigeria", "country", {"Niger": 20, "Nigeria": 40, "Mali": 30, "Malawi": 15, "Ghana": 30}),
    cat("results of matches", "Ergebnis", {"2:1": 9, "1:1": 12, "0:3": 5, "3:2": 5, "1:0": 12, "0:0": 9, "2:2": 6},
        ("category", "text"), left_out=None),
    cat("postcodes of one town", "PLZ", {"01067": 20, "01069": 20, "01097": 20, "01099": 20, "01127": 9},
        ("category", "id-like", "ordered"), left_out=None, reason=ALIKE),
    cat("Swedish postcodes", "postnr", {"114 55": 20, "114 56": 15, "115 21": 15, "118 26": 20},
        ("category", "id-like", "ordered"), left_out=None, reason=ALIKE),
    cat("codes of jobs", "ISCO", {"2221": 20, "2341": 30, "5120": 12, "9112": 20, "0110": 4},
        ("category", "ordered", "id-like"), ask="may", left_out=None, reason=ALIKE),
    cat("versions of a program", "app version", {"2.9.1": 20, "2.10.0": 30, "2.10.3": 20, "3.0.0": 30}, EITHER),
    cat("zones of time", "timezone", {"UTC+1": 40, "UTC+2": 20, "UTC-5": 20, "UTC+10": 4}, EITHER),
)  # fmt: skip

HOLES = (
    cat("Namibia or not available", "country code", {"ZA": 40, "BW": 30, "NA": 12, "ZM": 25, "MZ": 20},
        maybe={"NA"}, ask="may"),
    cat("no allergy is an answer", "allergies",
        {"none": 60, "None": 9, "pollen": 30, "nuts": 12, "penicillin": 9}, maybe={"none", "None"},
        merges=(("none", "None"),)),
    cat("no job is not missing", "Beruf", {"Lehrerin": 20, "Koch": 12, "Schreiner": 9, "kein": 12, "k.A.": 5, "–": 4},
        told={"k.A.", "–"}, maybe={"kein"}),
    cat("blank of a pivot table", "Region", {"North": 30, "South": 30, "(blank)": 9, "West": 20}, told={"(blank)"}),
    cat("to be decided", "venue", {"Hall A": 30, "Hall B": 30, "tbd": 6, "TBA": 5, "Gym": 20}, told={"tbd", "TBA"},
        may_merge=(("tbd", "TBA"),)),
    cat("rows of a poll in French", "profession",
        {"ouvrier": 30, "employé": 40, "cadre": 20, "n.d.": 5, "s/o": 4, "sans réponse": 6},
        told={"n.d.", "s/o", "sans réponse"}),
    cat("rows of a poll in Polish", "województwo",
        {"mazowieckie": 40, "śląskie": 30, "opolskie": 9, "brak danych": 6, "nie dotyczy": 4},
        told={"brak danych", "nie dotyczy"}),
    cat("MySQL", "referrer", {"google": 40, "direct": 30, "mail": 9, "\\N": 12}, told={"\\N"}),
    cat("question marks and crosses", "Herkunft", {"Bayern": 30, "Hessen": 30, "?": 5, "xxx": 4, "Saarland": 6},
        told={"?", "xxx"}),
    cat("a survey that was not finished", "Q8",
        {"Bus": 30, "Car": 40, "Bike": 20, "-oth-": 6, "Not completed or Not displayed": 8},
        told={"Not completed or Not displayed"}, maybe={"-oth-"}),
    cat("more than one in a cell", "Contact by",
        {"Email": 30, "Phone": 20, "Email;Phone": 15, "Email;Phone;Letter": 6, "Letter": 9},
        ("category", "text"), ask="may", left_out=None),
    cat("the other with its text", "transport", {"Bus": 40, "Train": 30, "Other (please specify)": 9, "Bike": 20}),
)  # fmt: skip


def shuffled(case: str, values: list) -> list:
    return [values[i] for i in source(case).permutation(len(values))]


def digits(case: str, n: int, form: str) -> list[str]:
    """Every # of the form is a digit."""
    rng = source(f"fresh {case}")
    return ["".join(str(rng.integers(10)) if c == "#" else c for c in form) for _ in range(n)]


def people(n: int) -> list[str]:
    first = "Zofia Piotr Chiara Luca Inês João Astrid Lars Sanne Daan Léa Hugo".split()
    last = "Nowak Rossi Silva Lind Jansen Moreau Weiss Garcia Kowalska Bianchi".split()
    return shuffled("fresh people", [f"{b}, {a}" for a in first for b in last])[:n]


def remarks(n: int) -> list[str]:
    start = "The staff at the desk,Parking,My second visit,The course on Monday,Waiting,Our daughter".split(
        ","
    )
    middle = (
        "was better than last year,took far too long,made us feel welcome,could be cheaper".split(
            ","
        )
    )
    end = "and we will come again,but please open earlier,so thank you all,which is a pity".split(
        ","
    )
    return shuffled(
        "fresh remarks", [f"{a} {b}, {c}." for a in start for b in middle for c in end]
    )[:n]


TOKENS = [hashlib.sha1(str(i).encode()).hexdigest() for i in range(140)]
ROADS = [
    f"{a} {i}" for a in ("Lindenweg", "Ulmenallee", "Rosengasse", "Am Bach") for i in range(1, 28)
]
LEFT_OUT = tuple(
    left_out(case, header, texts, kinds, reason)
    for case, header, texts, kinds, reason in (
        ("keys of Qualtrics", "ResponseId", [f"R_{t[:15]}" for t in TOKENS[:110]], ID, ALIKE),
        ("hashes", "participant", [t[:32] for t in TOKENS], ID, ALIKE),
        ("numbers of rows", "lfd. Nr.", [str(i) for i in range(1, 131)], ("id-like",), ALIKE),
        ("numbers of invoices", "Rechnungsnummer", [f"RE-2023-{i:04}" for i in range(118, 228)], ID, ALIKE),
        ("numbers guarded by Excel", "Kundennr.", [f'="{t}"' for t in digits("guard", 90, "00######")], ID, ALIKE),
        ("books", "ISBN", digits("isbn", 90, "978-3-###-#####-#"), ID, ALIKE),
        ("bar codes", "EAN", digits("ean", 90, "40##########7"), ID, ALIKE),
        ("accounts", "IBAN", digits("iban", 80, "DE## #### #### #### #### ##"), ID, ALIKE),
        ("telephones in German", "Telefon", digits("tel", 90, "0711 / ### ## ##"), ID, ALIKE),
        ("telephones of the world", "phone", digits("phone", 90, "+48 6## ### ###"), ID, ALIKE),
        ("telephones in French", "tél.", digits("fr tel", 90, "06 ## ## ## ##"), ID, ALIKE),
        ("plates", "Kennzeichen", digits("plate", 80, "S-KL ####"), ID, ALIKE),
        ("mail", "e-mail", [f"{p[:2].lower()}{i}@example.org" for i, p in enumerate(people(100))], ID, ALIKE),
        ("names", "Imię i nazwisko", people(100), TEXT, ALIKE),
        ("addresses", "Adresse", shuffled("fresh roads", ROADS), TEXT, ALIKE),
        ("remarks", "Anything else?", remarks(90), ("text",), ALIKE),
        ("pages", "link", [f"https://example.org/item/{t[:8]}" for t in TOKENS[:90]], ID, ALIKE),
        ("addresses of computers", "IPAddress", digits("ip", 90, "10.1##.1##.##"), ID, ALIKE),
        ("photographs", "file", [f"IMG_{i:04}.jpg" for i in range(2301, 2421)], ID, ALIKE),
        ("one country", "Land", ["Deutschland"] * 110, ("constant",), SAME),
        ("LimeSurvey without dates", "submitdate", ["1980-01-01 00:00:00"] * 100, ("constant",), SAME),
        ("one number", "wave", ["3"] * 120, ("constant",), SAME),
        ("language of the form", "startlanguage", ["de"] * 95, ("constant",), SAME),
    )
)  # fmt: skip

PRESSURE = [
    f"{a:.0f}/{b:.0f}"
    for a, b in zip(whole("fresh sys", 110, 98, 168), whole("fresh dia", 110, 58, 99))
]
ODD = (
    left_out("nothing but not answered", "Q21_other", ["-"] * 60 + ["n/a"] * 20,
             ("constant", "empty", "category", "text"), SAME, told={"-", "n/a"}),
    words("pressure of blood", "Blutdruck", PRESSURE, ("text", "category", "id-like"), left_out=None,
          ask="may", reason=ALIKE),
    words("sets of tennis", "score", even("fresh tennis", 80, "6:4 6:3", "7:5 6:2", "6:0 6:1", "3:6 6:4 6:4"),
          ("category", "text"), left_out=None, reason=ALIKE),
    words("scales of maps", "échelle", even("fresh maps", 90, "1:10000", "1:25000", "1:50000", "1:100000"),
          ("category", "ordered", "text"), left_out=None),
    words("doses in words", "posologie", even("fresh doses", 90, "1-0-1", "1-0-0", "0-0-1", "1-1-1", "0-1-0"),
          ("category",), ask="may"),
    words("almost everybody", "Germany resident", drawn("fresh most", 200, {"yes": 97, "no": 2}), NO_YES),
)  # fmt: skip

FRESH_WORDS = YES_NO + LIKERT + BANDS + SPELLINGS + APART + HOLES + LEFT_OUT + ODD
