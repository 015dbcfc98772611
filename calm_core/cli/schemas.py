"""The command `schema`: what the columns of a file contain, and the schema file."""

from calm_core.cli import options
from calm_core.cli.loading import Source
from calm_core.cli.output import print_notes
from calm_core.io.atomic_files import OUT, check_writable, write_atomically

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
    out: options.SchemaOut = None,
) -> None:
    """Describe every column of DATA, what it becomes, and open questions; with --out, write the schema."""
    target = None if out is None else check_writable(out, OUT)
    source = Source(data, columns, d, max_values, schema, read)
    found = source.found_schema(stream)
    print("\n".join(_describe(found)))
    if target is not None:
        write_atomically(target, found.to_json().encode("utf-8", "surrogatepass"), what=OUT)
        print_notes(
            [
                f"Schema of {len(found.columns):,} columns, {len(found.used_columns):,} used, written to {out}."
            ]
        )


def _describe(found) -> list[str]:
    """The lines about every column, with open questions and suggestions."""
    from calm_core.ingest import describe_columns

    lines = []
    for column, seen in zip(found.columns, describe_columns(found)):
        lines.append(f"{' '.join(column.name.split())}: {seen.saw}")
        lines.append(f"  becomes: {f'left out, {seen.why_out}' if seen.why_out else seen.becomes}")
        asked = {question.sentence: question.about for question in column.questions}
        for sentence, about in asked.items():
            lines.append(f"  asked: {sentence} Answer with {ANSWERS[about]}.")
        lines += [f"  note: {sentence}" for sentence in seen.warnings if sentence not in asked]
        lines += [f"  suggested: {made.sentence}" for made in column.proposals]
    return lines
