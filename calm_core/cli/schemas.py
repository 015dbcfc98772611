"""What is found in the columns of a file, and the schema file that says it for good."""

from calm_core.cli import options
from calm_core.cli.loading import Source, print_notes
from calm_core.io.atomic_files import OUT, check_writable, write_atomically

# How the command line answers what a column asks.
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
    """Say what every column of DATA is and becomes, and what is asked; with --out, write the schema."""
    target = None if out is None else check_writable(out, OUT)
    source = Source(data, columns, d, max_values, schema, read)
    found = source.found_schema(stream)
    print("\n".join(_told(found)))
    if target is not None:
        write_atomically(target, found.to_json().encode("utf-8", "surrogatepass"), what=OUT)
        print_notes(
            [
                f"Schema of {len(found.columns):,} columns, {len(found.kept):,} used, written to {out}."
            ]
        )


def _told(found) -> list[str]:
    """The lines about every column, with the questions that are open and the suggestions."""
    from calm_core.ingest import findings

    lines = []
    for column, seen in zip(found.columns, findings(found)):
        lines.append(f"{' '.join(column.name.split())}: {seen.saw}")
        lines.append(f"  becomes: {f'left out, {seen.why_out}' if seen.why_out else seen.becomes}")
        asked = {question.sentence: question.about for question in column.questions}
        for sentence, about in asked.items():
            lines.append(f"  asked: {sentence} Answer with {ANSWERS[about]}.")
        lines += [f"  note: {sentence}" for sentence in seen.warnings if sentence not in asked]
        lines += [f"  suggested: {made.sentence}" for made in column.proposals]
    return lines
