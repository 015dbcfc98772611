"""The two attributes a first look is at, on Start and in Three worlds."""

from itertools import combinations

import numpy as np

from calm_core.evaluation.run import Run
from calm_core.settings import Settings
from calm_core.tables.marginal import Marginal
from calm_core.tables.population import People
from pages.ui import cached, naming, tables

# Attributes looked at for the first pair.
MAX_ATTRIBUTES = 12
# Points by which equal shares are off in a table that tells something.
MIN_GUESS_ERROR = 10


def get_first_pair(settings: Settings, outcome: Run) -> tuple[str, str]:
    """The first pair of the people who took part, kept."""
    key = (*cached.data_key(settings), outcome.n, settings.seed if settings.n else 0)
    return cached.get_result("first pair", key, lambda: find_first_pair(outcome.dataset))


def find_first_pair(dataset: People) -> tuple[str, str]:
    """The two attributes shown first: few cells, yes-or-no questions, and people in each of them.

    Of the pairs with fewest cells, yes-or-no questions first, the one with the most even cells that
    equal shares do not describe: no empty cell, and heights that noise can be seen to exchange.
    """
    domain = dataset.domain
    pairs = list(combinations(domain.names[:MAX_ATTRIBUTES], 2))

    def plain(pair: tuple[str, str]) -> tuple[int, int]:
        return domain.cells_of(pair), -sum(naming.is_yes_no(domain, name) for name in pair)

    least = min(map(plain, pairs))
    found = dataset.marginals([pair for pair in pairs if plain(pair) == least])
    telling = [truth for truth in found if tables.guess_points(truth) >= MIN_GUESS_ERROR]
    first, second = max(telling or found, key=_evenness).attrs
    return first, second


def _evenness(truth: Marginal) -> float:
    shares = truth.values[truth.values > 0]
    return float(-(shares * np.log(shares)).sum())
