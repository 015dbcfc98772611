"""Made surveys in which the kinds of exports are crossed, and what a careful person would read in them."""

import csv
import io
import itertools
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import calm_core as cc
from tests.bad_files.make import statistics_file

FILES = ("csv", "semicolons", "xlsx", "jsonl", "json", "json object", "sav", "dta", "parquet")
ANSWERS = ("joined", "boxes", "codes")
HEADERS = ("names", "questions", "codes of a tool", "over options")
OPTIONS = ("Bus", "Train", "Bicycle, own or rented", "Car", "On foot")
SCALE = ("Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree")


@dataclass
class Crossing:
    """One made file.

    Attributes
    ----------
    file, answers, header : str
        The kinds crossed.
    people : dict of str to list
        Answers of everybody by attribute, None where there is none.
    weights : bool
        Whether the file has a column of weights.
    """

    file: str
    answers: str
    header: str
    weights: bool
    people: dict[str, list] = field(default_factory=dict)

    @property
    def case(self) -> str:
        """The kinds in words."""
        return f"{self.file}, {self.answers}, {self.header}, {'weights' if self.weights else 'no weights'}"


def make_crossings() -> list[Crossing]:
    """60 files: every kind with every kind of answers and header that it can have, every second with weights, some both."""
    found = []
    for file, answers, header in itertools.product(FILES, ANSWERS, HEADERS):
        rows = file in ("csv", "semicolons", "xlsx")
        # Only files of rows have several header rows; joined answers need one column.
        if header != "names" and not rows or header == "over options" and answers == "joined":
            continue
        found.append(Crossing(file, answers, header, weights=len(found) % 2 == 0))
    found += [
        Crossing(o.file, o.answers, o.header, not o.weights) for o in found[: 60 - len(found)]
    ]
    for number, one in enumerate(found):
        one.people = draw_people(cc.stream(60, number))
    return found


def draw_people(rng: np.random.Generator) -> dict[str, list]:
    """80 to 300 people: sex, age, agreement, whether they come again, and five ways to travel."""
    n = int(rng.integers(80, 300))
    people: dict[str, list] = {
        "sex": np.where(rng.random(n) < 0.55, "Female", "Male").tolist(),
        "age": rng.integers(18, 80, n).tolist(),
        "agree": [SCALE[at] for at in rng.choice(5, n, p=[0.1, 0.2, 0.3, 0.25, 0.15])],
        "again": [None if x < 0.1 else "No" if x < 0.4 else "Yes" for x in rng.random(n)],
    }
    chosen = rng.random((n, len(OPTIONS))) < rng.uniform(0.1, 0.6, len(OPTIONS))
    for at, option in enumerate(OPTIONS):
        people[option] = ["yes" if ticked else "no" for ticked in chosen[:, at]]
    return people


def _travel_columns(one: Crossing) -> dict[str, list]:
    """The columns about travel as the file has them."""
    n = len(one.people["sex"])
    chosen = [[o for o in OPTIONS if one.people[o][i] == "yes"] for i in range(n)]
    if one.answers == "joined":
        if one.file.startswith("json"):
            return {"travel": chosen}
        separator = "; " if one.file == "semicolons" else ", "
        return {"travel": [separator.join(some) or None for some in chosen]}
    tick = (lambda option: option) if one.answers == "boxes" else (lambda option: 1)
    rest = None if one.answers == "boxes" else 0
    return {
        f"travel/{option}": [tick(option) if option in some else rest for some in chosen]
        for option in OPTIONS
    }


def columns_of(one: Crossing) -> dict[str, list]:
    """All columns of the file: bookkeeping, answers, travel, weights."""
    n = len(one.people["sex"])
    rng = cc.stream(61, n)
    columns: dict[str, list] = {
        "ResponseId": [f"R_{i:06}" for i in range(n)],
        "StartDate": [f"2025-03-{1 + i % 28:02} 10:{i % 60:02}:00" for i in range(n)],
    }
    columns |= {name: one.people[name] for name in ("sex", "age", "agree", "again")}
    columns |= _travel_columns(one)
    if one.weights:
        weights = rng.gamma(6, 1 / 6, n)
        columns["wt"] = [round(float(w), 3) for w in weights / weights.mean()]
    return columns


