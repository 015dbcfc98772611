"""Load the data of the command line, with notes about them on stderr; the command `schema`.

What reads files is slow to import and not every command reads one, so methods import it.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any

from calm_core.cli import options
from calm_core.cli.options import parse_names
from calm_core.cli.output import print_json, print_notes, print_report
from calm_core.errors import InputError
from calm_core.io.atomic_files import OUT, check_writable, write_atomically
from calm_core.tables.dataset import Dataset, People, Population
from calm_core.tables.domain import Domain


def _simulation(
    epsilon: options.Epsilon = 1.0,
    k: options.QuerySize = 3,
    d: options.FirstColumns = None,
    columns: options.Columns = None,
    max_values: options.MaxValues = None,
    theta: options.Theta = 1e-3,
    method: options.MethodName = "calm",
    n: options.Rows = None,
    population: options.AsPopulation = False,
    seed: options.Seed = 1,
    schema: options.SchemaFile = None,
    read: options.Read = None,
) -> None:
    """The options of a collection that is simulated from data."""


def take_simulation(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of a simulated collection too, whose values it finds in its context."""
    own = inspect.signature(command).parameters
    shared = inspect.signature(_simulation).parameters

    @wraps(command)
    def called(**values) -> None:
        command(**{name: values[name] for name in own})

    # Python wants those without a default first.
    every = sorted((*own.values(), *shared.values()), key=lambda one: one.default is not one.empty)
    vars(called)["__signature__"] = inspect.Signature(every)
    called.__annotations__ = command.__annotations__ | _simulation.__annotations__
    return called


@dataclass(frozen=True)
class Source:
    """The data as the command line describes them.

    Attributes
    ----------
    data : Path
        A file, or the name of a public data set.
    columns : str or None
        Columns to use, separated by commas.
    d : int or None
        Number of columns to use, see `propose_columns`.
    max_values : int or None
        Maximum number of values of a column.
    schema : Path or None
        A saved schema.
    read : sequence of str or None
        How to read the file, as name=value.
    """

    data: Path
    columns: str | None = None
    d: int | None = None
    max_values: int | None = None
    schema: Path | None = None
    read: Sequence[str] | None = None

    @classmethod
    def from_options(cls, data: Path, options: Mapping[str, Any]) -> "Source":
        """The data, read as the options of the command line say."""
        return cls(data, *(options[field.name] for field in fields(cls)[1:]))

    def people(self, population: bool, n: int | None) -> People:
        """The data set, or a population from which n people are drawn."""
        dataset = self.load()
        return Population(dataset, dataset.n if n is None else n) if population else dataset

    def load(self) -> Dataset:
        """The data set."""
        from calm_core.ingest.encode import load_dataset
        from calm_core.ingest.public_data import find_data

        encoded = load_dataset(
            find_data(self.data), columns=parse_names(self.columns), d=self.d, max_values=self.max_values,
            schema=self._saved_schema(), options=self.read_options(),
        )  # fmt: skip
        print_report(encoded.report)
        return encoded.dataset

    def read_options(self):
        """How to read the file."""
        from calm_core.ingest.table import ReadOptions

        return ReadOptions.from_words(self.read or ())

    def _saved_schema(self):
        from calm_core.ingest.schema import Schema

        return None if self.schema is None else Schema.load(self.schema)

    def _choose(self, schema):
        """The schema with the chosen columns."""
        from calm_core.ingest.encode import choose_schema

        return choose_schema(schema, parse_names(self.columns), self.d, self.max_values)

    def stream_schema(self):
        """The saved schema, or one detected in a first pass over a file larger than memory."""
        from calm_core.ingest.streaming import stream_schema

        detected = self._saved_schema() or stream_schema(self.data, options=self.read_options())
        schema = self._choose(detected)
        print_notes((*schema.notes, *schema.left_out))
        return schema

    def found_schema(self, stream: bool, clean: bool = False):
        """The schema detected from the data, or the saved one, with the chosen columns, and lines about its cleaning."""
        from calm_core.ingest.cleaning import clean_table
        from calm_core.ingest.detect import detect_schema
        from calm_core.ingest.public_data import find_data
        from calm_core.ingest.reading import read_table
        from calm_core.ingest.streaming import stream_schema

        data, options = find_data(self.data), self.read_options()
        lines = []
        if (schema := self._saved_schema()) is None:
            if stream:
                schema = stream_schema(data, options=options, clean=clean)
            else:
                table = read_table(data, options=options)
                schema = (clean_table if clean else detect_schema)(table)
                lines = _describe_cleaning(table, schema) if clean else []
        unchanged = (self.columns, self.d, self.max_values) == (None, None, None)
        return schema if unchanged else self._choose(schema), lines

    def domain(self) -> Domain:
        """The attributes of the saved schema, or else of the data."""
        saved = self._saved_schema()
        return self.load().domain if saved is None else self._choose(saved).domain

    def parts(self, planned: Domain, *, quiet: bool = False) -> Iterator[Dataset]:
        """Yield the data in parts, so that it need not fit into memory if its format allows that.

        Parameters
        ----------
        planned : Domain
            The attributes to use, which the data must have with the same values.
        quiet : bool
            Do not print the notes.
        """
        from calm_core.ingest.encode import choose_schema, load_dataset
        from calm_core.ingest.public_data import find_data
        from calm_core.ingest.streaming import can_stream, stream_batches, stream_schema

        data, options, saved = find_data(self.data), self.read_options(), self._saved_schema()
        if can_stream(data, options):
            schema = choose_schema(
                saved or stream_schema(data, options=options), planned.names, None, self.max_values
            )
            chunks = stream_batches(data, schema, options=options)
        else:
            chunks = iter([load_dataset(
                data, columns=planned.names, max_values=self.max_values, schema=saved,
                options=options,
            )])  # fmt: skip
        report = None
        for chunk in chunks:
            planned.check_same(chunk.dataset.domain)
            report = chunk.report if report is None else report + chunk.report
            yield chunk.dataset
        if report is not None and not quiet:
            print_report(report)


