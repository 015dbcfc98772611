"""Planning against simulation: power of a difference, and people named for a length or a power.

    python -m tests.benchmarks.bench_planning --powers 200 --repeats 100 --users 60

The referee collects with the plan that was handed over and asks the same question; it knows nothing of how predictions
are made. Half of the settings have the population that is assumed, with independent attributes; half the columns of real tables with two
values each, of which the prediction knows the shares in the question alone.

"""

import argparse
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.special import ndtri

import calm_core as cc
from calm_core.errors import InputError
from calm_core.evaluation.planned_questions import DifferenceQuestion, PilotQuestion, ShareQuestion
from calm_core.evaluation.power import REFUSED, Survey, find_users_for, power_of_difference
from tests.reference.exact_collection import FILES, load_codes


def people_for(question, asked, n: int, rng, real: np.ndarray | None = None) -> cc.Dataset:
    """n people with exactly the table of the question; others independent, or those of rows of a real table."""
    domain, table = question.plan(n, 1.0)[0].domain, question.table()
    sizes = np.diff(np.round(n * np.append(0, np.cumsum(table.ravel()))).astype(int))
    at = list(domain.positions(asked))
    if real is None:
        codes = rng.integers(question.values, size=(n, question.d))
        cells = np.repeat(np.arange(table.size), sizes)
        codes[:, at] = np.stack(np.unravel_index(cells, table.shape), axis=1)
    else:
        cells = np.ravel_multi_index(tuple(real[:, at].T), table.shape)
        own = [rng.choice(np.flatnonzero(cells == cell), size) for cell, size in enumerate(sizes)]
        codes = real[np.concatenate(own)]
    return cc.Dataset.from_codes(codes, domain)


def simulate(question, n: int, epsilon: float, repeats: int, rng, real=None) -> Iterator:
    """Yield what Ask says of every repeat, each of other people; None if it is refused."""
    plan, asked = question.plan(n, epsilon)
    for _ in range(repeats):
        people = people_for(question, asked, n, rng, real)
        noisy = cc.aggregate(cc.collect(people, plan, rng=rng))
        try:
            yield question.ask(cc.infer_plus(noisy), asked)
        except InputError:
            yield None


def simulated_power(question, n, epsilon, repeats, rng, real=None) -> tuple[float, float]:
    """Share of repeats in which the interval is on the right side of 0, and its standard error."""
    hits = [
        found is not None and (found.low > 0 if question.difference > 0 else found.high < 0)
        for found in simulate(question, n, epsilon, repeats, rng, real)
    ]
    # As if one more repeat had gone either way, so that none is certain.
    share = (sum(hits) + 0.5) / (repeats + 1)
    return float(np.mean(hits)), math.sqrt(share * (1 - share) / repeats)


def true_difference(real: np.ndarray, question, asked, domain) -> DifferenceQuestion | None:
    """The question with what is true of the rows of a real table; None where there is nothing to find."""
    group, outcome = real[:, domain.positions(asked)].T
    if min(group.mean(), 1 - group.mean()) < 0.1:
        return None
    one, two = ((outcome[group == side] == 0).mean() for side in (0, 1))
    if not (0.03 < abs(one - two) < 0.5 and 0.03 < min(one, two) and max(one, two) < 0.97):
        return None
    first = float((group == 0).mean())
    return replace(question, difference=one - two, share=two, groups=(first, 1 - first))


