"""Other exports than the shared ones, small: people, attributes, their values and the order of values, as a person would read them."""

import csv
import io

import pytest

import calm_core as cc
from calm_core.ingest import read_table
from calm_core.ingest.cleaning import clean_table
from calm_core.ingest.encode import encode_table

N, NO_YES = 80, ("no", "yes")
AGREE = ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")
DAYS = [f"2025-03-{1 + i % 28:02} 10:{i % 60:02}:00" for i in range(N)]
MANY = [str(i * 7919 % 100_000) for i in range(N)]


def draw(values, seed=0, blank=0.0):
    """Answers of all people."""
    rng = cc.stream(62, seed)
    return ["" if rng.random() < blank else values[rng.integers(len(values))] for _ in range(N)]


def choose(options, seed=0, asked=1.0):
    """Options chosen by all people, at least one by whoever was asked."""
    rng, found = cc.stream(63, seed), []
    for _ in range(N):
        some = [option for option in options if rng.random() < 0.4]
        found.append(some or [options[rng.integers(len(options))]] if rng.random() < asked else [])
    return found


def join(chosen, separator, end=""):
    """One cell a person."""
    return [separator.join(some) + end * bool(some) for some in chosen]


def tick(chosen, option, yes, no=""):
    """One column of an option."""
    return [yes if option in some else no for some in chosen]


def write(columns, *headers, separator=",", encoding="utf-8"):
    """A file of text with these columns and further rows of its header."""
    out = io.StringIO()
    rows = csv.writer(out, delimiter=separator, lineterminator="\n")
    rows.writerows([[*columns], *headers, *zip(*columns.values())])
    return out.getvalue().encode(encoding)


def count_table():
    """Numbers of people as R writes them, with the numbers of its rows."""
    groups = [(c, s, a) for a in ("Child", "Adult") for s in ("Male", "Female") for c in ("1st", "2nd", "3rd")]  # fmt: skip
    rows = [f'"{at + 1}","{c}","{s}","{a}",{at}' for at, (c, s, a) in enumerate(groups)]
    return "\n".join(['"","Class","Sex","Age","Freq"', *rows]).encode()


def long_table(name, extra=()):
    """Three answers a person on the same scale."""
    agree = [draw(AGREE, at) for at in range(3)]
    sexes, rows = draw(("f", "m")), [["pid", *extra, name, "value"]]
    for i in range(N):
        rows += [[f"p{i:03}", *(sexes[i] for _ in extra), f"item_{at}", agree[at][i]] for at in range(3)]  # fmt: skip
    return "\n".join(map(",".join, rows)).encode()


