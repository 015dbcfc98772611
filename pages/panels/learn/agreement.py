"""Lesson 7: views that share a question can be made to agree, and become more accurate by it."""

from functools import cache

import numpy as np

from calm_core import Dataset, Domain, aggregate, choose_oracle, make_consistent, stream
from calm_core.collection.simulation import Reports, ViewReports
from pages import words
from pages.panels.learn.lesson import Lesson
from pages.ui.guessing import Control, Picture, Scale, Values

SAID = words.learn

PEOPLE, SHARE, EPSILON = 30_000, 0.35, 1.0
# Of the question; the last step opens at other values.
VIEWS, COLLECTIONS = 4, 100


def collect_views(views: int, press: int) -> tuple[np.ndarray, float, float]:
    """Return the share of yes of the shared attribute as each view sees it, after consistency, and true.

    Attribute "s" is in every view, beside one question of the view's own.
    """
    rng = stream(press, "agreement", views)
    names = ("s", *(f"q{i}" for i in range(1, views + 1)))
    shared = (rng.random(PEOPLE) < SHARE).astype(np.int64)
    own = (rng.random((PEOPLE, views)) < 0.25 + 0.4 * shared[:, None]).astype(np.int64)
    data = Dataset.from_codes(np.column_stack([shared, own]), Domain(names, (2,) * len(names)))
    oracle = choose_oracle(4, EPSILON)
    parts = []
    for i, group in enumerate(np.array_split(rng.permutation(PEOPLE), views)):
        view = ("s", names[i + 1])
        counts = np.bincount(data.cells(view)[group], minlength=4)
        support = oracle.simulate(counts[None], rng=rng)[0]
        parts.append(ViewReports(view, oracle, support, len(group)))
    noisy = aggregate(Reports(data.domain, tuple(parts)))
    together = make_consistent(noisy, nonnegativity="none").marginal(("s",)).values[1]
    seen = np.array([table.project(("s",)).values[1] for table in noisy.tables])
    return seen, float(together), float(data.marginal(("s",)).values[1])


@cache
def typical_errors() -> tuple[float, float]:
    """Return typical errors in points of one view and of four made consistent, over 100 collections."""
    found = [collect_views(VIEWS, press) for press in range(COLLECTIONS)]
    alone = np.mean([(seen - true) ** 2 for seen, _, true in found])
    agreed = np.mean([(together - true) ** 2 for _, together, true in found])
    return 100 * float(np.sqrt(alone)), 100 * float(np.sqrt(agreed))


def truth(press: int = 0) -> float:
    """Return the error of four consistent views, in points."""
    return typical_errors()[1]


def idea() -> Picture:
    """Draw two views that share an attribute."""
    data = dict(zip(("left", "shared", "right"), SAID.OVERLAP))
    return Picture("overlaps", SAID.TWO_VIEWS, SAID.SHARED, data=data)


def _shares(views: int, press: int, told: bool, alt: str = "") -> Picture:
    """Draw what every view sees, and once `told` the truth and the consistent share."""
    seen, together, true = collect_views(views, press)
    shown = [(SAID.view(number=i), share, "sampling") for i, share in enumerate(seen, start=1)]
    legend = (("sampling", SAID.EACH_VIEW),)
    if told:
        shown.append((SAID.AGREED, together, "reconstructed"))
        legend = (("true", SAID.TRUE), *legend, ("reconstructed", SAID.AGREED))
    rows = [
        {"label": label, "value": 100 * share, "color": color, "text": words.numbers.percent(share)}
        for label, share, color in shown
    ]
    data = {"rows": rows, "true": 100 * true if told else None, "suffix": "%"}
    alt = alt or ", ".join(f"{row['label']} {row['text']}" for row in rows)
    return Picture("shares", alt, SAID.SHARE_OF_YES, legend, data)


def predict() -> Picture:
    """Draw four views that do not agree."""
    return _shares(VIEWS, 0, told=False)


def reveal(press: int) -> Picture:
    """Add the consistent share and the truth."""
    return _shares(VIEWS, press, told=True)


def play(values: Values, press: int) -> tuple[Picture, str]:
    """Draw any number of views."""
    views = values["views"]
    seen, together, true = collect_views(views, press)
    apart, agreed = float(np.mean(np.abs(seen - true))), abs(together - true)
    said = SAID.agreement(views=views, apart=apart, together=agreed)
    return _shares(views, press, told=True, alt=said), said


def facts() -> dict[str, str]:
    """Return the error of a single view, for the words."""
    return {"alone": words.numbers.points(typical_errors()[0])}


def lesson() -> Lesson:
    """Return the lesson in the current language."""
    return Lesson(
        key="agreement", guess=Scale(0, 3, 0.1, "±", SAID.SUFFIX_POINTS, ticks=3, how=SAID.lesson("agreement").answer), truth=truth,
        idea=idea, predict=predict, reveal=reveal, play=play,
        controls=(Control("views", SAID.SHARE_IT, tuple(range(2, 9)), 6),),
        take=lambda values: {"epsilon": EPSILON, "k": 2}, page="marginals",
        facts=facts, again=SAID.COLLECT_AGAIN, chance=True,
    )  # fmt: skip
