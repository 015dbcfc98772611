"""Lessons 7 to 10: views that agree, numbers that are believed less, the best possible answer, and what is lost."""

import math
from functools import lru_cache, partial
from itertools import combinations
from statistics import NormalDist

import numpy as np

from calm_core import choose_oracle, stream
from calm_core.evaluation.metrics import wrong_share
from calm_core.ingest.populations import make_population
from calm_core.methods import CalmPlus
from calm_core.oracles import GRR
from calm_core.tables.marginal import Marginal
from pages import words
from pages.panels.learn.lesson import PLAY, REVEAL, Lesson, share_bars
from pages.ui.guessing import Control, Picture, Scale, Values, bars, curves

SAID = words.learn


class Agreement(Lesson):
    """Lesson 7: views that share a question can be made to agree, and become more accurate by it."""

    key, page, random_steps = "agreement", "marginals", (REVEAL, PLAY)
    PEOPLE, SHARE, EPSILON = 30_000, 0.35, 1.0
    # Of the question; the last step opens at other values.
    VIEWS, COLLECTIONS = 4, 100
    case, lab_settings = {"views": VIEWS}, {"epsilon": EPSILON, "k": 2}

    def __init__(self):
        how, suffix = self.text.answer, SAID.SUFFIX_POINTS
        self.guess = Scale(0, 3, 0.1, "±", suffix, ticks=3, how=how)
        self.controls = (Control("views", SAID.SHARE_IT, tuple(range(2, 9)), 6),)

    @classmethod
    def collect_views(cls, views: int, press: int) -> tuple[np.ndarray, float, float]:
        """Return the share of yes of the shared attribute as each view sees it, after consistency, and true.

        Attribute "s" is in every view, beside one question of the view's own.
        """
        rng, n = stream(press, "agreement", views), cls.PEOPLE
        shared = rng.random(n) < cls.SHARE
        own = rng.random((n, views)) < 0.25 + 0.4 * shared[:, None]
        oracle = choose_oracle(4, cls.EPSILON)
        groups, seen = np.array_split(rng.permutation(n), views), []
        for i, group in enumerate(groups):
            counts = np.bincount(2 * shared[group] + own[group, i], minlength=4)
            support = oracle.simulate(counts[None], rng=rng)[0]
            seen.append(oracle.estimate(support, len(group))[2:].sum())
        # Views of as many people are as noisy: consistency takes the mean.
        together = np.average(seen, weights=list(map(len, groups)))
        return np.array(seen), float(together), float(shared.mean())

    @classmethod
    @lru_cache(maxsize=1)
    def typical_errors(cls) -> tuple[float, float]:
        """Return typical errors in points of one view and of four made consistent, over 100 collections."""
        collections = [cls.collect_views(cls.VIEWS, press) for press in range(cls.COLLECTIONS)]
        alone = np.mean([(seen - true) ** 2 for seen, _, true in collections])
        agreed = np.mean([(together - true) ** 2 for _, together, true in collections])
        return 100 * float(np.sqrt(alone)), 100 * float(np.sqrt(agreed))

    def truth(self, press: int = 0) -> float:
        """Return the error of four consistent views, in points."""
        return self.typical_errors()[1]

    def facts(self) -> dict[str, str]:
        """Return the error of a single view."""
        return {"alone": words.numbers.points(self.typical_errors()[0])}

    def idea(self) -> Picture:
        """Draw two views that share an attribute."""
        data = dict(zip(("left", "shared", "right"), SAID.OVERLAP))
        return Picture("overlaps", SAID.TWO_VIEWS, SAID.SHARED, data=data)

    def _shares(self, views: int, press: int, sentence: str = "") -> Picture:
        """Draw what every view sees, and with a sentence the truth and the consistent share."""
        seen, together, true = self.collect_views(views, press)
        marks = [(SAID.view(number=i), share, "sampling") for i, share in enumerate(seen, start=1)]
        legend = (("sampling", SAID.EACH_VIEW),)
        if sentence:
            marks.append((SAID.AGREED, together, "reconstructed"))
            legend = (("true", SAID.TRUE), *legend, ("reconstructed", SAID.AGREED))
        rows = [
            {"label": label, "value": 100 * share, "color": color, "text": words.numbers.percent(share)}
            for label, share, color in marks
        ]  # fmt: skip
        data = {"rows": rows, "true": 100 * true if sentence else None, "suffix": "%"}
        alt = sentence or ", ".join(f"{row['label']} {row['text']}" for row in rows)
        return Picture("shares", alt, SAID.SHARE_OF_YES, legend, data)

    def predict(self) -> Picture:
        """Draw four views that do not agree."""
        return self._shares(self.VIEWS, 0)

    def play(self, values: Values, press: int = 0) -> Picture:
        """Draw any number of views."""
        views = values["views"]
        seen, together, true = self.collect_views(views, press)
        apart, agreed = float(np.mean(np.abs(seen - true))), abs(together - true)
        return self._shares(views, press, SAID.agreement(views=views, apart=apart, together=agreed))


