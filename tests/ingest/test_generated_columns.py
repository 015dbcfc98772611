"""Generated messy columns: nothing breaks, every row is accounted for, nothing is wrong unnoticed.

True values are written as some person might write them, with accidents.
"""

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from calm_core.errors import UserError
from calm_core.ingest import Schema, Table, apply_schema, detect_schema, read_table
from tests.ingest.messy_columns import (
    CSV_OPTIONS,
    TOLERANCE,
    Decision,
    csv_of,
    decide,
    find_account_errors,
    find_merged_values,
    is_read,
)

pytestmark = pytest.mark.slow
DATA = tomllib.loads((Path(__file__).parent / "data/generated_columns.toml").read_text("utf-8"))
MONTHS = {language: names.split() for language, names in DATA["months"].items()}
NOTHING, HEADERS, DAY_FORMS = DATA["nothing"], DATA["headers"], DATA["day_forms"]


def format_date(form: str, day: np.datetime64) -> str:
    """A date by a form of {y}, {yy}, {m}, {d}, {t}, {ts}, names {en}, {de}, ... and {en3}, shortened."""
    y, m, d = map(int, str(day.astype("datetime64[D]")).split("-"))
    names = {language: names[m - 1] for language, names in MONTHS.items()}
    clock = str(day.astype("datetime64[s]")).split("T")[1]
    return form.format(
        y=y, yy=f"{y % 100:02}", m=m, d=d, t=clock[:5], ts=clock, en3=names["en"][:3], **names
    )


@dataclass(frozen=True)
class Made:
    """A column as written, with what is true of it.

    Attributes
    ----------
    truth : list or None
        What every cell says: float, datetime64[s], or None (nothing); None where it is not about
        numbers or dates at all.
    certain : bool
        Whether the cells are plain words, none of which may be read as a number or a date.
    style : str
        How it was written, for the message of a failure.
    """

    header: str
    cells: list[str]
    truth: list | None
    certain: bool
    style: str


def pick(rng: np.random.Generator, items):
    return items[int(rng.integers(len(items)))]


def number_writer(rng: np.random.Generator) -> tuple[Callable[[float], str], int, str]:
    """One person's way to write numbers, how many decimals, and a name for it."""
    group, point = pick(rng, DATA["separators"])
    digits = int(rng.choice([0, 1, 2, 2, 3]))
    before, after = "", ""
    if rng.random() < 0.4:
        before, after = (
            (pick(rng, DATA["signs"]), "") if rng.random() < 0.5 else ("", pick(rng, DATA["units"]))
        )
    if before or "€" in after or "EUR" in after:
        digits = min(digits, 2)  # nobody has a tenth of a cent
    negative = pick(rng, ("-{}", "-{}", "({})", "{}-", "\u2212{}", "- {}"))
    if after and negative == "{}-":
        negative = "-{}"  # nobody writes a minus after a unit
    in_lakh = group == "," and digits == 0 and rng.random() < 0.2

    def write(value: float) -> str:
        plain = f"{abs(value):,.{digits}f}".translate(str.maketrans({",": group, ".": point}))
        if in_lakh:
            # 1234567 as 12,34,567.
            plain = re.sub(r"(?<=\d)(?=(?:\d\d)*\d{3}$)", ",", str(int(abs(value))))
        text = f"{before}{plain}{after}"
        return negative.format(text) if value < 0 else text

    return write, digits, f"{before}1{group}000{point}{'0' * digits}{after} {negative}"


def short_writer(rng: np.random.Generator) -> tuple[Callable[[float], str], int, str]:
    """Thousands as k, millions as M; or scientific."""
    if rng.random() < 0.5:
        return (lambda value: f"{value:.3e}"), 3, "scientific"

    def write(value: float) -> str:
        size = abs(value)
        if size >= 1e6:
            return f"{value / 1e6:g}M"
        return f"{value / 1e3:g}k" if size >= 1e3 else f"{value:g}"

    return write, 0, "k and M"


