"""Which columns are proposed as attributes."""

import itertools
import re

import numpy as np
import pytest

from calm_core.errors import InputError
from calm_core.ingest import detect_schema, load_dataset, read_table
from calm_core.ingest.proposed_columns import (
    count_proposed,
    find_doubt,
    find_doubts,
    is_count_column,
    is_weight,
    propose_columns,
)
from calm_core.ingest.table import make_table

ROWS = 1200


def column(*values: str) -> list[str]:
    """A column that repeats these values."""
    return [values[i % len(values)] for i in range(ROWS)]


# What each column is; "" for a survey answer.
COLUMNS = {
    "Patient ID": (column(*map(str, range(ROWS))), "id"),
    "school_id": (column("A", "B", "C"), "id"),
    "Start Date": (column("2025-03-01", "2025-03-02", "2025-03-03"), "column about the survey"),
    "First name": (column(*"Ann Ben Cem Dora Eve Finn Gus".split()), "name"),
    "E-mail": (column(*(f"p{i}@example.org" for i in range(ROWS))), "e-mail address"),
    "Do you read the e-mail": (column("yes", "no", "no"), ""),
    "Born": (column(*(f"{1950 + i % 50}-0{1 + i % 9}-11" for i in range(97))), "date"),
    "covid": (column("mild", "none", "severe", "none", "none"), ""),
    "age": (column(*map(str, range(18, 95))), ""),
    "latitude": (column(*(f"{50 + i / 977:.4f}" for i in range(190))), "coordinates"),
    "pay": (column(*(str(1009 * i) for i in range(1, 150))), "column with many values"),
    "town": (column(*(f"town {i}" for i in range(31))), "column with many values"),
    "grade": (column(*"abcdefgg"), ""),
    "grade in points": (column(*"12345677"), "copy of another column"),
    "remark": (column("thank you", *[""] * 11, "good", *[""] * 11), "nearly empty column"),
    "other, please say": (column(*[f"it was {i}, I think" for i in range(ROWS)]), "free text"),
    "country": (column(*["here"] * 119, "there"), "nearly constant column"),
    "bus": (column("bus", *[""] * 30), ""),
    "agree": (column("yes", "no"), ""),
}


@pytest.fixture(scope="module")
def schema():
    cells = {name: [cell or None for cell in cells] for name, (cells, _) in COLUMNS.items()}
    return detect_schema(make_table(cells))


def test_what_is_no_survey_answer_is_named(schema):
    assert find_doubts(schema) == {name: doubt for name, (_, doubt) in COLUMNS.items() if doubt}


def test_named_columns_are_taken_as_named(parse_in_process):
    file = b"born,ill,sex\n" + b"2001-02-03,yes,f\n2002-03-04,no,m\n2003-04-05,no,m\n" * 20
    taken = {"d": 2}, {"columns": ["sex", "born", "ill"], "d": 2}, {}
    names = [load_dataset(file, name="a.csv", **how).dataset.domain.names for how in taken]
    assert names == [("ill", "sex"), ("sex", "born"), ("born", "ill", "sex")]
    with pytest.raises(InputError, match="from 1 to 3; the table has 3 usable columns"):
        load_dataset(file, name="a.csv", d=4)


def test_real_surveys(shared_data):
    proposed = {}
    for file in ("adult.csv.gz", "exports/qualtrics.csv", "exports/people.csv"):
        schema = detect_schema(read_table(shared_data / file, isolate=False))
        chosen = propose_columns(schema, count_proposed(schema, 8))
        proposed[file] = " ".join(column.name for column in chosen.used_columns)
    assert proposed == {
        "adult.csv.gz": "age workclass education marital-status occupation relationship race sex",
        "exports/qualtrics.csv": "Q1 Q2 Q3_1 Q3_2 Q3_3 Q4 Q5",
        "exports/people.csv": "Geburtsdatum Teilnahme Rauchen Impfung",
    }


def detect(name, cells):
    """The schema of a table's only column."""
    return detect_schema(make_table({name: list(cells)})).columns[0]


