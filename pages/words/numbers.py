"""Numbers as people read them: every way in which the app rounds.

What somebody has set is shown as it was set (`:g`) and counts in full (`:,`); whatever was measured or
computed is rounded here. Axes and tables of figures have the same `format_number`.
"""

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from functools import partial
from itertools import count as count_up

from calm_core.figures.theme import format_number, power_of_ten

__all__ = ["MAX_DIGITS", "approximate_points", "amount", "points_between", "lower_percent", "upper_percent", "correlation", "count", "decimals", "digits", "duration", "error", "points_with_digits", "format_number", "odds", "people", "people_per_cell",
           "percent", "points", "distinct_points", "probability", "round_to_words", "share", "size", "times", "distinct_digits", "two_digits", "whole", "whole_parts", "whole_percent"]  # fmt: skip

# As many as every number of a computer keeps.
MAX_DIGITS = 15


def error(value: float) -> str:
    """An SSE, short.

    >>> error(0.01124), error(0.3), error(1.392e-7)
    ('0.0112', '0.300', '1.4 × 10⁻⁷')
    """
    if value < 0.001:
        return format_number(value)
    return f"{value:.4f}" if value < 0.1 else f"{value:.3f}" if value < 10 else f"{value:,.0f}"


def points(error: float, *, unit: bool = True) -> str:
    """A typical error in percentage points; `unit=False` where the word stands beside it.

    >>> points(1.93), points(26.4), points(0.31), points(0.004), points(0)
    ('±1.9 points', '±26 points', '±0.3 points', 'under ±0.01 points', '±0 points')
    """
    if error >= 9.95:
        text = f"±{error:,.0f}"
    elif error >= 0.95:
        text = f"±{error:.1f}"
    elif error >= 0.01:
        text = f"±{float(f'{error:.1g}'):g}"
    else:
        text = "under ±0.01" if error > 0 else "±0"
    return f"{text} points" if unit else text


def distinct_points(first: float, second: float) -> tuple[str, str]:
    """Two typical errors without their unit, with as many digits as show which is smaller, up to three.

    >>> distinct_points(0.39, 0.81), distinct_points(0.3047, 0.2846)
    (('±0.4', '±0.8'), ('±0.30', '±0.28'))
    """
    told = points(first, unit=False), points(second, unit=False)
    for count in (2, 3):
        if told[0] != told[1] or math.isclose(first, second):
            break
        told = _with_digits(first, count), _with_digits(second, count)
    return told


def _with_digits(error: float, count: int) -> str:
    """Zeros at the end are kept, a point is not.

    >>> _with_digits(0.3, 2), _with_digits(12.3, 2)
    ('±0.30', '±12')
    """
    return f"±{error:#.{count}g}".rstrip(".")


def points_with_digits(error: float, digits: int) -> str:
    """As `points`, with so many significant digits.

    >>> points_with_digits(1.1344, 4), points_with_digits(1.1344, 2), points_with_digits(99.9, 2)
    ('±1.134 points', '±1.1 points', '±100 points')
    """
    return f"±{float(f'{error:.{digits}g}'):.{MAX_DIGITS}g} points"


def approximate_points(error: float) -> str:
    """A typical error that is predicted, not measured: one digit is all it is good for.

    >>> approximate_points(2.34), approximate_points(0.34), approximate_points(11.7), approximate_points(0)
    ('about ±2', 'about ±0.3', 'about ±12', 'about ±0')
    """
    near = float(f"{error:.1g}") if error < 9.95 else error
    text = f"±{near:.0f}" if near >= 0.95 else points(near, unit=False)
    return text if text.startswith("under") else f"about {text}"


def share(value: float) -> str:
    """A fraction of people as a percentage, with digits enough to be called neither nobody nor everybody.

    >>> share(0.25), share(0.00042), share(0.99986), share(1.3e-9)
    ('25.0%', '0.042%', 'over 99.9%', 'under 0.0001%')
    """
    if 0.9995 <= value < 1:
        return "over 99.9%"
    if 0 < abs(value) < 1e-6:
        return "under 0.0001%"
    return percent(value) if abs(value) >= 0.001 or value == 0 else f"{100 * value:.2g}%"


