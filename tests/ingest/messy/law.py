"""The law of the import: nothing breaks, every row is accounted for, nothing is wrong without a word."""

from functools import lru_cache

import numpy as np

from calm_core.errors import UserError
from calm_core.ingest import Schema, Table, apply_schema, detect_schema, read_table
from tests.ingest.messy.adapter import AS_WRITTEN, Decided, csv_of, decide
from tests.ingest.messy.generator import NOTHING, Made, make_columns
from tests.ingest.messy.judge import CLOSE, is_read, merged_unasked, unaccounted, wrong_codes

COLUMNS = 10  # of one table


def violations(seed: int) -> list[str]:
    """What is against the law in the columns that a seed makes; sentences with the column."""
    made, content, table, schema = _read(seed)
    rows = len(next(iter(made.values())).cells)
    found = _as_found(content)
    if table.n != rows:
        return [*found, f"seed {seed}: {rows} rows written, {table.n} read"]
    for name, column in made.items():
        decided = decide(table, schema, name)
        told = [*unaccounted(decided), *wrong_codes(decided), *merged_unasked(decided)]
        found += [f"seed {seed}, {name!r} ({column.style}, {rows} rows): {what}"
                  for what in (*told, *untrue(decided, column))]  # fmt: skip
    return found


def understood(seed: int) -> tuple[list[str], int]:
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
    table = read_table(content, name="made.csv", options=AS_WRITTEN, isolate=False)
    return made, content, table, detect_schema(table)


def _as_found(content: bytes) -> list[str]:
    """The same file with nothing said about it: refused in a sentence, or read and accounted for."""
    try:
        table: Table = read_table(content, name="made.csv", isolate=False)
        encoded = apply_schema(table, detect_schema(table))
    except UserError as error:
        return [] if len(str(error)) > 10 else [f"{error!r} is no sentence"]
    report = encoded.report
    rows = report.rows_used + sum(count for _, count in report.left_out)
    return [] if rows == report.rows_in == table.rows_read else [f"{report} does not add up"]


def untrue(decided: Decided, made: Made) -> list[str]:
    """Values read that are not true, where nothing was asked."""
    values = decided.values
    if values is None or decided.column.questions:
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
    return bool(np.isclose(value, true, rtol=CLOSE, atol=0))
