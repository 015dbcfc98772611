"""Scales: words in nine languages, sizes, marks, stages and bands, and what is none."""

import numpy as np
import pyarrow as pa
import pytest

from calm_core.ingest.detect import detect_schema
from calm_core.ingest.detect_words import scale_order
from calm_core.ingest.table import table_of

SCALES = (
    "Strongly oppose < Somewhat oppose < Neutral < Somewhat support < Strongly support",
    "Not at all important < Slightly important < Important < Very important < Extremely important",
    "Very dissatisfied < Dissatisfied < Neither satisfied nor dissatisfied < Satisfied < Very satisfied",
    "Much worse < Somewhat worse < About the same < Somewhat better < Much better",
    "Definitely not < Probably not < Maybe < Probably < Definitely",
    "Trifft gar nicht zu < Trifft eher nicht zu < Teils/teils < Trifft eher zu < Trifft voll und ganz zu",
    "sehr unzufrieden < eher unzufrieden < weder noch < eher zufrieden < sehr zufrieden",
    "nie < selten < manchmal < häufig < immer",
    "mangelhaft < ausreichend < befriedigend < gut < sehr gut",
    "Pas du tout satisfait(e) < Peu satisfait(e) < Assez satisfait(e) < Très satisfait(e)",
    "Jamais < Rarement < Parfois < Souvent < Toujours",
    "Muy en desacuerdo < En desacuerdo < Ni de acuerdo ni en desacuerdo < De acuerdo < Muy de acuerdo",
    "Nunca < Rara vez < A veces < Casi siempre < Siempre",
    "Molto insoddisfatto < Insoddisfatto < Né soddisfatto né insoddisfatto < Soddisfatto < Molto soddisfatto",
    "zdecydowanie nie < raczej nie < trudno powiedzieć < raczej tak < zdecydowanie tak",
    "Zdecydowanie się nie zgadzam < Raczej się nie zgadzam < Raczej się zgadzam < Zdecydowanie się zgadzam",
    "Muito insatisfeito < Insatisfeito < Neutro < Satisfeito < Muito satisfeito",
    "zeer ontevreden < ontevreden < neutraal < tevreden < zeer tevreden",
    "nooit < zelden < soms < vaak < altijd",
    "Instämmer inte alls < Instämmer delvis < Instämmer helt",
    "Mycket missnöjd < Missnöjd < Varken nöjd eller missnöjd < Nöjd < Mycket nöjd",
    "low < normal < high < urgent",
    "keine < leicht < mittel < schwer",
    "faible < moyenne < élevée",
    "XXS < XS < S < M < L < 3XL",
    "B2 < C1 < C2",
    "F < D < C+ < B- < A < A+",
    "C < B < A < A+ < A++",
    "I < IIa < IIb < III < IV",
    "Stadium I < Stadium II < Stadium III",
    "-- < - < 0 < + < ++",
    "1st < 2nd < 3rd",
    "Klasse 5 < Klasse 6 < Klasse 10",
    "moins de 18 ans < 18 à 24 ans < 25 à 64 ans < 65 ans et plus",
    "unter 1.000 € < 1.000 bis unter 2.000 € < 2.000 bis unter 3.000 € < 3.000 € und mehr",
    "menos de 10 < de 10 a 19 < 20 o más",
    "poniżej 18 lat < 18–24 lata < 25–64 lata < 65 i więcej",
    "jonger dan 18 < 18 t/m 29 < 30 t/m 64 < 65 of ouder",
    "under 20 år < 20–39 år < 40 år och äldre",
    "até 1.000 < de 1.001 a 2.000 < mais de 2.000",
    "none < less than 5 miles < 5 to 10 miles < more than 10 miles",
)  # fmt: skip


@pytest.mark.parametrize("scale", SCALES)
def test_a_scale_is_put_in_its_order_from_any_order(scale):
    words = scale.split(" < ")
    shuffled = sorted(words, key=lambda word: word[::-1])
    ranks = scale_order(pa.array([*shuffled, "n/a"]))
    assert ranks is not None and np.isnan(ranks[-1])
    assert [shuffled[at] for at in np.argsort(ranks[:-1])] in (words, words[::-1])


@pytest.mark.parametrize(
    "values",
    (
        "red|green|blue", "A+|A-|B+|B-", "A|B|C", "agree|disagree|Berlin", "N|S|E|W", "A1|A2|A3|A4|A5",
        "yes|no|maybe not today", "12|12a|14b|red", "1-0-1|1-0-0|0-0-1", "DE|FR|IT", "S|M|F", "X|Y|Z",
        "UTC+1|UTC+2|UTC-5", "often|Tuesday|red", "likely|important|easy", "+49|+48|+1",
        "I agree with Anna|I agree with Ben|I agree",
    ),
)  # fmt: skip
def test_other_words_are_no_scale(values):
    assert scale_order(pa.array(values.split("|"))) is None


def test_letters_alone_are_marks_where_the_name_says_so():
    letters = [*"ABCD"] * 10
    schema = detect_schema(table_of({"team": letters, "Energy label": letters}))
    assert [(c.kind, c.labels) for c in schema.columns] == [
        ("category", ("A", "B", "C", "D")),
        ("ordered", ("D", "C", "B", "A")),
    ]


@pytest.mark.parametrize(
    "word",
    ("NSP", "n. v. t.", "Sin respuesta", "\\N", "Ej svar", "Vet ej", "não sei", "TBA", "k. A."),
)
def test_no_answer_in_many_languages_is_offered_as_missing(word):
    column = detect_schema(table_of({"x": ["red", "blue", "red", word] * 10})).columns[0]
    assert [p.texts for p in column.proposals if p.what == "missing"] == [(word,)]
