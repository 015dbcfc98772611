"""Sizes of the covering designs against the best known: `python tests/benchmarks/bench_designs.py`.

The best known sizes are facts from the La Jolla Covering Repository (D. M. Gordon, CC-BY-4.0),
read from the specification folder beside the real data, or from a file given as an argument.
Prints every size above the best known for d <= 32, l <= 10, the geometric means of the ratios, and
how long sizes, designs, the check and partial designs take.
"""

import argparse
import csv
import math
import os
import time
from collections import defaultdict
from pathlib import Path

from calm_core.designs import (
    choose_blocks,
    covering_size,
    find_covering,
    find_mixed_covering,
    is_covering,
)

ROOT = Path(__file__).resolve().parents[2]
MUST_EQUAL = [
    (8, 4, 3), (8, 5, 3), (8, 5, 4), (16, 4, 3), (32, 8, 2), (32, 8, 3), (45, 8, 2), (64, 8, 2),
    (32, 4, 3), (9, 6, 2),
]  # fmt: skip
WITHIN_5_PER_CENT = [(16, 5, 3), (16, 8, 2), (20, 6, 2), (25, 6, 3), (32, 8, 4), (45, 8, 3)]
PAPER_DOMAIN = (2, 2, 5, 7, 14, 9, 2, 16, 41, 6)


def default_file() -> Path:
    data = Path(os.environ.get("CALM_SHARED_DATA", ROOT.parent / "shared" / "data"))
    return data.parent / "spec" / "covering_sizes.csv"


def read_best_known(path: Path) -> dict[tuple[int, int, int], int]:
    with open(path, newline="") as file:
        return {
            (int(r["v"]), int(r["k"]), int(r["t"])): int(r["best_known_size"])
            for r in csv.DictReader(file)
        }


def print_ratios(best: dict) -> None:
    print("Named targets                 size   best  ratio")
    for key in MUST_EQUAL + WITHIN_5_PER_CENT:
        size = covering_size(*key)
        rule = "equal" if key in MUST_EQUAL else "<= 1.05"
        print(f"{key!s:14} {rule:12} {size:7} {best[key]:6} {size / best[key]:6.3f}")
    print("\nd <= 32, l <= 10, t = 2, 3: sizes above the best known")
    ratios = defaultdict(list)
    for key, known in best.items():
        d, l, t = key  # noqa: E741
        size = covering_size(*key)
        group = "d <= 32, l <= 10" if d <= 32 and l <= 10 else "d > 32" if d > 32 else "l > 10"
        if d > 32 or t <= 3 or (t == 4 and d <= 16):
            ratios[group, t].append(size / known)
            if group == "d <= 32, l <= 10" and t <= 3 and size > known:
                print(f"  {key!s:12} {size:5} {known:5} {size / known:6.3f}")
    print("\nGroup                t  designs  equal  geometric mean  largest ratio")
    for (group, t), values in sorted(ratios.items()):
        print_means(group, t, values)
    both = [r for (g, t), v in ratios.items() if g == "d <= 32, l <= 10" and t <= 3 for r in v]
    print_means("d <= 32, l <= 10", "2, 3", both)


def print_means(group: str, t, values: list[float]) -> None:
    mean = math.exp(sum(map(math.log, values)) / len(values))
    equal = sum(r <= 1 for r in values)
    print(f"{group:18} {t!s:>4} {len(values):7} {equal:6} {mean:14.4f} {max(values):14.3f}")


def timed(label: str, call):
    start = time.perf_counter()
    answer = call()
    print(f"  {label:58} {1000 * (time.perf_counter() - start):9.2f} ms")
    return answer


def print_times() -> None:
    print("\nTimes")
    timed("first size asked (reads the bundled file)", lambda: covering_size(8, 4, 3))
    timed(
        "2,900 sizes, d <= 64, l <= 16, t <= 3",
        lambda: [
            covering_size(d, l, t)
            for d in range(1, 65)
            for l in range(1, 17)  # noqa: E741
            for t in range(1, min(d, l, 3) + 1)
        ],
    )
    blocks = timed("find_covering(64, 8, 3)", lambda: find_covering(64, 8, 3))
    timed("is_covering of it", lambda: is_covering(blocks, 64, 8, 3))
    timed("find_covering(64, 5, 4)", lambda: find_covering(64, 5, 4))
    timed("find_covering(64, 16, 4)", lambda: find_covering(64, 16, 4))
    timed("choose_blocks(32, 4, 262)", lambda: choose_blocks(32, 4, 262))
    timed("choose_blocks(64, 4, 2000)", lambda: choose_blocks(64, 4, 2000))
    timed(
        "mixed covering, 10 attributes, 1,000 cells",
        lambda: find_mixed_covering(PAPER_DOMAIN, 1000, 2),
    )
    sizes = tuple(2 + i * 7 % 10 for i in range(32))
    timed("mixed covering, 32 attributes, 1,024 cells", lambda: find_mixed_covering(sizes, 1024, 2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, default=default_file())
    args = parser.parse_args()
    print_times()
    if not args.file.exists():
        raise SystemExit(f"{args.file} not found: give the file of best known sizes as argument")
    print()
    print_ratios(read_best_known(args.file))


if __name__ == "__main__":
    main()
