"""Expected people in the wrong cell over those measured, in settings that nobody chose.

    python -m tests.benchmarks.bench_prediction --settings 200 --repeats 3
    python -m tests.benchmarks.bench_prediction --fit --settings 400 --repeats 1

The numbers in `calm_core.evaluation.prediction` were fitted to the real tables; populations drawn at random are
held out. With --fit it prints the numbers fitted to all real tables, and the ratios of each by a fit to the others.
"""

import argparse
from collections.abc import Iterator

import numpy as np

import calm_core as cc
from calm_core.evaluation.prediction import (
    USUAL_CALM,
    USUAL_CALM_PLUS,
    Usual,
    expected_wrong,
    wrong_by_cause,
)
from calm_core.methods import Calm, CalmPlus
from calm_core.tables.dataset import Dataset
from tests.reference.exact_collection import FILES, coded
from tests.reference.populations import related_columns

DRAWN = "drawn"
LEARNED = {
    USUAL_CALM: ("pair", "higher", "narrowing"),
    USUAL_CALM_PLUS: ("pair", "carried", "scale", "bend", "alone", "falling"),
}
# Settings with larger tables are left out.
MAX_CELLS = 30_000


def draw_people(rng: np.random.Generator) -> tuple[str, Dataset]:
    """Where people come from, and 2^10 to 2^22 of them with 4 to 16 attributes of 2 to 20 values."""
    source = str(rng.choice([DRAWN] * len(FILES) + sorted(FILES)))
    d, most, n = int(rng.integers(4, 17)), round(2 * 10 ** rng.random()), 2 ** rng.uniform(10, 22)
    if source == DRAWN:
        sizes = rng.integers(2, most + 1, size=d).tolist()
        codes = np.stack(related_columns(rng, sizes), axis=1)
    else:
        codes = rng.permutation(coded(source, most), axis=1)[:, :d]
    sizes = tuple(np.maximum(codes.max(axis=0) + 1, 2).tolist())
    domain = cc.Domain(tuple("abcdefghijklmnop"[: len(sizes)]), sizes)
    return source, Dataset.from_codes(codes[rng.integers(len(codes), size=int(n))], domain)


def measure(settings: int, repeats: int) -> Iterator[tuple[str, str, np.ndarray, list]]:
    """Yield source, setting, expected and measured shares of CALM and CALM+ (methods, 2), plans with queries."""
    for number in range(settings):
        rng = cc.stream(40, number)
        source, people = draw_people(rng)
        epsilon, k = float(0.1 * 60 ** rng.random()), int(rng.integers(1, 5))
        if np.prod(sorted(people.domain.sizes)[-k:]) > MAX_CELLS:
            continue
        found, asked = [], []
        for at in range(repeats):
            plus = CalmPlus(epsilon=epsilon, k=k)
            one = cc.run(people, plus, seed=number, queries=16, repetition=at)
            asked.append((one.plan, one.queries))
            # CALM's own inference from the same reports.
            both = (
                (Calm(epsilon=epsilon, k=k), one.answer.views.marginals(one.queries)),
                (plus, one.answers),
            )
            for method, answers in both:
                expected = expected_wrong(method, one.plan, one.queries).mean()
                wrong = np.mean([cc.l1(*pair) / 2 for pair in zip(one.truths, answers)])
                found.append((expected, wrong))
        told = f"n {people.n:,} epsilon {epsilon:.2f} k {k} {people.domain.sizes}"
        yield source, told, np.reshape(found, (repeats, 2, 2)).mean(axis=0), asked


def misses(found: list[tuple], which: int, usual: Usual) -> np.ndarray:
    """Logs of the expected over the measured share of each setting."""
    expected = [
        np.mean([wrong_by_cause(*each, usual).sum(axis=0).mean() for each in asked])
        for *_, asked in found
    ]
    return np.log(expected) - np.log([shares[which][1] for _, _, shares, _ in found])


def fit(found: list[tuple], which: int) -> Usual:
    """The numbers of a method that fit best."""
    from scipy.optimize import least_squares

    usual = list(LEARNED)[which]
    names = LEARNED[usual]

    def changed(logs: np.ndarray) -> Usual:
        return usual._replace(**dict(zip(names, np.exp(logs).tolist())))

    start = np.log([getattr(usual, name) for name in names])
    best = least_squares(
        lambda logs: misses(found, which, changed(logs)), start, loss="soft_l1", f_scale=0.15
    )
    return changed(best.x)


def leave_one_out(found: list[tuple]) -> None:
    """Print fits to all real tables, and the ratios for each by a fit to the others."""
    real = [one for one in found if one[0] != DRAWN]
    for which in range(2):
        print(fit(real, which))
        for source in FILES:
            others = fit([one for one in real if one[0] != source], which)
            mine = [one for one in real if one[0] == source]
            held_out = np.exp(misses(mine, which, others))
            out = np.mean((held_out < 0.6) | (held_out > 1.6))
            print(source, len(held_out), np.quantile(held_out, (0.05, 0.5, 0.95)).round(2), out)


def main() -> None:
    """Print the quantiles of expected over measured, how many are outside 0.6 to 1.6, and the worst five."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--settings", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    measured = list(measure(given.settings, given.repeats))
    if given.fit:
        leave_one_out(measured)
        return
    sources, settings, found, _ = zip(*measured)
    ratios = np.divide(*np.moveaxis(found, 2, 0))
    for which, name in enumerate(("CALM", "CALM+")):
        for title, held_out in (("fitted", False), ("held out", True)):
            at = np.flatnonzero((np.array(sources) == DRAWN) == held_out)
            ratio = ratios[at, which]
            low, middle, high = np.quantile(ratio, (0.05, 0.5, 0.95))
            out = np.mean((ratio < 0.6) | (ratio > 1.6))
            print(
                f"{name} {title}, {len(at)} settings: median {middle:.2f}, 5 to 95% {low:.2f} to {high:.2f}, "
                f"outside 0.6 to 1.6 {out:.1%}"
            )
            for i in at[np.argsort(-abs(np.log(ratio)))[:5]]:
                print(
                    f"    {ratios[i, which]:.2f}: {found[i][which][1]:.3f}, {sources[i]} {settings[i]}"
                )


if __name__ == "__main__":
    main()
