"""How many of 40 made columns with several answers in a cell are split exactly into their options.

    python -m tests.benchmarks.bench_multiple_answers --columns 40

Each column is made from options that are known: some hold the separator, some are rare, some people choose nothing.
"""

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import calm_core as cc
from calm_core.ingest.counting import count_column
from calm_core.ingest.multiple_answers import find_options
from calm_core.ingest.table import make_table

WORDS = """apples pears plums cherries grapes quinces lemons limes melons figs dates kiwis mangoes papayas olives
bananas berries nuts bread cheese butter milk yogurt eggs fish meat rice pasta beans lentils peas corn""".split()
SEPARATORS = (",", ", ", ";", "; ", "|", "\n", " ")


class MadeColumn(NamedTuple):
    """Cells of a column, None where nothing was chosen, and the options that they are made of."""

    cells: list[str | None]
    options: list[str]
    separator: str


def make_column(rng: np.random.Generator) -> MadeColumn:
    """60 to 2,000 people who choose from 3 to 24 options, at least one in twenty of them several."""
    separator = str(rng.choice(SEPARATORS))
    people, count = int(60 * 33 ** rng.random()), int(rng.integers(3, 25))
    names = list(rng.permutation(WORDS)[:count])
    if separator == " ":
        options = [str(name) for name in names]
    else:
        options = [str(name).capitalize() if rng.random() < 0.7 else str(name) for name in names]
        for at in rng.permutation(count)[: int(rng.integers(0, 3))]:
            # An option that holds the separator, as it is written in questionnaires.
            options[at] = f"{options[at]}{separator.strip() or ' '} fresh or {WORDS[at]}"
            if separator == "\n":
                options[at] = options[at].replace("\n", ",")
    chances = rng.beta(0.6, 2.5, count)
    chances[rng.random(count) < 0.15] = 3 / people
    chosen = rng.random((people, count)) < chances
    # Some leave the question out.
    chosen[rng.random(people) < rng.choice([0, 0.05, 0.2])] = False
    if (chosen.sum(axis=1) > 1).mean() < 0.05:
        return make_column(rng)
    shuffled = rng.random() < 0.25
    cells = []
    for row in chosen:
        picked = [options[at] for at in np.flatnonzero(row)]
        picked = list(rng.permutation(picked)) if shuffled else picked
        cells.append(separator.join(picked) if picked else None)
    used = [option for option, any_row in zip(options, chosen.any(axis=0)) if any_row]
    return MadeColumn(cells, used, separator)


def measure(columns: int, seed: int) -> Iterator[tuple[MadeColumn, tuple[str, ...]]]:
    """Yield each column and the options found."""
    for number in range(columns):
        made = make_column(cc.stream(seed, number))
        found = find_options(count_column(make_table({"q": made.cells}), "q"))
        yield made, () if found is None else found.options


def main() -> None:
    """Print how many columns are split exactly, and the others."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, default=40)
    parser.add_argument("--seed", type=int, default=41)
    exact = 0
    options = parser.parse_args()
    for made, found in measure(options.columns, options.seed):
        same = set(found) == set(made.options)
        exact += same
        if not same:
            lost, more = set(made.options) - set(found), set(found) - set(made.options)
            print(
                f"{len(made.cells)} people, separator {made.separator!r}: lost {lost}, found {more}"
            )
    print(f"{exact} of {options.columns} split exactly")


if __name__ == "__main__":
    main()