def true_numbers(rng: np.random.Generator, n: int, digits: int) -> list[float]:
    """Ages, prices, populations; now and then negative, now and then few different ones."""
    low, high = pick(
        rng, ((1, 100), (0.01, 10), (1, 5_000), (900, 90_000), (1, 30_000_000), (0.2, 3))
    )
    values = np.exp(rng.uniform(np.log(low), np.log(high), n))
    if rng.random() < 0.2:
        values = rng.choice(values[: max(2, n // 10)], n)
    if rng.random() < 0.3:
        values = values * rng.choice([1, -1], n, p=[0.8, 0.2])
    return [float(round(float(value), digits)) + 0.0 for value in values]


def made_numbers(rng: np.random.Generator, n: int) -> Made:
    short = rng.random() < 0.15
    write, digits, style = (short_writer if short else number_writer)(rng)
    values = true_numbers(rng, n, digits)
    if short:
        values = [float(f"{value:.3g}") for value in values]
    cells, truth = [write(value) for value in values], list(values)
    # Some cells as another person would write them: two decimals leave no doubt.
    if digits == 2 and not short and rng.random() < 0.2:
        other = pick(rng, ("{:.2f}", "{:,.2f}"))
        for i in np.flatnonzero(rng.random(n) < 0.1):
            cells[i] = other.format(values[i])
    return Made(pick(rng, HEADERS), cells, truth, False, f"numbers as {style}")


def made_dates(rng: np.random.Generator, n: int) -> Made:
    order = pick(rng, tuple(DAY_FORMS))
    form = pick(rng, DAY_FORMS[order])
    first, span = int(rng.integers(8_000, 19_000)), int(pick(rng, (12, 300, 6_000)))
    seconds = (first + rng.integers(0, min(span, 20_000 - first), n)) * 86_400 + rng.integers(
        0, 86_400, n
    )
    unit = "s" if "{ts}" in form else "m" if "{t}" in form else "M" if order == "month" else "D"
    moments = seconds.astype("datetime64[s]").astype(f"datetime64[{unit}]").astype("datetime64[s]")
    cells, truth = [format_date(form, moment) for moment in moments], list(moments)
    if order != "month" and rng.random() < 0.25:
        extra = pick(rng, (*DAY_FORMS["named"], "{y}-{m:02}-{d:02}"))
        for i in np.flatnonzero(rng.random(n) < 0.2):
            cells[i] = format_date(extra, moments[i])
            truth[i] = moments[i].astype("datetime64[D]").astype("datetime64[s]")
    if order in ("dmy", "mdy") and rng.random() < 0.2:
        for i in np.flatnonzero(rng.random(n) < 0.05):
            cells[i], truth[i] = (
                pick(rng, ("31/02/2013", "2013-13-01", "32.01.2013", "00/00/0000")),
                None,
            )
    return Made(pick(rng, HEADERS), cells, truth, False, f"dates as {form}")


def made_words(rng: np.random.Generator, n: int) -> Made:
    certain = rng.random() < 0.6
    pool = pick(rng, DATA["words" if certain else "codes"])
    cells = [pick(rng, pool) for _ in range(n)]
    return Made(pick(rng, HEADERS), cells, None, certain, f"words of {pool}")


def made_others(rng: np.random.Generator, n: int) -> Made:
    """Ids, prose, constants, nothing, and any signs at all."""
    what = pick(rng, ("ids", "prose", "constant", "nothing", "signs", "months"))
    if what == "ids":
        cells = [f"{pick(rng, ('', 'C-', '00'))}{i:04}" for i in range(n)]
    elif what == "prose":
        cells = [
            " ".join(pick(rng, MONTHS["fr"]) for _ in range(int(rng.integers(3, 60))))
            for _ in range(n)
        ]
    elif what == "constant":
        cells = [pick(rng, ("3", "x", "€ 5,00", "2013-01-01", "1.234", "?"))] * n
    elif what == "nothing":
        cells = [""] * n
    elif what == "months":
        cells = [pick(rng, MONTHS[pick(rng, tuple(MONTHS))]) for _ in range(n)]
    else:
        signs = "0123456789.,-+/:%€$ '’()eEkM\u202f\u2212?#ab"
        cells = [
            "".join(pick(rng, signs) for _ in range(int(rng.integers(0, 9)))) for _ in range(n)
        ]
    return Made(pick(rng, HEADERS), cells, None, what == "prose", what)


def accidents(rng: np.random.Generator, made: Made) -> Made:
    """Cells that say nothing, slips of the finger, and blanks."""
    cells, truth = list(made.cells), None if made.truth is None else list(made.truth)
    n = len(cells)
    if rng.random() < 0.5:
        marks = [pick(rng, NOTHING) for _ in range(int(rng.integers(1, 4)))]
        for i in np.flatnonzero(rng.random(n) < pick(rng, (0.02, 0.1, 0.4))):
            cells[i] = pick(rng, marks)
            if truth is not None:
                truth[i] = None
    if truth is not None and rng.random() < 0.25:
        for i in np.flatnonzero(rng.random(n) < 0.05):
            cells[i] = pick(
                rng, ("1O5", "l2", "12..5", "12,,5", "see above", "5/5/5/5", "<5", "10-20", "5+")
            )
            truth[i] = None
    if rng.random() < 0.3:
        for i in np.flatnonzero(rng.random(n) < 0.15):
            cells[i] = pick(rng, DATA["blanks"]).format(cells[i])
    return Made(made.header, cells, truth, made.certain, made.style)


def make_columns(rng: np.random.Generator, columns: int) -> list[Made]:
    """Columns of one table, all of the same length."""
    n = int(pick(rng, (1, 2, 3, 7, 20, 20, 60, 60, 150, 400)))
    makers = (made_numbers, made_numbers, made_dates, made_dates, made_words, made_others)
    return [accidents(rng, pick(rng, makers)(rng, n)) for _ in range(columns)]


COLUMNS = 10  # of one table


def find_violations(seed: int) -> list[str]:
    """What is against the law in the columns that a seed makes; sentences with the column."""
    made, content, table, schema = _read(seed)
    rows = len(next(iter(made.values())).cells)
    found = _read_without_options(content)
    if table.n != rows:
        return [*found, f"seed {seed}: {rows} rows written, {table.n} read"]
    for name, column in made.items():
        decision = decide(table, schema, name)
        wrong = [*find_account_errors(decision), *find_merged_values(decision)]
        found += [f"seed {seed}, {name!r} ({column.style}, {rows} rows): {what}"
                  for what in (*wrong, *find_untrue(decision, column))]  # fmt: skip
    return found


def find_lost_columns(seed: int) -> tuple[list[str], int]:
    """Columns of numbers or dates, nearly all readable, that are taken for something else; of how many."""
    made, _, _, schema = _read(seed)
    clear = {name: column for name, column in made.items() if _is_clear(column)}
    lost = []
    for name, column in clear.items():
        found = schema.column(name)
        if found.kind not in ("number", "date", "ordered"):
            some = [cell for cell in column.cells if cell][:4]
            lost.append(
                f"seed {seed}, {name!r} ({column.style}) is {found.kind} {found.reason}: {some}"
            )
    return lost, len(clear)


def _is_clear(column: Made) -> bool:
    """At least 20 rows, half of them measures, six different ones, and hardly any cell unreadable."""
    if column.truth is None or len(column.cells) < 20:
        return False
    measures = {cell for cell, true in zip(column.cells, column.truth) if true is not None}
    rows = sum(true is not None for true in column.truth)
    accidents = sum(
        true is None and (cell.strip("\u200b ") not in NOTHING or "inf" in cell)
        for cell, true in zip(column.cells, column.truth)
    )
    return rows >= len(column.cells) / 2 and len(measures) >= 6 and accidents <= rows / 20


@lru_cache(maxsize=1)
def _read(seed: int) -> tuple[dict[str, Made], bytes, Table, Schema]:
    """The columns that a seed makes, their file, and what is read and detected, once for both checks."""
    columns = make_columns(np.random.default_rng(seed), COLUMNS)
    made = {f"{column.header.strip()} {i}": column for i, column in enumerate(columns)}
    content = csv_of({name: column.cells for name, column in made.items()})
    table = read_table(content, name="made.csv", options=CSV_OPTIONS, isolate=False)
    return made, content, table, detect_schema(table)


def _read_without_options(content: bytes) -> list[str]:
    """The same file with nothing said about it: refused in a sentence, or read and accounted for."""
    try:
        table: Table = read_table(content, name="made.csv", isolate=False)
        encoded = apply_schema(table, detect_schema(table))
    except UserError as error:
        return [] if len(str(error)) > 10 else [f"{error!r} is no sentence"]
    report = encoded.report
    rows = report.rows_used + sum(count for _, count in report.left_out)
    return [] if rows == report.rows_in == table.rows_read else [f"{report} does not add up"]


def find_untrue(decision: Decision, made: Made) -> list[str]:
    """Values read that are not true, where nothing was asked."""
    values = decision.values
    if values is None or decision.column.questions:
        return []
    read = is_read(values)
    if made.truth is None:
        return ["plain words are read as a measure"] if made.certain and read.any() else []
    of_dates = any(isinstance(true, np.datetime64) for true in made.truth)
    if of_dates != (values.dtype.kind == "M") and any(true is not None for true in made.truth):
        return (
            ["dates are read as numbers" if of_dates else "numbers are read as dates"]
            if read.any()
            else []
        )
    wrong = [
        f"{cell!r} is read as {value}, true is {true}"
        for cell, value, true, seen in zip(made.cells, values, made.truth, read)
        if seen and not _equal(value, true)
    ]
    return [f"{len(wrong)} cells: {wrong[0]}"] if wrong else []


def _equal(value, true) -> bool:
    if true is None:
        return False
    if isinstance(true, np.datetime64):
        return bool(value.astype("datetime64[s]") == true)
    return bool(np.isclose(value, true, rtol=TOLERANCE, atol=0))


@pytest.mark.parametrize("first", range(0, 30, 10))
def test_no_generated_column_is_read_wrongly_or_lost(first):
    found, lost, clear = [], [], 0
    for seed in range(first, first + 10):
        found += find_violations(seed)
        sentences, columns = find_lost_columns(seed)
        lost, clear = lost + sentences, clear + columns
    assert not found, "\n".join(found)
    assert clear > 15 and len(lost) <= 0.1 * clear, "\n".join(lost)
