"""Lessons 11 to 13: guessing a cell from one report, from many, and liars."""

from functools import lru_cache

import numpy as np

from calm_core import choose_oracle, stream
from calm_core.attacks import hit_rate
from calm_core.attacks.asked_again import repeated_hit_rate
from pages import words
from pages.panels.learn.lesson import Lesson, draw_gain, draw_grid, grids, share_bars
from pages.ui.guessing import Control, Picture, Scale, Values, bars, curves, people

SAID = words.learn

# Cells that are guessed and epsilon of the questions; the last steps open at other values.
CELLS, EPSILON = 4, 1.0


def draw_guesses(before: float, after: float, names: tuple[str, str]) -> Picture:
    """Draw 100 people: whose cell was guessed before, and whose only after."""
    return draw_gain(before, after, names, SAID.guesses_right(count=round(100 * after)))


class OnePerson(Lesson):
    """Lesson 11: what one report is worth to somebody who guesses the person's cell."""

    key, page, view, lab_settings = "person", "attack", "one-person", {"k": 2}

    def __init__(self):
        self.guess = Scale(0, 100, 1, suffix=SAID.SUFFIX_OF_100)
        self.controls = (
            Control("epsilon", SAID.PRIVACY, (0.2, 0.5, 1.0, 2.0, 4.0), 2.0, "{:g}".format),
            Control("cells", SAID.CELLS, (2, 4, 8, 16, 64), CELLS, "{}".format),
            Control("times", SAID.MORE_COMMON, (1, 2, 3, 5, 10), 1, "{}×".format),
        )

    @staticmethod
    def share_guessed(
        cells: int = CELLS, epsilon: float = EPSILON, times: int = 1
    ) -> tuple[float, float]:
        """Return how often the best guess is right without a report and with one.

        The first cell is so many times as common beforehand as each other one.
        """
        prior = np.ones(cells)
        prior[0] = times
        prior /= prior.sum()
        return float(prior[0]), hit_rate(choose_oracle(cells, epsilon), prior)

    def truth(self, press: int = 0) -> float:
        """Return of 100 guesses those that are right."""
        return 100 * self.share_guessed()[1]

    def idea(self) -> Picture:
        """Draw the person's cell, which nobody sees, and the report."""
        places = zip((-1, 2), SAID.HIDDEN_AND_SENT)
        patterns = [draw_grid(2, marked) | {"label": label} for marked, label in places]
        return grids(patterns, SAID.REPORT_SEEN, SAID.ONE_REPORT)

    def predict(self) -> Picture:
        """Draw whose cell is guessed blindly."""
        blind, _ = self.share_guessed()
        return draw_guesses(blind, blind, SAID.BLIND_AND_SEEN)

    def reveal(self, press: int = 0) -> Picture:
        """Draw whose cell is guessed with a report."""
        return draw_guesses(*self.share_guessed(), SAID.BLIND_AND_SEEN)

    def play(self, values: Values, press: int = 0) -> Picture:
        """Draw how many guesses are right without and with a report."""
        chosen = values["cells"], values["epsilon"], values["times"]
        blind, seen = self.share_guessed(*chosen)
        sentence = SAID.guesses(*chosen, blind, seen)
        shares = zip(SAID.WAYS_TO_GUESS, (blind, seen), ("faint", "sampling"))
        return share_bars(shares, SAID.RIGHT_OF_100, sentence, most=100)


class AskedAgain(Lesson):
    """Lesson 12: new noise every day wears off; the same report sent again does not."""

    key, page, view, lab_settings = "again", "attack", "asked-again", {"k": 2}
    # Days of the question, and reports in the picture of the idea.
    DAYS, SHOWN = 30, 10
    DAYS_DRAWN = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 60)
    EQUAL = np.full(CELLS, 1 / CELLS)

    def __init__(self):
        self.guess = Scale(0, 100, 1, suffix=SAID.SUFFIX_OF_100)
        self.controls = (
            Control("days", SAID.DAYS, self.DAYS_DRAWN, 7),
            Control("epsilon", SAID.PRIVACY, (0.2, 0.5, 1.0, 2.0), 0.5, "{:g}".format),
        )

    @classmethod
    @lru_cache(maxsize=64)
    def share_guessed(cls, epsilon: float = EPSILON, days: int = 1) -> float:
        """Return how often the best guess from so many reports is right, each with new noise."""
        return repeated_hit_rate(choose_oracle(CELLS, epsilon), cls.EQUAL, days)

    def truth(self, press: int = 0) -> float:
        """Return of 100 guesses after all days those that are right."""
        return 100 * self.share_guessed(EPSILON, self.DAYS)

    def facts(self) -> dict[str, str]:
        """Return the right guesses after one day."""
        return {"once": words.numbers.wrong(self.share_guessed())}

    def idea(self) -> Picture:
        """Draw the reports of one person by the cell they name."""
        cells = np.zeros(self.SHOWN, dtype=np.int64)
        sent = choose_oracle(CELLS, EPSILON).perturb(cells, rng=stream(0, "asked again"))
        counts = np.bincount(sent, minlength=CELLS).tolist()
        rows = [
            (SAID.cell(name=name), count, "sampling", f"{count}", None)
            for name, count in zip("ABCD", counts)
        ]
        return bars(rows, title=SAID.reports_of_one(days=self.SHOWN), suffix="")

    def predict(self) -> Picture:
        """Draw whose cell is guessed after one day."""
        once = self.share_guessed()
        return draw_guesses(once, once, SAID.FIRST_AND_LATER)

    def reveal(self, press: int = 0) -> Picture:
        """Draw whose cell is guessed after all days."""
        shares = self.share_guessed(), self.share_guessed(EPSILON, self.DAYS)
        return draw_guesses(*shares, SAID.FIRST_AND_LATER)

    def play(self, values: Values, press: int = 0) -> Picture:
        """Draw the share of right guesses over days, with new noise and with the same report."""
        epsilon, days = values["epsilon"], values["days"]
        once, found = self.share_guessed(epsilon), self.share_guessed(epsilon, days)
        fresh = [[day, 100 * self.share_guessed(epsilon, day)] for day in self.DAYS_DRAWN]
        same = [[day, 100 * once] for day in self.DAYS_DRAWN]
        lines = [{"color": "sampling", "points": fresh}, {"color": "private", "points": same}]
        texts = [words.numbers.share_of_100(share) for share in (found, once)]
        marks = [[days, 100 * share, text] for share, text in zip((found, once), texts)]
        sentence = SAID.asked_again(
            epsilon=epsilon, days=days, total=days * epsilon, found=texts[0], once=texts[1]
        )
        ticks = [1, 10, 20, 30, 40, 50, 60]
        x = {"least": 1, "most": self.DAYS_DRAWN[-1], "ticks": ticks, "title": SAID.DAYS}
        y = {"least": 0, "most": 100, "title": SAID.RIGHT_OF_100}
        legend = zip(("sampling", "private"), SAID.WAYS_TO_SEND)
        return curves(lines, x, y, sentence, legend, marks)


