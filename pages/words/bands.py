"""What a typical error in points means for readers of a table."""

from calm_core.evaluation.error_units import Band
from pages.words import numbers

WORDS = {Band.EXACT: "To the point", Band.TREND: "Trend only", Band.NOISE: "Noise"}
# Shape and word carry the band; colour only repeats it.
SIGNS = {Band.EXACT: "●", Band.TREND: "◐", Band.NOISE: "○"}


# From this share of the guess's error on the guess does nearly as well.
NEARLY = 0.8


def sentence(
    band: Band, error: float = 0.0, share: float | None = None, guess: float = 0.0
) -> tuple[str, str]:
    """Return what is safe to read, and what is not, which is emphasized.

    Parameters
    ----------
    error : float
        Typical error in points.
    share : float, optional
        A released share (a fraction) of this table: the example stands between it and one that is
        two typical errors away.
    guess : float
        Typical error of the equal-shares guess, in points.

    >>> sentence(Band.NOISE, 3.6, 0.1, 7.9)
    ('Guessing equal shares is off by ±7.9 points.', '')
    >>> sentence(Band.NOISE, 7.1, 0.1, 7.9)[0], sentence(Band.NOISE, 12.0, 0.1, 7.9)[0]
    ('Guessing equal shares would do nearly as well.', 'Guessing equal shares would do better: it is off by ±7.9 points.')
    >>> sentence(Band.TREND, 2.0, 0.121)
    ('Large from small is safe.', '12% from 16% is not.')
    """
    if band is Band.EXACT:
        return "Read the numbers to the point.", ""
    if band is Band.NOISE and error < NEARLY * guess:
        return f"Guessing equal shares is off by {numbers.points(guess)}.", ""
    if band is Band.NOISE:
        told = numbers.points(guess)
        if error > guess and numbers.points(error) != told:
            return f"Guessing equal shares would do better: it is off by {told}.", ""
        as_well = "nearly as well" if error < guess else "as well"
        return f"Guessing equal shares would do {as_well}.", ""
    if share is None:
        return "Large from small is safe.", f"Shares within {numbers.points(2 * error)} are alike."
    decimals = 0 if 2 * error >= 1 else 1
    low, high = (numbers.percent(part, decimals) for part in (share, share + error / 50))
    return "Large from small is safe.", f"{low} from {high} is not."
