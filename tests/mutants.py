"""Known faults, put in one by one: does a test turn red?

    python tests/mutants.py            every fault; prints killed/total (several minutes)
    python tests/mutants.py oracle     only faults whose name or file holds the word

Each fault is a change of text in one file of a temporary copy of the project; the tests named
with it are run there until the first fails. A fault that no test notices "survives", and the
script ends with status 1.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COPIED = ("calm_core", "tests", "sample_data", "pyproject.toml")

ORACLE = ("tests/core/test_oracles.py", "tests/core/test_oracles_privacy.py")
NOISE = ("tests/noise/test_oracle_noise.py",)
COLLECTING = ("tests/core/test_collecting.py",)
CONSISTENCY = ("tests/core/test_consistency.py",)
NONNEGATIVITY = ("tests/core/test_nonnegativity.py",)
RECONSTRUCTION = ("tests/core/test_reconstruction.py",)
PLANNING = ("tests/core/test_planning.py",)
CENTRAL = ("tests/core/test_central.py::test_noise_covers_what_one_user_changes",)
METHODS = ("tests/core/test_local_methods.py",)
PLUS = ("tests/core/test_calm_plus.py",)


@dataclass(frozen=True)
class Mutant:
    """One fault: in `path`, `old` (found exactly once) becomes `new`; `tests` should notice."""

    name: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]


def _oracle(name, file, old, new, tests=ORACLE):
    return Mutant(name, f"calm_core/oracles/{file}.py", old, new, tests)


def _core(name, file, old, new, tests):
    return Mutant(name, f"calm_core/{file}.py", old, new, tests)


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
        "words = seeds + (values", "words = 0 * seeds + (values", NOISE,
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
    _core(
        "users report twice", "collecting",
        "_simulate(plan.oracles, _true_counts(dataset, plan, labels), rng)",
        "_simulate(plan.oracles, [2 * c for c in _true_counts(dataset, plan, labels)], rng)",
        COLLECTING,
    ),
    _core(
        "groups in the order of the file", "collecting",
        "(np.uint64(tickets[user]) * groups) >> TICKET_BITS", "user * groups // len(tickets)", COLLECTING,
    ),
    _core(
        "the first users of the file leave a full group", "collecting",
        "users = rng.integers(n, size=4 * len(vacancies) + 8192)",
        "users = np.arange(n)", COLLECTING,
    ),
    _core(
        "attributes after the fourth forgotten", "_counting",
        "wide = max(map(len, views), default=0) > UNROLLED", "wide = False", COLLECTING,
    ),
    _core(
        "one user too many", "collecting",
        "sizes[order[:left]] += 1", "sizes[order[: left + 1]] += 1", ("tests/core/test_collecting.py::test_group_sizes_sum_exactly",),
    ),
    _core(
        "budget divided among the views", "plans",
        "return choose_oracle(cells, epsilon, rule)",
        "return choose_oracle(cells, epsilon / 2, rule)",
        COLLECTING + PLANNING,
    ),
    _core(
        "code -1 lands in the last cell", "dataset",
        "if low[i] < 0 or high[i] >= size:", "if high[i] >= size:",
        ("tests/core/test_data_types.py",),
    ),
    _core(
        "flat index overflows", "dataset",
        "flat = np.zeros(self.n, dtype=np.int64)", "flat = np.zeros(self.n, self.codes.dtype)",
        ("tests/core/test_data_types.py", *COLLECTING),
    ),
    _core(
        "axes swapped in consistency", "consistency",
        "digits[tuple(sizes[i] for i in views[index])][axis]",
        "digits[tuple(sizes[i] for i in views[index])][-1 - axis]", CONSISTENCY,
    ),
    _core(
        "wrong weights in consistency", "consistency",
        "precision[self.structure.owner] / self.structure.scale**2",
        "precision[self.structure.owner] * self.structure.scale**2", CONSISTENCY,
    ),
    _core(
        "total not fixed", "consistency",
        "shared[0] = 1.0", "shared[0] += 0.0", CONSISTENCY,
    ),
    _core(
        "consistency that changes nothing", "consistency",
        "self._move(shared[s.block] / s.scale, inverse=True)",
        "self._move(own / s.scale, inverse=True)", CONSISTENCY,
    ),
    _core(
        "ends on non-negativity", "consistency",
        '        cells = averager.average(cells)\n        yield f"consistent {i}"',
        '        yield f"consistent {i}"', CONSISTENCY,
    ),
    _core(
        "every cell a neighbour in ripple", "nonnegativity",
        "neighbours = sum(tables.shape[axis] - 1 for axis in axes)",
        "neighbours = cells - 1", NONNEGATIVITY,
    ),
    _core(
        "ripple gives back to the cell itself", "nonnegativity",
        "keepdims=True) - lacking", "keepdims=True)", NONNEGATIVITY,
    ),
    _core(
        "ripple along one attribute only", "nonnegativity",
        "        for axis in axes:\n            part +=", "        for axis in axes[:1]:\n            part +=",
        NONNEGATIVITY,
    ),
    _core(
        "norm-sub keeps one cell too few", "nonnegativity",
        "constants, kept - 1, axis=1", "constants, np.maximum(kept - 2, 0), axis=1", NONNEGATIVITY,
    ),
    _core(
        "IPF skips a constraint (compiled)", "reconstruction/compiled",
        "for j in range(maps.shape[0]):", "for j in range(1, maps.shape[0]):", RECONSTRUCTION,
    ),
    _core(
        "IPF skips a constraint (numpy)", "reconstruction/maxent",
        "for part, out in zip(parts, axes):", "for part, out in zip(parts[1:], axes[1:]):",
        RECONSTRUCTION,
    ),
    _core(
        "small constraints kept, large ones dropped", "reconstruction/patterns",
        "mask & larger == mask for larger", "mask & larger == larger for larger", RECONSTRUCTION,
    ),
    _core(
        "Newton's matrix without the mean (dual)", "reconstruction/maxent",
        " - np.outer(mean, mean)", "", RECONSTRUCTION,
    ),
    _core(
        "cells that must be empty left open (dual)", "reconstruction/maxent",
        "return ~closed.ravel()", "return np.ones_like(closed.ravel())", RECONSTRUCTION,
    ),
    _core(
        "blocks of a smaller table not rescaled (dual)", "reconstruction/patterns",
        "math.sqrt(self.cells / math.prod(shape))", "math.sqrt(math.prod(shape) / self.cells)",
        RECONSTRUCTION,
    ),
    _core(
        "bits of a question read backwards", "reconstruction/patterns",
        "size if mask >> i & 1 else 1 for i, size",
        "size if mask >> (len(self.sizes) - 1 - i) & 1 else 1 for i, size", RECONSTRUCTION,
    ),
    _core(
        "always says that it converged", "reconstruction/answers",
        "converged=bool(self.violation <= TOLERANCE)", "converged=True", RECONSTRUCTION,
    ),
    _core(
        "highest and lowest claim confused (LP)", "reconstruction/linear",
        "b_ub=np.r_[low, -high]", "b_ub=np.r_[high, -low]", RECONSTRUCTION,
    ),
    _core(
        "keys of coefficients overflow", "consistency",
        "if bound > 2**62 // size:", "if False:", CONSISTENCY,
    ),
    _core(
        "a view without reports has a say", "consistency",
        "(precision > 0).astype(float)", "(precision >= 0).astype(float)", CONSISTENCY,
    ),
    _core(
        "Algorithm 1's comparison flipped", "planning",
        "holds = value <= limit if", "holds = value >= limit if", PLANNING,
    ),
    _core(
        "noise error of one attribute for all k", "planning",
        "return self.k * noise_error(", "return noise_error(", PLANNING,
    ),
    _core(
        "noise error not shared by the l attributes", "planning",
        "* cells / l * d / n", "* cells * d / n", PLANNING,
    ),
    _core(
        "sum of the errors instead of the larger", "planning",
        "worst = max(sampling, noise)", "worst = sampling + noise", PLANNING,
    ),
    _core(
        "last of equal pairs instead of the first", "planning",
        "if worst < least:\n", "if worst <= least:\n", PLANNING,
    ),
    _core(
        "a covering that only covers most", "designs/cover",
        "return bool(seen.all())", "return bool(seen.mean() > 0.9)", ("tests/core/test_designs.py", *PLANNING),
    ),
    _core(
        "sign turned round (FT)", "methods/fourier",
        "fractions[:, 0] - fractions[:, 1]", "fractions[:, 1] - fractions[:, 0]", METHODS,
    ),
    _core(
        "noise of one view for all of them (PriView)", "methods/central/priview",
        "scales = [plan.m / self.epsilon]", "scales = [1 / self.epsilon]", CENTRAL,
    ),
    _core(
        "noise of one marginal for all of them (Direct)", "methods/central/direct",
        "scale = len(sets) / self.epsilon", "scale = 1 / self.epsilon", CENTRAL,
    ),
    _core(
        "EM spends epsilon on every attribute", "methods/em",
        "share = self.epsilon / domain.d", "share = self.epsilon", METHODS,
    ),
    _core(
        "mean instead of sum of squared errors", "metrics",
        "((a - b) ** 2).sum()", "((a - b) ** 2).mean()", ("tests/core/test_metrics.py",),
    ),
    _core(
        "away from the posterior mode", "shrinkage/fitting",
        "return -unit * np.linalg.solve(system", "return unit * np.linalg.solve(system", PLUS,
    ),
    _core(
        "the prior counted twice", "shrinkage/fitting",
        "return (off + (priors[rows] *", "return (off + 2 * (priors[rows] *", PLUS,
    ),
    _core(
        "intervals a third too short", "shrinkage/intervals",
        "moves = self.moves.sum(axis=others)", "moves = 0.67 * self.moves.sum(axis=others)", PLUS,
    ),
    _core(
        "strangers for neighbours", "shrinkage/regions",
        "np.argsort(-score)", "np.argsort(score)", PLUS,
    ),
    _core(
        "a noisy interaction kept whole", "shrinkage/priors",
        "kept = GRID / (GRID + noise[:, None])", "kept = GRID / (GRID + 0 * noise[:, None])", PLUS,
    ),
)  # fmt: skip


def run_tests(folder: Path, tests: tuple[str, ...]) -> int:
    """Run tests in a copy of the project until the first fails; pytest's exit status."""
    found = [test for test in tests if (folder / test.split("::")[0]).exists()]
    # No byte code: a fault of the same length within the same second would go unnoticed.
    settings = {"PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": str(folder / "numba")}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *found]
    done = subprocess.run(command, cwd=folder, env=os.environ | settings, capture_output=True)
    return done.returncode


