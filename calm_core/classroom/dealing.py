"""Who is asked what: the plan of a class, views dealt to phones in balance, and what a phone is sent."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calm_core.classroom.survey import Survey
from calm_core.planning.plan import Plan

# Algorithm 1 for a class: a covering of all pairs, whatever its threshold would say of so few.
THETA, K, ORACLE = 0.5, 2, "grr"
MOST_CELLS = 64


def plan_class(survey: Survey, n: int, *, rng: np.random.Generator) -> Plan:
    """The plan for the phones that are there: `make_plan` with theta 0.5, k 2, GRR, at most 64 cells a view.

    Parameters
    ----------
    survey : Survey
        What is asked.
    n : int
        Number of phones.
    rng : numpy Generator
        Decides which question takes which place in the design.

    Raises
    ------
    InfeasibleError
        If there are fewer phones than the fewest views that ask about every question: the sentence says
        how many are needed.
    """
    raise NotImplementedError


def plan_text(plan: Plan) -> str:
    """The plan as JSON: views as positions, sizes, keep (hex), epsilon, n, oracle."""
    raise NotImplementedError


def plan_from_text(text: str | bytes, survey: Survey) -> Plan:
    """The same plan again; refuses (DataError) what no phone of the survey can have been sent."""
    raise NotImplementedError


def deal(m: int, phones: int, *, rng: np.random.Generator) -> np.ndarray:
    """A view (0..m-1) for each of the waiting phones: in exact balance, who gets which at random."""
    raise NotImplementedError


def fewest(tickets: Sequence[int], *, rng: np.random.Generator) -> int:
    """The view for one more phone: that with the fewest tickets, ties at random."""
    raise NotImplementedError


def wire(title: str, questions: list[dict], plan: dict, view: int) -> dict:
    """What `join` answers while the survey is open: state, title, epsilon, oracle, size, keep, views and
    the questions (text, choices) of the view, all as the phone reads it (CLASSROOM.md, section 6).
    """
    raise NotImplementedError
