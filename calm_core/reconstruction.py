"""Reconstruction: a marginal that no view covers, from the projections of the views on it.

The answer of the papers is the table of largest entropy among those that agree with every view
(PriView section 4.3); iterative proportional fitting (IPF) converges to it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from calm_core._checks import check_choice
from calm_core.domain import Domain
from calm_core.errors import InputError
from calm_core.marginal import Marginal
from calm_core.nonnegativity import norm_sub

RECONSTRUCTION = ("maxent",)
TOLERANCE = 1e-7
MOST_SWEEPS = 2000


@dataclass(frozen=True)
class ReconstructionNote:
    """Where a marginal comes from and how well it was determined.

    Attributes
    ----------
    covered : bool
        Whether one view held all attributes, so that its cells were summed.
    views : tuple of tuples of str
        The views that were used.
    constraints : tuple of tuples of str
        The maximal sets of attributes on which a view was binding; empty if covered.
    method : str
        "sum" if covered, else one of RECONSTRUCTION.
    converged : bool
        Whether every constraint was met to `tolerance`.
    iterations : int
        Sweeps over all constraints, or steps of the solver.
    tolerance, violation : float
        Largest violation of a constraint wanted and reached, in fractions.
    """

    covered: bool
    views: tuple[tuple[str, ...], ...]
    constraints: tuple[tuple[str, ...], ...] = ()
    method: str = "sum"
    converged: bool = True
    iterations: int = 0
    tolerance: float = TOLERANCE
    violation: float = 0.0


def _maximal(sets: Iterable[frozenset]) -> list[frozenset]:
    """The sets that no other of them contains, largest first."""
    kept: list[frozenset] = []
    for one in sorted(set(sets), key=lambda s: (-len(s), sorted(s))):
        if one and not any(one <= larger for larger in kept):
            kept.append(one)
    return kept


def _fit(sizes: tuple[int, ...], targets: Sequence[tuple[tuple[int, ...], np.ndarray]]):
    """IPF from the uniform table: (table, largest violation, sweeps)."""
    table = np.full(sizes, 1.0 / np.prod(sizes, dtype=float))
    targets = [
        (tuple(a for a in range(len(sizes)) if a not in axes), target) for axes, target in targets
    ]
    sweep = 0
    while sweep < MOST_SWEEPS:
        sweep += 1
        worst = 0.0
        for out, target in targets:
            now = table.sum(axis=out, keepdims=True)
            target = target.reshape(now.shape)
            worst = max(worst, float(np.abs(now - target).max()))
            table = table * np.divide(target, now, out=np.zeros_like(now), where=now > 0)
        if worst < TOLERANCE:
            break
    return table / table.sum(), worst, sweep


def reconstruct(
    domain: Domain,
    constraints: Sequence[Marginal],
    attrs: Iterable[str],
    method: str = "maxent",
) -> tuple[Marginal, ReconstructionNote]:
    """The marginal over `attrs` that the given tables determine best.

    Parameters
    ----------
    domain : Domain
        All attributes.
    constraints : sequence of Marginal
        Consistent views (any, they need not touch `attrs`).
    attrs : iterable of str
        k attributes.

    Returns
    -------
    (Marginal, ReconstructionNote)
        A distribution of shape (c_1, ..., c_k), and how it was found.

    Examples
    --------
    With one-way tables alone the answer is their product:

    >>> domain = Domain(("sex", "age"), (2, 3))
    >>> sex = Marginal(domain.project(("sex",)), [0.4, 0.6])
    >>> age = Marginal(domain.project(("age",)), [0.5, 0.3, 0.2])
    >>> reconstruct(domain, [sex, age], ("sex", "age"))[0].values.round(3).tolist()
    [[0.2, 0.12, 0.08], [0.3, 0.18, 0.12]]
    """
    attrs = domain.canonical(attrs)
    if not attrs:
        raise InputError("attributes () must name at least one; choose what to ask for")
    check_choice("reconstruction", method, RECONSTRUCTION)
    domain.cells_of(attrs)
    sets = _maximal(frozenset(attrs) & frozenset(table.attrs) for table in constraints)
    targets, used, names = [], [], []
    for wanted in sets:
        holding = [table for table in constraints if wanted.issubset(table.attrs)]
        source = min(holding, key=lambda table: table.values.size)
        target = norm_sub(source.project(wanted).values[None], total=1.0)[0]
        # A trace of the uniform table: zeros of noisy constraints never rule out every cell.
        target = (1 - 1e-9) * target + 1e-9 / target.size
        targets.append((tuple(attrs.index(name) for name in domain.canonical(wanted)), target))
        used += [table.attrs for table in holding]
        names.append(domain.canonical(wanted))
    values, violation, sweeps = _fit(domain.shape_of(attrs), targets)
    note = ReconstructionNote(
        covered=False,
        views=tuple(dict.fromkeys(used)),
        constraints=tuple(names),
        method=method,
        converged=violation <= TOLERANCE,
        iterations=sweeps,
        violation=violation,
    )
    return Marginal(domain.project(attrs), values), note
