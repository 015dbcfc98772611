"""Lesson 6: more questions in a report mean more noise, fewer mean more rebuilding."""

from collections.abc import Sequence
from functools import lru_cache

from calm_core.evaluation.prediction import SizeForecast, predict_view_sizes
from calm_core.planning.algorithm1 import view_sizes
from calm_core.planning.plan import make_plan
from calm_core.randomness import stream
from calm_core.tables.domain import Domain
from pages import words
from pages.panels.learn.lesson import Lesson
from pages.panels.learn.many_answers import draw_grid
from pages.ui.guessing import Control, Picture, Scale, Values, bars

SAID = words.learn

QUESTIONS = 8
# Of the question; the last step opens at other values.
PEOPLE, EPSILON, TABLE = 1_000_000, 2.0, 4
COLORS = ("reconstructed", "sampling", "rebuilding")


@lru_cache(maxsize=64)
def forecast_sizes(people: int, epsilon: float, table: int) -> Sequence[SizeForecast]:
    """Return the expected shares in the wrong cell by the number of questions in a report."""
    domain = Domain(tuple(f"q{i}" for i in range(QUESTIONS)), (2,) * QUESTIONS)
    plan = make_plan(domain, people, epsilon=epsilon, k=table, rng=stream(0, "sizes"))
    return predict_view_sizes(plan, view_sizes(people, domain.sizes, epsilon, table))


def find_best(people: int, epsilon: float, table: int) -> SizeForecast:
    """Return the number of questions with the fewest people in the wrong cell."""
    return min(forecast_sizes(people, epsilon, table), key=lambda size: size.wrong.total)


def truth(press: int = 0) -> float:
    """Return the best number of questions."""
    return find_best(PEOPLE, EPSILON, TABLE).l


def idea() -> Picture:
    """Draw the patterns of few, some and all questions in a report."""
    grids = [draw_grid(questions, 1) for questions in (2, 5, QUESTIONS)]
    return Picture("grids", SAID.GRIDS, SAID.ONE_REPORT_OF, data={"grids": grids})


def predict() -> Picture:
    """Draw how many patterns a report of each size can be."""
    rows = [(f"{size}", 2.0**size, "faint", f"{2**size}", None) for size in range(2, QUESTIONS + 1)]
    title, axis = SAID.PATTERNS_IN_REPORT, SAID.QUESTIONS_EACH
    return bars(rows, ", ".join(row[3] for row in rows), title, axis=axis, suffix="")


def _stacks(people: int, epsilon: float, table: int, alt: str = "") -> Picture:
    """Draw people in the wrong cell for each number of questions, stacked by cause."""
    found, best = forecast_sizes(people, epsilon, table), find_best(people, epsilon, table)
    rows, parts = [], []
    for size in found:
        text = words.numbers.share_of_100(size.wrong.total)
        rows.append((f"{size.l}", 100 * size.wrong.total, COLORS[0], text, None))
        parts.append([[100 * part, color] for part, color in zip(size.wrong, COLORS)])
    alt = alt or ", ".join(f"{row[0]}: {row[3]}" for row in rows)
    number = words.numbers.people_wrong(best.wrong.total)
    legend, axis = tuple(zip(COLORS, SAID.CAUSES)), SAID.QUESTIONS_EACH
    return bars(
        rows, alt, SAID.WRONG_OF_100, legend, number=number, axis=axis, suffix="", parts=parts,
    )  # fmt: skip


def reveal(press: int = 0) -> Picture:
    """Draw the trade-off of the question."""
    return _stacks(PEOPLE, EPSILON, TABLE)


def play(values: Values, press: int = 0) -> tuple[Picture, str]:
    """Draw the trade-off at the chosen settings."""
    chosen = values["people"], values["epsilon"], values["table"]
    found, best = forecast_sizes(*chosen), find_best(*chosen)
    texts = [words.numbers.share_of_100(one.wrong.total) for one in (best, found[0], found[-1])]
    said = SAID.sizes(
        people=chosen[0], epsilon=chosen[1], table=chosen[2], best=best.l,
        wrong=texts[0], few=found[0].l, many=found[-1].l, wrong_few=texts[1], wrong_many=texts[2],
    )  # fmt: skip
    return _stacks(*chosen, alt=said), said


def lesson() -> Lesson:
    """Return the lesson in the current language."""
    return Lesson(
        key="sizes", guess=Scale(2, QUESTIONS, 1, ticks=6), truth=truth,
        idea=idea, predict=predict, reveal=reveal, play=play,
        controls=(
            Control("people", SAID.PEOPLE, (10_000, 100_000, 1_000_000), 100_000, "{:,}".format),
            Control("epsilon", SAID.PRIVACY, (0.5, 1.0, 2.0, 4.0), 1.0, "{:g}".format),
            Control("table", SAID.IN_A_TABLE, (2, 3, 4), 3, "{}".format),
        ),
        take=lambda values: {"epsilon": values["epsilon"], "k": values["table"]}, page="plan",
    )  # fmt: skip
