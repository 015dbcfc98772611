"""Units, currencies and powers of ten beside numbers, and amounts of several parts such as "1 h 20 min"."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from calm_core.ingest.values.words import WORDS, read_patterns, read_synonyms

CURRENCIES = read_synonyms("currencies")
CENTS = frozenset(("¢", "ct"))  # a hundredth of the currency of the column
# Currencies of countries where the comma separates thousands, so "$1,234" is clear.
COMMA_PARTS_THOUSANDS = frozenset(
    ("$", "GBP", "¥", "INR", "AUD", "CAD", "NZD", "HKD", "SGD", "MXN")
)
SCALES = {word: float(scale) for word, scale in read_synonyms("powers_of_ten").items()}
# Letters that are also units: meters, bytes.
DOUBTFUL_SCALES = frozenset(("m", "b"))
ORDINALS = frozenset(("st", "nd", "rd", "th", "er", "ème", "am", "pm", "a.m", "p.m", "uhr", "x"))
ANY_CASE = frozenset(WORDS["units_in_any_case"].split())
SAME = read_synonyms("same_units", "|")
_PER = re.compile(r"(?:/|per |pro ) ?")
PLURALS = ("s", "es", "e", "n", "en", "i", "er", "ar", "or", "r")
SIXTIETHS = ":60"  # the unit of 1:30, which may be hours or minutes
QUANTITIES = tuple(WORDS["quantities"].values())


@dataclass(frozen=True)
class Affix:
    """Meaning of the texts around a number.

    Attributes
    ----------
    unit : str
        The unit in its normal spelling; "" if there is none.
    scale : str
        The word for a power of ten, in lower case; "" if there is none.
    """

    unit: str = ""
    scale: str = ""

    @property
    def factor(self) -> float:
        """Factor by which the number is multiplied."""
        return SCALES.get(self.scale, 1.0)


@lru_cache(maxsize=1024)
def parse_affix(before: str, after: str) -> Affix | None:
    """Meaning of the texts before and after a number; None if it is unknown.

    Examples
    --------
    >>> parse_affix("€", ""), parse_affix("", "Mio. EUR"), parse_affix("", "kg")
    (Affix(unit='EUR', scale=''), Affix(unit='EUR', scale='mio'), Affix(unit='kg', scale=''))
    >>> parse_affix("€", "/kg").unit, parse_affix("", "€ per 100 g").unit
    ('€/kg', '€/100 g')
    >>> parse_affix("No.", "") is None, parse_affix("", "th") is None
    (True, True)
    """
    currency = CURRENCIES.get(before.casefold().rstrip("."), "")
    if before and not currency:
        return None
    affix = _parse_after(after.strip())
    if affix is not None and currency and _PER.match(affix.unit):
        return Affix(normalize_unit(_PER.sub(f"{before}/", affix.unit)), affix.scale)
    if affix is None or (currency and affix.unit not in ("", currency)):
        return None
    return Affix(currency or affix.unit, affix.scale)


def _parse_after(text: str) -> Affix | None:
    if not text:
        return Affix()
    word, _, rest = text.partition(" ")
    for scale, unit in ((word, rest.strip()), (text[:1], text[1:]), (text[:3], text[3:])):
        plain = scale.casefold().rstrip(".")
        attached = len(scale) < len(word)
        # "k€" is thousands of euros; "kg" is a unit.
        if plain in SCALES and (not attached or unit.casefold() in CURRENCIES):
            return Affix(normalize_unit(unit), plain)
    if text.casefold().rstrip(".") in ORDINALS or not re.search(r"[^\W\d_]|[%‰°€$£¥¢\"′″]", text):
        return None
    return Affix(normalize_unit(text))


def normalize_unit(text: str) -> str:
    """A unit in its normal spelling.

    Examples
    --------
    >>> normalize_unit("€"), normalize_unit("KG"), normalize_unit("Years"), normalize_unit("MW"), normalize_unit("percent")
    ('EUR', 'kg', 'years', 'MW', '%')
    >>> normalize_unit("l/100km"), normalize_unit("L / 100 km"), normalize_unit("kg/m2"), normalize_unit("m^3")
    ('l/100 km', 'l/100 km', 'kg/m²', 'm³')
    """
    text = _unify_spelling(text.strip())
    plain = text.casefold().rstrip(".").strip()
    if plain in CURRENCIES:
        return CURRENCIES[plain]
    plain = SAME.get(plain, plain)
    return plain if plain in ANY_CASE or len(plain) > 3 or plain in SAME.values() else text.strip()


def _unify_spelling(text: str) -> str:
    """A compound unit in its normal spelling: "l/100 km", "kg/m²"."""
    text = re.sub(r"(?<=\S) ?(?:/|\bper |\bpro ) ?", "/", text)
    text = re.sub(r"(?<=/)(\d+) ?(?=[^\W\d_])", r"\1 ", text)
    return re.sub(r"(?<=[^\W\d_])\^?([23])$", lambda found: "²³"[int(found[1]) - 2], text)


def is_money(unit: str) -> bool:
    """Whether a unit is a currency, or a hundredth of one."""
    return unit in CURRENCIES.values()


def unit_share(unit: str, main: str) -> float:
    """How many of a unit make one of the main unit: 100 for cents of a currency.

    Examples
    --------
    >>> unit_share("ct", "EUR"), unit_share("ct", "ct"), unit_share("EUR", "EUR"), unit_share("cm", "m")
    (100.0, 1.0, 1.0, 100.0)
    """
    if unit in CENTS:
        return 1.0 if main in CENTS else 100.0
    sizes = next((sizes for sizes in QUANTITIES if unit in sizes and main in sizes), None)
    return 1.0 if sizes is None else sizes[main] / sizes[unit]


def convertible_units(unit: str, units: Iterable[str]) -> tuple[str, ...]:
    """Those of other units that have the same quantity.

    Examples
    --------
    >>> convertible_units("cm", ["m", "kg", "cm", "mm"])
    ('m', 'mm')
    """
    sizes = next((sizes for sizes in QUANTITIES if unit in sizes), {})
    return tuple(sorted(other for other in set(units) if other in sizes and other != unit))


def same_units(unit: str, units: Iterable[str]) -> tuple[str, ...]:
    """The unit, and those of others that are its singular or plural.

    Examples
    --------
    >>> same_units("years", ["year", "months"]), same_units("Jahre", ["Jahr"])
    (('years', 'year'), ('Jahre', 'Jahr'))
    """

    def alike(one: str, two: str) -> bool:
        short, long = sorted((one.casefold(), two.casefold()), key=len)
        return len(short) > 2 and any(long == short + ending for ending in ("", *PLURALS))

    return (unit, *sorted(o for o in set(units) if o and o != unit and alike(o, unit)))


RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
# Quick look: only these are tried one by one.
_JOINED = r"\d ?(?:[:/°'′½¼¾⅓⅔⅛⅜⅝⅞]|[·x×*] ?10|[a-z]{1,8}\.?,? ?(?:[a-z]{1,3} )?\d)"
LIKELY = re.compile(
    rf"(?i)^(?:[NSEW] ?)?[\d., ]*{_JOINED}|^P[T\d]|^[½¼¾⅓⅔⅛⅜⅝⅞]$|^-\d[\d.,]* ?[·x×*] ?10"
)
CLOCK_LIKE = r"^(?:[01]?\d|2[0-3])[:h][0-5]\d(?::[0-5]\d)?$"
COLONS = r"^\d{1,3}:[0-5]\d:[0-5]\d(?:[.,]\d+)?$"
BEYOND_CLOCK = r"^(?:2[4-9]|[3-9]\d|\d{3,4})[:h][0-5]\d(?::[0-5]\d)?$"


def _sixty(hours: str, minutes: str, seconds: str | None = None) -> float:
    parts = (float(minutes) * 60 + float((seconds or "0").replace(",", "."))) / 3600
    return int(hours) + parts


def _colons(match: re.Match) -> tuple[float, str]:
    whole, middle, last, rest = match.groups()
    if last is None and rest:
        return int(whole) + float(middle + rest.replace(",", ".")) / 60, "min"
    return _sixty(whole, middle, (last or "0") + (rest or "")), "h" if last else SIXTIETHS


def _iso_duration(match: re.Match) -> tuple[float, str]:
    days, hours, minutes, seconds = (
        float((part or "0").replace(",", ".")) for part in match.groups()
    )
    return 1440 * days + 60 * hours + minutes + seconds / 60, "min"


def _angle(match: re.Match) -> tuple[float, str] | None:
    before, degrees, minutes, seconds, after = match.groups()
    side = (before or after or "").upper()
    if int(minutes) >= 60:
        return None
    return _sixty(degrees, minutes, seconds) * (-1 if side in ("S", "W") else 1), "°"


def _fraction(match: re.Match) -> tuple[float, str] | None:
    whole, top, bottom = (int(part or 0) for part in match.groups())
    return (whole + top / bottom, "") if 0 < top < bottom else None


def _of_total(match: re.Match) -> tuple[float, str] | None:
    part, total = float(match[1].replace(",", ".")), int(match[2])
    return (part, f"/{total}") if part <= total and 5 <= total <= 1000 else None


def _feet(match: re.Match) -> tuple[float, str] | None:
    inches = float(match[2])
    return (12 * int(match[1]) + inches, "in") if inches < 12 else None


def _crowns(match: re.Match) -> tuple[float, str]:
    whole, part = (match[1] or match[3]).replace(" ", ""), (match[2] or "-").replace("-", "0")
    return float(whole) + float(part) / 100, "kr"


def _power(match: re.Match) -> tuple[float, str]:
    return float(f"{match[1].replace(',', '.')}e{match[2].translate(RAISED)}"), ""


_READ: dict[str, Callable[[re.Match], tuple[float, str] | None]] = {
    "colons": _colons,
    "iso_duration": _iso_duration,
    "hours": lambda found: (_sixty(found[1], found[2]), "h"),
    "minutes": lambda found: (int(found[1]) + int(found[2]) / 60, "min"),
    "feet": _feet,
    "angle": _angle,
    "fraction": _fraction,
    "of_total": _of_total,
    "crowns": _crowns,
    "vulgar": lambda found: (int(found[1] or 0) + unicodedata.numeric(found[2]), ""),
    "power": _power,
}
FORMS = tuple(
    (re.compile(pattern, re.IGNORECASE), _READ[name])
    for name, pattern in read_patterns("composites").items()
)


def parse_composite(text: str) -> tuple[float, str] | None:
    """Number and unit of an amount of several parts; None if it is none.

    Examples
    --------
    >>> parse_composite("1 h 30 min"), parse_composite("35:30"), parse_composite("5'11\\""), parse_composite("17,5/20")
    ((1.5, 'h'), (35.5, ':60'), (71.0, 'in'), (17.5, '/20'))
    >>> parse_composite("12 m2"), parse_composite("12 m 2"), parse_composite("12 min 20")
    (None, (12.033333333333333, 'min'), (12.333333333333334, 'min'))
    >>> parse_composite("2 1/4"), parse_composite("12:50 kr"), parse_composite("30:70"), parse_composite("5/2013")
    ((2.25, ''), (12.5, 'kr'), None, None)
    """
    for pattern, read in FORMS:
        match = pattern.match(text)
        amount = read(match) if match else None
        if amount is not None:
            return amount
    return None