def verdict(folder: Path, mutant: Mutant) -> str:
    """Put one fault in, run its tests, take it out: "killed", "SURVIVED" or "BROKEN"."""
    file = folder / mutant.path
    text = file.read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1, f"{mutant.name}: its text is not there exactly once"
    file.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
    status = run_tests(folder, mutant.tests)
    file.write_text(text, encoding="utf-8")
    # Status 1 is a failed test; others (nothing collected, no import) prove nothing.
    return {0: "SURVIVED", 1: "killed"}.get(status, f"BROKEN ({status})")


def main() -> int:
    """Try the faults; print one line each and killed/total."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "word", nargs="?", default="", help="only faults whose name or file holds it"
    )
    word = parser.parse_args().word.lower()
    chosen = [m for m in MUTANTS if word in f"{m.name} {m.path}".lower()]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy(source, folder)
        needed = tuple(sorted({test for mutant in chosen for test in mutant.tests}))
        if run_tests(folder, needed):
            print("The tests fail without any fault; nothing can be concluded.")
            return 2
        killed = 0
        for mutant in chosen:
            start = time.perf_counter()
            found = verdict(folder, mutant)
            killed += found == "killed"
            seconds = time.perf_counter() - start
            print(f"{found:10} {seconds:6.1f} s  {mutant.path}: {mutant.name}", flush=True)
    print(f"{killed}/{len(chosen)} killed")
    return 0 if killed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
