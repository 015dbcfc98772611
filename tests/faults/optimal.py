"""Faults in the optimal design: parities, what is measured of them, the division, its bounds."""

from tests.faults.mutant import Mutant, core

PARITY = ("tests/oracles/test_parity.py",)
DEVICE = ("tests/oracles/test_device.py",)
WHOLE = ("tests/inference/test_whole.py",)
DIVISION = ("tests/planning/test_optimal.py",)
PHASES = ("tests/methods/test_calm_plus_design.py",)


def _parity(name, old, new, tests=PARITY, **more) -> Mutant:
    return core(f"parity: {name}", "oracles/parity", old, new, tests, **more)


MUTANTS = (
    _parity("epsilon for every bit", "GRR(self.epsilon, 2 **", "GRR(self.epsilon * len(self.parities), 2 **",
            in_ci=True),
    _parity("the cell leaves in place of its class", "self.sent._randomise(self.classes[values], draws)",
            "self.sent._randomise(values % self.sent.size, draws)"),
    _parity("a share not divided among its cells", "return self.sent.gap * self.alike", "return self.sent.gap"),
    _parity("parities alone, not their sums", "{one ^ frozenset(parity) for one in found}",
            "{frozenset(parity)}"),
    _parity("noise of a contrast as of a class", "self.sent.contrast_variance(n) / self.alike",
            "self.sent.contrast_variance(n)"),
    _parity("bits told to the device from the wrong end", "sum(1 << top - place", "sum(1 << place", DEVICE),
    core("everything is measured of parities", "inference/shrinkage/interactions",
         "if told is not None and subset not in told:", "if told is None and subset is None:", WHOLE),
    core("a whole without its parts is kept", "inference/shrinkage/interactions",
         "kept = [all(part in known", "kept = [True or all(part in known", WHOLE),
    core("noise forgets what parities tell", "inference/shrinkage/noise",
         "held[row] &= [s in told for s in asked]", "held[row] &= [True for _ in asked]", WHOLE),
    core("first reports split a class", "collection/arrival",
         "if isinstance(view.oracle, Parity):", "if view is None:", WHOLE),
    core("parities cover tables", "collection/aggregating", "zip(self.tables, self.sets) if sets is None",
         "zip(self.tables, self.sets)", WHOLE),
    core("a gap that is none", "planning/optimal",
         "POWER * float(gain.max() - gain @ shares)", "POWER * float(gain.mean() - gain @ shares)", DIVISION),
    core("a bound below what privacy lets through", "planning/optimal",
         "math.expm1(epsilon) ** 2 / (4 * math.exp(epsilon))", "math.tanh(epsilon / 2) ** 2 / 4", DIVISION),
    core("slopes without what is in common", "planning/optimal", "slopes -= (first", "slopes -= 0 * (first",
         DIVISION),
    core("a parity that would pay is left out", "planning/optimal", "    ((0, 1), (1, 2)),\n", "", DIVISION),
    core("attributes nobody is asked about", "planning/placing",
         "return chosen + [(kind, share) for kind, share in alone if not {*kind.sizes} <= held]",
         "return chosen", DIVISION),
    core("sets in their first order alone", "planning/placing",
         "met[np.ix_(block, block)] += 1", "met[np.ix_(block, block)] += 0", DIVISION),
    core("expected errors take parities for tables", "planning/expected_error",
         "            exact[row] = 0.0\n", "", DIVISION),
    core("the second phase ignores the first", "methods/calm_plus_design",
         "known.variances.get(s, p) for s, p", "p for s, p", PHASES),
)  # fmt: skip