WORDS = [
    f"{a}{b}" for a in "Al Be Co Da El Fi Go".split() for b in "ba da fi mo ra ti vo".split()
] * 4
NAMES = {
    "name": (WORDS, """Name|First name|last_name|Surname|fullName|Vorname|Nachname|Familienname|Nom|Prénom|Nom de famille
        |Nombre|Apellidos|Nombre y apellidos|Cognome|Nome|Nome completo|Sobrenome|Voornaam|Achternaam|Förnamn|Efternamn
        |Imię|Nazwisko|Imię i nazwisko|What is your name?|participant_name|Name 2|contact.name"""),
    "address": ([f"{word} {i}" for i, word in enumerate(WORDS)], """Address|Home address|Street|Adresse|Anschrift|Straße
        |Straße und Hausnummer|Calle|Dirección|Domicilio|Indirizzo|Endereço|Rua|Adres|Straat|Adress|Ulica"""),
    "e-mail address": (WORDS, """E-Mail|email|Email Address|E-Mail-Adresse|Mail|Courriel|Adresse e-mail|Correo electrónico
        |Indirizzo e-mail|Posta elettronica|Endereço de e-mail|E-mailadres|E-post|E-postadress|Adres e-mail|Your e-mail"""),
    "phone number": (WORDS, """Phone|Telephone|phone_number|Mobile|Cell phone|Telefon|Telefonnummer|Handy|Handynummer|Téléphone
        |Numéro de téléphone|Teléfono|Celular|Móvil|Telefono|Cellulare|Telemóvel|Telefoonnummer|Numer telefonu|Fax"""),
    "account number": (WORDS, """IBAN|BIC|Account number|Kontonummer|Bankverbindung|Compte bancaire|Cuenta bancaria|Rekeningnummer
        |Numer konta|Card number"""),
    "national id number": (WORDS, """SSN|Social security number|National Insurance number|Passport number|Ausweisnummer|Steuer-ID
        |Sozialversicherungsnummer|AHV-Nummer|Numéro de sécurité sociale|DNI|Codice fiscale|CPF|BSN|Personnummer|PESEL"""),
    "coordinates": ([f"{i / 7:.4f}" for i in range(200)], """Latitude|longitude|lat|lng|GPS|Breitengrad|Längengrad|Latitud
        |Longitud|Latitudine|Lengtegraad|gps_location"""),
    "remark": (["came late today", "please call back", "keine", None] * 50, """Comment|Comments|Any other comments?|Remarks|notes
        |Bemerkung|Bemerkungen|Anmerkungen|Weitere Kommentare|Commentaires|Remarque|Comentarios|Observaciones|Commenti
        |Osservazioni|Observações|Opmerkingen|Kommentarer|Uwagi|Komentarz|Q12_Comment|Q5_TEXT
        |Wünsche und Anregungen|Other (please specify)"""),
}  # fmt: skip


# With a digit for each "#" and a letter for each "~".
TEXTS = {
    "e-mail address": "ann.###@example.org|b~~~@mail.example.co.uk",
    "phone number": "+49 30 5550###|+1 (555) 010-####|0044 20 7946 0###",
    "account number": "DE## 3704 0044 0532 0130 ##|GB29NWBK6016133192####|4111 1111 1111 1###",
    "national id number": "123-4#-##67|811228-9###|19811228-9###|RSSMRA85T10A###S|12345###~|X1234###~|756.1234.5###.97"
    "|123.456.###-09|AB 12 3# ## C|2 55 08 14 168 ### 38|65 170839 J ###",
    "IP address": "192.168.0.1##|2001:db8::###",
    "coordinates": "48.2###, 11.5###|52.1### 13.4### 0 0",
    "name": "Frau Anna B~~~|Mr. John B~~~|Mme Anne B~~~",
    "address": "Hauptstraße ###|### ~~~son Street|Rua Augusta ###|Lindenweg ## a",
}


