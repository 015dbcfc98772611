"""How often intervals of questions hold the truth, by kind of question and data set.

    python -m tests.benchmarks.bench_questions --repeats 200

Every repetition draws people from a real table, with other columns, epsilon and number of people, and asks one
question of each kind about attributes drawn at random. `--small` asks 30 to 3,000 people.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

import calm_core as cc
from calm_core.errors import InputError
from calm_core.release.associations import association
from calm_core.release.comparison import difference, ratio
from calm_core.release.numbers import mean
from calm_core.release.regressions import regression
from calm_core.release.shares import share
from calm_core.tables.dataset import Dataset
from tests.reference.exact_collection import FILES, load_codes


def draw_people(source: str, small: bool, rng: np.random.Generator) -> Dataset:
    """People with 4 to 10 columns of a real table, in random order."""
    most = int(rng.integers(2, 6))
    codes = rng.permutation(load_codes(source, most), axis=1)
    d = int(rng.integers(2, 7) if small else rng.integers(4, 11))
    codes = codes[:, :d]
    n = int(30 * 100 ** rng.random()) if small else int(2 ** rng.uniform(12, 19))
    sizes = tuple(np.maximum(codes.max(axis=0) + 1, 2).tolist())
    labels = tuple(tuple(map(str, range(size))) for size in sizes)
    domain = cc.Domain(tuple("abcdefghij"[: codes.shape[1]]), sizes, labels)
    return Dataset.from_codes(codes[rng.integers(len(codes), size=n)], domain)


def ask(
    answer, people: Dataset, rng: np.random.Generator
) -> Iterator[tuple[str, float, float, float]]:
    """Yield kind, truth, low and high of one question of each kind; "refused" ones with NaN."""
    names = [str(name) for name in rng.permutation(people.domain.names)]
    size = dict(zip(people.domain.names, people.domain.sizes))
    truth = people.marginal(tuple(names[: min(3, len(names))]))
    axes = [truth.attrs.index(name) for name in names[: min(3, len(names))]]
    table = np.transpose(truth.values, axes)
    first, second = (int(rng.integers(size[name])) for name in names[:2])
    pair = table.sum(axis=tuple(range(2, table.ndim)))
    one, two = pair.sum(axis=1), pair.sum(axis=0)
    a, b = names[:2]
    other = (second + 1) % size[b]

    def tell(kind, true, make):
        try:
            found = make()
        except InputError:
            return f"{kind} refused", np.nan, np.nan, np.nan
        return kind, true, found.low, found.high

    yield tell("share, one attribute", one[first], lambda: share(answer, {a: first}))
    yield tell(
        "share, two attributes", pair[first, second], lambda: share(answer, {a: first, b: second})
    )
    if table.ndim == 3:
        c = names[2]
        third = int(rng.integers(size[c]))
        yield tell(
            "share, three attributes", table[first, second, third],
            lambda: share(answer, {a: first, b: second, c: third}),
        )  # fmt: skip
    with np.errstate(invalid="ignore", divide="ignore"):
        given = pair[first] / one[first]
        odds = [pair[first, at] / two[at] for at in (second, other)]
        yield tell(
            "share of a group", given[second], lambda: share(answer, {b: second}, given={a: first})
        )
        groups = {b: second}, {b: other}
        yield tell("difference", odds[0] - odds[1], lambda: difference(answer, {a: first}, groups))
        yield tell("ratio", odds[0] / odds[1], lambda: ratio(answer, {a: first}, groups))
    values = np.arange(size[a], dtype=float)
    yield tell("mean", one @ values, lambda: mean(answer, a))
    beyond = (pair - np.outer(one, two)) ** 2 / np.maximum(np.outer(one, two), 1e-300)
    strength = np.sqrt(beyond.sum() / (min(pair.shape) - 1))
    yield tell("association", strength, lambda: association(answer, a, b))
    scores = np.arange(size[b], dtype=float)
    spread = two @ scores**2 - (two @ scores) ** 2
    if spread > 0:
        slope = (values @ pair @ scores - (one @ values) * (two @ scores)) / spread

        class Slope:
            def __init__(self):
                found = regression(answer, a, (b,))
                # Of two values the second has a coefficient.
                self.low, self.high = list(found.low.values())[1], list(found.high.values())[1]

        yield tell("slope", slope, Slope)


def main() -> None:
    """Print coverage by data set and kind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--sources", default=",".join(sorted(FILES)))
    parser.add_argument("--method", choices=("calm", "calm_plus"), default="calm_plus")
    options = parser.parse_args()
    held, asked = defaultdict(list), defaultdict(int)
    for source in options.sources.split(","):
        for number in range(options.repeats):
            rng = cc.stream(42, source, number)
            people = draw_people(source, options.small, rng)
            epsilon, k = float(0.5 * 8 ** rng.random()), int(rng.integers(2, 4))
            k = min(k, people.domain.d)
            try:
                answer = cc.METHODS[options.method](epsilon=epsilon, k=k).release(people, rng=rng)
            except InputError:
                continue
            for kind, truth, low, high in ask(answer, people, rng):
                asked[kind, source] += 1
                if np.isfinite(truth):
                    held[kind, source].append(low - 1e-9 <= truth <= high + 1e-9)
    kinds = list(dict.fromkeys(kind for kind, _ in asked))
    for kind in kinds:
        parts = []
        for source in options.sources.split(","):
            found = held[kind, source]
            parts.append(
                f"{np.mean(found):.0%} of {len(found)}" if found else f"- ({asked[kind, source]})"
            )
        every = [x for source in options.sources.split(",") for x in held[kind, source]]
        mean_held = f"{np.mean(every):.1%}" if every else "-"
        print(f"{kind:26} | {mean_held} | " + " | ".join(parts))


if __name__ == "__main__":
    main()
