"""What the wall is drawn from: numbers, questions with their shares, and the table of two questions."""

from collections.abc import Sequence

from calm_core.classroom.results import Table
from calm_core.classroom.survey import PushedAnswer, Question, Survey
from pages import words
from pages.ui import frame
from pages.ui.components import mount
from pages.words import numbers


def draw_wall(
    *,
    counts: Sequence[tuple[str, str, str]] = (),
    questions: Sequence[dict] = (),
    pair: dict | None = None,
    columns: Sequence[str] = ("",),
    key: str = "class_wall",
) -> None:
    """Mount it; the same questions with other shares move their marks.

    Parameters
    ----------
    counts : sequence of (str, str, str)
        The numbers on top: what is counted, the number, and what stands small beside it.
    questions : sequence of dict
        The `text`, how many phones were `asked` it, and `rows`: the `label` of a choice, and its `marks`, one a column.
    pair : dict, optional
        The table of two questions, `first` and `second`: its `rows` are the choices of the first, its `columns` those
        of the second; the `notes` stand beside it.
    columns : sequence of str
        Whose answers: the class's, then those of invented people, which are drawn hatched.
    """
    data = {"counts": counts, "questions": questions, "pair": pair, "columns": columns}
    mount("wall", {**data, "lecture": frame.is_lecture()}, key=key)


def build_mark(table: Table | None, at: int | tuple[int, int]) -> dict:
    """Return the mark of one choice, or of one of each question of a pair.

    It is a `share` with its interval from `low` to `high`, and both in words: `text` and `note`. Without an interval
    (None, or of width 0) it is what arrived; without a share nothing is known.
    """
    mark = {"text": words.classroom.NOT_ASKED, "note": "", "share": None, "low": None, "high": None}
    if table is None:
        return mark
    share, low, high = (float(part[at]) for part in (table.values, table.low, table.high))
    mark |= {"text": numbers.percent(share, 0), "share": share}
    if low < high:
        mark |= {"note": words.classroom.interval(low=low, high=high), "low": low, "high": high}
    return mark


def build_row(label: str, tables: Sequence[Table | None], *at: int | tuple[int, int]) -> dict:
    """Return a choice with its marks: those of the places `at` in each table."""
    return {"label": label, "marks": [build_mark(table, one) for table in tables for one in at]}


def shown_choices(question: Question) -> range:
    """Return the choices that get a line: of two only the last."""
    count = len(question.choices)
    return range(1, 2) if count == 2 else range(count)


def pushed_text(survey: Survey, pushed: PushedAnswer) -> str:
    """Return the question and the answer that the phones which may lie push."""
    question = survey.questions[pushed.question]
    return f"{question.text} {question.choices[pushed.choice]}"
