"""Ten thousand generated messy columns.

    python -m tests.benchmarks.bench_messy [TABLES [FIRST]]

Prints each violation, each clear column of numbers or dates taken for something else, and at the end
how many columns were made and how long it took (about 35 ms of a processor each).
"""

import sys
import time
import traceback

from tests.ingest.test_generated_columns import COLUMNS, find_lost_columns, find_violations

TABLES = 1_000


def main() -> int:
    words = [int(word) for word in sys.argv[1:]]
    tables, first = (*words, *(TABLES, 0)[len(words) :])
    start, found, broken, clear, missed = time.perf_counter(), 0, 0, 0, 0
    for seed in range(first, first + tables):
        try:
            told = find_violations(seed)
            lost, measures = find_lost_columns(seed)
        except Exception:  # a traceback is what the law forbids: it is shown and counted
            broken += 1
            print(f"seed {seed}: {traceback.format_exc(limit=-6)}")
            continue
        found += len(told)
        clear, missed = clear + measures, missed + len(lost)
        print(*told, *lost, sep="\n", end="\n" * bool(told or lost))
    seconds = time.perf_counter() - start
    print(
        f"{tables * COLUMNS:,} columns in {tables:,} tables: {found} violations, {broken} tracebacks, "
        f"{seconds:.0f} s; {clear - missed:,} of {clear:,} clear columns of numbers or dates understood"
    )
    return int(bool(found or broken))


if __name__ == "__main__":
    sys.exit(main())
