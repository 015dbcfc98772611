"""Lesson 10: what is lost: shares below zero, small groups, privacy at large epsilon."""

import math

import numpy as np

from calm_core import choose_oracle, stream
from calm_core.oracles import GRR
from pages import words
from pages.panels.learn.lesson import Lesson
from pages.ui.guessing import Control, Picture, Scale, Values, bars

SAID = words.learn

CELLS, PEOPLE, COLLECTIONS = 16, 5_000, 100
EPSILON = 0.5
BELOW, SMALL, LARGE = "below", "small", "large"
EPSILON_OF = {BELOW: "epsilon", SMALL: "small", LARGE: "large"}
EPSILONS = (0.2, 0.5, 1.0, 2.0, 4.0, 6.0, 8.0)


def rare_cells(people: int, epsilon: float, press: int) -> tuple[np.ndarray, np.ndarray]:
    """Return true and noisy shares of 16 answers, most of them rare."""
    rng = stream(press, "limits", people)
    shares = 0.55 ** np.arange(CELLS)
    counts = rng.multinomial(people, shares / shares.sum())
    oracle = choose_oracle(CELLS, epsilon)
    return counts / people, oracle.estimate(oracle.simulate(counts[None], rng=rng)[0], people)


def typical_noise(people: int, epsilon: float) -> float:
    """Return the typical noise error of a yes/no share."""
    return math.sqrt(float(choose_oracle(2, epsilon).variance(people)))


def simulate_empty_answer(press: int) -> np.ndarray:
    """Return noisy shares of an answer that nobody gives, in points, one per collection."""
    rng = stream(press, "nobody")
    counts = np.array([[PEOPLE, 0]])
    oracle = choose_oracle(2, EPSILON)
    found = [oracle.simulate(counts, rng=rng)[0] for _ in range(COLLECTIONS)]
    return 100 * np.array([oracle.estimate(support, PEOPLE) for support in found])[:, 1]


def truth(press: int) -> int:
    """Return in how many of 100 collections this share is below zero."""
    return int((simulate_empty_answer(press) < 0).sum())


def _cells(true, noisy, alt: str) -> Picture:
    rows = [
        (f"{i}", 100 * seen, "reconstructed" if seen >= 0 else "sampling", None, 100 * real)
        for i, (real, seen) in enumerate(zip(true, noisy), start=1)
    ]
    legend = (
        ("true", SAID.TRUE), ("reconstructed", SAID.WITH_NOISE), ("sampling", SAID.BELOW_ZERO)
    )  # fmt: skip
    return bars(rows, alt, SAID.ANSWERS, legend, axis=SAID.ANSWER)


def idea() -> Picture:
    """Draw rare answers with noise."""
    return _cells(*rare_cells(PEOPLE, EPSILON, 0), SAID.ANSWERS_SHOWN)


def predict() -> Picture:
    """Draw zero a hundred times."""
    rows, alt = [("", 0.0, "line", None, 0.0)] * COLLECTIONS, SAID.NOTHING_SHOWN
    return bars(rows, alt, SAID.COLLECTIONS, most=4, least=-4, blank=True)


def reveal(press: int) -> Picture:
    """Draw the share in each collection."""
    shares = simulate_empty_answer(press)
    below = int((shares < 0).sum())
    rows = [
        ("", share, "sampling" if share < 0 else "reconstructed", None, None) for share in shares
    ]
    legend = (
        ("sampling", SAID.below_zero(count=below)),
        ("reconstructed", SAID.above_zero(count=COLLECTIONS - below)),
    )
    alt = ", ".join(text for _, text in legend)
    return bars(rows, alt, SAID.SHARE_IN_EACH, legend)


def chosen_epsilon(values: Values) -> float:
    """Return the epsilon of the chosen limit."""
    return values[EPSILON_OF[values["kind"]]]


def play(values: Values, press: int) -> tuple[Picture, str]:
    """Draw one of three limits."""
    epsilon = chosen_epsilon(values)
    if values["kind"] == LARGE:
        oracle = GRR(epsilon, 2)
        here, usual = typical_noise(PEOPLE, epsilon), typical_noise(PEOPLE, EPSILON)
        said = SAID.large(
            epsilon=epsilon, truth=oracle.p, factor=math.exp(epsilon), people=PEOPLE, typical=here
        )
        said += SAID.more_or_less(epsilon, EPSILON, usual)
        pairs = zip(SAID.TRUE_ANSWERS, (oracle.p, oracle.q), (1.0, 0.0))
        rows = [
            (name, 100 * seen, "reconstructed", words.numbers.share(seen), 100 * real)
            for name, seen, real in pairs
        ]
        legend = (("true", SAID.TRUE), ("reconstructed", SAID.REPORTED))
        return bars(rows, said, "", legend, most=100), said
    people = values.get("people", PEOPLE)
    true, noisy = rare_cells(people, epsilon, press)
    if values["kind"] == SMALL:
        said = SAID.small(people=people, epsilon=epsilon, typical=typical_noise(people, epsilon))
    else:
        said = SAID.negative(CELLS, people, int((noisy < 0).sum()))
    return _cells(true, noisy, said), said


def expected_answer() -> str:
    """Return the expected answer with its range."""
    spread = math.sqrt(COLLECTIONS) / 2
    half = COLLECTIONS / 2
    return SAID.about_half(least=half - 2 * spread, most=half + 2 * spread)


def _epsilon(kind: str, default: float) -> Control:
    """Return the control of epsilon for one limit."""
    form, key = "{:g}".format, EPSILON_OF[kind]
    return Control(key, SAID.PRIVACY, EPSILONS, default, form, ("kind", kind))


GROUPS = (100, 300, 1_000, 3_000, 10_000, 100_000)


def lesson() -> Lesson:
    """Return the lesson in the current language."""
    return Lesson(
        key="limits", guess=Scale(0, 100, 1), truth=truth, idea=idea, predict=predict,
        reveal=reveal, play=play,
        controls=(
            Control("kind", SAID.GOES_WRONG, (BELOW, SMALL, LARGE), BELOW, SAID.LIMITS.__getitem__),
            Control("people", SAID.IN_THE_GROUP, GROUPS, 300, "{:,}".format, ("kind", SMALL)),
            _epsilon(BELOW, EPSILON), _epsilon(SMALL, EPSILON), _epsilon(LARGE, 4.0),
        ),
        take=lambda values: {"epsilon": chosen_epsilon(values)}, page="errors", expected=expected_answer,
        again=SAID.COLLECT_AGAIN, chance=True, by_chance=lambda values: values["kind"] != LARGE,
    )  # fmt: skip
