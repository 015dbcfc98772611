"""Lesson 1: a table without names gives away whoever is alone in a cell."""

from functools import cache

import pandas as pd

from calm_core.ingest.samples import sample_table
from pages import words
from pages.panels.learn.lesson import Lesson, some_people
from pages.ui.guessing import Control, Picture, Scale, Values, people

SAID = words.learn

# A hundred people of the sample, in whose smallest cells somebody has something to hide.
FIRST, PEOPLE = 500, 100
FACTS, SECRET = ("female", "age", "education", "income", "area"), "tax_cheated_ever"
ANYONE = "anyone"
AGES = ("18-25", "26-34", "35-49", "50-64", "65+")
AREAS = ("large city area", "small city area", "rural")


@cache
def get_people() -> pd.DataFrame:
    """Return the people; the secret is 1 for a yes."""
    rows = sample_table("survey").data.slice(FIRST, PEOPLE).select([*FACTS, SECRET]).to_pandas()
    return rows.astype({SECRET: int})


def find_alone() -> list[bool]:
    """Return for each person whether nobody else shares all facts."""
    return list(~get_people().duplicated(list(FACTS), keep=False))


def truth(press: int = 0) -> float:
    """Return how many people share all facts with nobody else."""
    return sum(find_alone())


def idea() -> Picture:
    """Draw who has something to hide."""
    secrets = get_people()[SECRET].tolist()
    return some_people(secrets, SAID.TRUTH_IN_SECRET, SAID.did_of, SAID.did, SAID.did_not)


def predict() -> Picture:
    """Draw the people, alike."""
    return people(["line"] * PEOPLE, SAID.all_people(people=PEOPLE), SAID.NO_NAMES)


def reveal(press: int = 0) -> Picture:
    """Draw who is alone."""
    return some_people(find_alone(), SAID.ONE_OF_A_KIND, SAID.alone_of, SAID.alone, SAID.not_alone)


def play(values: Values, press: int = 0) -> tuple[Picture, str]:
    """Draw who is left once two facts are known."""
    rows = get_people()
    left = pd.Series(True, index=rows.index)
    for fact in ("age", "area"):
        if values[fact] != ANYONE:
            left &= rows[fact] == values[fact]
    count, did = int(left.sum()), int(rows[SECRET][left].sum())
    said = SAID.left_text(count, did)
    color = "sampling" if count and did in (0, count) else "reconstructed"
    colors = [color if one else "line" for one in left]
    legend = ((color, SAID.count_left(count=count)),)
    return people(colors, said, SAID.WHO_IS_LEFT, legend), said


def lesson() -> Lesson:
    """Return the lesson in the current language."""

    def name(value: str) -> str:
        return SAID.WHO.get(value, value)

    return Lesson(
        key="why", guess=Scale(0, 100, 1), truth=truth,
        idea=idea, predict=predict, reveal=reveal, play=play,
        controls=(
            Control("age", SAID.FIRST_CLICK, (ANYONE, *AGES), ANYONE, name),
            Control("area", SAID.SECOND_CLICK, (ANYONE, *AREAS), ANYONE, name),
        ),
        take=lambda values: {"k": 3}, page="marginals",
    )  # fmt: skip