class Shrinkage(Lesson):
    """Lesson 8: numbers that are mostly noise are believed less; CALM+ does this with every pair."""

    key, page, lab_settings = "shrinkage", "marginals", {"method": "calm_plus"}
    random_steps = REVEAL, PLAY
    case = {"kind": "factor", "epsilon": 0.5}
    PEOPLE, ATTRIBUTES = 30_000, 8
    PAIRS = math.comb(ATTRIBUTES, 2)
    KINDS = {
        "chain": partial(make_population, kind="chain", strength=0.6),
        "factor": partial(make_population, kind="factor", strength=0.6),
        "independent": partial(make_population, kind="independent"),
    }

    def __init__(self):
        self.guess = Scale(0, 12, 1, suffix=SAID.SUFFIX_OF_100)
        kinds = tuple(self.KINDS)
        self.controls = (
            Control("kind", SAID.THE_PEOPLE, kinds, "chain", SAID.KINDS.__getitem__),
            Control("epsilon", SAID.PRIVACY, (0.2, 0.5, 1.0, 2.0), 0.5, "{:g}".format),
        )

    @classmethod
    @lru_cache(maxsize=40)
    def collect_pairs(cls, kind: str, epsilon: float, times: int) -> tuple[list[Marginal], ...]:
        """Return the tables of all pairs from one collection: true, as reported (CALM) and pulled (CALM+)."""
        rng = stream(7, times, kind)
        data = cls.KINDS[kind](d=cls.ATTRIBUTES, n=cls.PEOPLE, rng=rng)
        pairs = list(combinations(data.domain.names, 2))
        answer = CalmPlus(epsilon=epsilon, k=2, l=2, m=len(pairs)).release(data, rng=rng)
        return data.marginals(pairs), answer.views.marginals(pairs), answer.marginals(pairs)

    def measure_wrong(self, values: Values, times: int = 0) -> tuple[float, float]:
        """Return the share of people in the wrong cell as reported and pulled, on average over all pairs."""
        true, *answers = self.collect_pairs(values["kind"], values["epsilon"], times)
        calm, plus = (
            float(np.mean([wrong_share(*pair) for pair in zip(true, tables)])) for tables in answers
        )
        return calm, plus

    def truth(self, press: int = 0) -> float:
        """Return people of 100 in the wrong cell once all pairs are pulled."""
        return 100 * self.measure_wrong(self.case, press)[1]

    def facts(self) -> dict[str, str]:
        """Return people in the wrong cell as reported."""
        return {"alone": words.numbers.wrong(self.measure_wrong(self.case)[0])}

    def idea(self) -> Picture:
        """Draw noisy correlations and their pulled values, sorted by the truth."""
        # Imported here: only this picture needs Plotly.
        from calm_core.figures.experiments import interaction

        found = self.collect_pairs("independent", 0.5, 0)
        true, calm, plus = (np.array([interaction(table) for table in tables]) for tables in found)
        rows = [{"true": true[i], "seen": calm[i], "pulled": plus[i]} for i in np.argsort(true)]
        legend = (
            ("true", SAID.TRUE), ("sampling", SAID.AS_REPORTED), ("reconstructed", SAID.IS_PULLED)
        )  # fmt: skip
        return Picture("pulls", SAID.PULLED, SAID.RELATIONS, legend, {"rows": rows})

    def predict(self) -> Picture:
        """Draw what is wrong as reported."""
        (calm, _) = self.measure_wrong(self.case)
        return share_bars([(SAID.AS_REPORTED, calm, "sampling")], SAID.WRONG_MEASURED)

    def play(self, values: Values, press: int = 0) -> Picture:
        """Draw what is wrong as reported and pulled."""
        wrong = self.measure_wrong(values, press)
        calm, plus = map(words.numbers.share_of_100, wrong)
        sentence = SAID.shrinkage(
            people=self.PEOPLE, pairs=self.PAIRS, epsilon=values["epsilon"], calm=calm, plus=plus
        )
        names, colors = (SAID.AS_REPORTED, SAID.PULLED_BY_CALM), ("sampling", "reconstructed")
        return share_bars(zip(names, wrong, colors), SAID.WRONG_MEASURED, sentence)


