"""Ten thousand generated messy columns against the law of the import, and the judge of written ones.

    python -m tests.benchmarks.bench_messy [TABLES [FIRST]]
    python -m tests.benchmarks.bench_messy judge [SET]

The first prints every violation, every clear column of numbers or dates taken for something else, and at
the end how many columns were made and in which time (about 35 ms of a processor for each). The second
prints how many columns of the open part, or of a set kept out, are decided as a careful person would.
"""

import sys
import time
import traceback

from tests.ingest.messy.law import COLUMNS, understood, violations

TABLES = 1_000


def judge(name: str) -> int:
    """The score of one set of columns."""
    from tests.ingest.messy.kept_columns import SETS
    from tests.ingest.messy.open_columns import OPEN
    from tests.ingest.messy.score import Score

    score = Score.of({"open": OPEN, **SETS}[name])
    print(score)
    return int(bool(score.silent))


def main() -> int:
    """The law, or the judge."""
    if sys.argv[1:2] == ["judge"]:
        return judge((sys.argv[2:] or ["open"])[0])
    words = [int(word) for word in sys.argv[1:]]
    tables, first = (*words, *(TABLES, 0)[len(words) :])
    start, found, broken, clear, missed = time.perf_counter(), 0, 0, 0, 0
    for seed in range(first, first + tables):
        try:
            told = violations(seed)
            lost, measures = understood(seed)
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
