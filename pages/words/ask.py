"""Wording of the page Ask."""

import re
import shlex
from decimal import Decimal

from calm_core.release.estimate import write_per_100
from pages.words import numbers
from pages.words.texts import Texts

TEXTS = Texts("ask")
__getattr__ = TEXTS.__getattr__


def quote(text: str) -> str:
    """Return a name, or a name with a value, as one word of a question.

    >>> quote("sex=f"), quote("age=18 to 25"), shlex.split(quote('pipe=5" long'))
    ('sex=f', '"age=18 to 25"', ['pipe=5" long'])
    """
    if not re.search(r"[\s\"'\\]", text):
        return text
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def value_text(kind: str, value: float) -> str:
    """Return a value with its unit.

    >>> value_text("share", 0.157), value_text("difference", -0.0312), value_text("mean", 41.26), value_text("together", 0.31)
    ('16 of 100', '-3.1 points', '41.3', '0.31')
    """
    if kind == "share":
        return f"{write_per_100(value)} of 100"
    if kind == "difference":
        return f"{write_per_100(value)} points"
    return numbers.digits(value, 2 if kind == "together" else 3)


def write_share(share: float | None) -> str:
    """Return a share as people of 100, or a dash where there is none.

    >>> write_share(0.157), write_share(None)
    ('16', '-')
    """
    return "-" if share is None else write_per_100(share)


def error_text(true: float | None, answered: float | None) -> str:
    """Return how far a share is off, by the shares as they are shown, or a dash where one is not known.

    >>> error_text(0.131, 0.157), error_text(0.074, 0.064), error_text(0.131, 0.1312), error_text(None, 0.2)
    ('3 points too high', '1 point too low', 'none', '-')
    """
    if true is None or answered is None:
        return "-"
    off = Decimal(write_per_100(answered)) - Decimal(write_per_100(true))
    size = f"{abs(off).normalize():f} {'point' if abs(off) == 1 else 'points'}"
    return f"{size} too {'low' if off < 0 else 'high'}" if off else "none"


def interval_text(kind: str, low: float, high: float) -> str:
    """Return the ends of an interval, without their unit.

    >>> interval_text("difference", -0.012, 0.23)
    'between -1.2 and 23'
    """
    ends = (value_text(kind, end).partition(" ")[0] for end in (low, high))
    return f"between {' and '.join(ends)}"


def answer_text(kind: str, value: float, low: float, high: float) -> str:
    """Return the answer with its interval as the title.

    >>> answer_text("share", 0.157, 0.09, 0.23)
    '16 of 100, between 9 and 23'
    """
    return f"{value_text(kind, value)}, {interval_text(kind, low, high)}"


def calls_text(data: str, options: str, question: str) -> str:
    """Return the calls that give the same answer from Python and the command line.

    >>> print(calls_text("STATE", "--method calm_plus", "mean age"))
    cc.release.ask(answer, 'mean age', rng=rng)
    # calm-lab ask STATE 'mean age' --method calm_plus
    """
    call = f"cc.release.ask(answer, {question!r}, rng=rng)"
    return f"{call}\n# calm-lab ask {data} {shlex.quote(question)} {options}"
