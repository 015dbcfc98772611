"""Formatting of numbers: every way in which the app rounds, and what an error means for readers.

What somebody has set is shown as it was set (`:g`) and counts in full (`:,`); whatever was measured or
computed is rounded here. Axes and tables of figures have the same `shorten_number`.
"""

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal

from calm_core.evaluation.metrics import Verdict
from calm_core.text import power_of_ten, shorten_number
from pages.words.languages import read_texts


def _say(word: str, number: str) -> str:
    """Return a number with a word beside it, in the current language."""
    return read_texts("numbers")[word].format(number)


def points(error: float, *, unit: bool = True) -> str:
    """Return a typical error in percentage points; `unit=False` leaves out the unit.

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
        text = _say("under", "±0.01") if error > 0 else "±0"
    return _say("points", text) if unit else text


def distinct_points(first: float, second: float) -> tuple[str, str]:
    """Return two typical errors without unit, with a digit more where they would look the same.

    >>> distinct_points(0.39, 0.81), distinct_points(0.3047, 0.2846)
    (('±0.4', '±0.8'), ('±0.30', '±0.28'))
    """
    texts = points(first, unit=False), points(second, unit=False)
    return texts if texts[0] != texts[1] else (f"±{first:#.2g}", f"±{second:#.2g}")


def share_of_100(share: float) -> str:
    """Return a share of people as a number of 100, to compare it with others.

    >>> share_of_100(0.0587), share_of_100(0.123), share_of_100(0.0031), share_of_100(0.00004), share_of_100(0)
    ('5.9', '12', '0.3', 'under 0.01', '0')
    """
    return points(100 * share, unit=False).replace("±", "")


def wrong(share: float) -> str:
    """Return the share of people in the wrong cell as a number of 100, for a headline.

    Unbiased shares may be so far below 0 that more than everybody would have to move.

    >>> wrong(0.0587), wrong(0.0097), wrong(0.0031), wrong(0.00004), wrong(1.7)
    ('6', '1', '0.3', 'under 0.01', 'over 100')
    """
    if share > 1:
        return _say("over", "100")
    return f"{100 * share:.0f}" if share >= 0.0095 else share_of_100(share)


def people_wrong(share: float) -> str:
    """Return the share of people in the wrong cell with its unit.

    >>> people_wrong(0.0587)
    '6 of 100 people'
    """
    return _say("people", wrong(share))


def share(value: float) -> str:
    """Return a fraction of people as a percentage, with enough digits to differ from 0% and 100%.

    >>> share(0.25), share(0.0), share(0.00042), share(0.99986), share(1.3e-9)
    ('25.0%', '0.0%', '0.042%', 'over 99.9%', 'under 0.0001%')
    """
    if 0.9995 <= value < 1:
        return _say("over", "99.9%")
    if 0 < abs(value) < 1e-6:
        return _say("under", "0.0001%")
    return percent(value) if abs(value) >= 0.001 or value == 0 else f"{100 * value:.2g}%"


def decimals(cells: int) -> int:
    """Return the decimals of fractions in a list of so many cells.

    >>> decimals(4), decimals(64), decimals(4096)
    (4, 4, 6)
    """
    return 2 + max(2, math.ceil(math.log10(cells)))


def percent(value: float, decimals: int = 1) -> str:
    """Return a fraction as a percentage with a number of decimals; halves are rounded up as in charts.

    >>> percent(0.1225), percent(0.12345), percent(0.125, 0), f"{0.125:.0%}"
    ('12.3%', '12.3%', '13%', '12%')
    """
    return f"{Decimal(100 * value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)}%"


def bound_percent(value: float, round_off: Callable[[float], int]) -> str:
    """Return a fraction as a percentage rounded to its safe side, the finer the nearer it is to 0 or 100.

    >>> bound_percent(0.011048, math.ceil), bound_percent(0.99997496, math.ceil), bound_percent(0.0548, math.floor)
    ('1.11%', '99.99750%', '5.48%')
    """
    decimals = max(1, 2 - math.floor(math.log10(100 * min(value, 1 - value))))
    scale = 10**decimals
    return f"{round_off(100 * value * scale) / scale:.{decimals}f}%"


def whole_percent(value: float) -> str:
    """Return a fraction as in charts: no decimals, small ones distinct from zero.

    >>> whole_percent(0.1416), whole_percent(0.004), whole_percent(0)
    ('14%', 'under 1%', '0%')
    """
    return "under 1%" if 0 < value < 0.005 else percent(value, 0)


def whole_parts(parts: Sequence[float]) -> list[str]:
    """Return parts of a whole as percentages that add up to 100: largest remainders go up.

    >>> whole_parts((0.706, 0.283, 0.011)), whole_parts((0.858, 0.134, 0.008))
    (['71%', '28%', '1%'], ['86%', '13%', '1%'])
    """
    percents = [math.floor(100 * part) for part in parts]
    by_remainder = sorted(range(len(parts)), key=lambda i: percents[i] - 100 * parts[i])
    for i in by_remainder[: 100 - sum(percents)]:
        percents[i] += 1
    return [f"{part}%" for part in percents]


def digits(value: float, count: int = 3) -> str:
    """Return a number with significant digits; whole numbers in full.

    >>> digits(2.718), digits(2980.96), digits(1.392e-7, 2)
    ('2.72', '2,981', '1.4 × 10⁻⁷')
    >>> digits(0.000123456), digits(0.0000123456), digits(1.7e300)
    ('0.000123', '1.23 × 10⁻⁵', '1.7 × 10³⁰⁰')
    """
    text = f"{value:.{count}g}"
    if "e" not in text:
        return text
    if 1 <= abs(value) < 10_000_000:
        return whole(value)
    factor, exponent = text.split("e")
    return f"{factor} × {power_of_ten(int(exponent))}"


def whole(value: float) -> str:
    """Return a whole number."""
    return f"{value:,.0f}"


def count(things: int) -> str:
    """Return a count, short even if it is huge.

    >>> count(512), count(9_999_999), count(2**64), count(10**400)
    ('512', '9,999,999', '1.8 × 10¹⁹', '10⁴⁰⁰')
    """
    if things < 10_000_000:
        return f"{things:,}"
    return shorten_number(things) if things < 10**300 else power_of_ten(int(math.log10(things)))


def amount(things: int) -> str:
    """Return an exact number of people or reports; round ones from a billion on as powers of ten.

    >>> amount(60_000), amount(10**12), amount(25 * 10**8), amount(1_234_567_890), amount(999_999_999)
    ('60,000', '10¹²', '2.5 × 10⁹', '1,234,567,890', '999,999,999')
    """
    power = len(str(things)) - 1
    digits = str(things).rstrip("0")
    if power < 9 or len(digits) > 3:
        return f"{things:,}"
    factor = "" if digits == "1" else f"{digits[0]}{'.' * (len(digits) > 1)}{digits[1:]} × "
    return f"{factor}{power_of_ten(power)}"


def size(count: int) -> str:
    """Return a number of bytes.

    >>> size(1_900_000_000), size(21_340)
    ('1,900 MB', '0.021 MB')
    """
    return f"{float(f'{count / 1e6:.2g}'):,g} MB"


def round_to_words(value: float) -> str:
    """Return a number with two digits; 2,662,574,744 is 2.7 billion.

    >>> round_to_words(21_144), round_to_words(999_000_000), round_to_words(2_662_574_744), round_to_words(3.14)
    ('21,000', '1 billion', '2.7 billion', '3.1')
    """
    for size, name in ((1e9, "billion"), (1e6, "million")):
        if value >= 0.995 * size:
            return f"{float(f'{value / size:.2g}'):,g} {name}"
    return f"{float(f'{value:.2g}'):,g}"


def odds(factor: float) -> str:
    """Return a factor of odds.

    >>> odds(1.9), odds(22026.47)
    ('1.90', '22,026')
    """
    return f"{factor:.2f}" if factor < 1.95 else f"{factor:,.1f}" if factor < 100 else whole(factor)


def people(share: float) -> str:
    """Return a number of people out of 100, with decimals only near 0 and 100.

    >>> people(73.1), people(99.4), people(99.95), people(0.04)
    ('about 73', 'about 99.4', 'over 99.9', 'under 0.1')
    """
    if 1 <= share <= 99:
        return _say("about", f"{share:.0f}")
    if 0.1 <= share <= 99.9:
        return _say("about", f"{share:.1f}")
    return _say("over", "99.9") if share > 50 else _say("under", "0.1")


def duration(seconds: float) -> str:
    """Return a duration in rounded seconds or minutes.

    >>> duration(89), duration(150)
    ('about 89 s', 'about 2 min')
    """
    return f"about {seconds:.0f} s" if seconds < 90 else f"about {seconds / 60:.0f} min"


VERDICTS = {Verdict.PRECISE: "Precise", Verdict.ROUGH: "Rough", Verdict.UNUSABLE: "Unusable"}
# Shape and word carry the verdict; color only repeats it.
SIGNS = {Verdict.PRECISE: "●", Verdict.ROUGH: "◐", Verdict.UNUSABLE: "○"}


def real_points(real: float) -> str:
    """Return the smallest real difference in points, rounded up: what is said to be real is.

    >>> real_points(0.0411), real_points(0.0042), real_points(0.0004)
    ('5', '0.5', '0.1')
    """
    tenths = math.ceil(round(1000 * real, 6))
    return f"{math.ceil(tenths / 10)}" if tenths > 9 else f"{tenths / 10:g}"


def verdict_sentences(
    verdict: Verdict, real: float | None, *, closer: bool = True, expected: bool = False
) -> tuple[str, str]:
    """Return what can be read from a table, which is emphasized, and what cannot.

    Parameters
    ----------
    verdict : Verdict
        What the table is good for.
    real : float or None
        The smallest difference of two shares that is real, a fraction; None where it is not known.
    closer : bool
        Whether the table is closer to the truth than equal shares.
    expected : bool
        Whether the difference is expected rather than measured.

    >>> verdict_sentences(Verdict.ROUGH, 0.042), verdict_sentences(Verdict.PRECISE, 0.0042, expected=True)
    (('Differences above 5 points are real.', 'Smaller ones may be noise.'), ('Differences above about 0.5 points should be real.', ''))
    >>> verdict_sentences(Verdict.UNUSABLE, 0.042)[0], verdict_sentences(Verdict.ROUGH, None)[0]
    ('Guessing equal shares is nearly as good.', 'Compare sums of many cells rather than single ones.')
    """
    if verdict is Verdict.UNUSABLE:
        return (
            f"Guessing equal shares is {'nearly as good' if closer else 'as good or better'}.",
            "",
        )
    if real is None:
        return "Compare sums of many cells rather than single ones.", ""
    text = real_points(real)
    claim = f"above about {text} points should be" if expected else f"above {text} points are"
    note = "Smaller ones may be noise." if verdict is Verdict.ROUGH else ""
    return f"Differences {claim} real.", note
