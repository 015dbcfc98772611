"""Exports of a result: an HTML report that opens offline, safe CSV, and a notebook that repeats the run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version

import nbformat
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from calm_core.io.csv_export import safe_csv
from calm_core.version import __version__


@dataclass(frozen=True, eq=False)
class Section:
    """One part of a report.

    Attributes
    ----------
    title : str
        Heading.
    text : str
        Plain sentences; blank lines separate paragraphs.
    figures : tuple of (Figure, str)
        Plotly figures, each with a caption.
    table : DataFrame, optional
        Shown below the figures.

    """

    title: str
    text: str = ""
    figures: tuple = ()
    table: pd.DataFrame | None = None


def csv_text(table: pd.DataFrame) -> str:
    """The table as CSV with full precision; texts that look like formulas are escaped.

    Examples
    --------
    >>> csv_text(pd.DataFrame({"attributes": [("sex", "age")], "sse": [0.25]}))
    'attributes,sse\\nsex x age,0.25\\n'
    """
    return safe_csv(table).decode("utf-8")


def notebook(
    data: str,
    *,
    method: str,
    method_settings: Mapping[str, object],
    load_settings: Mapping[str, object],
    run_settings: Mapping[str, object],
    expected_sse: float,
    population: int | None = None,
    schema: str | None = None,
    read: Sequence[str] = (),
) -> str:
    """A notebook (JSON text) that repeats the run with calm_core and checks its result.

    Parameters
    ----------
    data : str
        Path of the file, or `sample:NAME` for a sample that comes with the project.
    method, method_settings
        Key in `METHODS` and its settings.
    load_settings : mapping
        Arguments of `load_dataset`: columns, d, max_values.
    run_settings : mapping
        Arguments of `run`: seed, n, queries.
    expected_sse : float
        Mean SSE the app showed; the last cell asserts it.
    population : int, optional
        Number of people drawn from the table as a `Population`.
    schema : str, optional
        Path of a saved schema, if columns were edited.
    read : sequence of str
        How to read the file, as words of `ReadOptions`.
    """
    source = (
        f"from calm_core.ingest.samples import load_sample\n"
        f"encoded = load_sample({_arguments(data.removeprefix('sample:'), load_settings)})"
        if data.startswith("sample:")
        else f"from calm_core.ingest import load_dataset\n"
        f"encoded = load_dataset({_arguments(data, load_settings)})"
    )
    if schema is not None:
        opened = f"Schema.from_json(open({schema!r}, encoding='utf-8').read())"
        source = "from calm_core.ingest import Schema\n" + source[:-1] + f", schema={opened})"
    if read:
        source = "from calm_core.ingest import ReadOptions\n" + source[:-1]
        source += f", options=ReadOptions.from_words({list(read)!r}))"
    people = "encoded.dataset"
    if population is not None:
        source = f"from calm_core.tables.dataset import Population\n{source}"
        people = f"Population({people}, {population})"
    cells = [
        new_markdown_cell(
            "# A CALM Lab result, rerun\nNeeds the `calm_core` package; nothing is downloaded."
        ),
        new_code_cell(
            f"import calm_core as cc\n{source}\ndataset = {people}\ndataset.n, dataset.domain.names"
        ),
        new_markdown_cell(
            "One seed decides rows, queries, groups and noise, so this is the very run of the app."
        ),
        new_code_cell(
            f"method = cc.make_method({_arguments(method, method_settings)})\n"
            f"outcome = cc.run(dataset, method, {_keywords(run_settings)})\n"
            "outcome.scores.describe()"
        ),
        new_markdown_cell("Any marginal can be asked for; `scores` lists those that were."),
        new_code_cell(
            "query = outcome.queries[0]\n"
            "print(query)\nprint(dataset.marginal(query).values.round(4))\n"
            "print(outcome.answer.marginal(query).values.round(4))"
        ),
        new_code_cell(
            f"expected = {expected_sse!r}\nmeasured = float(outcome.scores.sse.mean())\n"
            "assert abs(measured - expected) <= 1e-9 * max(1, expected), (measured, expected)\nmeasured"
        ),
    ]
    for i, cell in enumerate(cells):
        # Random ids would make the file different every time.
        cell["id"] = f"cell-{i}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return nbformat.writes(new_notebook(cells=cells, metadata={"kernelspec": kernel}))


def _keywords(settings: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in settings.items() if value is not None)


def _arguments(first: str, settings: Mapping[str, object]) -> str:
    rest = _keywords(settings)
    return f"{first!r}, {rest}" if rest else repr(first)


def html_report(
    title: str,
    settings: Mapping[str, object],
    sections: Sequence[Section],
    *,
    summary: str,
    command: str = "",
) -> str:
    """An HTML page that works offline: interactive figures, settings, and text to paste.

    Everything that came from a file is escaped; the page contains plotly.js.
    """
    from calm_core.figures.theme import plotly_script

    return _template("report.html.j2").render(
        title=title,
        settings=settings,
        sections=[_render_section(section, i) for i, section in enumerate(sections)],
        summary=summary,
        command=command,
        plotly=Markup(plotly_script()),
        versions=version_line(),
    )


@dataclass(frozen=True)
class Row:
    """One cell of a table on paper; shares are fractions.

    Attributes
    ----------
    name, group : str
        The cell, and the heading above it, if a group begins with it.
    text, alt : str
        The reconstructed share, and the row in words.
    share, true : float
        Reconstructed and true.
    low, high : float, optional
        Ends of the interval.
    zero : float
        Where the bar begins.
    """

    name: str
    text: str
    alt: str
    share: float
    true: float
    low: float | None = None
    high: float | None = None
    group: str = ""
    zero: float = 0.0

    def scale(self, high: float, low: float = 0.0) -> "Row":
        """The row with its shares in percent of the way from `low` to `high`, as the picture has them."""
        values = {name: getattr(self, name) for name in ("share", "true", "low", "high", "zero")}
        span = (high - low) or 1.0
        places = {
            n: None if x is None else round(100 * (x - low) / span, 2) for n, x in values.items()
        }
        return replace(self, **places)


@dataclass(frozen=True)
class PaperTable:
    """A table on paper: its title, why it is shown, its rows, what is not shown, and its error."""

    title: str
    why: str
    rows: tuple[Row, ...]
    wrong: str
    rest: str = ""


@dataclass(frozen=True)
class PaperAnswer:
    """One question on paper: its title, the question, what is answered, and the row that draws it, if it was."""

    title: str
    question: str
    text: str
    row: Row | None = None


def one_page_report(
    texts: Mapping[str, object], tables: Sequence[PaperTable], answer: PaperAnswer | None = None
) -> str:
    """An HTML page without scripts that prints on one sheet of A4 or Letter; all tables have one scale.

    Parameters
    ----------
    texts : mapping
        The words by their names in the template. `sentence` is what can be read, said with emphasis, and what cannot;
        `key` has the words for the marks "true", "bar" and "interval"; `blocks` have a title, a text and named values.
        All others are texts.
    tables : sequence of PaperTable
    answer : PaperAnswer, optional

    Raises
    ------
    jinja2.UndefinedError
        If a word is missing.
    """
    rows = [row for table in tables for row in table.rows]
    top = max(max(row.share, row.true, row.high or 0) for row in rows) or 1
    scaled = [replace(table, rows=tuple(row.scale(top) for row in table.rows)) for table in tables]
    return _template("one_page.html.j2").render(
        page={**texts, "tables": scaled, "answer": _scale_answer(answer)}, versions=version_line()
    )


def _scale_answer(answer: PaperAnswer | None) -> PaperAnswer | None:
    """The answer with its row on a scale of its own, which holds 0."""
    if answer is None or answer.row is None:
        return answer
    row = answer.row
    values = [0.0, row.share, row.true, *(end for end in (row.low, row.high) if end is not None)]
    return replace(answer, row=row.scale(max(values), min(values)))


def _template(name: str) -> Template:
    templates = Environment(
        loader=PackageLoader("calm_core.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template(name)


def _render_section(section: Section, index: int) -> dict[str, object]:
    """A section as the template takes it: figures as HTML, cells of the table as texts."""
    from calm_core.figures.theme import figure_html

    table = section.table
    return {
        "title": section.title,
        "text": section.text,
        "pictures": [
            (Markup(figure_html(figure, f"figure-{index}-{j}")), caption)
            for j, (figure, caption) in enumerate(section.figures)
        ],
        "table": None if table is None else {
            "names": list(table.columns),
            "rows": [[_format(value) for value in row] for row in table.itertuples(index=False)],
        },
    }  # fmt: skip


def _format(value: object) -> object:
    if isinstance(value, tuple | list):
        return " × ".join(str(part) for part in value)
    return f"{value:.4g}" if isinstance(value, float) else value


def version_line(packages: Iterable[str] = ("calm-lab", "numpy", "scipy", "plotly")) -> str:
    """The versions of the packages that made a result, in one line."""
    versions = []
    for package in packages:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"{package} {__version__}")
    return "Made with " + ", ".join(versions) + "."
