"""Microdata against the release they were made from, and against rows of the library mbi.

    python -m tests.benchmarks.bench_microdata [REPETITIONS [SET ...]]

A line per data set, number of attributes, method and epsilon, means over the repetitions: mean SSE of the released
tables of three attributes, then over it that of as many rows as people (at most 16,384), of 1,000 rows, and of rows of
mbi (`nan` where it is not installed). mbi gets the released tables of all pairs, or of the pairs of a maximum spanning
tree where its model of all pairs would have more than 2^14 cells. Then the mutual information of all
pairs in the rows over the true one, ours and mbi's; the accuracy of a classifier of the last attribute trained on the
rows, ours and mbi's, and on the true ones, all tested on true rows; and the seconds that the rows took.
"""

import math
import sys
import time
from itertools import combinations

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

import calm_core as cc
from calm_core.ingest.encode import load_dataset
from tests.reference.exact_collection import ROOT, load_codes

QUERIES, MAX_ROWS, MAX_MBI_CELLS = 300, 2**14, 2**14
SAMPLES = {"health": "health_survey.parquet", "browsing": "browsing.parquet"}
CASES = {
    "nltcs": (8, 16), "health": (8, 18), "browsing": (8, 16, 32), "adult": (8, 15), "nsduh": (8, 16),
    "acs": (8, 16), "msnbc": (8, 16), "brfss": (8,),
}  # fmt: skip


def load_set(name: str, d: int) -> cc.Dataset:
    if name in SAMPLES:
        found = load_dataset(ROOT / "sample_data" / SAMPLES[name]).dataset
        # The last ones of the survey are its demographics, with up to five values.
        return found.select(found.domain.names[-d:] if name == "health" else found.domain.names[:d])
    codes = load_codes(name)[:, :d]
    sizes = tuple(int(size) for size in codes.max(axis=0) + 1)
    domain = cc.Domain(tuple(f"a{i}" for i in range(len(sizes))), sizes)
    return cc.Dataset.from_codes(codes, domain).resample(
        min(len(codes), 2**16), rng=cc.stream(3, name)
    )


def count_tables(people: cc.Dataset, queries) -> list[np.ndarray]:
    return [table.values for table in people.marginals(queries)]


def mean_sse(tables, others) -> float:
    return float(np.mean([np.square(a - b).sum() for a, b in zip(tables, others)]))


def mutual_information(table: np.ndarray) -> float:
    cells = np.maximum(table, 1e-15)
    return float((cells * np.log(cells / np.outer(cells.sum(1), cells.sum(0)))).sum())


def fit_by_mbi(answer, n: int) -> np.ndarray | None:
    """Codes of n rows by mbi's graphical model."""
    try:
        import jax

        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_enable_compilation_cache", False)
        import mbi
    except ImportError:
        return None
    domain, pairs = answer.domain, list(combinations(answer.domain.names, 2))
    tables = answer.marginals(pairs)
    if math.prod(domain.sizes) > MAX_MBI_CELLS:
        tables.sort(key=lambda table: -mutual_information(table.values))
        part, tree = {name: name for name in domain.names}, []
        for table in tables:
            one, other = (part[name] for name in table.attrs)
            if one != other:
                tree.append(table)
                part = {name: one if of == other else of for name, of in part.items()}
        tables = tree
    known = [mbi.LinearMeasurement(t.values.ravel(), t.attrs, stddev=1e-3) for t in tables]
    model = mbi.estimation.MirrorDescent().estimate(
        mbi.Domain(domain.names, domain.sizes), known, known_total=1.0
    )
    found = model.synthetic_data(rows=n)
    columns = found.to_dict() if hasattr(found, "to_dict") else found.df
    return np.stack([np.asarray(columns[name]) for name in domain.names], axis=1)


def accuracy(train: np.ndarray, test: np.ndarray) -> float:
    if len(np.unique(train[:, -1])) < 2:
        return float((test[:, -1] == train[0, -1]).mean())
    model = HistGradientBoostingClassifier(max_iter=40, random_state=1)
    return float(model.fit(train[:, :-1], train[:, -1]).score(test[:, :-1], test[:, -1]))


def compare(people: cc.Dataset, method: str, epsilon: float, rng) -> list[float]:
    domain = people.domain
    answer = cc.METHODS[method](epsilon=epsilon, k=3).release(people, rng=rng)
    triples = cc.choose_queries(domain, 3, QUERIES, rng=rng)
    pairs = list(combinations(domain.names, 2))
    true, true_pairs = count_tables(people, triples), count_tables(people, pairs)
    released = mean_sse([t.values for t in answer.marginals(triples)], true)
    n = min(people.n, MAX_ROWS)
    start = time.perf_counter()
    ours = read_codes(domain, cc.release.microdata(answer, n=n, rng=rng))
    took = time.perf_counter() - start
    few = read_codes(domain, cc.release.microdata(answer, n=1000, rng=rng))
    train, test = np.array_split(rng.permutation(people.codes), 2)
    errors, kept, right = [], [], []
    for codes in (ours, few, fit_by_mbi(answer, n)):
        if codes is None:
            for column in (errors, kept, right):
                column.append(math.nan)
            continue
        made = cc.Dataset.from_codes(codes, domain)
        errors.append(mean_sse(count_tables(made, triples), true) / released)
        information = [
            sum(map(mutual_information, t)) for t in (count_tables(made, pairs), true_pairs)
        ]
        kept.append(information[0] / information[1])
        right.append(accuracy(codes, test))
    truly = (
        accuracy(people.codes[20_000:], people.codes[:20_000]) if people.n > 20_500 else math.nan
    )
    return [released, *errors, kept[0], kept[2], right[0], right[2], truly, took]


def read_codes(domain: cc.Domain, rows) -> np.ndarray:
    columns = []
    for name in domain.names:
        numbers = {label: code for code, label in enumerate(domain.labels_of(name))}
        columns.append(rows[name].map(numbers).to_numpy())
    return np.stack(columns, axis=1)


def main(repetitions: int = 3, *names: str) -> None:
    print(
        "set       d  method     eps  answer's   ours  1,000    mbi | information | accuracy           | s\n"
        "                                  SSE                      |  ours   mbi |  ours   mbi   true |"
    )
    ratios = []
    for name in names or CASES:
        for d in CASES[name]:
            people = load_set(name, d)
            for method in ("calm", "calm_plus"):
                for epsilon in (0.5, 2.0):
                    found = np.array([
                        compare(people, method, epsilon, cc.stream(42, i, name, f"{epsilon:g}"))
                        for i in range(repetitions)
                    ]).mean(axis=0)  # fmt: skip
                    ratios.append(found[1:4])
                    sse, ours, few, mbi, *rest, took = found
                    print(
                        f"{name:8} {people.domain.d:2}  {method:9} {epsilon:4g}  {sse:8.2g}  {ours:5.3f}  {few:5.3f}  "
                        f"{mbi:5.3f} | {rest[0]:5.2f} {rest[1]:5.2f} | {rest[2]:5.3f} {rest[3]:5.3f}  {rest[4]:5.3f} "
                        f"| {took:4.1f}",
                        flush=True,
                    )
    print(
        "largest ratios",
        np.nanmax(ratios, axis=0).round(3),
        "medians",
        np.nanmedian(ratios, axis=0).round(3),
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:])
