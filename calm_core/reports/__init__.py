"""Exports of a result: an HTML report that opens offline, safe CSV, and a notebook that repeats the run."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import nbformat
import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined, Template, select_autoescape
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from calm_core.evaluation.run import Run
from calm_core.io.csv_export import safe_csv
from calm_core.settings import Settings
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


def notebook(settings: Settings, outcome: Run) -> str:
    """A notebook (JSON text) that repeats the run of some settings with calm_core and checks its result.

    It opens the file of an upload by its name, and an edited schema as schema.json.
    """
    text = _template("notebook.j2").render(
        settings=settings,
        expected_sse=float(outcome.scores["sse"].mean()),
        arguments=_arguments,
    )
    cells = []
    for number, part in enumerate(re.split("^# %% ", text, flags=re.MULTILINE)[1:]):
        kind, source = part.strip().split("\n", 1)
        make = new_markdown_cell if kind == "markdown" else new_code_cell
        # Random ids would make the file different every time.
        cells.append(make(source, id=f"cell-{number}"))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return nbformat.writes(new_notebook(cells=cells, metadata={"kernelspec": kernel}))


def _arguments(first: str, **settings: object) -> str:
    """The arguments of a call: the first one, and those by name that are given."""
    named = (f"{name}={value!r}" for name, value in settings.items() if value is not None)
    return ", ".join([repr(first), *named])


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
    from calm_core.figures.theme import figure_html, plotly_script

    return _template("report.html.j2").render(
        title=title,
        settings=settings,
        sections=sections,
        summary=summary,
        command=command,
        plotly_script=plotly_script,
        figure_html=figure_html,
        cell_text=_format,
        versions=version_line(),
    )


def one_page_report(page: Mapping[str, Any]) -> str:
    """An HTML page without scripts that prints on one sheet of A4 or Letter; all tables have one scale.

    Parameters
    ----------
    page : mapping
        The words by their names in the template. `sentence` is what can be read, said with emphasis, and what cannot;
        `key` has the words for the marks "true", "bar" and "interval"; `blocks` have a title, a text and named values.
        `tables` have a `title`, `why` they are shown, their `rows`, the `rest` that is not shown, and how many people
        are in the `wrong` cell. `answer` is None, or has a `title`, the `question`, a `text` and the `row` that draws
        it, which may be None. A row has a `name`, the `group` above it, if one begins, the `text` of its share, itself
        in words (`alt`), and its `share`, `true` share and the `low` and `high` end of the interval, which may be None.
        All others are texts.

    Raises
    ------
    jinja2.UndefinedError
        If a word is missing.
    """
    rows = [row for table in page["tables"] for row in table["rows"]]
    top = max(max(row["share"], row["true"], row["high"] or 0) for row in rows) or 1
    return _template("one_page.html.j2").render(page=page, top=top, versions=version_line())


def _template(name: str) -> Template:
    templates = Environment(
        loader=PackageLoader("calm_core.reports"),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template(name)


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
