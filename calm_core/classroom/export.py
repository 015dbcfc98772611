"""A survey as a ZIP of survey.json, reports.csv and reports.parquet. Reading it checks every row."""

import csv
import io
import json
import zipfile
from dataclasses import asdict

import numpy as np
import pandas as pd

from calm_core._checks import check_rng
from calm_core.classroom.results import ReportCounts, no_counts
from calm_core.classroom.survey import Survey, plan_from_text, plan_to_text
from calm_core.errors import DataError
from calm_core.io.csv_export import safe_csv
from calm_core.io.damaged_files import UNREADABLE, check_unpacked_size, explain_damage
from calm_core.io.json_types import build_dataclass
from calm_core.version import __version__

FORMAT = "calm-lab classroom 1"
KIND = ".zip"
ABOUT, ROWS, TABLE = "survey.json", "reports.csv", "reports.parquet"
# The column that is 1 for lies.
LIE = "lie"
# Unpacked; a class with the longest texts has less.
MAX_BYTES = 1 << 28


def export_zip(collected: ReportCounts, *, rng: np.random.Generator) -> bytes:
    """Return the ZIP of a survey: its questions, and one row for every report, in random order.

    The tables have the columns view, report, and one for each question, empty if it is not in the view. If phones
    have lied for an experiment, a last column says which reports are lies. There is no ticket and no time.

    Parameters
    ----------
    collected : ReportCounts
        The reports.
    rng : numpy Generator
        Decides the order of the rows.

    Examples
    --------
    >>> from calm_core.classroom.survey import plan_class
    >>> from calm_core.classroom.survey import Question
    >>> questions = [Question(name, f"{name}?", ("No", "Yes")) for name in "ab"]
    >>> rng, survey = np.random.default_rng(1), Survey("T", questions)
    >>> collected = ReportCounts(survey, plan_class(survey, 20, rng=rng), ([5, 3, 2, 4],))
    >>> read_zip(export_zip(collected, rng=rng)).counts[0].tolist()
    [5, 3, 2, 4]
    """
    survey = collected.survey
    about = {
        "format": FORMAT,
        "program": f"CALM Lab {__version__}",
        "title": survey.title,
        "questions": json.loads(survey.questions_text),
        "epsilon": survey.epsilon,
        "language": survey.language,
        "plan": json.loads(plan_to_text(collected.plan)),
        "reports": collected.n,
        "reports_by_view": collected.groups,
        "classes": collected.classes,
    }
    if survey.pushed is not None:
        about["pushed"] = asdict(survey.pushed)
    if collected.n_lies:
        about["lies"] = collected.n_lies
    frame = _rows(collected, rng)
    parquet = io.BytesIO()
    frame.to_parquet(parquet, index=False)
    files = {
        ABOUT: json.dumps(about, ensure_ascii=False, indent=1) + "\n",
        ROWS: safe_csv(frame),
        TABLE: parquet.getvalue(),
    }
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as packed:
        for name, content in files.items():
            # A plain name would store the time.
            packed.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return sink.getvalue()


def _columns(survey: Survey, lies: int) -> list[str]:
    """Return the names of the columns; those of questions differ from the others."""
    names = ["view", "report", *[LIE] * bool(lies)]
    for question in survey.questions:
        name = question.name
        while name.casefold() in [one.casefold() for one in names]:
            name += " (question)"
        names.append(name)
    return names[:2] + names[2 + bool(lies) :] + [LIE] * bool(lies)


def _rows(collected: ReportCounts, rng: np.random.Generator) -> pd.DataFrame:
    lies = collected.n_lies
    rows = [
        _row(collected, view, report) + [is_lie] * bool(lies)
        for is_lie, numbers in ((0, collected.counts), (1, collected.lies))
        for view, counts in enumerate(numbers)
        for report, number in enumerate(counts.tolist())
        for _ in range(number)
    ]
    order = check_rng(rng).permutation(len(rows))
    return pd.DataFrame(
        [rows[at] for at in order], columns=_columns(collected.survey, lies)
    ).astype(dict.fromkeys(("view", "report", *[LIE] * bool(lies)), np.int64))


def _row(like: ReportCounts, view: int, report: int) -> list:
    """Return a report as a row of the tables."""
    attrs, domain = like.plan.views[view], like.plan.domain
    answers = np.unravel_index(report, domain.shape_of(attrs))
    labels = {name: domain.labels_of(name)[at] for name, at in zip(attrs, answers)}
    return [view, report, *(labels.get(name) for name in domain.names)]


def is_export(content: bytes) -> bool:
    """Whether these bytes are an export, maybe a damaged one: a ZIP with a survey.json.

    Examples
    --------
    >>> is_export(b"PK"), is_export(b"{}")
    (False, False)
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            return ABOUT in packed.namelist()
    except UNREADABLE:
        return False


def read_zip(content: bytes, what: str = "the export") -> ReportCounts:
    """Return the reports of a ZIP of `export_zip`, after a check of every row.

    Parameters
    ----------
    content : bytes
        The ZIP.
    what : str
        Name of the file in errors.

    Raises
    ------
    DataError
        If it is damaged, was changed, or is no export of a classroom.
    """
    with explain_damage(what, "export of a classroom", "export it again"):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            check_unpacked_size(packed, MAX_BYTES, what, "class")
            broken = packed.testzip()
            if broken:
                raise DataError(
                    f"{what} is damaged: {broken} in it cannot be read; export it again"
                )
            about, rows = json.loads(packed.read(ABOUT)), _read_rows(packed.read(ROWS))
        if not isinstance(about, dict) or about.get("format") != FORMAT:
            raise DataError(f"{what} is not of format {FORMAT!r}; export it with this program")
        return _parse_counts(about, rows, what)


def _read_rows(content: bytes) -> list[list[str]]:
    text = io.StringIO(content.decode("utf-8"), newline="")
    return list(csv.reader(text, strict=True))


def _parse_counts(about: dict, rows: list[list[str]], what: str) -> ReportCounts:
    fields = {name: about[name] for name in Survey.__dataclass_fields__ if name in about}
    survey = build_dataclass(fields, Survey, "survey.json", f" in {what}")
    plan = plan_from_text(json.dumps(about["plan"]), survey, what)
    counts, lies = no_counts(plan), no_counts(plan)
    said_lies = about.get("lies", 0)
    for row in rows[1:]:
        view, report = (int(text) if text.isdecimal() else -1 for text in [*row, "", ""][:2])
        if 0 <= view < plan.m and 0 <= report < plan.oracles[view].size:
            is_lie = said_lies and row[-1] == "1"
            (lies if is_lie else counts)[view][report] += 1
    report_counts = ReportCounts(survey, plan, counts, about["classes"], lies)
    # What was exported is what would be exported again.
    again = _read_rows(safe_csv(_rows(report_counts, np.random.default_rng(0))))
    numbers = report_counts.n, report_counts.n_lies
    if sorted(rows) != sorted(again) or (about["reports"], said_lies) != numbers:
        raise DataError(f"{what} was changed: {ROWS} in it does not hold the reports of its plan")
    return report_counts
