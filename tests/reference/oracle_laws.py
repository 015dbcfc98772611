"""Referee: the output distribution of every oracle, written out from the definitions.

Reports are plain Python values: GRR an int, OUE and subset selection a tuple of 0s and 1s, OLH a
bucket under a given function. All probabilities are exact fractions of a rational e^epsilon.
"""

import itertools
from collections import Counter
from fractions import Fraction
from math import comb


def exp_bounds(epsilon, terms=120):
    """Rational numbers just below and just above e^epsilon, from its Taylor series."""
    x = Fraction(epsilon)
    term = total = Fraction(1)
    for k in range(1, terms):
        term = term * x / k
        total += term
    # The rest of the series is less than twice its first term once k > 2 x.
    assert terms > 2 * x
    return total, total + 2 * term * x / terms


def grr_law(e, size, value):
    return {y: (e if y == value else Fraction(1)) / (e + size - 1) for y in range(size)}


def oue_law(e, size, value):
    q = 1 / (e + 1)
    law = {}
    for bits in itertools.product((0, 1), repeat=size):
        chance = Fraction(1, 2)
        for v, bit in enumerate(bits):
            if v != value:
                chance *= q if bit else 1 - q
        law[bits] = chance
    return law


def subset_law(e, size, width, value):
    total = comb(size - 1, width - 1) * e + comb(size - 1, width)
    law = {}
    for members in itertools.combinations(range(size), width):
        mask = tuple(int(v in members) for v in range(size))
        law[mask] = (e if value in members else Fraction(1)) / total
    return law


WORD = 2**64
STEP, MIX = 0x9E3779B97F4A7C15, (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def mixed(word):
    """The output of splitmix64 for a state, in whole numbers."""
    word = (word ^ word >> 30) * MIX[0] % WORD
    word = (word ^ word >> 27) * MIX[1] % WORD
    return word ^ word >> 31


def invert_mixing(word):
    """The state that `mixed` comes from: every step can be taken back."""

    def unshifted(found, shift):
        guess = found
        for _ in range(64 // shift):
            guess = found ^ guess >> shift
        return guess

    word = unshifted(word, 31) * pow(MIX[1], -1, WORD) % WORD
    word = unshifted(word, 27) * pow(MIX[0], -1, WORD) % WORD
    return unshifted(word, 30)


def olh_support(reports, size, buckets):
    """How many (seed, bucket) hash each value to their bucket, report by report and value by value."""

    def bucket(seed, value):
        word = mixed((seed + (value + 1) * STEP) % WORD)
        return min(word // (WORD // buckets), buckets - 1)

    return [sum(bucket(seed, v) == told for seed, told in reports) for v in range(size)]


def support_law(name, e, size, value, *, width=None, buckets=None):
    """Distribution of one report's support, a tuple of L zeros and ones."""
    if name == "grr":
        law = grr_law(e, size, value)
        return {tuple(int(v == y) for v in range(size)): chance for y, chance in law.items()}
    if name == "oue":
        return oue_law(e, size, value)
    if name == "subset":
        return subset_law(e, size, width, value)
    if name != "olh":
        raise ValueError(f"no law of {name}: add it to support_law")
    # OLH with an ideal hash: every function from values to buckets is equally likely.
    law = Counter()
    for function in itertools.product(range(buckets), repeat=size):
        for y, chance in grr_law(e, buckets, function[value]).items():
            law[tuple(int(h == y) for h in function)] += chance / buckets**size
    return dict(law)


def table_law(laws):
    """Distribution of the support counts of several users, one law per user."""
    table = {None: Fraction(1)}
    for law in laws:
        following = Counter()
        for counts, before in table.items():
            for bits, chance in law.items():
                total = bits if counts is None else tuple(a + b for a, b in zip(counts, bits))
                following[total] += before * chance
        table = following
    return dict(table)
