"""Faults in the frequency oracles: draws, estimates, variances."""

from tests.faults.mutant import Mutant, core

ORACLE = ("tests/oracles/test_oracles.py", "tests/oracles/test_oracles_privacy.py")
COUNTABLE = ("tests/oracles/test_countable_reports.py",)
NOISE = ("tests/noise/test_oracle_noise.py",)


def _oracle(name, file, old, new, tests=ORACLE) -> Mutant:
    return core(name, f"oracles/{file}", old, new, tests)


MUTANTS = (
    _oracle(
        "p and q swapped in the estimate", "base",
        "(fractions - self.q) / self.gap", "(fractions - self.p) / -self.gap",
    ),
    _oracle(
        "clipping inside the estimator", "base",
        "return (fractions - self.q) / self.gap",
        "return np.maximum((fractions - self.q) / self.gap, 0)",
    ),
    _oracle(
        "n - 1 for n", "base",
        "/ reports[..., np.newaxis]", "/ (reports[..., np.newaxis] - 1)",
    ),
    _oracle(
        "variance without the frequency term", "base",
        "spread = fraction * p * (1 - p) + (1 - fraction) * q * (1 - q)",
        "spread = q * (1 - q) + 0 * fraction * p",
    ),
    _oracle(
        "out-of-domain value leaves", "base",
        "or array.max() >= bound)", "or array.max() > bound)",
    ),
    _oracle(
        "budget halved on the device (GRR)", "grr",
        "threshold_of_odds(self.epsilon, 1,", "threshold_of_odds(self.epsilon / 2, 1,",
    ),
    _oracle(
        "lie may be the truth (GRR)", "grr",
        "other += other >= values", "other += 0 * values",
    ),
    _oracle(
        "simulation with p for p - q (GRR)", "grr",
        "rng.binomial(true_counts, self.gap)", "rng.binomial(true_counts, self.p)", NOISE,
    ),
    _oracle(
        "budget split over the bits (OUE claims epsilon, spends more)", "oue",
        "WORD - threshold_of_odds(self.epsilon, 1, 1)",
        "WORD - threshold_of_odds(self.epsilon * 1.5, 1, 1)",
    ),
    _oracle(
        "own users counted among the others (OUE)", "oue",
        "keepdims=True) - true_counts", "keepdims=True)", NOISE,
    ),
    _oracle(
        "wrong q on the server (OLH)", "olh",
        "return 1 / self.buckets if", "return (1 - self.p) / (self.buckets - 1) if",
        ORACLE + NOISE,
    ),
    _oracle(
        "hash that ignores the seed (OLH)", "olh",
        "_mix(seeds + (values", "_mix(0 * seeds + (values", NOISE,
    ),
    _oracle(
        "values of a later block hash as those of the first (OLH)", "olh",
        "reports[i, 0] + np.uint64(value) * _STEP", "reports[i, 0]",
    ),
    _oracle(
        "a group's counts go on into the next one's (OLH)", "olh",
        "first + min(_BLOCK, size - value)", "first + _BLOCK",
    ),
    _oracle(
        "reports on a group count for all (any oracle)", "base",
        "self._support(reports[starts == start])", "self._support(reports)",
    ),
    _oracle(
        "the last word of a bucket is nobody's (OLH)", "olh",
        "word - low <= most", "word - low < most",
    ),
    _oracle(
        "the last bucket ends where the others would (OLH)", "olh",
        "most = highest - low if last else", "most = low if False else",
    ),
    _oracle(
        "too few buckets (OLH)", "olh",
        "EPSILON_LIMIT))) + 1", "EPSILON_LIMIT)))",
    ),
    _oracle(
        "one value too many for who holds her own (subset)", "subset",
        "pick if j > first else pick[~hold]", "pick",
    ),
    _oracle(
        "own value not skipped in the walk (subset simulation)", "subset",
        "zip(both, (ahead - 1, ahead)", "zip(both, (ahead, ahead)", NOISE,
    ),
    _oracle(
        "users lost at the edge of the walk (subset simulation)", "subset",
        "low = max(low - 1, 0)", "low = max(low, 0)", NOISE,
    ),
    _oracle(
        "width rounded without looking at the variance (subset)", "subset",
        "return min(sorted(nearest), key=self._total_variance)", "return max(nearest)",
    ),
    _oracle(
        "thresholds rounded up, against privacy", "draws",
        "decimal.ROUND_FLOOR", "decimal.ROUND_CEILING",
    ),
    _oracle(
        "eight bits decide alone", "draws",
        "answer[tied] = (self.words(len(tied)) >> np.uint64(8)) < rest", "answer[tied] = False",
    ),
    _oracle(
        "adaptive rule turned round", "__init__",
        "return grr if size - 2 < 3", "return grr if size - 2 > 3",
    ),
    core(
        "bits numbered from the other end (OUE)", "oracles/oue",
        "reports @ (1 << np.arange(self.size))", "reports @ (1 << np.arange(self.size))[::-1]",
        COUNTABLE, in_ci=True,
    ),
    core(
        "own bit as likely as the others' (OUE)", "oracles/oue",
        "np.where(bits == 1, p, 1 - p)", "np.where(bits == 1, q, 1 - q)", COUNTABLE,
    ),
    core(
        "EM takes oracles whose reports it cannot count", "methods/em",
        "if all(kind.countable", "if any(kind.countable",
        (f"{COUNTABLE[0]}::test_em_takes_the_rules_whose_choices_are_countable",), in_ci=True,
    ),
    core(
        "rivals take over how CALM infers", "methods/__init__",
        "if key not in unshared}", "if key or unshared}",
        ("tests/experiments/test_experiments.py::test_shared_settings_leave_rivals_as_published",),
    ),
    core(
        "more oracles than colours vanish from the figure", "figures/collect",
        "zip(cycle(SERIES), cycle(DASHES), ORACLES", "zip(SERIES, cycle(DASHES), ORACLES",
        ("tests/figures/test_result_figures.py::"
         "test_no_oracle_is_left_out_where_there_are_more_than_colours",),
    ),
)  # fmt: skip
