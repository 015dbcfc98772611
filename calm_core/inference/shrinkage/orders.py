"""How large the interactions are that fits take along: those of interest, and larger ones that views tell.

A view of more attributes than are asked for says more of them than its interactions of that size do: none
of its cells is negative, and where many are empty all its moments depend on each other. A fit that knows the
larger interactions gains that, which CALM's inference has by its nature.
"""

import math

import numpy as np

from calm_core.collection.aggregating import NoisyMarginals
from calm_core.inference.shrinkage.features import count_contrasts
from calm_core.inference.shrinkage.priors import Knowledge
from calm_core.inference.shrinkage.regions import MAX_CELLS, MAX_COMPLETED, MAX_CONTRASTS

MAX_ORDER = 6
MAX_JOINT_NUMBERS = 300_000
# Larger interactions than those of interest count where they are as strong as this share of their noise.
MIN_SIGNAL = 0.2


def joint_order(noisy: NoisyMarginals) -> int:
    """Largest order that some view holds and a joint fit can take along at little cost."""
    sizes = noisy.domain.sizes
    largest = max((len(table.attrs) for table in noisy.tables), default=0)
    for order in range(min(largest, MAX_ORDER), 2, -1):
        if math.prod(sizes) * count_contrasts(sizes, order) <= MAX_JOINT_NUMBERS:
            return order
    return 2


def view_order(noisy: NoisyMarginals, least: int) -> int:
    """Largest order, from that of interest on, of which a neighbourhood can hold a whole view if it gains."""
    if least > MAX_COMPLETED:
        return least
    shapes = {table.domain.sizes for table in noisy.tables}
    small = [shape for shape in shapes if math.prod(shape) <= MAX_CELLS]
    orders = range(3, MAX_ORDER + 1)
    held = [
        order for shape in small for order in orders
        if order <= len(shape) and count_contrasts(shape, order) <= MAX_CONTRASTS
    ]  # fmt: skip
    return max(held, default=least)


def signal_to_noise(known: Knowledge, order: int) -> float:
    """How strong the sets of an order are, in the median noise variance of one; 0 where none was measured."""
    noise = [
        family.variances / known.spreads[family.subsets].prod(axis=1)
        for family in known.interactions.families if len(family.sizes) == order
    ]  # fmt: skip
    if not noise:
        return 0.0
    return float(known.shrinkages[order].variance / np.median(np.concatenate(noise)))


def estimable_order(known: Knowledge, least: int) -> int:
    """The largest order, from that of interest on, up to which the reports tell of every one."""
    order = least
    while order < known.interactions.order and signal_to_noise(known, order + 1) >= MIN_SIGNAL:
        order += 1
    return order