def fill_in(form, i):
    """A text of a form; other numbers below 100 give other texts."""
    digits = itertools.cycle(f"{i:02}")
    return re.sub(
        "[#~]", lambda at: "ABCDEFGHJK"[int(d)] if (d := next(digits)) and at[0] == "~" else d, form
    )


@pytest.mark.parametrize(
    ("doubt", "form"), [(doubt, one) for doubt in TEXTS for one in TEXTS[doubt].split("|")]
)
def test_people_themselves_are_known_by_their_texts(doubt, form):
    texts = [fill_in(form, i) for i in range(100)]
    assert find_doubt(detect("x", texts * 2)) == doubt
    assert find_doubt(detect("x", [texts[0], "yes", "no"] * 90)) == ""


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("age at start", [*map(str, range(18, 60))]),
        ("Name", ["Ann", "Ben", "Cem"]),  # of a product or a party
        ("E-Mail", ["yes", "no"]),
        ("phone", ["Android", "iPhone", "other"]),
        ("address", ["1", "2", "3", "4", "5", "6", "7"]),
        ("Note", ["1", "2", "3", "4", "5"]),
        ("notes", ["good", "bad", "none"]),
        ("Kommentar", ["sehr gut", "gut", "schlecht", "sehr schlecht"]),
        ("nombre", [*map(str, range(30))]),
        ("PLZ", ["10115", "10117", "10119", "10178", "10179", "10435"]),
        ("completed", ["yes", "no"]),
        ("start", ["early", "late", "never"]),
        ("status", ["single", "married", "widowed"]),
        ("language", ["German", "French", "Italian"]),
        ("time", ["Lunch", "Dinner"]),
        ("device", ["phone", "laptop"]),
        ("seed", ["hybrid", "local"]),
        ("recipients", ["yes", "no"]),
        ("Quartal", ["1. Quartal 2023", "2. Quartal 2023", "4. Quartal 2023"]),
        ("half", ["2023H1", "2023H2", "2024H1"]),
        ("Schuljahr", ["2022/23", "2023/24", "2024/25"]),
        ("What matters to you?/Progress", ["0", "1"]),
        ("news.name", ["name", ""]),
        ("weight", [f"{50 + i / 10}" for i in range(90)]),
    ],
)  # fmt: skip
def test_answers_under_such_names_stay_answers(name, cells):
    assert find_doubt(detect(name, [cell or None for cell in cells * 20])) == ""


def test_postcodes_say_where_people_live_only_beside_other_things_about_them():
    codes = [f"10{i:03}" for i in range(20)] * 10
    people = {"PLZ": codes, "cap": column("yes", "no")[:200]}
    assert not find_doubts(detect_schema(make_table(people)))
    doubts = find_doubts(detect_schema(make_table(people | {"Name": WORDS[:196] + WORDS[:4]})))
    assert doubts == {"PLZ": "postcode", "Name": "name"}
    assert find_doubt(detect("zip code", [f"{10_000 + i}" for i in range(200)])) == "postcode"


MOMENTS = [f"2025-03-{1 + i % 28:02} {i % 24:02}:{i * 7 % 60:02}:00" for i in range(200)]
IDS = [f"R_{i * 7919 % 100_003:08x}" for i in range(200)]
SURVEY = {
    "moments": (MOMENTS, """StartDate|EndDate|Start Date|start|end|today|submitdate|startdate|datestamp|submitted|created_at
        |updatedAt|Timestamp|Zeitstempel|Carimbo de data/hora|Horodateur|Marca temporal|_submission_time|Startzeit|Datum der Abgabe|date de saisie
        |Fecha de inicio|Data di invio|submitdate. Date submitted|Ausfülldatum|Date de réponse|Ora di completamento|Date submitted|Recorded Date|interview date|demographics_timestamp"""),
    "ids": (IDS, """ResponseId|Respondent ID|Collector ID|caseid|record_id|session_id|deviceid|instanceID|_uuid|_id|token
        |participant_no|Fragebogen-Nr|meta/instanceID|id. Response ID|N° de réponse|ID de respuesta|survey code|External Reference|IPAddress|Interview number"""),
    "constants": (["x"] * 200, """Status|UserLanguage|startlanguage|DistributionChannel|Finished|lastpage|redcap_event_name
        |my_first_instrument_complete|form_complete|__version__|platform|refurl"""),
    "serial days": ([f"{45_000 + i % 90}" for i in range(200)], "Datum|start|Date submitted"),
    "empty": ([None] * 200, "RecipientEmail|Recipient First Name|ExternalReference|ipaddr|seed"),
    "numbers": ([f"{i * i % 971}" for i in range(200)], """Progress|Duration (in seconds)|interviewtime|groupTime3|Group time: 3
        |Q1_First Click|Q1_Page Submit|LocationLatitude|survey_duration|Bearbeitungszeit|Percent complete"""),
}  # fmt: skip