# The options that answer an open question about a column.
ANSWERS = {
    "decimal": "--read decimal=. or --read decimal=,",
    "date order": "--read date_order=dmy, =mdy or =ymd",
}


def schema(
    data: options.Data,
    columns: options.Columns = None,
    d: options.FirstColumns = None,
    max_values: options.MaxValues = None,
    schema: options.SchemaFile = None,
    stream: options.Stream = False,
    read: options.Read = None,
    clean: options.Clean = False,
    out: options.SchemaOut = None,
    json: options.AsJson = False,
) -> None:
    """Describe every column of DATA, what it becomes, and open questions; with --out, write the schema."""
    if clean and schema is not None:
        raise InputError(
            "clean must be left out with a saved schema, which says how to read the data"
        )
    target = None if out is None else check_writable(out, OUT)
    source = Source(data, columns, d, max_values, schema, read)
    result, cleaned = source.found_schema(stream, clean)
    if json:
        print_json({"cleaning": cleaned, "columns": _columns(result)})
    else:
        print("\n".join([*cleaned, *_describe(result)]))
    if target is not None:
        write_atomically(target, result.to_json().encode("utf-8", "surrogatepass"), what=OUT)
        print_notes(
            [
                f"Schema of {len(result.columns):,} columns, {len(result.used_columns):,} used, written to {out}."
            ]
        )


def _describe_cleaning(table, schema) -> list[str]:
    """The lines about what was cleaned, and what is asked."""
    from calm_core.ingest.cleaning import detect_prepared
    from calm_core.ingest.cleaning_changes import list_changes, list_questions
    from calm_core.ingest.steps import prepare_table

    detected = detect_prepared(prepare_table(table, schema.steps), schema.steps)
    lines = [f"cleaned: {change}" for change in list_changes(schema, detected).values()]
    return lines + [
        f"asked: {question.sentence} Read by: {question.choices[question.taken]}."
        for question in list_questions(table, schema)
    ]


def _columns(schema) -> list[dict]:
    """What was found about every column, with open questions and suggestions."""
    from calm_core.ingest.findings import describe_columns

    return [
        {
            "name": column.name,
            "saw": found.saw,
            "becomes": f"left out, {found.why_out}" if found.why_out else found.becomes,
            "used": column.keep,
            "asked": [f"{q.sentence} Answer with {ANSWERS[q.about]}." for q in column.questions],
            "note": [*found.warnings],
            "suggested": [proposal.sentence for proposal in column.proposals],
        }
        for column, found in zip(schema.columns, describe_columns(schema))
    ]


def _describe(schema) -> list[str]:
    """The lines about every column."""
    lines = []
    for column in _columns(schema):
        lines.append(f"{' '.join(column['name'].split())}: {column['saw']}")
        lines.append(f"  becomes: {column['becomes']}")
        for kind in ("asked", "note", "suggested"):
            lines += [f"  {kind}: {sentence}" for sentence in column[kind]]
    return lines
