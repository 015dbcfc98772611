"""Reproduce a figure of the papers: tidy CSV, summary, interactive page, and a text with the settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from calm_core._checks import check_choice
from calm_core.errors import InputError
from calm_core.evaluation.metrics import describe_failures
from calm_core.experiments.figure import Figure, Settings
from calm_core.experiments.figures_calm import CALM_FIGURES
from calm_core.experiments.figures_priview import PRIVIEW_FIGURES
from calm_core.experiments.spec import ChunkDone, compare
from calm_core.io.atomic_files import OUT, output_folder, write_atomically, write_lock
from calm_core.reports import Section, csv_text, html_report, version_line

FIGURES: dict[str, Figure] = CALM_FIGURES | PRIVIEW_FIGURES


@dataclass(frozen=True)
class Reproduced:
    """The files of one reproduction, and its table."""

    table: pd.DataFrame
    csv: Path
    html: Path
    text: Path


def reproduce(
    figure: str,
    settings: Settings,
    folder: str | Path,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    command: str = "",
    notify: Callable[[ChunkDone], None] | None = None,
) -> Reproduced:
    """Reproduce a figure and write `<figure>.csv`, `-summary.csv`, `.html` and `.txt` into a folder.

    Parameters
    ----------
    figure : str
        One of `FIGURES`.
    settings : Settings
        Data and grids; empty ones are as in the papers. Settings without effect are refused.
    folder : path
        Where the files go; created if needed. An interrupted run continues from there.
    jobs, scheduler, notify
        As in `compare`.
    command : str
        The command line that does the same, for the page.
    """
    check_choice("figure", figure, FIGURES)
    kind = FIGURES[figure]
    if kind.needs_data and settings.data is None:
        raise InputError(f"figure ({figure}) needs data; name a file or a public data set")
    kind.check(settings)
    with output_folder(folder, OUT) as folder, write_lock(folder / f"{figure}.html", OUT):
        csv = folder / f"{figure}.csv"
        table = _table(kind, settings, csv, jobs=jobs, scheduler=scheduler, notify=notify)
        return _write(figure, settings, table, csv, command)


def _table(kind: Figure, settings: Settings, csv: Path, **work) -> pd.DataFrame:
    """The figure's table, also written to its file; an interrupted run is resumed."""
    if kind.specs:
        # Read back, so that figures show what is in the file.
        table = compare(kind.specs(settings), out=csv, **work)
        table = table.assign(data=table["data"].fillna("").astype(str))
        if kind.complete:
            table = kind.complete(table, settings)
            write_atomically(csv, csv_text(table), what=OUT)
        return table
    table = kind.table(settings)
    write_atomically(csv, csv_text(table), what=OUT)
    return table


def _write(figure: str, settings: Settings, table: pd.DataFrame, csv: Path, command: str):
    """Write everything that is made from the table, into the folder of its file."""
    kind, folder = FIGURES[figure], csv.parent
    figures, summary = kind.draw(table, settings)
    described = _describe(figure, settings, table)
    if summary is not None:
        write_atomically(folder / f"{figure}-summary.csv", csv_text(summary), what=OUT)
    sections = [Section("Figure", figures=tuple(figures), table=summary)]
    words = f"{kind.title}. {len(table):,} rows."
    if "reason" in table and table["reason"].notna().any():
        words += " Some repetitions failed, see the settings: means are of what was answered."
    page = html_report(kind.title, described, sections, summary=words, command=command)
    write_atomically(folder / f"{figure}.html", page, what=OUT)
    entries = (f"{name}: {value}" for name, value in described.items())
    lines = [kind.title, "", *entries, "", version_line()]
    write_atomically(folder / f"{figure}.txt", "\n".join([*lines, command, ""]), what=OUT)
    return Reproduced(table, csv, folder / f"{figure}.html", folder / f"{figure}.txt")


def _describe(figure: str, settings: Settings, table: pd.DataFrame) -> Mapping[str, object]:
    """The settings of the rows that the table has, in words."""
    described: dict[str, object] = {"figure": figure}
    if settings.data is not None:
        domain = settings.data.domain
        described["data"] = f"{settings.data_name}: {settings.data.n:,} rows, {domain.d} attributes"
        described["attributes"] = ", ".join(
            f"{name} ({size})" for name, size in zip(domain.names, domain.sizes)
        )
    for column in ("method", "d", "k", "n", "epsilon", "label"):
        if column in table:
            values = table[column].dropna().drop_duplicates().tolist()
            described[column] = ", ".join(f"{v:,}" if column == "n" else f"{v}" for v in values)
    if "repetition" in table:
        described["repetitions"] = int(table["repetition"].nunique())
    settings_used = {"queries per repetition": settings.queries, "seed": settings.seed}
    for name, value in (settings_used | {"theta": settings.theta}).items():
        if name.split()[0] not in FIGURES[figure].ignores:
            described[name] = value
    if "reason" in table:
        described |= {f"failed ({i})": why for i, why in enumerate(describe_failures(table), 1)}
    return described
