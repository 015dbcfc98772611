"""Assignments: what students do with the Lab, what they hand in, and how it is graded.

Nothing needs an account or a server: an assignment is a link or a file, and so is what is handed in.
"""

from calm_core.assignments.assignment import (
    LEVELS,
    Assignment,
    Free,
    from_link,
    load_assignment,
    read_assignment,
    ready,
)
from calm_core.assignments.grading import Graded, grade, grade_files, grades_table
from calm_core.assignments.measures import MEASURES, format_measure, measure, simulate
from calm_core.assignments.questions import Bound, Choice, Goal, Number, Option
from calm_core.assignments.work import Answer, Work, read_work

__all__ = [
    "LEVELS", "MEASURES", "Answer", "Assignment", "Bound", "Choice", "Free", "Goal", "Graded", "Number", "Option",
    "Work", "format_measure", "from_link", "grade", "grade_files", "grades_table", "load_assignment", "measure", "read_assignment",
    "read_work", "ready", "simulate",
]  # fmt: skip
