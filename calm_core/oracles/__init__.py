"""Frequency oracles: how a user reports one value privately, and how frequencies are estimated.

A new oracle is one file with a subclass of `Oracle`, and its class in `ORACLES`.
"""

import math

from calm_core._checks import check_choice
from calm_core.oracles.base import Oracle
from calm_core.oracles.grr import GRR
from calm_core.oracles.olh import OLH
from calm_core.oracles.oue import OUE
from calm_core.oracles.parity import Parity
from calm_core.oracles.subset import SubsetSelection

ORACLES: dict[str, type[Oracle]] = {
    oracle.name: oracle for oracle in (GRR, OUE, OLH, SubsetSelection)
}
# Oracles of plans: also parities, which measure some interactions only and are chosen by no rule.
PLAN_ORACLES: dict[str, type[Oracle]] = ORACLES | {Parity.name: Parity}
# The oracles among which each rule chooses; an oracle's name is a rule with a single candidate.
RULE_CANDIDATES: dict[str, tuple[type[Oracle], ...]] = {
    "adaptive": (GRR, OUE), "contrast": (GRR, OUE), "best": tuple(ORACLES.values()),
    **{name: (kind,) for name, kind in ORACLES.items()},
}  # fmt: skip
ORACLE_RULES = tuple(RULE_CANDIDATES)


def choose_oracle(size: int, epsilon: float, rule: str = "adaptive") -> Oracle:
    """Return the frequency oracle for a table of ``size`` cells.

    Parameters
    ----------
    size : int
        Number of cells, L.
    epsilon : float
        Privacy budget of one report.
    rule : str
        "adaptive": the paper's rule, GRR if ``L - 2 < 3 e^epsilon``, else OUE.
        "contrast": of the same two the one with less variance once the total is known to be 1,
        which is GRR iff ``(e^epsilon + L - 1)^2 < 4 L e^epsilon + 2 (e^epsilon - 1)^2``.
        "best": the least such variance among all oracles that can serve the size; the earlier in
        `ORACLES` on a tie.
        Or an oracle's name, to have that one.

    References
    ----------
    CALM (Zhang et al., CCS 2018), section 2.2, for the adaptive rule.

    Examples
    --------
    >>> choose_oracle(2 * 3, 1.0)
    GRR(epsilon=1.0, size=6)
    >>> choose_oracle(2 * 3, 0.1)
    OUE(epsilon=0.1, size=6)
    """
    check_choice("oracle rule", rule, ORACLE_RULES)
    if rule in ORACLES:
        return ORACLES[rule](epsilon, size)
    if rule == "adaptive":
        grr = GRR(epsilon, size)
        return grr if size - 2 < 3 * math.exp(grr.epsilon) else OUE(epsilon, size)
    rivals = [kind(epsilon, size) for kind in RULE_CANDIDATES[rule] if size <= kind.largest]
    return min(rivals, key=lambda oracle: oracle.contrast_variance(1))
