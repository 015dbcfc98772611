"""The best answer without being told: against people drawn before they report, weighed by how well they fit."""

import math

import numpy as np
import pytest

import calm_core as cc
from calm_core.evaluation import table_posterior
from calm_core.evaluation.bayes_optimum import DENSE, SPARSE, find_optimum
from calm_core.evaluation.table_posterior import SetPrior, UnknownStructurePosterior
from calm_core.inference.shrinkage.interactions import contrasts_up_to_order
from calm_core.inference.shrinkage.priors import TYPICAL_VARIANCE
from calm_core.planning.plan import make_plan

pytestmark = pytest.mark.slow
SIZES, NOISE, MANY = (2, 3, 2), 0.04, 300_000
CONTRASTS = contrasts_up_to_order(SIZES, 3)
FEATURES = CONTRASTS.matrix().T
# The first two attributes agree, by so much that it may be chance or not.
MEASURED = np.array([0.16, 0.12, 0.07, 0.06, 0.06, 0.05, 0.07, 0.05, 0.06, 0.08, 0.11, 0.11])
# Weak and strong variances and chances, by number of attributes.
SOME = {1: (0.3, 0.3, 1.0), 2: (1e-3, 0.2, 0.2), 3: (1e-3, 0.1, 0.1)}
ALL = {1: (0.3, 0.3, 1.0), 2: (1e-8, 0.2, 1.0), 3: (1e-8, 0.1, 1.0)}


def laws_of(kind) -> list[SetPrior]:
    found = []
    for subset, part in zip(CONTRASTS.subsets, CONTRASTS.parts):
        cells = math.prod(SIZES[axis] for axis in subset)
        weak, strong, share = kind[len(subset)]
        found.append(SetPrior(part, len(subset), cells, cells * weak, cells * strong, share))
    return found


def weighed(laws) -> np.ndarray:
    """The posterior mean of the table without any chain: of many drawn from what is known before."""
    rng, doubtful = np.random.default_rng(8), any(law.is_uncertain for law in laws)
    variances = np.empty((MANY, FEATURES.shape[1]))
    strengths = {r: usual * rng.standard_normal(MANY) ** 2 for r, usual in TYPICAL_VARIANCE.items()}
    for law in laws:
        of_set = np.where(rng.random(MANY) < law.share, law.strong, law.weak)
        of_set = of_set if doubtful else law.cells * strengths[law.order]
        variances[:, law.part] = of_set[:, None]
    tables = np.exp((rng.standard_normal(variances.shape) * np.sqrt(variances)) @ FEATURES.T)
    tables /= tables.sum(axis=1, keepdims=True)
    weights = np.exp(-((tables - MEASURED) ** 2).sum(axis=1) / NOISE**2 / 2)
    assert weights.sum() ** 2 / (weights**2).sum() > 1_000
    return weights @ tables / weights.sum()


def apart(tables: np.ndarray, mean: np.ndarray) -> float:
    """Mean squared deviation of the mean of draws in units of its error, which blocks of them tell."""
    means = np.array([part.mean(axis=0) for part in np.array_split(tables, 20)])
    return float(((means.mean(axis=0) - mean) ** 2 / (means.var(axis=0, ddof=1) / 20)).mean())


@pytest.mark.parametrize("kind", [SOME, ALL], ids=["which", "how strongly"])
def test_what_is_not_told_is_weighed_by_its_chance(monkeypatch, kind):
    monkeypatch.setattr(table_posterior, "DRAWS", 3_000)
    monkeypatch.setattr(table_posterior, "TOGETHER", 2)
    laws = laws_of(kind)
    posterior = UnknownStructurePosterior(FEATURES, laws, np.eye(12) / NOISE, MEASURED / NOISE)
    tables = posterior.draws(np.random.default_rng(1), strong=True)
    # The mean over people drawn errs about as much as that of draws.
    assert apart(tables, weighed(laws)) < 6


def test_all_meet_the_same_people_whether_it_is_asked_for_or_not(monkeypatch):
    for name, number in (("DRAWS", 150), ("STRUCTURE_DRAWS", 200), ("STRUCTURE_WARM_UP", 50)):
        monkeypatch.setattr(table_posterior, name, number)
    domain = cc.Domain(("a", "b", "c"), (2, 2, 2))
    plan = make_plan(domain, 30_000, epsilon=1.0, k=2, theta=1e-3, rng=np.random.default_rng(1))
    for dependence in (DENSE, SPARSE):
        with_it, without = (
            find_optimum(
                plan, dependence, [("a", "b"), ("b", "c")], repetitions=4, untold=asked,
                rng=np.random.default_rng(2),
            ) for asked in (True, False)
        )  # fmt: skip
        assert with_it.best == without.best and with_it.calm_plus == without.calm_plus
        assert without.untold == () and len(with_it.untold) == 4
        # Only where the law of the people is known is the posterior variance what it errs.
        assert (with_it.untold_expected == with_it.untold) == (dependence is DENSE)
        # Nearer than CALM, which shrinks nothing; and only by chance nearer than who is told more.
        assert with_it.ratio("untold", of="calm")[0] < 1
        assert with_it.ratio("untold_expected")[0] > 0.5
