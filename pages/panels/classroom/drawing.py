"""What the wall is drawn from: numbers, questions with their shares, and the table of two questions."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from calm_core.classroom.results import Table
from calm_core.classroom.survey import PushedAnswer, Question, Survey
from pages import words
from pages.ui.components import mount
from pages.words import numbers


@dataclass(frozen=True)
class Count:
    """One of the numbers on top: what it counts, the number, and what stands small beside it."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Mark:
    """One share.

    Attributes
    ----------
    share, low, high : float or None
        A fraction and its interval; without an interval it is what arrived, without a share nothing is known.
    text, note : str
        The same in words: "62%", "41 to 83%".
    """

    text: str
    note: str = ""
    share: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Row:
    """A choice, with a mark for every column, or for every choice of the second question in the table of two."""

    label: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class QuestionRows:
    """A question, how many phones were asked it, in words, and its choices."""

    text: str
    asked: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Column:
    """Whose answers: the class's, or those of people who were invented, which are drawn hatched."""

    title: str = ""
    invented: bool = False


@dataclass(frozen=True)
class Pair:
    """The table of two questions: its rows are the choices of the first, its columns those of the second."""

    first: str
    second: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


def draw_wall(
    *,
    counts: Sequence[Count],
    questions: Sequence[QuestionRows] = (),
    pair: Pair | None = None,
    columns: Sequence[Column] = (Column(),),
    lecture: bool = False,
    key: str = "class_wall",
) -> None:
    """Mount it; the same questions with other shares move their marks."""
    shown = {"counts": counts, "questions": questions, "columns": columns}
    data = {name: [asdict(one) for one in parts] for name, parts in shown.items()}
    pair_shown = None if pair is None else asdict(pair)
    mount("wall", {**data, "pair": pair_shown, "lecture": lecture}, key=key)


def build_mark(table: Table | None, at: int | tuple[int, int]) -> Mark:
    """Return the mark of one choice, or of one of each question of a pair; an interval of width 0 is not drawn."""
    if table is None:
        return Mark(words.classroom.NOT_ASKED)
    share, low, high = (float(part[at]) for part in (table.values, table.low, table.high))
    text = numbers.percent(share, 0)
    if low == high:
        return Mark(text, "", share)
    return Mark(text, words.classroom.interval(low=low, high=high), share, low, high)


def shown_choices(question: Question) -> range:
    """Return the choices that get a line: of two only the last."""
    count = len(question.choices)
    return range(1, 2) if count == 2 else range(count)


def pushed_text(survey: Survey, pushed: PushedAnswer) -> str:
    """Return the question and the answer that the phones which may lie push."""
    question = survey.questions[pushed.question]
    return f"{question.text} {question.choices[pushed.choice]}"
