"""Amounts of several parts: "1 h 20 min", "35:30", 5'11", 54°24'19"N, "17,5/20", "2 1/4", "12:50 kr"."""

import re
from collections.abc import Callable

_H = r"(?:h|hrs?|hours?|std\.?|stunden?|heures?|horas?|ora|ore|uur|uren|godz\.?|tim|timm(?:e|ar))"
_MIN = r"(?:m|mn|mins?|min\.|minutes?|minuten?|minut[iy]?|minutos?)"
_SEC = r"(?:s|secs?|sek\.?|seconds?|sekunden?|secondes?)"
_NUMBER = r"(?:0|[1-9]\d{0,2})(?:[.,]\d{1,2})?"
VULGAR = {
    "½": 1 / 2,
    "¼": 1 / 4,
    "¾": 3 / 4,
    "⅓": 1 / 3,
    "⅔": 2 / 3,
    "⅛": 1 / 8,
    "⅜": 3 / 8,
    "⅝": 5 / 8,
    "⅞": 7 / 8,
}
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
# Quick look: only these are tried one by one.
_JOINED = r"\d ?(?:[:/°'′½¼¾⅓⅔⅛⅜⅝⅞]|[·x×*] ?10|[a-z]{1,8}\.?,? ?(?:[a-z]{1,3} )?\d)"
LIKELY = rf"(?i)^(?:[NSEW] ?)?[\d., ]*{_JOINED}|^[½¼¾⅓⅔⅛⅜⅝⅞]$|^-\d[\d.,]* ?[·x×*] ?10"
CLOCK_LIKE = r"^(?:[01]?\d|2[0-3])[:h][0-5]\d(?::[0-5]\d)?$"
BEYOND_CLOCK = r"^(?:2[4-9]|[3-9]\d|\d{3,4})[:h][0-5]\d(?::[0-5]\d)?$"


def _sixty(whole: str, minutes: str, seconds: str | None = None) -> float:
    parts = (float(minutes) * 60 + float((seconds or "0").replace(",", "."))) / 3600
    return int(whole) + parts


def _colons(found: re.Match) -> tuple[float, str]:
    whole, middle, last, rest = found.groups()
    if last is None and rest:
        return int(whole) + float(middle + rest.replace(",", ".")) / 60, "min"
    # Of two parts nobody knows whether they are hours or minutes: it counts in the first one.
    return _sixty(whole, middle, (last or "0") + (rest or "")), "h" if last else ":60"


def _angle(found: re.Match) -> tuple[float, str] | None:
    before, whole, minutes, seconds, after = found.groups()
    side = (before or after or "").upper()
    if int(minutes) >= 60:
        return None
    return _sixty(whole, minutes, seconds) * (-1 if side in ("S", "W") else 1), "°"


def _fraction(found: re.Match) -> tuple[float, str] | None:
    whole, top, bottom = (int(part or 0) for part in found.groups())
    return (whole + top / bottom, "") if 0 < top < bottom else None


def _of_total(found: re.Match) -> tuple[float, str] | None:
    part, total = float(found[1].replace(",", ".")), int(found[2])
    return (part, f"/{total}") if part <= total and 5 <= total <= 1000 else None


def _feet(found: re.Match) -> tuple[float, str] | None:
    inches = float(found[2])
    return (12 * int(found[1]) + inches, "in") if inches < 12 else None


FORMS: tuple[tuple[re.Pattern, Callable], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), read)
    for pattern, read in (
        (r"(\d{1,4}):([0-5]\d)(?::([0-5]\d))?([.,]\d+)?$", _colons),
        (rf"(\d{{1,3}}) ?{_H},? ?(?:and |und |et |y |e |i |en |och )?([0-5]?\d)(?: ?{_MIN})?$",
         lambda found: (_sixty(found[1], found[2]), "h")),
        # "12 m2" is an area.
        (rf"(?!\d+ ?m\^?[23]$)(\d{{1,3}}) ?{_MIN},? ?(?:and |und |et |y |e |i |en |och )?([0-5]?\d) ?{_SEC}?$",
         lambda found: (int(found[1]) + int(found[2]) / 60, "min")),
        (r"(\d) ?(?:'|′|ft\.?|feet|foot),? ?(\d{1,2}(?:\.\d+)?) ?(?:\"|″|''|in\.?|inch|inches)?$", _feet),
        (r"([NSEW])? ?(\d{1,3}) ?° ?(\d{1,2}) ?['′] ?(?:(\d{1,2}(?:[.,]\d+)?) ?(?:\"|″|'')?)? ?([NSEW])?$", _angle),
        (r"(?:(\d{1,3}) )?(\d)/([2348])$", _fraction),
        (rf"({_NUMBER}) ?(?:/|of|out of|von|sur|de|di|su|van|av|z|auf) ?(\d{{1,4}})$", _of_total),
        (r"(\d{1,3}(?: ?\d{3})*):(\d{2}|-) ?(?:kr|sek)\.?$|(\d{1,3}(?: ?\d{3})*):-$",
         lambda found: (float((found[1] or found[3]).replace(" ", "")) + float((found[2] or "-").replace("-", "0")) / 100, "kr")),
        (r"(\d{0,3}) ?([½¼¾⅓⅔⅛⅜⅝⅞])$", lambda found: (int(found[1] or 0) + VULGAR[found[2]], "")),
        (r"(-?\d+(?:[.,]\d+)?) ?[·x×*] ?10\^?(-?\d{1,2}|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})$",
         lambda found: (float(f"{found[1].replace(',', '.')}e{found[2].translate(RAISED)}"), "")),
    )
)  # fmt: skip


def composite(text: str) -> tuple[float, str] | None:
    """What an amount of several parts says, with its unit; None where it is none.

    Examples
    --------
    >>> composite("1 h 30 min"), composite("35:30"), composite("5'11\\""), composite("17,5/20")
    ((1.5, 'h'), (35.5, ':60'), (71.0, 'in'), (17.5, '/20'))
    >>> composite("12 m2"), composite("12 m 2"), composite("12 min 20")
    (None, (12.033333333333333, 'min'), (12.333333333333334, 'min'))
    >>> composite("2 1/4"), composite("12:50 kr"), composite("30:70"), composite("5/2013")
    ((2.25, ''), (12.5, 'kr'), None, None)
    """
    for pattern, read in FORMS:
        found = pattern.match(text)
        if found is not None:
            said = read(found)
            if said is not None:
                return said
    return None
