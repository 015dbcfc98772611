"""Where: the error of every pair of attributes, printed in a triangle whose cells open tables."""

import math

import pandas as pd

from calm_core.evaluation.repeated_runs import score_pairs
from calm_core.evaluation.run import Run
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.ui import cached, naming, state, view_state
from pages.ui.components import mount

# Labels that a back row can read.
MAX_IN_LECTURE = 12


def pairs_of(settings: Settings, outcome: Run) -> pd.DataFrame:
    """Scores of all pairs with their `points`, kept."""

    def make() -> pd.DataFrame:
        found = score_pairs(outcome.dataset, outcome.answer)
        cells = [math.prod(outcome.domain.shape_of(attrs)) for attrs in found["attributes"]]
        return found.assign(points=100 * (found["sse"] / cells) ** 0.5)

    return cached.get_result("pairs", settings.results_key, make)


def worst_of(domain: Domain, scored: pd.DataFrame) -> tuple[str, float]:
    """Titles of the pair that is furthest off, and by how many points."""
    worst = scored.loc[scored["points"].idxmax()]
    return _named(domain, worst["attributes"]), float(worst["points"])


def furthest(settings: Settings, outcome: Run) -> str:
    """What the stepper says of this step, here and after a reload: how far the worst pair is off."""

    def make() -> str:
        _, points = worst_of(outcome.domain, pairs_of(settings, outcome))
        return words.errors.worst(points)

    return cached.get_result("worst", settings.results_key, make)


def _named(domain: Domain, attrs: tuple[str, ...]) -> str:
    """Two attributes in a few words: smoked × drank."""
    return " × ".join(naming.short_titles(domain.project(attrs)))


def opened(attrs: tuple[str, ...]) -> None:
    """Open the table over these attributes."""
    if state.change(attrs=attrs):
        view_state.go("marginals")


def drawn(domain: Domain, scored: pd.DataFrame, lecture: bool) -> tuple[str, ...]:
    """The attributes of the triangle: all, or in a lecture the twelve that err most."""
    if not lecture or domain.d <= MAX_IN_LECTURE:
        return domain.names
    ordered = scored.sort_values("points", ascending=False)["attributes"]
    worst = dict.fromkeys(name for attrs in ordered for name in attrs)
    return domain.canonical(list(worst)[:MAX_IN_LECTURE])


def show(outcome: Run, scored: pd.DataFrame, *, lecture: bool) -> None:
    """Draw the triangle."""
    domain = outcome.domain
    names = drawn(domain, scored, lecture)
    place = {name: i for i, name in enumerate(names)}
    titles = {name: naming.title(domain, name, 28) for name in names}
    held = scored[[set(attrs) <= place.keys() for attrs in scored["attributes"]]]
    cells = []
    for attrs, points, covered in zip(held["attributes"], held["points"], held["covered"]):
        a, b = attrs
        cells.append(
            {
                "row": place[b], "column": place[a], "points": float(points),
                "text": words.errors.in_cell(points),
                "alt": words.errors.pair(f"{titles[a]} × {titles[b]}", points, bool(covered)),
            }
        )  # fmt: skip
    sentence = _sentence(domain, held)
    if len(names) < domain.d:
        sentence = f"{words.errors.shown(len(names), domain.d)} {sentence}"
    mount(
        "pairs", {"labels": list(titles.values()), "cells": cells, "alt": sentence, "lecture": lecture},
        on={"open": lambda pair: opened((names[pair[1]], names[pair[0]]))},
    )  # fmt: skip


def _sentence(domain: Domain, scored: pd.DataFrame) -> str:
    best = scored.loc[scored["points"].idxmin()]
    worst, most = worst_of(domain, scored)
    closest = _named(domain, best["attributes"])
    return words.errors.pairs(len(scored), worst, most, closest, float(best["points"]))