class BestPossible(Lesson):
    """Lesson 9: the best possible answer from such reports, and what makes up the rest of the error."""

    key, page, lab_settings = "rest", "errors", {"method": "calm_plus"}
    PAIRS = math.comb(8, 2)
    # Standard deviations of true correlations, known to the best possible answer.
    SPREADS = {"hardly": 0.05, "loosely": 0.15, "closely": 0.4}
    case = {"people": 30_000, "epsilon": 0.5, "kind": "loosely"}
    # What is usual, one report, and how sure it is, of the picture with the three curves.
    REPORTED, SURE = 0.5, 0.25

    def __init__(self):
        self.guess = Scale(0, 12, 1, suffix=SAID.SUFFIX_OF_100)
        people, kinds = (3_000, 30_000, 300_000, 3_000_000), tuple(self.SPREADS)
        self.controls = (
            Control("people", SAID.PEOPLE, people, 30_000, "{:,}".format),
            Control("epsilon", SAID.PRIVACY, (0.2, 0.5, 1.0, 2.0, 4.0), 1.0, "{:g}".format),
            Control("kind", SAID.ATTRIBUTES, kinds, "loosely", SAID.SPREADS.__getitem__),
        )

    def reported_error(self, people: float, epsilon: float) -> float:
        """Return the typical error of a correlation when each person reports on one pair.

        A correlation of yes/no attributes is the sum of four shares with signs: four times the variance of a
        normalized contrast, and what people asked by chance differ from all.
        """
        group = np.array(people / self.PAIRS)
        noise = 4 * float(choose_oracle(4, epsilon).contrast_variance(group))
        return math.sqrt(noise + 1 / group)

    @staticmethod
    def best_error(error: float, spread: float) -> float:
        """Return the typical error of the posterior mean, given how far the true values scatter.

        Normal true values seen with normal errors: the posterior mean.
        """
        return error * spread / math.hypot(error, spread)

    def errors(self, people: float, epsilon: float, kind: str) -> tuple[float, float, float, float]:
        """Return the error as reported, and the least possible: of these reports, without noise, with all asked everything."""
        reported, spread = self.reported_error(people, epsilon), self.SPREADS[kind]
        sampling = reported, math.sqrt(self.PAIRS / people), math.sqrt(1 / people)
        best, without_noise, everything = (self.best_error(error, spread) for error in sampling)
        return reported, best, without_noise, everything

    @staticmethod
    def expected_wrong(error: float) -> float:
        """Return the expected share of people in the wrong cell of a table of two yes/no attributes.

        A correlation that is off by x puts x/2 of all people into the wrong cell.
        """
        return math.sqrt(1 / (2 * math.pi)) * error

    def truth(self, press: int = 0) -> float:
        """Return people of 100 in the wrong cell of the best possible answer."""
        return 100 * self.expected_wrong(self.errors(**self.case)[1])

    def facts(self) -> dict[str, str]:
        """Return people in the wrong cell as reported."""
        return {"reported": words.numbers.wrong(self.expected_wrong(self.errors(**self.case)[0]))}

    def idea(self) -> Picture:
        """Draw what is usual, what is reported, and the best answer between them."""
        spread = self.SPREADS["loosely"]
        share = spread**2 / (spread**2 + self.SURE**2)
        bells = (
            ("faint", 0.0, spread), ("sampling", self.REPORTED, self.SURE),
            ("reconstructed", share * self.REPORTED, self.best_error(self.SURE, spread)),
        )  # fmt: skip
        at = np.linspace(-0.6, 1.2, 121).tolist()
        lines = [
            {"color": color, "points": [[x, NormalDist(mean, sd).pdf(x)] for x in at]}
            for color, mean, sd in bells
        ]
        legend = zip((color for color, *_ in bells), SAID.BELL_NAMES)
        most = max(high for line in lines for _, high in line["points"])
        x = {"least": at[0], "most": at[-1], "ticks": [], "title": SAID.HOW_STRONGLY}
        y = {"least": 0, "most": most, "ticks": [], "title": ""}
        return curves(lines, x, y, SAID.BELLS, legend)

    def _draw_errors(self, errors, alt: str = "") -> Picture:
        """Draw people in the wrong cell for the first of the `errors`."""
        names = SAID.AS_REPORTED, SAID.BEST_POSSIBLE, SAID.WITHOUT_NOISE, SAID.ALL_ASKED
        colors = ["sampling", *["reconstructed"] * 3]
        return share_bars(
            zip(names, map(self.expected_wrong, errors), colors), SAID.WRONG_OF_100, alt
        )

    def predict(self) -> Picture:
        """Draw what is wrong as reported."""
        return self._draw_errors(self.errors(**self.case)[:1])

    def reveal(self, press: int = 0) -> Picture:
        """Draw what is wrong as reported and in the best possible answer."""
        return self._draw_errors(self.errors(**self.case)[:2])

    def play(self, values: Values, press: int = 0) -> Picture:
        """Draw what is left without noise, and with everybody asked about every pair."""
        errors = self.errors(**values)
        wrong = map(self.expected_wrong, errors[:2])
        sentence = SAID.remaining_error(values["people"], values["epsilon"], *wrong, errors[1:])
        return self._draw_errors(errors, sentence)


