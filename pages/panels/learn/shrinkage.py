"""Lesson 8: numbers that are mostly noise are believed less; CALM+ does this with every pair."""

import math
from functools import lru_cache, partial
from itertools import combinations

import numpy as np

from calm_core.evaluation.metrics import wrong_share
from calm_core.ingest.populations import make_population
from calm_core.methods import CalmPlus
from calm_core.randomness import stream
from calm_core.tables.marginal import Marginal
from pages import words
from pages.panels.learn.lesson import Lesson, share_bars
from pages.ui.guessing import Control, Picture, Scale, Values

SAID = words.learn

PEOPLE, ATTRIBUTES = 30_000, 8
PAIRS = math.comb(ATTRIBUTES, 2)
KINDS = {
    "chain": partial(make_population, kind="chain", strength=0.6),
    "factor": partial(make_population, kind="factor", strength=0.6),
    "independent": partial(make_population, kind="independent"),
}
# Of the question.
KIND, EPSILON = "factor", 0.5


@lru_cache(maxsize=40)
def collect_pairs(kind: str, epsilon: float, times: int) -> tuple[list[Marginal], ...]:
    """Return the tables of all pairs from one collection: true, as reported (CALM) and pulled (CALM+)."""
    rng = stream(7, times, kind)
    data = KINDS[kind](d=ATTRIBUTES, n=PEOPLE, rng=rng)
    pairs = list(combinations(data.domain.names, 2))
    method = CalmPlus(epsilon=epsilon, k=2, l=2, m=len(pairs))
    answer = method.release(data, rng=rng)
    return data.marginals(pairs), answer.views.marginals(pairs), answer.marginals(pairs)


def measure_wrong(kind: str, epsilon: float, times: int) -> tuple[float, float]:
    """Return the share of people in the wrong cell as reported and pulled, on average over all pairs."""
    true, *answers = collect_pairs(kind, epsilon, times)
    calm, plus = (
        float(np.mean([wrong_share(*pair) for pair in zip(true, found)])) for found in answers
    )
    return calm, plus


def truth(press: int) -> float:
    """Return people of 100 in the wrong cell once all pairs are pulled."""
    return 100 * measure_wrong(KIND, EPSILON, press)[1]


def idea() -> Picture:
    """Draw noisy correlations and their pulled values, sorted by the truth."""
    # Imported here: only this picture needs Plotly.
    from calm_core.figures.experiments import interaction

    found = collect_pairs("independent", EPSILON, 0)
    true, calm, plus = (np.array([interaction(table) for table in tables]) for tables in found)
    rows = [{"true": true[i], "seen": calm[i], "pulled": plus[i]} for i in np.argsort(true)]
    legend = (
        ("true", SAID.TRUE), ("sampling", SAID.AS_REPORTED), ("reconstructed", SAID.IS_PULLED)
    )  # fmt: skip
    return Picture("pulls", SAID.PULLED, SAID.RELATIONS, legend, {"rows": rows})


def predict() -> Picture:
    """Draw what is wrong as reported."""
    (calm, _) = measure_wrong(KIND, EPSILON, 0)
    return share_bars([(SAID.AS_REPORTED, calm, "sampling")], SAID.WRONG_MEASURED)


def _compare_both(kind: str, epsilon: float, times: int, alt: str = "") -> Picture:
    wrong = measure_wrong(kind, epsilon, times)
    names, colors = (SAID.AS_REPORTED, SAID.PULLED_BY_CALM), ("sampling", "reconstructed")
    return share_bars(zip(names, wrong, colors), SAID.WRONG_MEASURED, alt)


def reveal(press: int) -> Picture:
    """Draw both."""
    return _compare_both(KIND, EPSILON, press)


def play(values: Values, press: int) -> tuple[Picture, str]:
    """Draw both at the chosen settings."""
    kind, epsilon = values["kind"], values["epsilon"]
    calm, plus = (
        words.numbers.share_of_100(wrong) for wrong in measure_wrong(kind, epsilon, press)
    )
    said = SAID.shrinkage(people=PEOPLE, pairs=PAIRS, epsilon=epsilon, calm=calm, plus=plus)
    return _compare_both(kind, epsilon, press, said), said


def facts() -> dict[str, str]:
    """Return people in the wrong cell as reported, for the words."""
    return {"alone": words.numbers.wrong(measure_wrong(KIND, EPSILON, 0)[0])}


def lesson() -> Lesson:
    """Return the lesson in the current language."""
    return Lesson(
        key="shrinkage", guess=Scale(0, 12, 1, suffix=SAID.SUFFIX_OF_100), truth=truth,
        idea=idea, predict=predict, reveal=reveal, play=play,
        controls=(
            Control("kind", SAID.THE_PEOPLE, tuple(KINDS), "chain", SAID.KINDS.__getitem__),
            Control("epsilon", SAID.PRIVACY, (0.2, 0.5, 1.0, 2.0), 0.5, lambda v: f"{v:g}"),
        ),
        take=lambda values: {"epsilon": values["epsilon"], "method": "calm_plus"}, page="marginals",
        facts=facts, again=SAID.COLLECT_AGAIN, chance=True,
    )  # fmt: skip
