"""Grading: every result of a file is computed again from its settings and the seed of its name."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pandas as pd

from calm_core.assignments.assignment import (
    LEVELS,
    MAX_QUESTIONS,
    Assignment,
    ready,
)
from calm_core.assignments.measures import format_measure, measure, simulate
from calm_core.assignments.questions import Cell
from calm_core.assignments.work import MAX_BYTES, Answer, Work, read_work
from calm_core.errors import InputError, UserError
from calm_core.io.atomic_files import read_file, walk_folders
from calm_core.runtime.cancellation import checkpoint
from calm_core.version import __version__

# Results that differ by less are the same, on another computer.
SAME = 1e-6


@dataclass(frozen=True)
class Graded:
    """One file and its points.

    Attributes
    ----------
    file : str
        Path below the folder.
    work : Work or None
        None where the file cannot be read.
    points : tuple of int
        One a question; empty where the file is not graded.
    reasons : tuple of str
        Why points are missing, one sentence each.
    problem : str
        What the teacher has to look at, "" for nothing: the file was changed, cannot be read, or has the
        name of another one.
    """

    file: str
    work: Work | None = None
    points: tuple[int, ...] = ()
    reasons: tuple[str, ...] = ()
    problem: str = ""


def grade(work: Work, file: str = "") -> Graded:
    """Grade the work of one student; a file with other results than those of its settings was changed.

    Examples
    --------
    >>> from calm_core.assignments.assignment import ready
    >>> graded = grade(Work(ready("school"), "Ada"))
    >>> graded.points, graded.reasons[0]
    ((0, 0, 0, 0), 'question 1: not answered')
    """
    points, reasons, changed = [], [], []
    for number, answer in enumerate(work.answers, start=1):
        checkpoint()
        reason = "not answered"
        if answer is not None:
            try:
                reason, differs = _judge(work, number, answer)
                changed += [f"question {number}: {problem}" for problem in differs]
            except UserError as error:
                reason = str(error)
        points.append(0 if reason else work.assignment.questions[number - 1].points)
        if reason:
            reasons.append(f"question {number}: {reason}")
    if changed:
        problem = "; ".join(changed)
        if work.version != __version__:
            problem += f"; it was made with version {work.version:.20}, this is {__version__}"
        return Graded(file, work, problem=f"file was changed: {problem}")
    return Graded(file, work, tuple(points), tuple(reasons))


def _judge(work: Work, number: int, answer: Answer) -> tuple[str, list[str]]:
    """Why one answer is wrong, and which results are not those of its settings."""
    question = work.assignment.questions[number - 1]
    settings = work.settings(answer.chosen)

    @cache
    def collect():
        return simulate(settings)

    def find(name: str, cell: Cell) -> float:
        return measure(settings, collect(), name, cell)

    if set(answer.results) != set(question.shown_measures):
        return "", ["its results are not there"]
    differs = []
    for name, reported in answer.results.items():
        measured = find(name, ())
        if not isinstance(reported, int | float) or not math.isclose(
            reported, measured, rel_tol=SAME, abs_tol=SAME
        ):
            differs.append(
                f"{name} is {str(reported):.20} in the file, {format_measure(measured)} computed again"
            )
    return question.judge(answer.value, find), differs


def known_assignments(assignments: Sequence[Assignment] = ()) -> dict[str, Assignment]:
    """The ready assignments and those given, by digest; refuses one without its key."""
    for assignment in assignments:
        if not assignment.has_key:
            raise InputError(
                f"the assignment {assignment.title!r:.90} has no right answers; give the file for grading, not that for students"
            )
    return {assignment.digest: assignment for assignment in (*map(ready, LEVELS), *assignments)}


def list_files(folder: Path) -> list[str]:
    """The files of a folder and its subfolders, by their paths below it; hidden ones are left out."""
    if not folder.is_dir():
        raise InputError(f"{str(folder):.200} must be a folder with the files handed in")
    return [str(at / name) for at, names in walk_folders(folder) for name in names]


def grade_files(
    folder: Path, files: Sequence[str], assignments: Mapping[str, Assignment]
) -> Iterator[Graded]:
    """Grade the files of a folder, one after the other; what cannot be graded says why.

    Parameters
    ----------
    folder : path
    files : sequence of str
        As of `list_files`.
    assignments : mapping
        As of `known_assignments`.

    Yields
    ------
    Graded
    """
    for file in files:
        try:
            content = read_file(folder / file, what="the file", max_bytes=MAX_BYTES)
            work, is_whole = read_work(content, assignments)
        except UserError as error:
            yield Graded(file, problem=f"not graded: {error}")
            continue
        if is_whole:
            yield grade(work, file)
        else:
            problem = "file was changed: its checksum is not that of its content"
            yield Graded(file, work, problem=problem)


def mark_twins(graded: Sequence[Graded]) -> list[Graded]:
    """The same, with a problem where several files of an assignment have one name."""
    files: dict[tuple[str, str], list[str]] = {}
    for one in graded:
        if one.work is not None:
            who = one.work.assignment.digest, one.work.key
            files.setdefault(who, []).append(one.file)
    marked = []
    for one in graded:
        same = [] if one.work is None else files[one.work.assignment.digest, one.work.key]
        other_files = ", ".join(file for file in same if file != one.file)
        if other_files:
            problem = f"the same name as in {other_files}"
            one = replace(one, problem="; ".join(filter(None, (one.problem, problem))))
        marked.append(one)
    return marked


def grades_table(graded: Sequence[Graded]) -> pd.DataFrame:
    """One row a file: name, points of every question, their sum, and why points are missing.

    Without points where a file was changed or cannot be read: the teacher decides.
    """
    count = max((len(one.work.answers) for one in graded if one.work), default=MAX_QUESTIONS)
    rows = []
    for one in graded:
        assignment = one.work.assignment if one.work else None
        points: dict[str, int | str] = {
            f"question {i + 1}": one.points[i] if i < len(one.points) else "" for i in range(count)
        }
        rows.append(
            {
                "file": one.file,
                "name": one.work.name if one.work else "",
                "assignment": assignment.title if assignment else "",
                **points,
                "total": sum(one.points) if one.points else "",
                "of": assignment.points if assignment else "",
                "problem": one.problem,
                "why": "; ".join(one.reasons),
            }
        )
    return pd.DataFrame(rows, dtype=object)
