"""Draws that follow a script of 32-bit words, as the device of `calm_core/oracles/device.js` takes them."""

import math

import numpy as np

from calm_core.oracles import Oracle

WORD = 2**32


class Scripted:
    """A source of draws; `drawn` counts the words that were taken."""

    def __init__(self, words: list[int]):
        self._words, self.drawn = words, 0

    def _next(self) -> int:
        self.drawn += 1
        return self._words[self.drawn - 1]

    def words(self, count: int) -> np.ndarray:
        """uint64 values, the high half drawn first."""
        return np.array([self._next() << 32 | self._next() for _ in range(count)], dtype=np.uint64)

    def chance(self, threshold: int, shape: tuple[int, ...]) -> np.ndarray:
        """Booleans of a word of 64 bits each."""
        return (self.words(math.prod(shape)) < np.uint64(threshold)).reshape(shape)

    def uniform_below(self, bound: int, count: int) -> np.ndarray:
        """Words that would make a remainder likelier than another are drawn again."""
        limit, found = WORD - WORD % bound, []
        while len(found) < count:
            word = self._next()
            if word < limit:
                found.append(word % bound)
        return np.array(found, dtype=np.int64)


def write_report(oracle: Oracle, cell: int, draws: Scripted) -> int | str | dict:
    """One report as device.js writes it."""
    (report,) = oracle._randomize(np.array([cell]), draws)
    if oracle.form.has_seeds:
        return {"report": int(report[1]), "seed": f"{int(report[0]):016x}"}
    if oracle.form.bitmap:
        return "".join(str(int(bit)) for bit in report)
    return int(report)
