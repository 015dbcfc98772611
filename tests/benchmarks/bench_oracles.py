"""Speed of the frequency oracles, as ratios measured in one run.

    python tests/benchmarks/bench_oracles.py

One table: n = 100,000 users over 16 and 256 values, all reports made and aggregated, against
pure-LDP 1.2.0 and multi-freq-ldpy 0.2.5 where they can be imported (neither is needed by CALM
Lab; a package that is missing says so in its column; both need xxhash below 3.6 to run). "simulated" draws the support counts
with exactly the distribution of the reports; "per user" makes every report and counts them.
Collection: n = 2^20 users in 262 groups of 16 cells against vectorised per-user OUE in numpy.
Medians of several runs; the packages, which need seconds to minutes, run once after a warm-up.
"""

import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from calm_core.oracles import ORACLES

EPSILON, USERS = 1.0, 100_000
WANTED_PACKAGES, WANTED_PER_USER = 50, 20


def seconds(run, repeats=7):
    """Median time of a call, after one call that is not counted."""
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def pure_ldp(name, values, size):
    """A call that makes and aggregates all reports with pure-LDP."""
    from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
    from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
    from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

    kinds = {
        "grr": (DEClient, DEServer, {}),
        "oue": (UEClient, UEServer, {"use_oue": True}),
        "olh": (LHClient, LHServer, {"use_olh": True}),
    }
    make_client, make_server, options = kinds[name]
    # Its items are 1..d unless an index mapper says otherwise.
    options = options | {"index_mapper": lambda value: value}

    def run(values=values):
        client = make_client(EPSILON, size, **options)
        server = make_server(EPSILON, size, **options)
        for value in values:
            server.aggregate(client.privatise(value))
        return np.array([server.estimate(v, suppress_warnings=True) for v in range(size)]) / len(
            values
        )

    return run


def multi_freq(name, values, size):
    """A call that makes and aggregates all reports with multi-freq-ldpy."""
    from multi_freq_ldpy.pure_frequency_oracles import GRR, LH, SS, UE

    def run(values=values):
        if name == "grr":
            reports = [GRR.GRR_Client(value, size, EPSILON) for value in values]
            return GRR.GRR_Aggregator_MI(reports, size, EPSILON)
        if name == "oue":
            reports = [UE.UE_Client(value, size, EPSILON, True) for value in values]
            return UE.UE_Aggregator_MI(reports, EPSILON, True)
        if name == "olh":
            reports = [LH.LH_Client(value, size, EPSILON, True) for value in values]
            return LH.LH_Aggregator_MI(reports, size, EPSILON, True)
        reports = [SS.SS_Client(value, size, EPSILON) for value in values]
        return SS.SS_Aggregator_MI(reports, size, EPSILON)

    return run


PACKAGES = {"pure-LDP 1.2.0": pure_ldp, "multi-freq-ldpy 0.2.5": multi_freq}


def package_seconds(make, name, values, size, truth):
    """Time of one run of a package, or the reason why there is none."""
    try:
        run = make(name, values.tolist(), size)
    except ImportError as missing:
        return f"not installed ({missing.name})"
    except KeyError:
        return "has none"
    run(values[:200].tolist())
    start = time.perf_counter()
    estimate = run()
    elapsed = time.perf_counter() - start
    # A reference that computes something else would make the ratio meaningless.
    error = np.abs(estimate - truth).max()
    assert error < 0.1, (make.__name__, name, error)
    return elapsed


def numpy_oue(values, size, rng):
    """Per-user OUE, vectorised the usual way: one uniform number for every bit."""
    bits = rng.random((len(values), size)) < 1 / (np.exp(EPSILON) + 1)
    bits[np.arange(len(values)), values] = rng.random(len(values)) < 0.5
    return bits.sum(axis=0)


def per_user(oracle, values, rng):
    """Make every report of ours and count."""
    return oracle.support(oracle.perturb(values, rng=rng))


def one_table(rng):
    """Print the table for one group of users."""
    head = f"{'oracle':8}{'L':>5}{'simulated':>12}{'per user':>12}"
    print(f"One table, n = {USERS:,}, epsilon = {EPSILON:g}; times in ms")
    print(head + "".join(f"  | {name:>23}{'/simulated':>12}{'/per user':>10}" for name in PACKAGES))
    worst = {name: np.inf for name in PACKAGES}
    for size in (16, 256):
        values = np.minimum(rng.geometric(6 / size, size=USERS) - 1, size - 1)
        counts = np.bincount(values, minlength=size)
        for name, kind in ORACLES.items():
            oracle = kind(EPSILON, size)
            fast = seconds(partial(oracle.simulate, counts, rng=rng))
            slow = seconds(partial(per_user, oracle, values, rng), repeats=3)
            line = f"{name:8}{size:5}{1e3 * fast:12.3f}{1e3 * slow:12.1f}"
            for package, make in PACKAGES.items():
                taken = package_seconds(make, name, values, size, counts / USERS)
                if isinstance(taken, str):
                    line += f"  | {taken:>23}{'':22}"
                else:
                    line += f"  | {1e3 * taken:23.0f}{taken / fast:11,.0f}x{taken / slow:9.1f}x"
                    worst[package] = min(worst[package], taken / fast)
            print(line, flush=True)
    for package, ratio in worst.items():
        if np.isfinite(ratio):
            print(f"least ratio against {package}: {ratio:,.0f} (wanted {WANTED_PACKAGES})")


def collection(rng):
    """Print the ratios for a whole collection."""
    users, groups, size = 2**20, 262, 16
    values = rng.integers(size, size=(groups, users // groups))
    counts = np.array([np.bincount(group, minlength=size) for group in values])
    reference = seconds(lambda: [numpy_oue(group, size, rng) for group in values], repeats=5)
    print(f"\nCollection, n = 2^20, {groups} groups, {size} cells; supports from true counts")
    print(f"per-user OUE in numpy: {1e3 * reference:.1f} ms (wanted at least {WANTED_PER_USER}x)")
    for name, kind in ORACLES.items():
        oracle = kind(EPSILON, size)
        fast = seconds(partial(oracle.simulate, counts, rng=rng), repeats=15)
        print(f"{name:8} simulated {1e3 * fast:9.2f} ms {reference / fast:9.0f}x")


if __name__ == "__main__":
    generator = np.random.default_rng(1)
    collection(generator)
    print()
    one_table(generator)