class Liars(Lesson):
    """Lesson 13: a few people who send what they like move a table by much."""

    key, page, view, lab_settings = "liars", "attack", "liars", {"k": 2}
    # Neither, drank, smoked, both.
    TRUE = np.array([0.43, 0.39, 0.06, 0.12])
    TARGET = 3
    # The last step opens at other values; liars are of 100.
    case = {"liars": 5, "epsilon": EPSILON}

    def __init__(self):
        self.guess = Scale(0, 25, 1, suffix=SAID.SUFFIX_POINTS, ticks=5)
        self.controls = (
            Control("liars", SAID.LIARS, (1, 2, 5, 10), 2, lambda v: SAID.of_people(count=v, people=100)),
            Control("epsilon", SAID.PRIVACY, (0.2, 0.5, 1.0, 2.0, 4.0), 0.5, "{:g}".format),
        )  # fmt: skip

    def reconstruct(self, liars: int, epsilon: float) -> np.ndarray:
        """Return the expected reconstructed shares of all cells with so many liars of 100, unprocessed."""
        cells = len(self.TRUE)
        oracle, pushed, share = (
            choose_oracle(cells, epsilon),
            np.eye(cells)[self.TARGET],
            liars / 100,
        )
        # The share of reports that name each cell; liars send theirs without noise.
        honest = oracle.q + oracle.gap * self.TRUE
        return oracle.estimate((1 - share) * honest + share * pushed, 1)

    def truth(self, press: int = 0) -> float:
        """Return by how many points the cell is lifted."""
        return 100 * float((self.reconstruct(**self.case) - self.TRUE)[self.TARGET])

    def _draw(self, shares: np.ndarray, title: str, alt: str = "", lied: bool = True) -> Picture:
        """Draw reconstructed and true shares."""
        texts = [words.numbers.percent(share, 0) for share in shares]
        colors = ["reconstructed"] * len(shares)
        legend = [("true", SAID.TRUE), ("reconstructed", SAID.RECONSTRUCTED)]
        if lied:
            colors[self.TARGET] = "sampling"
            legend.append(("sampling", SAID.LIFTED))
        rows = list(zip(SAID.CELL_NAMES, 100 * shares, colors, texts, 100 * self.TRUE))
        return bars(rows, alt, title, legend)

    def idea(self) -> Picture:
        """Draw who lies."""
        count = self.case["liars"]
        colors = ["line"] * (100 - count) + ["sampling"] * count
        legend = tuple(zip(("muted", "sampling"), SAID.HONEST_AND_LIARS))
        alt = ", ".join(text for _, text in legend)
        return people(colors, alt, SAID.WHO_LIES, legend)

    def predict(self) -> Picture:
        """Draw the table as it is without liars, on average."""
        return self._draw(self.TRUE, SAID.HONEST, lied=False)

    def play(self, values: Values, press: int = 0) -> Picture:
        """Draw the table with liars."""
        shares, liars = self.reconstruct(**values), values["liars"] / 100
        lifted = float((shares - self.TRUE)[self.TARGET])
        weight = lifted / liars + self.TRUE[self.TARGET]
        possible = 0 <= shares.min() <= shares.max() <= 1
        sentence = SAID.lift_text(liars, values["epsilon"], lifted, weight, possible)
        return self._draw(shares, SAID.WITH_LIARS, sentence)


LESSONS = (OnePerson, AskedAgain, Liars)
