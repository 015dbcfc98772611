"""What leaves the app: a report that opens offline, harmless CSV and a notebook that reruns it.

The command line that does the same comes from `Settings.to_command`.
"""

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

import pandas as pd

from calm_core.ingest.export import safe_csv


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
        Plotly figures, each with the sentence that tells what it shows.
    table : DataFrame, optional
        Shown below the figures.
    """

    title: str
    text: str = ""
    figures: tuple = field(default_factory=tuple)
    table: pd.DataFrame | None = None


def csv_text(table: pd.DataFrame) -> str:
    """The table as CSV with full precision; texts that look like formulas are made harmless.

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
    schema: str | None = None,
    read: Sequence[str] = (),
    title: str = "A CALM Lab result, rerun",
) -> str:
    """A notebook (JSON text) that repeats the exact run with calm_core and checks the result.

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
    schema : str, optional
        Path of a saved schema, where columns were edited.
    read : sequence of str
        How the file is read where that is not found out, as words of `ReadOptions`.
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
    cells = [
        _text(f"# {title}\nNeeds the `calm_core` package; nothing is downloaded."),
        _code(f"import calm_core as cc\n{source}\ndataset = encoded.dataset\ndataset.n, dataset.domain.names"),
        _text("One seed decides rows, queries, groups and noise, so this is the very run of the app."),
        _code(
            f"method = cc.make_method({_arguments(method, method_settings)})\n"
            f"outcome = cc.run(dataset, method, {_keywords(run_settings)})\n"
            "outcome.scores.describe()"
        ),
        _text("Any marginal can be asked for; `scores` lists those that were."),
        _code(
            "query = outcome.queries[0]\n"
            "print(query)\nprint(dataset.marginal(query).values.round(4))\n"
            "print(outcome.answer.marginal(query).values.round(4))"
        ),
        _code(
            f"expected = {expected_sse!r}\nmeasured = float(outcome.scores.sse.mean())\n"
            "assert abs(measured - expected) <= 1e-9 * max(1, expected), (measured, expected)\nmeasured"
        ),
    ]  # fmt: skip
    for i, cell in enumerate(cells):
        cell["id"] = f"cell-{i}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps(
        {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5},
        indent=1,
    )


def _keywords(settings: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in settings.items() if value is not None)


def _arguments(first: str, settings: Mapping[str, object]) -> str:
    rest = _keywords(settings)
    return f"{first!r}, {rest}" if rest else repr(first)


def _text(source: str) -> dict:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str) -> dict:
    return {
        "cell_type": "code",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def html_report(
    title: str,
    settings: Mapping[str, object],
    sections: Sequence[Section],
    *,
    summary: str,
    command: str = "",
) -> str:
    """A page that opens without a connection: interactive figures, settings and text to paste.

    Everything that came from a file is escaped; plotly.js stands in the page itself.
    """
    from calm_core.figures.html import plotly_script

    rows = "".join(
        f"<tr><th scope='row'>{_safe(name)}</th><td>{_safe(value)}</td></tr>"
        for name, value in settings.items()
    )
    parts = [_section_html(section, i) for i, section in enumerate(sections)]
    again = f"<h2>Run it again</h2><pre tabindex='0'>{_safe(command)}</pre>" if command else ""
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{_safe(title)}</title><style>{_STYLE}</style>"
        f"<script>{plotly_script()}</script></head><body><main>"
        f"<h1>{_safe(title)}</h1>"
        "<p class='note'>The true values are shown because this is a simulation; "
        "a real collector never has them.</p>"
        f"<h2>In words</h2><blockquote>{_paragraphs(summary)}</blockquote>"
        f"<h2>Settings</h2><table>{rows}</table>"
        f"{''.join(parts)}{again}"
        f"<footer>{_safe(versions())}</footer></main></body></html>\n"
    )


def _safe(value: object) -> str:
    return html.escape(str(value))


def _paragraphs(text: str) -> str:
    blocks = [block.strip() for block in text.split("\n\n") if block.strip()]
    return "".join(f"<p>{_safe(block)}</p>" for block in blocks)


def _section_html(section: Section, index: int) -> str:
    from calm_core.figures.html import figure_html

    figures = "".join(
        f"<figure>{figure_html(figure, f'figure-{index}-{j}')}"
        f"<figcaption>{_safe(caption)}</figcaption></figure>"
        for j, (figure, caption) in enumerate(section.figures)
    )
    table = "" if section.table is None else _table_html(section.table)
    return f"<h2>{_safe(section.title)}</h2>{_paragraphs(section.text)}{figures}{table}"


def _table_html(table: pd.DataFrame) -> str:
    head = "".join(f"<th scope='col'>{_safe(name)}</th>" for name in table.columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_safe(_shown(value))}</td>" for value in row) + "</tr>"
        for row in table.itertuples(index=False)
    )
    return (
        "<div class='wide' tabindex='0' role='region' aria-label='table'>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _shown(value: object) -> object:
    if isinstance(value, tuple | list):
        return " × ".join(str(part) for part in value)
    return f"{value:.4g}" if isinstance(value, float) else value


def versions(packages: Iterable[str] = ("calm-lab", "numpy", "scipy", "plotly")) -> str:
    """The versions a result was made with, in one line."""
    found = []
    for package in packages:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            from calm_core import __version__

            found.append(f"{package} {__version__}")
    return "Made with " + ", ".join(found) + "."


_STYLE = """
:root { color-scheme: light; font: 16px/1.55 system-ui, sans-serif; color: #1b2430; background: #fff }
main { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.8rem; line-height: 1.2 } h2 { margin-top: 2.2rem; font-size: 1.25rem }
.note { color: #4a5564 } footer { margin-top: 3rem; color: #4a5564; font-size: .9rem }
blockquote { margin: 0; padding: .4rem 1.2rem; border-left: 4px solid #0072B2; background: #f2f6fa }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid #dde3ea }
.wide { overflow-x: auto; max-height: 32rem; overflow-y: auto }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f2f6fa; padding: 1rem }
figure { margin: 1rem 0 } figcaption { color: #4a5564; font-size: .95rem }
@media print { .wide { max-height: none } }
"""
