"""Lessons 4 to 6: many questions in a report, many questions for many people, and how many questions each."""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from calm_core import choose_oracle, stream
from calm_core.evaluation.prediction import SizeForecast, predict_view_sizes
from calm_core.planning.algorithm1 import view_sizes
from calm_core.planning.plan import make_plan
from calm_core.tables.domain import Domain
from pages import words
from pages.panels.learn.lesson import PLAY, Lesson, draw_grid, grids, share_bars
from pages.ui.guessing import Control, Picture, Scale, Values, bars, curves

SAID = words.learn


class Patterns(Lesson):
    """Lesson 4: one report carries an answer to many questions, and many cells cost accuracy."""

    key, page, lab_settings, random_steps = "patterns", "plan", {"epsilon": 1.0, "k": 3}, (PLAY,)
    PEOPLE = 20_000
    # Of the question.
    EPSILON, FEW, MANY = 1.0, 2, 6

    def __init__(self):
        self.guess = Scale(0, 60, 1, suffix=SAID.SUFFIX_OF_100)
        self.controls = (Control("questions", SAID.IN_ONE_REPORT, tuple(range(1, 7)), 3),)

    @staticmethod
    def true_shares(questions: int) -> np.ndarray:
        """Return the shares of the 2^questions answer patterns of a generated population."""
        one = np.array([0.7, 0.3])
        shares = np.ones(1)
        for i in range(questions):
            tilt = 0.12 * (i % 3)
            shares = np.kron(shares, one + np.array([-tilt, tilt]))
        return shares

    def expected_wrong(self, questions: int) -> float:
        """Return the expected share of people in the wrong cell; shares may be negative."""
        shares = self.true_shares(questions)
        variances = choose_oracle(len(shares), self.EPSILON).variance(self.PEOPLE, shares)
        return math.sqrt(1 / (2 * math.pi)) * float(np.sqrt(variances).sum())

    def ask_everyone(self, questions: int, press: int) -> tuple[np.ndarray, np.ndarray, str]:
        """Return true and noisy shares of all patterns, and the oracle's name."""
        shares = self.true_shares(questions)
        rng = stream(press, "patterns", questions)
        counts = rng.multinomial(self.PEOPLE, shares)
        oracle = choose_oracle(len(shares), self.EPSILON)
        noisy = oracle.estimate(oracle.simulate(counts[None], rng=rng)[0], self.PEOPLE)
        return counts / self.PEOPLE, noisy, oracle.name

    def truth(self, press: int = 0) -> float:
        """Return people of 100 expected in the wrong cell with many questions."""
        return 100 * self.expected_wrong(self.MANY)

    def idea(self) -> Picture:
        """Draw one pattern among those of four questions."""
        grid = draw_grid(4, 9) | {"label": SAID.YES_NO_NO_YES}
        return grids([grid], SAID.ONE_FILLED, SAID.ONE_PATTERN)

    def predict(self) -> Picture:
        """Draw 4 patterns beside 64."""
        patterns = [draw_grid(self.FEW, 2), draw_grid(self.MANY, 37)]
        return grids(patterns, SAID.FEW_AND_MANY, SAID.ONE_VALUE)

    def reveal(self, press: int = 0) -> Picture:
        """Draw people in the wrong cell for every number of questions."""
        numbers, compared = range(1, self.MANY + 1), (self.FEW, self.MANY)
        colors = ["reconstructed" if number in compared else "faint" for number in numbers]
        found = zip(map(str, numbers), map(self.expected_wrong, numbers), colors)
        return share_bars(found, SAID.WRONG_OF_100, axis=SAID.IN_ONE_REPORT)

    def play(self, values: Values, press: int = 0) -> Picture:
        """Draw true and noisy shares of all patterns."""
        questions = values["questions"]
        true, noisy, oracle = self.ask_everyone(questions, press)
        off = np.abs(noisy - true)
        # Both are of this collection, which may be better than usual.
        sentence = SAID.patterns(
            count=len(true), oracle=SAID.PATTERN_REPORTS[oracle], wrong=words.numbers.share_of_100(off.sum() / 2),
            worst=float(off.max()), expected=words.numbers.share_of_100(self.expected_wrong(questions)),
        )  # fmt: skip
        letters = SAID.LETTERS
        rows = [
            ("".join(letters[(cell >> i) & 1] for i in reversed(range(questions))), 100 * noisy_share,
             "reconstructed", None, 100 * real)
            for cell, (real, noisy_share) in enumerate(zip(true, noisy))
        ]  # fmt: skip
        legend = (("true", SAID.TRUE), ("reconstructed", SAID.RECONSTRUCTED))
        return bars(rows, sentence, SAID.LETTERS_MEAN, legend, axis=SAID.PATTERNS)