class Limits(Lesson):
    """Lesson 10: what is lost: shares below zero, small groups, privacy at large epsilon, all in one picture."""

    key, page, random_steps = "limits", "errors", (REVEAL, PLAY)
    CELLS, PEOPLE, COLLECTIONS = 16, 5_000, 100
    EPSILON = 0.5
    EPSILONS = (0.2, 0.5, 1.0, 2.0, 4.0, 6.0, 8.0)
    GROUPS = (100, 300, 1_000, 3_000, 10_000, 100_000)

    def __init__(self):
        self.guess = Scale(0, 100, 1)
        self.controls = (
            Control("people", SAID.IN_THE_GROUP, self.GROUPS, 300, "{:,}".format),
            Control("epsilon", SAID.PRIVACY, self.EPSILONS, 1.0, "{:g}".format),
        )

    def rare_cells(
        self, people: int, epsilon: float, press: int = 0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return true and noisy shares of 16 answers, most of them rare."""
        rng = stream(press, "limits", people)
        shares = 0.55 ** np.arange(self.CELLS)
        counts = rng.multinomial(people, shares / shares.sum())
        oracle = choose_oracle(self.CELLS, epsilon)
        noisy = oracle.estimate(oracle.simulate(counts[None], rng=rng)[0], people)
        return counts / people, noisy

    def simulate_empty_answer(self, press: int) -> np.ndarray:
        """Return noisy shares of an answer that nobody gives, in points, one per collection."""
        rng = stream(press, "nobody")
        counts = np.array([[self.PEOPLE, 0]])
        oracle = choose_oracle(2, self.EPSILON)
        supports = [oracle.simulate(counts, rng=rng)[0] for _ in range(self.COLLECTIONS)]
        return 100 * np.array([oracle.estimate(support, self.PEOPLE) for support in supports])[:, 1]

    def truth(self, press: int = 0) -> float:
        """Return in how many of 100 collections this share is below zero."""
        return int((self.simulate_empty_answer(press) < 0).sum())

    def _cells(self, true, noisy, alt: str) -> Picture:
        rows = [
            (f"{i}", 100 * share, "reconstructed" if share >= 0 else "sampling", None, 100 * real)
            for i, (real, share) in enumerate(zip(true, noisy), start=1)
        ]
        legend = (
            ("true", SAID.TRUE), ("reconstructed", SAID.WITH_NOISE), ("sampling", SAID.BELOW_ZERO)
        )  # fmt: skip
        return bars(rows, alt, SAID.ANSWERS, legend, axis=SAID.ANSWER)

    def idea(self) -> Picture:
        """Draw rare answers with noise."""
        return self._cells(*self.rare_cells(self.PEOPLE, self.EPSILON), SAID.ANSWERS_SHOWN)

    def predict(self) -> Picture:
        """Draw zero a hundred times."""
        rows = [("", 0.0, "line", None, 0.0)] * self.COLLECTIONS
        return bars(rows, SAID.NOTHING_SHOWN, SAID.COLLECTIONS, most=4, least=-4, blank=True)

    def reveal(self, press: int = 0) -> Picture:
        """Draw the share in each collection."""
        shares = self.simulate_empty_answer(press)
        below = int((shares < 0).sum())
        rows = [
            ("", share, "sampling" if share < 0 else "reconstructed", None, None)
            for share in shares
        ]  # fmt: skip
        legend = (
            ("sampling", SAID.below_zero(count=below)),
            ("reconstructed", SAID.above_zero(count=self.COLLECTIONS - below)),
        )
        alt = ", ".join(text for _, text in legend)
        return bars(rows, alt, SAID.SHARE_IN_EACH, legend)

    def play(self, values: Values, press: int = 0) -> Picture:
        """Draw rare answers of some people at some epsilon, and say what is lost."""
        people, epsilon = values["people"], values["epsilon"]
        true, noisy = self.rare_cells(people, epsilon, press)
        off = math.sqrt(float(choose_oracle(2, epsilon).variance(people)))
        sentence = SAID.negative(self.CELLS, people, int((noisy < 0).sum()))
        more = SAID.large(
            epsilon=epsilon, truth=GRR(epsilon, 2).p, factor=math.exp(epsilon), people=people, typical=off
        )  # fmt: skip
        return self._cells(true, noisy, f"{sentence} {more}")

    def expected_answer(self) -> str:
        """Return the expected answer with its range."""
        half, spread = self.COLLECTIONS / 2, math.sqrt(self.COLLECTIONS) / 2
        return SAID.about_half(least=half - 2 * spread, most=half + 2 * spread)


LESSONS = (Agreement, Shrinkage, BestPossible, Limits)