PETS = ("Dog", "Cat", "Bird")
DRINKS = ("Tea, herbal", "Coffee", "Coffee, decaffeinated", "Juice", "Water")
TIGHT = ("Tea, Herbal", "Coffee", "Coffee, Decaffeinated", "Tea, Green", "Herbal")
WATER = ("river", "well", "rain_water")
pets, drinks, water, few = choose(PETS), choose(DRINKS), choose(WATER), choose(PETS, asked=0.3)
sex = {"sex": draw(("Male", "Female"))}
write_in = draw(("chess", "judo", "golf", "darts"), blank=0.9)
SEX = {"sex": ("Female", "Male")}
GAPS = {"sex": draw(("f", "m"), 5), "ill": draw(("no", "yes"), 6, blank=0.3), "pain": draw(("None", "Mild", "Severe"), 7, blank=0.3)}  # fmt: skip
CASES = {
    "numbered boxes that hold 1, with titles": (
        write({"V1": [f"R_{i}x" for i in range(N)], "V8": DAYS} | {f"Q2_{at}": tick(pets, pet, "1") for at, pet in enumerate(PETS)} | {"Q2_3_TEXT": write_in},
              ["ResponseID", "StartDate", *(f"Which pets?\nSelect all. - Selected Choice - {pet}" for pet in PETS), "Which pets?\nSelect all. - Other - Text"]),
        dict.fromkeys(("Q2_0", "Q2_1", "Q2_2"), NO_YES),
    ),
    "numbered boxes of those who were asked": (
        write({f"Q2_{at}": tick(few, pet, pet) for at, pet in enumerate(PETS)} | sex),
        SEX | dict.fromkeys(("Q2_0", "Q2_1", "Q2_2"), (*NO_YES, "missing")),
    ),
    "an option begins with another, and no blank follows the separator": (
        write(sex | {"drinks": join(choose(TIGHT), ",")}),
        SEX | {f"drinks: {drink}": NO_YES for drink in TIGHT},
    ),
    "an option begins with another": (
        write(sex | {"drinks": join(drinks, ", ")}),
        SEX | {f"drinks: {drink}": NO_YES for drink in DRINKS},
    ),
    "a header row with few cells": (
        write({"Respondent ID": MANY, "Start Date": DAYS, "IP Address": ["192.0.2.1"] * N, "Pets?": join(pets, ", "), "Again?": draw(("Yes", "No"))},
              ["", "", "", "Response", "Response"]),
        {f"Pets? {pet}": NO_YES for pet in PETS} | {"Again?": ("No", "Yes")},
    ),
    "codes with Y and N, and what was written beside them": (
        write({"id": [*map(str, range(1, N + 1))], "submitdate": DAYS} | {f"Q2[SQ{at}]": tick(pets, pet, "Y", "N") for at, pet in enumerate(PETS)} | {"Q2[other]": write_in}),
        {f"Q2[SQ{at}]": NO_YES for at in range(3)},
    ),
    "a joined column beside its options": (
        write({"username": draw(("enum1", "enum2")), "hh/water": join(water, " ")} | {f"hh/water/{w}": tick(water, w, "1", "0") for w in WATER} | {"hh/water_other": write_in}),
        {f"hh/water/{w}": NO_YES for w in WATER},
    ),
    "checked and unchecked, and whether a form is complete": (
        write({"record_id": [*map(str, range(1, N + 1))]} | {f"Pets? (choice={pet})": tick(pets, pet, "Checked", "Unchecked") for pet in PETS} | {"home_complete": draw(("0", "1", "2"))}),
        {f"Pets? (choice={pet})": NO_YES for pet in PETS},
    ),
    "parts with a sign at the end": (
        write({"ID": [*map(str, range(1, N + 1))], "Startzeit": DAYS, "Fertigstellungszeit": DAYS, "Tiere?": join(pets, ";", ";")}, separator=";", encoding="cp1252"),
        {f"Tiere? {pet}": NO_YES for pet in PETS},
    ),
    "numbers of people with numbers of rows": (
        count_table(),
        {"Class": ("1st", "2nd", "3rd"), "Sex": ("Male", "Female"), "Age": ("Child", "Adult")},
    ),
    "long, the same answers to all": (long_table("key"), {f"item_{at}": AGREE for at in range(3)}),
    "long, with gaps and other answers to each": (
        "\n".join(["pid,key,value", *(f"p{i:03},{key},{cell[i]}" for i in range(N) for key, cell in GAPS.items() if cell[i])]).encode(),
        {"sex": ("f", "m"), "ill": ("no", "yes", "missing"), "pain": ("None", "Mild", "Severe", "missing")},
    ),
    "long, with what is said of a person": (
        long_table("question", extra=["sex"]),
        {"sex": ("f", "m")} | {f"item_{at}": AGREE for at in range(3)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_an_export_is_read_as_a_person_would(case):
    content, wanted = CASES[case]
    table = read_table(content, name="export.csv", isolate=False)
    encoded = encode_table(table, schema=clean_table(table))
    assert {c.name: c.labels for c in encoded.schema.used_columns} == wanted
    assert encoded.dataset.n == (66 if "rows" in case and "numbers" in case else N)


NAMES = [f"{last}, {first}" for last in ("Abel", "Bauer", "Conrad") for first in ("Ida", "Jan")]
PLAIN = {
    "city": ["Portland, OR", "Portland, ME", "Salem, OR", "Reno, NV", "Austin, TX"],
    "name": NAMES,
    "job": ["Teacher", "Engineer, software", "Engineer, civil", "Sales, retail", "Nurse", "Manager, sales"],
    "product": ["Shirt, blue, L", "Shirt, red, M", "Hat, blue, L", "Hat, green, S", "Socks, red, M"],
    "place": ["Berlin", "Paris", "Portland, OR", "Portland, ME", "Bangor, ME", "Salem, OR"],
    "vehicle": ["red car", "blue car", "old red car", "old bike", "new car"],
}  # fmt: skip


@pytest.mark.parametrize("rows", [6, 12, 30, 80])
def test_ordinary_tables_stay_as_they_are(rows):
    columns = {name: draw(values, at)[:rows] for at, (name, values) in enumerate(PLAIN.items())}
    panel = {"region": [f"R{i % 5}" for i in range(rows)], "year": [f"{2000 + i // 5}" for i in range(rows)], "sales": MANY[:rows]}  # fmt: skip
    for table in (columns, panel):
        read = read_table(write(table), name="table.csv", isolate=False)
        assert read.n == rows
        assert not clean_table(read).steps
