"""Lessons 1 to 3: why answers are hidden, how a coin hides one, and what epsilon bounds."""

import math
from functools import lru_cache

import numpy as np
import pandas as pd

from calm_core import stream
from calm_core.ingest.samples import sample_table
from calm_core.oracles import GRR
from pages import words
from pages.panels.learn.lesson import PLAY, REVEAL, Lesson, draw_gain, some_people
from pages.ui.guessing import Control, Picture, Scale, Values, bars, curves, people

SAID = words.learn
PEOPLE = 100


class Why(Lesson):
    """Lesson 1: a table without names gives away whoever is alone in a cell."""

    key, page, lab_settings = "why", "marginals", {"k": 3}
    # A hundred people of the sample, in whose smallest cells somebody has something to hide.
    FIRST = 500
    FACTS, SECRET = ("female", "age", "education", "income", "area"), "tax_cheated_ever"
    ANYONE = "anyone"
    AGES = ("18-25", "26-34", "35-49", "50-64", "65+")
    AREAS = ("large city area", "small city area", "rural")

    def __init__(self):
        self.guess = Scale(0, 100, 1)
        choices = {"age": (SAID.FIRST_CLICK, self.AGES), "area": (SAID.SECOND_CLICK, self.AREAS)}
        self.controls = tuple(
            Control(fact, label, (self.ANYONE, *values), self.ANYONE, self._name)
            for fact, (label, values) in choices.items()
        )

    @staticmethod
    def _name(value: str) -> str:
        return SAID.WHO.get(value, value)

    @classmethod
    @lru_cache(maxsize=1)
    def get_people(cls) -> pd.DataFrame:
        """Return the people; the secret is 1 for a yes."""
        some = sample_table("survey").data.slice(cls.FIRST, PEOPLE)
        return some.select([*cls.FACTS, cls.SECRET]).to_pandas().astype({cls.SECRET: int})

    def _find_alone(self) -> list[bool]:
        """Return for each person whether nobody else shares all facts."""
        return list(~self.get_people().duplicated(list(self.FACTS), keep=False))

    def truth(self, press: int = 0) -> float:
        """Return how many people share all facts with nobody else."""
        return sum(self._find_alone())

    def idea(self) -> Picture:
        """Draw who has something to hide."""
        secrets = self.get_people()[self.SECRET].tolist()
        return some_people(secrets, SAID.TRUTH_IN_SECRET, SAID.did_of, SAID.did, SAID.did_not)

    def predict(self) -> Picture:
        """Draw the people, alike."""
        return people(["line"] * PEOPLE, SAID.all_people(people=PEOPLE), SAID.NO_NAMES)

    def reveal(self, press: int = 0) -> Picture:
        """Draw who is alone."""
        alone = self._find_alone()
        return some_people(alone, SAID.ONE_OF_A_KIND, SAID.alone_of, SAID.alone, SAID.not_alone)

    def play(self, values: Values, press: int = 0) -> Picture:
        """Draw who is left once two facts are known."""
        rows = self.get_people()
        remaining = pd.Series(True, index=rows.index)
        for fact in ("age", "area"):
            if values[fact] != self.ANYONE:
                remaining &= rows[fact] == values[fact]
        count, did = int(remaining.sum()), int(rows[self.SECRET][remaining].sum())
        text = SAID.left_text(count, did)
        color = "sampling" if count and did in (0, count) else "reconstructed"
        colors = [color if one else "line" for one in remaining]
        legend = ((color, SAID.count_left(count=count)),)
        return people(colors, text, SAID.WHO_IS_LEFT, legend)


