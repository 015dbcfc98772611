"""What stands before or after a number: currencies, percent, units, and words such as "k" or "Mio."."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

# What a currency is called, by all its signs and codes in lower case.
CURRENCIES = {
    sign: name
    for name, signs in {
        "EUR": "€ eur euro euros", "$": "$ us$ usd dollar dollars", "GBP": "£ gbp", "CHF": "chf fr sfr",
        "¥": "¥ jpy cny rmb 円 元", "INR": "₹ inr rs", "PLN": "zł pln", "CZK": "kč czk", "HUF": "ft huf",
        "kr": "kr sek nok dkk", "BRL": "r$ brl", "RUB": "₽ rub", "KRW": "₩ krw", "TRY": "₺ try",
        "ILS": "₪ ils", "AUD": "a$ au$ aud", "CAD": "c$ ca$ cad", "NZD": "nz$ nzd", "HKD": "hk$ hkd",
        "SGD": "s$ sgd", "MXN": "mxn", "ZAR": "zar", "UAH": "₴ uah", "¢": "¢ cent cents", "ct": "ct cts",
    }.items()
    for sign in signs.split()
}  # fmt: skip
CENTS = frozenset(("¢", "ct"))  # a hundredth of the currency they stand beside
# Currencies of countries where the comma parts thousands, so that "$1,234" leaves no doubt.
COMMA_PARTS_THOUSANDS = frozenset(
    ("$", "GBP", "¥", "INR", "AUD", "CAD", "NZD", "HKD", "SGD", "MXN")
)
SCALES = {
    word: scale
    for scale, words in {
        1e3: "k tsd tausend thousand",
        1e6: "m mio mn mln million millions millionen millones milioni",
        1e9: "b bn mrd milliarde milliarden milliard milliards miliardi",
        1e12: "tn trn trillion",
    }.items()
    for word in words.split()
}
# Letters that are also units: metres, bytes.
DOUBTFUL_SCALES = frozenset(("m", "b"))
ORDINALS = frozenset(("st", "nd", "rd", "th", "er", "ème", "am", "pm", "a.m", "p.m", "uhr", "x"))
# Short units whose capital letters mean nothing; of others they do ("mW" is not "MW").
ANY_CASE = frozenset(
    "kg g lb lbs oz km cm mm mi ft yd min sec hr hrs h d yr yrs cal kcal pcs pts".split()
)
SAME = {
    "lbs": "lb", "yrs": "yr", "hrs": "hr", "mins": "min", "secs": "sec", "pcs": "pc", "pts": "pt",
    "percent": "%", "prozent": "%", "pct": "%", "per cent": "%",
}  # fmt: skip
_PER = re.compile(r"(?:/|per |pro ) ?")
PLURALS = ("s", "es", "e", "n", "en", "i", "er", "ar", "or", "r")
# Units of one quantity, each as so many of a small one.
QUANTITIES = (
    {"µm": 1, "mm": 10**3, "cm": 10**4, "dm": 10**5, "m": 10**6, "km": 10**9},
    {"µg": 1, "mcg": 1, "mg": 10**3, "g": 10**6, "kg": 10**9, "t": 10**12},
    {"ml": 1, "mL": 1, "cl": 10, "dl": 100, "l": 1000, "L": 1000, "hl": 10**5},
    {"s": 1, "sec": 1, "min": 60, "h": 3600, "hr": 3600, "Std": 3600, "Std.": 3600, "std": 3600},
    {"in": 1, "inch": 1, "inches": 1, "ft": 12, "feet": 12, "foot": 12},
)


@dataclass(frozen=True)
class Affix:
    """What the texts around a number mean.

    Attributes
    ----------
    unit : str
        The unit in the one way it is compared; "" where there is none.
    scale : str
        The word for a power of ten, in lower case; "" where there is none.
    """

    unit: str = ""
    scale: str = ""

    @property
    def factor(self) -> float:
        """What the number is multiplied by."""
        return SCALES.get(self.scale, 1.0)


def affix_of(before: str, after: str) -> Affix | None:
    """What the texts before and after a number mean; None where they mean nothing known.

    Examples
    --------
    >>> affix_of("€", ""), affix_of("", "Mio. EUR"), affix_of("", "kg")
    (Affix(unit='EUR', scale=''), Affix(unit='EUR', scale='mio'), Affix(unit='kg', scale=''))
    >>> affix_of("€", "/kg").unit, affix_of("", "€ per 100 g").unit
    ('€/kg', '€/100 g')
    >>> affix_of("No.", "") is None, affix_of("", "th") is None
    (True, True)
    """
    currency = CURRENCIES.get(before.casefold().rstrip("."), "")
    if before and not currency:
        return None
    found = _after(after.strip())
    if found is not None and currency and _PER.match(found.unit):
        return Affix(unit_of(_PER.sub(f"{before}/", found.unit)), found.scale)
    if found is None or (currency and found.unit not in ("", currency)):
        return None
    return Affix(currency or found.unit, found.scale)


def _after(text: str) -> Affix | None:
    if not text:
        return Affix()
    word, _, rest = text.partition(" ")
    for scale, unit in ((word, rest.strip()), (text[:1], text[1:]), (text[:3], text[3:])):
        plain = scale.casefold().rstrip(".")
        attached = len(scale) < len(word)
        # "k€" is thousands of euros, "kg" is no thousand of anything.
        if plain in SCALES and (not attached or unit.casefold() in CURRENCIES):
            return Affix(unit_of(unit), plain)
    if text.casefold().rstrip(".") in ORDINALS or not re.search(r"[^\W\d_]|[%‰°€$£¥¢\"′″]", text):
        return None
    return Affix(unit_of(text))


def unit_of(text: str) -> str:
    """A unit in the one way it is compared and shown.

    Examples
    --------
    >>> unit_of("€"), unit_of("KG"), unit_of("Years"), unit_of("MW"), unit_of("percent")
    ('EUR', 'kg', 'years', 'MW', '%')
    >>> unit_of("l/100km"), unit_of("L / 100 km"), unit_of("kg/m2"), unit_of("m^3")
    ('l/100 km', 'l/100 km', 'kg/m²', 'm³')
    """
    text = _as_one(text.strip())
    plain = text.casefold().rstrip(".").strip()
    if plain in CURRENCIES:
        return CURRENCIES[plain]
    plain = SAME.get(plain, plain)
    return plain if plain in ANY_CASE or len(plain) > 3 or plain in SAME.values() else text.strip()


def _as_one(text: str) -> str:
    """A compound unit in the one way it is written: "l/100 km", "kg/m²"."""
    text = re.sub(r"(?<=\S) ?(?:/|\bper |\bpro ) ?", "/", text)
    text = re.sub(r"(?<=/)(\d+) ?(?=[^\W\d_])", r"\1 ", text)
    return re.sub(r"(?<=[^\W\d_])\^?([23])$", lambda found: "²³"[int(found[1]) - 2], text)


def is_money(unit: str) -> bool:
    """Whether a unit is a currency, or a hundredth of one."""
    return unit in CURRENCIES.values()


def part_of(unit: str, main: str) -> float:
    """How many of a unit make one of the main one: a hundred cents where that is a currency.

    Examples
    --------
    >>> part_of("ct", "EUR"), part_of("ct", "ct"), part_of("EUR", "EUR"), part_of("cm", "m")
    (100.0, 1.0, 1.0, 100.0)
    """
    if unit in CENTS:
        return 1.0 if main in CENTS else 100.0
    sizes = next((sizes for sizes in QUANTITIES if unit in sizes and main in sizes), None)
    return 1.0 if sizes is None else sizes[main] / sizes[unit]


def convertible(unit: str, others: Iterable[str]) -> tuple[str, ...]:
    """Of other units those of the same quantity.

    Examples
    --------
    >>> convertible("cm", ["m", "kg", "cm", "mm"])
    ('m', 'mm')
    """
    sizes = next((sizes for sizes in QUANTITIES if unit in sizes), {})
    return tuple(sorted(other for other in set(others) if other in sizes and other != unit))


def same_units(unit: str, others: Iterable[str]) -> tuple[str, ...]:
    """Of other units those that are the same in the singular or plural, the unit first.

    Examples
    --------
    >>> same_units("years", ["year", "months"]), same_units("Jahre", ["Jahr"])
    (('years', 'year'), ('Jahre', 'Jahr'))
    """

    def alike(one: str, two: str) -> bool:
        short, long = sorted((one.casefold(), two.casefold()), key=len)
        return len(short) > 2 and any(long == short + ending for ending in ("", *PLURALS))

    return (unit, *sorted(o for o in set(others) if o and o != unit and alike(o, unit)))
