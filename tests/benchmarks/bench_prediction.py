"""Expected people in the wrong cell over those measured, before and after the collection, in settings that nobody chose.

    python -m tests.benchmarks.bench_prediction --settings 200 --repeats 3 --first 0

The numbers in `calm_core.evaluation.prediction` were fitted to the real tables; populations drawn at random are
held out. The fit is in the repository's history at `399fcea5`, with `--fit` here.
"""

import argparse
from collections.abc import Iterator

import numpy as np

import calm_core as cc
from calm_core.evaluation.prediction import expected_wrong, wrong_from_reports
from calm_core.methods import Calm, CalmPlus
from calm_core.tables.dataset import Dataset
from tests.reference.exact_collection import FILES, load_codes
from tests.reference.populations import related_columns

DRAWN = "drawn"
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
        codes = rng.permutation(load_codes(source, most), axis=1)[:, :d]
    sizes = tuple(np.maximum(codes.max(axis=0) + 1, 2).tolist())
    domain = cc.Domain(tuple("abcdefghijklmnop"[: len(sizes)]), sizes)
    return source, Dataset.from_codes(codes[rng.integers(len(codes), size=int(n))], domain)


def measure(settings: int, repeats: int, first: int) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield source, setting, and shares of CALM and CALM+ expected before, after, and measured, shape (methods, 3)."""
    for number in range(first, first + settings):
        rng = cc.stream(40, number)
        source, people = draw_people(rng)
        epsilon, k = float(0.1 * 60 ** rng.random()), int(rng.integers(1, 5))
        if np.prod(sorted(people.domain.sizes)[-k:]) > MAX_CELLS:
            continue
        found = []
        for at in range(repeats):
            plus = CalmPlus(epsilon=epsilon, k=k)
            one = cc.run(people, plus, seed=number, queries=16, repetition=at)
            # CALM's own inference from the same reports.
            calm = Calm(epsilon=epsilon, k=k)
            both = (calm, calm.answer(one.plan, one.answer.reports)), (plus, one.answer)
            for method, answer in both:
                answers = answer.marginals(one.queries)
                before = expected_wrong(method, one.plan, one.queries)
                after = np.sqrt(
                    before * [wrong_from_reports(answer, query) for query in one.queries]
                )
                wrong = np.mean([cc.l1(*pair) / 2 for pair in zip(one.truths, answers)])
                found.append((before.mean(), after.mean(), wrong))
        told = f"n {people.n:,} epsilon {epsilon:.2f} k {k} {people.domain.sizes}"
        yield source, told, np.reshape(found, (repeats, 2, 3)).mean(axis=0)


def main() -> None:
    """Print the quantiles of expected over measured, how many are outside 0.6 to 1.6, and the worst five."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--settings", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="number of the first setting")
    sources, settings, found = zip(*measure(**vars(parser.parse_args())))
    found = np.array(found)
    drawn = np.array(sources) == DRAWN
    for which, name in enumerate(("CALM", "CALM+")):
        for title, at in (("real", np.flatnonzero(~drawn)), ("drawn", np.flatnonzero(drawn))):
            for told, moment in enumerate(("before", "after")):
                ratio = found[at, which, told] / found[at, which, 2]
                low, middle, high = np.quantile(ratio, (0.05, 0.5, 0.95))
                out = np.mean((ratio < 0.6) | (ratio > 1.6))
                print(
                    f"{name} {title}, {len(at)} settings, {moment}: median {middle:.2f}, 5 to 95% {low:.2f} to "
                    f"{high:.2f}, outside 0.6 to 1.6 {out:.1%}"
                )
                worst = np.argsort(-abs(np.log(ratio)))[:5]
                for i, one in zip(at[worst], ratio[worst]):
                    print(f"    {one:.2f}: {found[i, which, 2]:.3f}, {sources[i]} {settings[i]}")


if __name__ == "__main__":
    main()