def decimals(cells: int) -> int:
    """Of fractions in a list of so many cells: percentages with two decimals, of small cells three digits.

    >>> decimals(4), decimals(64), decimals(4096)
    (4, 4, 6)
    """
    return 2 + max(2, math.ceil(math.log10(cells)))


def points_between(first: float, second: float) -> str:
    """Points between two fractions as `share` writes them, so that what stands beside each other adds up.

    >>> points_between(0.09163, 0.0862), points_between(0.0912, 0.0908), points_between(0.00042, 0.0014)
    ('0.6', 'under 0.1', '0.1')
    """
    shown = [share(value) for value in (first, second)]
    if shown[0] == shown[1]:
        return "under 0.1"
    if any(0 < abs(value) < 0.001 or 0.9995 <= value < 1 for value in (first, second)):
        # Written with other digits than tenths.
        return points(100 * abs(first - second), unit=False).replace("±", "")
    return f"{abs(Decimal(shown[0][:-1]) - Decimal(shown[1][:-1]))}"


def percent(value: float, decimals: int = 1) -> str:
    """A fraction as a percentage with as many decimals as stand beside each other; halves go up as in charts.

    >>> percent(0.1225), percent(0.125, 0), f"{0.125:.0%}"
    ('12.3%', '13%', '12%')
    """
    return f"{Decimal(100 * value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)}%"


def upper_percent(value: float) -> str:
    """A fraction between 0 and 1 as a percentage that it does not pass.

    >>> upper_percent(0.76), upper_percent(0.011048), upper_percent(0.99997496)
    ('76.0%', '1.11%', '99.9975%')
    """
    return _bound(value, ROUND_CEILING)


def lower_percent(value: float) -> str:
    """The same from below.

    >>> lower_percent(0.0548), lower_percent(0.000025)
    ('5.48%', '0.0025%')
    """
    return _bound(value, ROUND_FLOOR)


def _bound(value: float, rounding: str) -> str:
    found = (
        Decimal(100 * value).quantize(Decimal(1).scaleb(-decimals), rounding)
        for decimals in count_up(1)
    )
    # A bound is no news where rounding makes much of what is left to nobody or to everybody.
    enough = 0.01 * min(value, 1 - value)
    return f"{next(near for near in found if abs(float(near) / 100 - value) <= enough)}%"


def whole_percent(value: float) -> str:
    """A fraction as charts print it: without decimals, small ones apart from nobody.

    >>> whole_percent(0.1416), whole_percent(0.004), whole_percent(0)
    ('14%', 'under 1%', '0%')
    """
    return "under 1%" if 0 < value < 0.005 else percent(value, 0)


def distinct_digits(first: float, second: float, usual: Callable[[float], str]) -> tuple[str, str]:
    """Two fractions with as many decimals as show that they differ, up to three; beyond that they are alike.

    >>> distinct_digits(0.142, 0.2, whole_percent), distinct_digits(0.1991, 0.1987, whole_percent)
    (('14%', '20%'), ('19.91%', '19.87%'))
    >>> distinct_digits(1.0, 1.0 - 1e-16, whole_percent)
    ('100%', '100%')
    """
    if abs(first - second) < 5e-6:
        return usual(first), usual(first)
    texts = [(write(first), write(second)) for write in (usual, *_CLOSER)]
    return next((pair for pair in texts if pair[0] != pair[1]), texts[-1])


def whole_parts(parts: Sequence[float]) -> list[str]:
    """Parts of a whole as percentages without decimals that add up to 100: largest remainders go up.

    >>> whole_parts((0.706, 0.283, 0.011)), whole_parts((0.858, 0.134, 0.008))
    (['71%', '28%', '1%'], ['86%', '13%', '1%'])
    """
    found = [math.floor(100 * part) for part in parts]
    by_remainder = sorted(range(len(parts)), key=lambda i: found[i] - 100 * parts[i])
    for i in by_remainder[: 100 - sum(found)]:
        found[i] += 1
    return [f"{part}%" for part in found]


