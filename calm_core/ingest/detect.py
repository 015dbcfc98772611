"""detect_schema: what every column seems to mean, and what will be done with it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from calm_core._checks import check_choice
from calm_core.errors import InputError
from calm_core.ingest.binning import distinct_label, listed, with_taken
from calm_core.ingest.column import OTHER, ColumnSchema, numbers_of
from calm_core.ingest.counting import Counted, count_column, count_texts
from calm_core.ingest.detect_dates import date_column, numbers_as_dates
from calm_core.ingest.detect_numbers import Hints, number_column, plain_number_column
from calm_core.ingest.detect_words import (
    FEW_WHOLE,
    is_number_of_somebody,
    is_postcode,
    scale_order,
    words_column,
    yes_no_column,
    yes_no_named,
)
from calm_core.ingest.schema import Schema
from calm_core.ingest.suggestions import SHOWN, letters_named, listing, rows
from calm_core.ingest.table import ReadOptions, Table
from calm_core.ingest.values.amounts import amounts_of
from calm_core.ingest.values.dates import NUMBERED
from calm_core.ingest.values.markers import MISSING_WORDS, NO_VALUE, is_word
from calm_core.ingest.values.variants import LETTER_PAIRS, letters_of

NOTHING_SAID = NO_VALUE | {"-", "--", "---", "–", "—", "*", "/"}
CHOICES = ("category", "ordered", "number", "date")


def detect_schema(table: Table) -> Schema:
    """What each column means: its kind, values, bins, and whether it is used.

    Examples
    --------
    >>> from calm_core.ingest.table import table_of
    >>> schema = detect_schema(table_of({"sex": ["f", "m", "m"], "ill": ["yes", "no", "no"]}))
    >>> [(c.name, c.kind, c.labels) for c in schema.columns]
    [('sex', 'category', ('m', 'f')), ('ill', 'yes/no', ('no', 'yes'))]
    """
    return schema_of((count_column(table, name) for name in table.names), table.dialect)


def schema_of(columns: Iterable[Counted], dialect: ReadOptions) -> Schema:
    """The same from the values of each column and how often they occur."""
    hints = Hints(dialect.decimal, dialect.date_order)
    found, asked = [], {}
    for counted in columns:
        column = column_of(counted, hints)
        if column.questions or _letters(column) is not None:
            asked[len(found)] = counted
        found.append(column)
    hints = replace(
        hints, usual_decimal=_usual_decimal(found, dialect), usual_order=_usual_order(found),
        letters=_usual_letters(found),
    )  # fmt: skip
    for at, counted in asked.items():
        found[at] = column_of(counted, hints)
    return Schema(tuple(found), tuple(_notes(found)))


def _usual_decimal(columns: Sequence[ColumnSchema], dialect: ReadOptions) -> str:
    """The decimal sign of the columns that leave no doubt; a file with semicolons suggests a comma."""
    sure = [column for column in columns if column.kind == "number" and not column.questions]
    if any(column.decimal == "," for column in sure):
        return ","
    if any(x != round(x) for column in sure for x in column.sketch):
        return "."
    return "," if dialect.separator == ";" else ""


def _usual_order(columns: Sequence[ColumnSchema]) -> str:
    sure = [c for c in columns if {*NUMBERED} & {*c.date_forms} and not c.questions]
    return sure[0].date_order if len({c.date_order for c in sure}) == 1 else ""


def _letters(column: ColumnSchema) -> tuple[str, str] | None:
    """The two letters that may be no and yes, and may be anything else."""
    if column.kind != "category" or column.n_values > FEW_WHOLE:
        return None
    return letters_of([text for text in column.values if text.casefold() not in MISSING_WORDS])


def _usual_letters(columns: Sequence[ColumnSchema]) -> frozenset[tuple[str, str]]:
    """Pairs of letters whose words other columns hold."""
    answers = (column.values for column in columns if column.kind == "yes/no")
    words = {text.casefold() for values in answers for text in values}
    return frozenset(pair for pair, known in LETTER_PAIRS.items() if known & words)


def column_of(found: Counted, hints: Hints) -> ColumnSchema:
    """Judge a column by its distinct values and their counts."""
    column = _judged(found, hints)
    if not found.beyond:
        return column
    # Too many different texts to be kept: those beyond are in no list.
    if column.other is None:
        labels = (*column.labels, distinct_label(OTHER, column.labels))
        column = column.relabelled(labels, other=len(labels) - 1)
    return replace(column, other_count=column.other_count + found.beyond)


def _judged(found: Counted, hints: Hints) -> ColumnSchema:
    if found.numbers is not None:
        return plain_number_column(found)
    texts = found.texts
    if len(texts) <= 1 and not (len(texts) and found.missing):
        reason = f"every row holds {texts[0].as_py()!r:.40}" if len(texts) else "every row is empty"
        base = replace(found.base("constant"), keep=False, reason=reason)
        return listed(base, texts, found.counts, by_number=None)
    if (
        len(texts)
        and is_word(texts.slice(0, 1), NOTHING_SAID)[0]
        and is_word(texts, NOTHING_SAID).all()
    ):
        reason = f"no value in any row, only {listing(tuple(texts.to_pylist()))}"
        base = replace(found.base("constant"), keep=False, reason=reason)
        base = with_taken(base, texts.to_pylist(), found.counts.tolist())
        return listed(base, texts.slice(0, 0), found.counts[:0], by_number=None)
    column = yes_no_column(found, hints.letters)
    if column is not None and not _zero_one(column):
        return column
    if is_postcode(found) or is_number_of_somebody(found):
        return words_column(found)
    column = number_column(found, hints)
    if column is not None:
        return numbers_as_dates(found, hints) or yes_no_named(column)
    return date_column(found, hints) or words_column(found)


def _zero_one(column: ColumnSchema) -> bool:
    """Whether 0 and 1 stand beside texts that can be no number: then those are empty cells."""
    return set(column.values) > {"0", "1"} or set(column.values) > {"0.0", "1.0"}


def detect_as(table: Table, name: str, kind: str) -> ColumnSchema:
    """One column read as the kind a user says it is, and kept; what does not fit keeps its own value.

    Examples
    --------
    >>> from calm_core.ingest.table import table_of
    >>> table = table_of({"age": [*(str(a) for a in range(40)), "old", "very old"]})
    >>> detect_as(table, "age", "number").labels[0], detect_as(table, "age", "ordered").size
    ('up to 7', 42)
    >>> detect_as(table, "age", "number").proposals[0].sentence
    "Treat these 2 cells that are no number as missing: 'old', 'very old'."
    """
    check_choice("kind", kind, CHOICES)
    found = count_texts(name, table.texts(name))
    base = found.base(kind)
    if not len(found.texts) or kind == "category":
        return listed(base, found.texts, found.counts, by_number=None)
    hints = Hints(table.dialect.decimal, table.dialect.date_order)
    if kind == "ordered":
        return listed(base, found.texts, found.counts, by_number=_in_order(found, hints))
    column = (number_column if kind == "number" else date_column)(found, hints, forced=True)
    if column is None:
        raise InputError(
            f"column {name!r:.80} cannot be read as a {kind}, with cells such as "
            f"{listing(tuple(found.most_frequent(SHOWN).texts.to_pylist()))}; choose another kind"
        )
    return column


def _in_order(found: Counted, hints: Hints) -> np.ndarray | None:
    """Keys by which texts are ordered: a scale of words, numbers, or dates."""
    scale = (
        scale_order(found.texts, found.name)
        if len(found.texts) <= FEW_WHOLE + len(MISSING_WORDS)
        else None
    )
    if scale is not None:
        return scale
    dates = date_column(found, hints)
    if dates is not None:
        return numbers_of(found.texts, dates)
    return amounts_of(found.texts).numbers


def _notes(columns: list[ColumnSchema]) -> list[str]:
    """What was decided and what is asked, in sentences."""
    notes = []
    cut = [column for column in columns if column.keep and column.binning == "quantiles"]
    if cut:
        names = ", ".join(f"{c.name:.40}" for c in cut[:8]) + ", ..." * (len(cut) > 8)
        notes.append(
            f"Numbers were cut at quantiles of this data ({names}): fit for a demonstration; "
            "a real collector must fix the edges beforehand."
        )
    notes += [question.sentence for c in columns if c.keep for question in c.questions]
    notes += [
        f"{sentence} So other columns suggest." for c in columns if c.keep and (sentence := letters_named(c))
    ]  # fmt: skip
    taken = [
        f"{listing(c.missing_texts)} in column {c.name!r:.60} ({rows(sum(c.missing_counts))})"
        for c in columns
        if c.keep and c.missing_texts
    ]
    if taken:
        notes.append(f"Taken as empty cells, since they can be no number or date: {_some(taken)}.")
    words = [
        f"{text!r} in column {c.name!r:.60} ({rows(count)})"
        for c in columns
        if c.keep
        for text, count in zip(c.values, c.counts)
        if text.casefold() in MISSING_WORDS
    ]
    if words:
        notes.append(
            f"Counted as values, though they may mean missing: {_some(words)}; mark them as empty "
            "cells if they do."
        )
    return notes


def _some(parts: list[str], most: int = 8) -> str:
    return ", ".join(parts[:most]) + (
        f" and {len(parts) - most:,} more" if len(parts) > most else ""
    )