class Splitting(Lesson):
    """Lesson 5: with several questions, ask each of some people rather than each with less epsilon."""

    key, page = "splitting", "collect"
    PEOPLE, MAX_QUESTIONS = 60_000, 30
    # Share of yes; sampling varies most at a half.
    SHARE = 0.5
    # The last step opens at other values.
    case = {"questions": 10, "epsilon": 1.0}
    GROUPS, SHOWN = 3, 48
    COLORS = ("reconstructed", "sampling", "private")

    def __init__(self):
        self.guess = Scale(1, 15, 0.1, suffix="×", ticks=7)
        numbers = tuple(range(1, self.MAX_QUESTIONS + 1))
        self.controls = (
            Control("questions", SAID.NUMBER_OF_QUESTIONS, numbers, 4),
            Control("epsilon", SAID.PRIVACY, (0.2, 0.5, 1.0, 2.0, 4.0), 2.0, "{:g}".format),
        )

    def errors(self, epsilon: float, questions: int) -> tuple[float, float]:
        """Return typical errors of a yes share in points: of split people, and of split epsilon.

        Split people are asked one question each with all of epsilon, which adds sampling; else everybody answers all
        questions, each with a part of epsilon.
        """
        people, group = self.PEOPLE, self.PEOPLE / questions
        sampling = self.SHARE * (1 - self.SHARE) / group * (people - group) / (people - 1)
        dealt = float(choose_oracle(2, epsilon).variance(group)) + sampling
        split = float(choose_oracle(2, epsilon / questions).variance(people))
        return 100 * math.sqrt(dealt), 100 * math.sqrt(split)

    def truth(self, press: int = 0) -> float:
        """Return how many times larger the error is with epsilon split."""
        dealt, split = self.errors(**self.case)
        return split / dealt

    def idea(self) -> Picture:
        """Draw people split into three groups."""
        dealt = stream(0, "dealt").permutation(self.SHOWN) % self.GROUPS
        labels = [SAID.all_of_epsilon(number=i + 1) for i in range(self.GROUPS)]
        groups = [
            {"label": label, "colors": [color] * int((dealt == i).sum())}
            for i, (label, color) in enumerate(zip(labels, self.COLORS))
        ]
        return Picture("groups", SAID.DEALT, SAID.DIVIDED, data={"groups": groups})

    def predict(self) -> Picture:
        """Draw both ways without their errors."""
        dealt = [self.COLORS[i % self.GROUPS] for i in range(self.SHOWN)]
        groups = [
            {"label": SAID.SPLIT_LABEL, "colors": ["line"] * self.SHOWN},
            {"label": SAID.DEALT_LABEL, "colors": dealt},
        ]
        return Picture("groups", SAID.TWO_CROWDS, SAID.TWO_WAYS, data={"groups": groups})

    def reveal(self, press: int = 0) -> Picture:
        """Draw both typical errors."""
        found = self.errors(**self.case)
        rows = [
            (name, error, color, words.numbers.points(error), None)
            for name, error, color in zip(SAID.WAYS_TO_SPLIT, found, self.COLORS)
        ]
        return bars(rows, title=SAID.TYPICAL_ERROR, suffix="")

    def play(self, values: Values, press: int = 0) -> Picture:
        """Draw typical errors over the number of questions."""
        epsilon, questions = values["epsilon"], values["questions"]
        numbers = range(1, self.MAX_QUESTIONS + 1)
        found = zip(*(self.errors(epsilon, number) for number in numbers))
        lines = [
            {"color": color, "points": [list(point) for point in zip(numbers, errors)]}
            for color, errors in zip(self.COLORS, found)
        ]
        dealt, split = self.errors(epsilon, questions)
        texts = words.numbers.distinct_points(dealt, split)
        marks = [[questions, error, text] for error, text in zip((dealt, split), texts)]
        sentence = SAID.split_errors(
            people=self.PEOPLE, questions=questions, epsilon=epsilon, dealt=texts[0], split=texts[1]
        )
        sentence = f"{sentence} {SAID.better_way_text(dealt, split)}"
        ticks = [1, 10, 20, 30]
        x = {"least": 1, "most": numbers[-1], "ticks": ticks, "title": SAID.NUMBER_OF_QUESTIONS}
        most = lines[1]["points"][-1][1]
        y = {"least": 0, "most": most, "title": SAID.POINTS_OFF, "prefix": "±"}
        return curves(lines, x, y, sentence, zip(self.COLORS, SAID.WAYS_TO_SPLIT), marks)