def draw_setting(number: int, kind: str, source: str | None):
    """A question about a difference with n, epsilon and the rows of a real table, for powers from 1 to 99%."""
    for attempt in range(1000):
        rng = cc.stream(7, "planning", kind, number, attempt)
        d, values = int(rng.choice([2, 3, 4, 6])), 2 if source else int(rng.choice([2, 2, 3]))
        epsilon, share = float(0.4 * 10 ** rng.random()), float(rng.uniform(0.1, 0.6))
        one = float(rng.uniform(0.25, 0.75)) * 2 / values
        groups = (one, min(1 - one, one)) if values > 2 else (one, 1 - one)
        difference = float(rng.choice([-1, 1]) * 0.03 * 8 ** rng.random())
        if not 0.03 < share + difference < 0.97:
            continue
        question, real = DifferenceQuestion(d, values, difference, share, groups), None
        if not source:
            question = replace(question, correlation=0.0)
        plan, asked = question.plan(10_000, epsilon)
        if source:
            codes = load_codes(source, 2)
            real = codes[:, rng.choice(codes.shape[1], d, replace=False)]
            question = true_difference(real, question, asked, plan.domain)
            if question is None:
                continue
        size = Survey(question, 10_000, epsilon).size
        n = int(10_000 * (rng.uniform(1.5, 5.5) / size) ** 2)
        if 300 <= n <= 400_000:
            return question, n, epsilon, real, rng
    raise AssertionError("no setting")