QUESTIONS = {
    "ResponseId": "Response ID", "StartDate": "Start Date", "sex": "What is your sex?", "age": "How old are you?",
    "agree": "Do lines keep to the timetable?", "again": "Would you come again?", "travel": "How do you travel?", "wt": "Weight",
}  # fmt: skip


def _header(one: Crossing, names: list[str]) -> list[list[str]]:
    """The rows of the header."""
    if one.header == "over options":
        # A question stands over its first option only.
        over, last = [], ""
        for name in names:
            question = QUESTIONS[name.split("/")[0]]
            over.append("" if "/" in name and question == last else question)
            last = question
        return [over, [name.split("/")[1] if "/" in name else "Response" for name in names]]
    texts = [
        QUESTIONS[n] if "/" not in n else f"How do you travel? - {n.split('/')[1]}" for n in names
    ]
    rows = [names, texts, [json.dumps({"ImportId": f"QID{i}"}) for i in range(len(names))]]
    return rows[: 1 + HEADERS.index(one.header)]


def write_crossing(one: Crossing, folder: Path) -> Path:
    """Write the file and return its path."""
    columns = columns_of(one)
    names = list(columns)
    rows = [list(row) for row in zip(*columns.values())]
    if one.file in ("csv", "semicolons"):
        path, sink = folder / "t.csv", io.StringIO()
        writer = csv.writer(sink, delimiter=";" if one.file == "semicolons" else ",")
        writer.writerows(_header(one, names) + rows)
        path.write_text(sink.getvalue(), "utf-8")
    elif one.file == "xlsx":
        path = folder / "t.xlsx"
        _write_workbook(_header(one, names), rows, path)
    elif one.file.startswith("json"):
        path = folder / ("t.jsonl" if one.file == "jsonl" else "t.json")
        people = [
            {name: value for name, value in zip(names, row) if value is not None} for row in rows
        ]
        plain = {"survey": "Travel", "responses": people} if one.file == "json object" else people
        lines = "\n".join(map(json.dumps, people))
        path.write_text(lines if one.file == "jsonl" else json.dumps(plain, indent=1), "utf-8")
    elif one.file == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        path = folder / "t.parquet"
        parquet.write_table(pa.table(columns), path)
    else:
        path = _write_statistics_file(one, columns, folder)
    return path


def _write_workbook(header: list[list[str]], rows: list[list], path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in header + rows:
        book.active.append([None if cell == "" else cell for cell in row])
    if len(header) == 2:
        # As a person would, with one cell over all options.
        start = None
        for at, name in enumerate([*header[0], "end"], 1):
            if name and start and at - start > 1:
                book.active.merge_cells(
                    start_row=1, start_column=start, end_row=1, end_column=at - 1
                )
            start = at if name else start
    book.save(path)


def _write_statistics_file(one: Crossing, columns: dict[str, list], folder: Path) -> Path:
    """An SPSS or Stata file with codes, labels of values and of columns."""
    texts = {"sex": ("Male", "Female"), "agree": SCALE, "again": ("No", "Yes")}
    frame, labels, titles = {}, {}, []
    for name, values in columns.items():
        short = "".join(c if c.isalnum() else "_" for c in name)[:20]
        option = name.partition("/")[2]
        titles.append(f"How do you travel? - {option}" if option else QUESTIONS[name])
        if name in texts:
            frame[short] = [None if v is None else texts[name].index(v) + 1.0 for v in values]
            labels[short] = {at + 1: text for at, text in enumerate(texts[name])}
        elif option and one.answers == "codes":
            frame[short] = [float(v) for v in values]
            labels[short] = {0: "No", 1: "Yes"}
        else:
            frame[short] = ["" if v is None else v for v in values]
    path = folder / f"t.{one.file}"
    more = {"column_labels": titles, "variable_value_labels": labels}
    path.write_bytes(statistics_file(one.file, frame, **more))
    return path
