"""Lesson 6: estimates that are mostly noise are shrunk; CALM+ does this with every interaction."""

from functools import lru_cache, partial
from itertools import combinations

import numpy as np

from calm_core.ingest.populations import make_population
from calm_core.methods import CalmPlus
from calm_core.randomness import stream
from pages import words
from pages.panels.learn.lesson import Control, Lesson, Options, Picture, Values, bars

PEOPLE, ATTRIBUTES = 30_000, 8
KINDS = {
    "Neighbors alike": partial(make_population, kind="chain", strength=0.6),
    "All driven by one thing": partial(make_population, kind="factor", strength=0.6),
    "Nothing related": partial(make_population, kind="independent"),
}
# Of the question.
KIND, LOW, HIGH = "Neighbors alike", 0.2, 2.0
TEXT = words.learn.SHRINKAGE


@lru_cache(maxsize=40)
def simulate_correlations(kind: str, epsilon: float, times: int) -> np.ndarray:
    """Return the correlations of all pairs from one collection: true, CALM's and CALM+'s, a row each."""
    # Imported here: only this lesson needs Plotly.
    from calm_core.figures.experiments import interaction

    rng = stream(7, times, kind)
    data = KINDS[kind](d=ATTRIBUTES, n=PEOPLE, rng=rng)
    pairs = list(combinations(data.domain.names, 2))
    method = CalmPlus(epsilon=epsilon, k=2, l=2, m=len(pairs))
    answer = method.release(data, rng=rng)
    found = (data.marginals(pairs), answer.views.marginals(pairs), answer.marginals(pairs))
    return np.array([[interaction(table) for table in tables] for tables in found])


def typical_errors(kind: str, epsilon: float, times: int) -> tuple[float, float]:
    """Return typical errors of a correlation with CALM and with CALM+."""
    true, calm, plus = simulate_correlations(kind, epsilon, times)
    return _root_mean_square(calm - true), _root_mean_square(plus - true)


def _root_mean_square(errors: np.ndarray) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def truth(press: int) -> int:
    """Return whether shrinkage gains more at the high epsilon (0), less (1) or as much (2)."""
    low, high = (
        calm - plus for calm, plus in (typical_errors(KIND, e, press) for e in (LOW, HIGH))
    )
    return 0 if high > 1.05 * low else 1 if high < low / 1.05 else 2


def _pulls(kind: str, epsilon: float, times: int, alt: str) -> Picture:
    """Draw every pair: true, CALM's and shrunk, sorted by the truth."""
    true, calm, plus = simulate_correlations(kind, epsilon, times)
    order = np.argsort(true)
    rows = [{"true": true[i], "seen": calm[i], "pulled": plus[i]} for i in order]
    legend = (("true", "true"), ("sampling", "CALM"), ("reconstructed", "CALM+"))
    return Picture("pulls", alt, "Correlation of every pair", legend, {"rows": rows})


def idea() -> Picture:
    """Draw noisy correlations and their shrunk values."""
    return _pulls("Nothing related", 0.5, 0, words.learn.PULLED)


def predict() -> Picture:
    """Draw what is seen with the small epsilon."""
    return _pulls(KIND, LOW, 0, words.learn.PULLED_LOW)


def reveal(press: int) -> Picture:
    """Draw typical errors of both methods at both budgets."""
    rows, said = [], []
    for epsilon in (LOW, HIGH):
        calm, plus = typical_errors(KIND, epsilon, press)
        said.append(words.learn.gain_text(epsilon=epsilon, calm=calm, plus=plus))
        for name, value, color in (("CALM", calm, "sampling"), ("CALM+", plus, "reconstructed")):
            label = f"{name}, ε = {epsilon:g}"
            rows.append((label, value, color, words.numbers.correlation(value), None))
    return bars(rows, "; ".join(said), "Typical error of a correlation", suffix="")


def play(values: Values, press: int) -> tuple[Picture, str]:
    """Draw every pair at the chosen settings."""
    kind, epsilon = values["kind"], values["epsilon"]
    calm, plus = typical_errors(kind, epsilon, press)
    pairs = ATTRIBUTES * (ATTRIBUTES - 1) // 2
    said = words.learn.shrinkage(people=PEOPLE, pairs=pairs, epsilon=epsilon, calm=calm, plus=plus)
    return _pulls(kind, epsilon, press, said), said


LESSON = Lesson(
    key="shrinkage", text=TEXT,
    guess=Options(("More than before", "Less than before", "As much as before")), truth=truth,
    idea=idea, predict=predict, reveal=reveal, play=play,
    controls=(
        Control("kind", "The people", tuple(KINDS), KIND),
        Control("epsilon", words.learn.PRIVACY, (0.2, 0.5, 1.0, 2.0), 0.5, lambda v: f"{v:g}"),
    ),
    take=lambda values: {"epsilon": values["epsilon"], "method": "calm_plus"}, page="marginals",
    again="Collect again", chance=True,
)  # fmt: skip