class Sizes(Lesson):
    """Lesson 6: more questions in a report mean more noise, fewer mean more rebuilding."""

    key, page = "sizes", "plan"
    QUESTIONS = 8
    # The last step opens at other values; k is the number of questions in a table.
    case = {"people": 1_000_000, "epsilon": 2.0, "k": 4}
    COLORS = ("reconstructed", "sampling", "rebuilding")

    def __init__(self):
        self.guess = Scale(2, self.QUESTIONS, 1, ticks=6)
        people = (10_000, 100_000, 1_000_000)
        self.controls = (
            Control("people", SAID.PEOPLE, people, 100_000, "{:,}".format),
            Control("epsilon", SAID.PRIVACY, (0.5, 1.0, 2.0, 4.0), 1.0, "{:g}".format),
            Control("k", SAID.IN_A_TABLE, (2, 3, 4), 3, "{}".format),
        )

    @classmethod
    @lru_cache(maxsize=64)
    def forecast(cls, people: int, epsilon: float, k: int) -> Sequence[SizeForecast]:
        """Return the expected shares in the wrong cell by the number of questions in a report."""
        domain = Domain(tuple(f"q{i}" for i in range(cls.QUESTIONS)), (2,) * cls.QUESTIONS)
        plan = make_plan(domain, people, epsilon=epsilon, k=k, rng=stream(0, "sizes"))
        return predict_view_sizes(plan, view_sizes(people, domain.sizes, epsilon, k))

    def find_best(self, values: Values) -> SizeForecast:
        """Return the number of questions with the fewest people in the wrong cell."""
        return min(self.forecast(**values), key=lambda size: size.wrong.total)

    def truth(self, press: int = 0) -> float:
        """Return the best number of questions."""
        return self.find_best(self.case).l

    def idea(self) -> Picture:
        """Draw the patterns of few, some and all questions in a report."""
        patterns = [draw_grid(questions, 1) for questions in (2, 5, self.QUESTIONS)]
        return grids(patterns, SAID.GRIDS, SAID.ONE_REPORT_OF)

    def predict(self) -> Picture:
        """Draw how many patterns a report of each size can be."""
        numbers = range(2, self.QUESTIONS + 1)
        rows = [(f"{size}", 2.0**size, "faint", f"{2**size}", None) for size in numbers]
        title, axis = SAID.PATTERNS_IN_REPORT, SAID.QUESTIONS_EACH
        return bars(rows, ", ".join(row[3] for row in rows), title, axis=axis, suffix="")

    def play(self, values: Values, press: int = 0) -> Picture:
        """Draw people in the wrong cell for each number of questions, stacked by cause."""
        found, best = self.forecast(**values), self.find_best(values)
        texts = [words.numbers.share_of_100(one.wrong.total) for one in (best, found[0], found[-1])]
        sentence = SAID.sizes(
            people=values["people"], epsilon=values["epsilon"], k=values["k"], best=best.l,
            wrong=texts[0], few=found[0].l, many=found[-1].l, wrong_few=texts[1], wrong_many=texts[2],
        )  # fmt: skip
        shares = [(f"{size.l}", size.wrong.total, self.COLORS[0]) for size in found]
        parts = [
            [[100 * part, color] for part, color in zip(size.wrong, self.COLORS)] for size in found
        ]
        return share_bars(
            shares, SAID.WRONG_OF_100, sentence, legend=zip(self.COLORS, SAID.CAUSES), parts=parts,
            number=words.numbers.people_wrong(best.wrong.total), axis=SAID.QUESTIONS_EACH,
        )  # fmt: skip


LESSONS = (Patterns, Splitting, Sizes)