def print_powers(count: int, repeats: int, kinds: list[str]) -> None:
    """Predicted and simulated power."""
    for kind in kinds:
        rows, sources = [], sorted(FILES) if kind == "real" else [None]
        for number in range(count // len(kinds)):
            source = sources[number % len(sources)]
            question, n, epsilon, real, rng = draw_setting(number, kind, source)
            told = power_of_difference(question, n, epsilon=epsilon)
            found, error = simulated_power(question, n, epsilon, repeats, rng, real)
            rows.append((told, found, error))
            print(
                f"  {source or 'assumed':8} d {question.d} values {question.values} n {n:7,} epsilon {epsilon:.2f} "
                f"difference {question.difference:+.3f}: predicted {told:.3f}, simulated {found:.3f} +- {error:.3f}",
                flush=True,
            )
        if not rows:
            continue
        print_distance(kind, *np.array(rows).T)


def draw_pilot_setting(number: int):
    """A question about half of the rows of a real table, n and epsilon for powers from 1 to 99%, and the other half."""
    sources = sorted(FILES)
    for attempt in range(1000):
        rng = cc.stream(7, "planning pilot", number, attempt)
        codes = load_codes(sources[number % len(sources)], int(rng.choice([2, 4])))
        d = min(int(rng.choice([3, 4, 6, 8])), codes.shape[1])
        codes = codes[:, rng.choice(codes.shape[1], d, replace=False)]
        names, sizes = tuple(f"a{i}" for i in range(d)), tuple((codes.max(axis=0) + 1).tolist())
        if min(sizes) < 2:
            continue
        pilot = rng.random(len(codes)) < 0.5
        people = cc.Dataset.from_codes(codes[pilot], cc.Domain(names, sizes))
        group, outcome = rng.choice(d, 2, replace=False)
        one, two = rng.choice(sizes[group], 2, replace=False)
        text = f"difference a{outcome}={rng.integers(sizes[outcome])} between a{group}={one} and a{group}={two}"
        epsilon = float(0.4 * 10 ** rng.random())
        try:
            question = PilotQuestion(people, text)
            survey = Survey(question, 10_000, epsilon)
        except InputError:
            continue
        others = codes[~pilot]
        there = cc.Dataset.from_codes(others, people.domain).marginal(survey.asked).values > 0
        if abs(question.difference) < 0.02 or not there[question.table() > 0].all():
            continue
        n = int(10_000 * (rng.uniform(1.5, 5.5) / survey.size) ** 2)
        if 300 <= n <= 400_000:
            return sources[number % len(sources)], question, n, epsilon, others, rng
    raise AssertionError("no setting")


def print_pilots(count: int, repeats: int) -> None:
    """Power predicted by half of the people of a real table, and simulated with people of that half and of the other."""
    rows: dict[str, list] = {"people of the table": [], "other people": []}
    for number in range(count):
        source, question, n, epsilon, others, rng = draw_pilot_setting(number)
        told = power_of_difference(question, n, epsilon=epsilon)
        line = f"  {source:8} d {question.people.domain.d} n {n:7,} epsilon {epsilon:.2f} predicted {told:.3f}"
        for kind, real in zip(rows, (question.people.codes, others)):
            found, error = simulated_power(question, n, epsilon, repeats, rng, real)
            rows[kind].append((told, found, error))
            line += f", {kind} {found:.3f} +- {error:.3f}"
        print(line, flush=True)
    for kind, found in rows.items():
        print_distance(kind, *np.array(found).T)


def print_distance(kind: str, told: np.ndarray, found: np.ndarray, error: np.ndarray) -> None:
    """How far predicted powers are from simulated ones."""
    off = told - found
    alone = math.sqrt(max(np.mean(off**2) - np.mean(error**2), 0))
    worst = int(np.abs(off).argmax())
    print(
        f"power, {kind}: within 3 points {np.mean(np.abs(off) <= 0.03):.0%}, "
        f"within 3 points and two standard errors {np.mean(np.abs(off) <= 0.03 + 2 * error):.0%}, "
        f"mean {off.mean():+.3f}, root mean square {np.sqrt(np.mean(off**2)):.3f}, without that of the simulation "
        f"{alone:.3f}; worst: predicted {told[worst]:.2f}, simulated {found[worst]:.2f} +- {error[worst]:.2f}"
    )


def print_users(count: int, repeats: int) -> None:
    """People named over the people who suffice in simulation."""
    ratios: dict[str, list[float]] = {}
    for number in range(count):
        rng = cc.stream(7, "planning users", number)
        real = None
        if number % 3 == 2:
            if number % 2:
                kind = "power, people like these"
                _, question, _, epsilon, real, rng = draw_pilot_setting(number // 6)
            else:
                kind = "power, assumed"
                question, _, epsilon, _, rng = draw_setting(number, "users", None)
            n = find_users_for(question, power=0.8, epsilon=epsilon)
            if n is None or n > 2_000_000:
                continue
            found, _ = simulated_power(question, n, epsilon, repeats, rng, real)
            size = Survey(question, n, epsilon).size
            # The limit that the simulated power tells of, in standard deviations.
            limit = size - ndtri(np.clip(found, 0.01, 0.99))
            suffices = n * ((limit + ndtri(0.8)) / size) ** 2
        else:
            d, values = int(rng.choice([2, 3, 4, 6])), int(rng.choice([2, 2, 3, 5]))
            attributes = 1 + number % 3
            kind = ("share of an attribute", "share of a cell")[attributes - 1]
            share, epsilon = float(rng.uniform(0.05, 0.7)), float(0.4 * 10 ** rng.random())
            question, wanted = (
                ShareQuestion(d, values, share, attributes, correlation=0.0),
                float(rng.uniform(0.015, 0.08)),
            )
            n = find_users_for(question, half_width=wanted, epsilon=epsilon)
            suffices = n
            for _ in range(2):
                width = np.mean([
                    REFUSED if found is None else (found.high - found.low) / 2
                    for found in simulate(question, int(suffices), epsilon, 30, rng)
                ])  # fmt: skip
                suffices = max(suffices * (width / wanted) ** 2, 100)
        ratios.setdefault(kind, []).append(n / suffices)
        print(f"  {kind:22} n {n:9,} over {suffices:11,.0f}: {n / suffices:.2f}", flush=True)
    for kind, found in ratios.items():
        each = np.array(found)
        print(
            f"people, {kind}: {len(each)} settings, from 0.8 to 1.5 times {np.mean((each >= 0.8) & (each <= 1.5)):.0%}, "
            f"least {each.min():.2f}, median {np.median(each):.2f}, most {each.max():.2f}"
        )


def main() -> None:
    """Print every setting and the shares of settings within the bounds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--powers", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--pilots", type=int, default=60)
    parser.add_argument("--kinds", default="assumed,real")
    parser.add_argument("--users", type=int, default=60)
    options = parser.parse_args()
    if options.powers:
        print_powers(options.powers, options.repeats, options.kinds.split(","))
    if options.pilots:
        print_pilots(options.pilots, options.repeats)
    if options.users:
        print_users(options.users, options.repeats)


if __name__ == "__main__":
    main()