class Coin(Lesson):
    """Lesson 2: a coin flip protects every single answer and spoils no share."""

    key, page, lab_settings, random_steps = "coin", "collect", {"epsilon": 1.0}, (REVEAL, PLAY)
    # Of the last step.
    MANY = 100_000
    # A fair coin decides between the truth and a second coin: 3/4 against 1/4, odds of 3 to 1.
    EPSILON = math.log(3)

    def __init__(self):
        self.guess = Scale(0, 100, 1)
        shares = tuple(range(0, 101, 5))
        self.controls = (Control("share", SAID.TRUE_YES, shares, 20, lambda v: f"{v}%"),)

    def ask_everyone(self, true_yes: int, press: int, count: int) -> tuple[np.ndarray, float]:
        """Return every report (1 is yes), and the unbiased share of yes."""
        oracle = GRR(self.EPSILON, 2)
        answers = np.zeros(count, dtype=np.int64)
        answers[:true_yes] = 1
        reports = oracle.perturb(answers, rng=stream(press, "coin", count))
        return reports, float(oracle.estimate(oracle.support(reports), count)[1])

    def truth(self, press: int = 0) -> float:
        """Return how many of 100 people with a true no report yes."""
        return int(self.ask_everyone(0, press, PEOPLE)[0].sum())

    def idea(self) -> Picture:
        """Draw the first flips of 100 people."""
        heads = stream(0, "first flips").integers(0, 2, PEOPLE)
        up = int(heads.sum())
        legend = (("private", SAID.heads(count=up)), ("sampling", SAID.tails(count=PEOPLE - up)))
        colors = ["private" if head else "sampling" for head in heads]
        return people(colors, SAID.heads_of(count=up, people=PEOPLE), SAID.FIRST_FLIP, legend)

    def predict(self) -> Picture:
        """Draw 100 people before anything is sent."""
        number = SAID.of_people(count="?", people=PEOPLE)
        alt = SAID.all_people(people=PEOPLE)
        return people(["line"] * PEOPLE, alt, SAID.SECOND_FLIP, number=number)

    def reveal(self, press: int = 0) -> Picture:
        """Draw who reports yes."""
        reports = self.ask_everyone(0, press, PEOPLE)[0].tolist()
        return some_people(reports, SAID.SENT_BY_100, SAID.yes_of, SAID.said_yes, SAID.said_no)

    def play(self, values: Values, press: int = 0) -> Picture:
        """Draw the share of reported yes and the unbiased share."""
        count, share = self.MANY, values["share"]
        reports, reconstructed = self.ask_everyone(count * share // 100, press, count)
        yes = int(reports.sum())
        text = SAID.coin(people=count, said_yes=yes, reconstructed=reconstructed, percent=share)
        said_yes, percent = yes / count, words.numbers.percent
        sent, taken_out = SAID.COIN_BARS
        rows = [
            (sent, 100 * said_yes, "sampling", percent(said_yes), None),
            (taken_out, 100 * reconstructed, "reconstructed", percent(reconstructed), share),
        ]
        legend = (("true", SAID.true_share(percent=share)), ("reconstructed", SAID.RECONSTRUCTED))
        number = percent(reconstructed)
        title = SAID.phones(people=count)
        return bars(rows, text, title, legend, number=number, most=100)

    def expected_answer(self) -> str:
        """Return the expected answer with its range."""
        mean, spread = PEOPLE / 4, math.sqrt(PEOPLE * 3 / 16)
        return SAID.coin_expected(least=mean - 2 * spread, most=mean + 2 * spread)


class Epsilon(Lesson):
    """Lesson 3: epsilon bounds how much any report can change what is believed about a person."""

    key, page = "epsilon", "marginals"
    CHOICES = (0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
    PRIORS = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99)
    # Of the question; the last step opens at other values.
    EPSILON, PRIOR = 1.0, 0.1

    def __init__(self):
        self.guess = Scale(0, 100, 1, suffix="%")
        self.controls = (
            Control("epsilon", SAID.PRIVACY, self.CHOICES, 2.0, "{:g}".format),
            Control("prior", SAID.BELIEVED_BEFORE, self.PRIORS, 30, lambda v: f"{v}%"),
        )

    @staticmethod
    def posterior(prior, log_odds: float):
        """Return Bayes' posterior: the odds are multiplied by e^log_odds."""
        return prior / (prior + (1 - prior) * math.exp(-log_odds))

    def truth(self, press: int = 0) -> float:
        """Return the largest possible belief, in percent."""
        return 100 * self.posterior(self.PRIOR, self.EPSILON)

    def _curve(self, epsilon: float, alt: str, marks=(), axes: bool = True) -> Picture:
        """Draw the belief after a report over the belief before."""
        before = np.linspace(0, 1, 101)
        lines = [{"color": "faint", "dash": True, "points": [[0, 0], [100, 100]]}]
        for sign, color in ((1, "reconstructed"), (-1, "rebuilding")):
            after = self.posterior(before, sign * epsilon)
            points = [[100 * x, 100 * y] for x, y in zip(before, after)]
            lines.append({"color": color, "points": points})
        legend = zip(("faint", "reconstructed", "rebuilding"), SAID.BELIEFS)
        ticks = [0, 25, 50, 75, 100] if axes else []
        axis = {"least": 0, "most": 100, "ticks": ticks, "suffix": "%"}
        titles = SAID.BELIEVED_BEFORE, SAID.BELIEVED_AFTER
        x, y = (axis | {"title": title} for title in titles)
        return curves(lines, x, y, alt, legend, marks)

    def idea(self) -> Picture:
        """Draw the area between the two curves, without numbers."""
        return self._curve(self.EPSILON, SAID.LENS, axes=False)

    def _believed(self, after: float, alt: str, title: str) -> Picture:
        return draw_gain(self.PRIOR, after, SAID.BEFORE_AND_AFTER, alt, title, "reconstructed")

    def predict(self) -> Picture:
        """Draw the belief before the report, as people."""
        return self._believed(self.PRIOR, SAID.like_this(count=10), SAID.LIKE_HER)

    def reveal(self, press: int = 0) -> Picture:
        """Draw the belief after the report."""
        alt = SAID.after_yes(count=round(self.truth()))
        return self._believed(self.truth() / 100, alt, SAID.LIKE_HER_AFTER)

    def play(self, values: Values, press: int = 0) -> Picture:
        """Draw the curves at the chosen epsilon and prior."""
        epsilon, before = values["epsilon"], values["prior"] / 100
        most, least = (self.posterior(before, sign * epsilon) for sign in (1, -1))
        bound = words.numbers.bound_percent
        bounds = bound(most, math.ceil), bound(least, math.floor)
        said = SAID.belief(
            epsilon=epsilon, before=words.numbers.percent(before, 0), most=bounds[0], least=bounds[1],
            factor=math.exp(epsilon),
        )  # fmt: skip
        oracle = GRR(epsilon, 2)
        marks = [[100 * before, 100 * y, text] for y, text in zip((most, least), bounds)]
        return self._curve(epsilon, f"{said} {SAID.people_text(yes=oracle.p, no=oracle.q)}", marks)


LESSONS = (Why, Coin, Epsilon)