def probability(value: float) -> str:
    """A probability of an oracle; a small one is not never, nor a large one always.

    >>> probability(0.2689), probability(0.000335), probability(0.99975)
    ('0.269', '0.00034', '0.99975')
    """
    near = min(value, 1 - value)
    if near >= 0.0005 or near == 0:
        return f"{value:.3f}"
    return f"{value:.5f}" if near >= 1e-5 else f"{value:.2g}"


def digits(value: float, count: int = 3) -> str:
    """So many significant digits; whole numbers in full.

    >>> digits(2.718), digits(2980.96), digits(1.392e-7, 2)
    ('2.72', '2,981', '1.4 × 10⁻⁷')
    """
    text = f"{value:.{count}g}"
    if "e" not in text:
        return text
    if 1 <= abs(value) < 10_000_000:
        return whole(value)
    factor, exponent = text.split("e")
    return f"{factor} × {power_of_ten(int(exponent))}"


def two_digits(value: float) -> float:
    """The nearest number with two significant digits."""
    return float(f"{value:.2g}")


def whole(value: float) -> str:
    """A whole number of people or the like."""
    return f"{value:,.0f}"


def count(things: int) -> str:
    """How many there are, short even where it is astronomical.

    >>> count(512), count(2**64), count(10**400)
    ('512', '1.8 × 10¹⁹', '10⁴⁰⁰')
    """
    if things < 10_000_000:
        return f"{things:,}"
    return format_number(things) if things < 10**300 else power_of_ten(int(math.log10(things)))


def amount(things: int) -> str:
    """So many people or reports, exactly: round numbers from a billion on as powers of ten.

    >>> amount(60_000), amount(10**12), amount(25 * 10**8), amount(1_234_567_890)
    ('60,000', '10¹²', '2.5 × 10⁹', '1,234,567,890')
    """
    power = len(str(things)) - 1
    digits = str(things).rstrip("0")
    if power < 9 or len(digits) > 3:
        return f"{things:,}"
    factor = "" if digits == "1" else f"{digits[0]}{'.' * (len(digits) > 1)}{digits[1:]} × "
    return f"{factor}{power_of_ten(power)}"


def size(count: int) -> str:
    """Bytes, as file managers say them.

    >>> size(512), size(2_100_000), size(1_900_000_000)
    ('512 bytes', '2.1 MB', '1.9 GB')
    """
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= unit:
            return f"{float(f'{count / unit:.3g}'):,g} {name}"
    return f"{count} bytes"


def round_to_words(value: float) -> str:
    """Two digits are all that can be known; 2,662,574,744 are 2.7 billion.

    >>> round_to_words(21_144), round_to_words(2_662_574_744), round_to_words(3.14)
    ('21,000', '2.7 billion', '3.1')
    """
    for size, name in ((1e9, "billion"), (1e6, "million")):
        if value >= 0.995 * size:
            return f"{two_digits(value / size):,g} {name}"
    return f"{two_digits(value):,g}"


def times(factor: float) -> str:
    """How many times better."""
    return f"{factor:,.0f}" if factor >= 3 else f"{factor:.1f}"


def correlation(value: float) -> str:
    """A correlation or the like, between -1 and 1."""
    return f"{value:.2f}"


def odds(factor: float) -> str:
    """By how much odds grow."""
    return f"{factor:.2f}" if factor < 1.95 else f"{factor:,.1f}" if factor < 100 else whole(factor)


def people(share: float) -> str:
    """A number of people out of 100, with decimals only where rounding would claim certainty.

    >>> people(73.1), people(99.4), people(99.99)
    ('about 73', 'about 99.4', 'over 99.9')
    """
    if 1 <= share <= 99:
        return f"about {share:.0f}"
    if 0.1 <= share <= 99.9:
        return f"about {share:.1f}"
    return "over 99.9" if share > 50 else "under 0.1"


def people_per_cell(people: float) -> str:
    """People for each cell of a table."""
    return f"about {whole(people)}" if people >= 10 else f"{people:.2g}"


def duration(seconds: float) -> str:
    """A time to wait, rounded as people say it."""
    return f"about {seconds:.0f} s" if seconds < 90 else f"about {seconds / 60:.0f} min"


_CLOSER = tuple(partial(percent, decimals=decimals) for decimals in (1, 2, 3))