# What names of columns tell, by what they are called in a failure.
NAMED = {doubt: (doubt, *made) for doubt, made in NAMES.items()}
NAMED |= {kind: ("column about the survey", *made) for kind, made in SURVEY.items()}


@pytest.mark.parametrize(("doubt", "cells", "names"), NAMED.values(), ids=NAMED)
def test_people_and_what_tools_write_are_known_by_the_names_of_columns(doubt, cells, names):
    found = {name.strip(): find_doubt(detect(name.strip(), cells)) for name in names.split("|")}
    assert found == dict.fromkeys(found, doubt)


@pytest.mark.slow
def test_no_column_of_public_data_is_about_people_or_the_survey(shared_data):
    for path in sorted(shared_data.iterdir()):
        if path.suffix in (".gz", ".parquet"):
            doubts = find_doubts(detect_schema(read_table(path, isolate=False)))
            usual = {"column with many values", "nearly constant column", "copy of another column"}
            assert {*doubts.values()} <= usual, path.name


def test_weights_are_numbers_around_one_or_called_so():
    rng = np.random.default_rng(3)
    around = [f"{x:.3f}" for x in rng.lognormal(-0.045, 0.3, 400)]
    wide = [f"{x:.2f}" for x in 40 * rng.lognormal(0, 0.5, 400)]
    for name in "w8 weight wt WTSS pond Gewicht poids peso waga vikt".split():
        assert is_weight(detect(name, around)), name
    for name in "survey weight|wtssall|Sampling weight|design_weight|Hochrechnungsfaktor".split(
        "|"
    ):
        assert is_weight(detect(name, wide)), name
    assert is_weight(detect("weight", ["0.8", "1.2", "1.1"] * 90)), "of a few strata"
    others = {
        "weight": wide, "Gewicht": wide, "score": ["0.8", "1.2", "1.1"] * 90, "weight ": ["1", "1.0"] * 90,
        "change": [f"{x:.2f}" for x in 1 + rng.normal(0, 1, 400)], "rooms": ["0", "1", "2"] * 90,
        "sampling weight": ["yes", "no"] * 90, "share": [f"{x:.3f}" for x in rng.random(400)],
    }  # fmt: skip
    assert not [name for name, cells in others.items() if is_weight(detect(name, cells))]


def test_counts_are_whole_numbers_called_so():
    counts = [f"{i * i % 389}" for i in range(60)]
    for name in "n N count Freq frequency Anzahl effectif nombre conteggio aantal liczba".split():
        assert is_count_column(detect(name, counts)), name
    assert is_count_column(detect("Number of people", ["3", "5", "8"]))
    others = {
        "n": ["0.5", "1.5", "2"] * 9, "count": ["-1", "2", "3"] * 9, "age": counts, "freq": ["often", "never"] * 9,
    }  # fmt: skip
    assert not [name for name, cells in others.items() if is_count_column(detect(name, cells))]


def test_weights_and_counts_of_exports(shared_data):
    weights, counts = [], []
    for name in ("times", "counts", "people", "google_forms"):
        table = read_table(shared_data / f"exports/{name}.csv", isolate=False)
        for found in detect_schema(table).columns:
            weights += [found.name] * is_weight(found)
            counts += [found.name] * is_count_column(found)
    assert (weights, counts) == (["weight"], ["n"])
