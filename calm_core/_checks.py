"""Validation of the arguments of public functions."""

import math
import numbers
from collections.abc import Callable, Iterable
from dataclasses import MISSING, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from calm_core.errors import InfeasibleError, InputError, Toward
from calm_core.text import format_number

if TYPE_CHECKING:
    import pandas as pd

EPSILON_OFFERED = (0.01, 10.0)
EPSILON_LIMIT = 16.0
# With less than this reports have no information: the variance of a fraction is about 4 / (n epsilon^2),
# which is 500 even with eight billion people.
MIN_EPSILON = 1e-6
# Minimum of a part of a budget, for methods such as EM that split it.
EPSILON_PART = 1e-12
MAX_CELLS = 10_000_000
K_OFFERED_LIMIT = 8
# Counts up to this, and their sums over cells, are exact in int64 and in a float.
MAX_PEOPLE = 10**12
# Probabilities in a table are rounded: those of an input may miss 1 by this.
ROW_ROUNDING = 1e-6


def check_epsilon(epsilon: float, *, least: float = MIN_EPSILON) -> float:
    """Return epsilon as a float from `least` to 16; refuse anything else."""
    low, high = EPSILON_OFFERED
    if isinstance(epsilon, bool) or not isinstance(epsilon, numbers.Real) or math.isnan(epsilon):
        raise InputError(f"epsilon ({epsilon}) must be a number; choose one from {low} to {high:g}")
    if not least <= epsilon <= EPSILON_LIMIT:
        raise InputError(
            f"epsilon ({format_number(float(epsilon))}) must be from {format_number(least)} (strong privacy) to "
            f"{format_number(EPSILON_LIMIT)} (weak); 1 is usual",
            remedies=[("epsilon", min(max(float(epsilon), low), high))],
        )
    return float(epsilon)


def check_count(
    name: str,
    value: int,
    *,
    low: int = 1,
    high: int | None = None,
    remedy: str = "",
    remedies: Iterable[tuple[str, Any]] = (),
) -> int:
    """Return value as an int in low..high; refuse fractions, booleans and anything outside.

    The nearest number allowed is the first remedy, before any other `remedies`.
    """
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        rule = f"at least {low:,}" if high is None else f"from {low:,} to {high:,}"
        tail = f"; {remedy}" if remedy else ""
        nearest = [(name, max(low, value if high is None else min(value, high)))] if whole else []
        raise InputError(
            f"{name} ({value}) must be a whole number {rule}{tail}", remedies=[*nearest, *remedies]
        )
    return int(value)


def check_k(k: int, d: int, *, low: int = 1) -> int:
    """Return k, attributes per marginal, as an int in low..d; d is the number of attributes."""
    needed = max(k, low) if isinstance(k, numbers.Integral) else low
    if d == 1 and needed > 1:
        raise InputError(
            f"there is only 1 attribute, and k ({k}) needs at least {needed}; "
            "add or choose more columns",
            remedies=[("d", needed)],
        )
    remedy = f"the number of attributes is {d}"
    return check_count("k", k, low=low, high=d, remedy=remedy, remedies=[("d", k)])


def check_fraction(
    name: str, value: float, *, remedy: str, one: bool = True, usual: float | None = None
) -> float:
    """Return value as a float above 0 and at most 1, or below 1 where `one` is not allowed."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not 0 < value <= 1 or (value == 1 and not one):
        rule = "at most 1" if one else "below 1"
        raise InputError(
            f"{name} ({value}) must be above 0 and {rule}; {remedy}",
            remedies=[] if usual is None else [(name, usual)],
        )
    return float(value)


def check_theta(theta: float) -> float:
    """Return the error threshold as a float in (0, 1]."""
    return check_fraction("theta", theta, remedy="the papers use 0.001", usual=0.001)


def check_level(level: float) -> float:
    """Return the probability of intervals as a float above 0 and below 1."""
    return check_fraction("level", level, remedy="0.95 is usual", one=False)


def check_choice(name: str, value: str, allowed: Iterable[str]) -> str:
    """Return value if it is one of the allowed words."""
    allowed = tuple(allowed)
    if value not in allowed:
        raise InputError(f"{name} ({value}) must be one of {', '.join(allowed)}")
    return value


def count_checker(low: int = 1, high: int | None = None) -> Callable[[str, Any], int]:
    """A function of name and value that checks a whole number in low..high."""
    return lambda name, value: check_count(name, value, low=low, high=high)


def choice_checker(allowed: Iterable[str]) -> Callable[[str, Any], str]:
    """A function of name and value that checks a choice."""
    return lambda name, value: check_choice(name, value, allowed)


def optional_checker(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    """The check of name and value, with None allowed."""
    return lambda name, value: None if value is None else check(name, value)


def option(check: Callable[[str, Any], Any], default: Any = MISSING) -> Any:
    """Return a dataclass field whose value `check(name, value)` validates: see `check_options`."""
    return field(default=default, metadata={"check": check})


# Remedies for a table over all attributes that is too large.
FEWER_CELLS = (("d", Toward.LESS), ("max_values", Toward.LESS))


def check_cells(sizes: Iterable[int], what: str, *, remedies=()) -> int:
    """Return the number of cells of a table; refuses one above the limit."""
    sizes = tuple(int(c) for c in sizes)
    cells = math.prod(sizes)
    if cells > MAX_CELLS:
        raise InfeasibleError(
            f"{what} would need a table of {cells:,} cells, more than the limit of {MAX_CELLS:,}; "
            "use fewer attributes or merge values",
            remedies=[*remedies, *FEWER_CELLS],
        )
    return cells


def check_rng(rng: np.random.Generator) -> np.random.Generator:
    """Return rng if it is a numpy Generator."""
    if not isinstance(rng, np.random.Generator):
        raise InputError(
            f"rng ({rng!r:.60}) must be a numpy Generator; pass np.random.default_rng(seed)"
        )
    return rng


def check_probabilities(table: Any) -> "pd.DataFrame":
    """Return a table of probabilities (inputs, outputs) as floats, with its names as texts; rows sum to 1."""
    import pandas as pd

    try:
        frame = pd.DataFrame(table).astype(float).rename(index=str, columns=str)
    except (TypeError, ValueError):
        raise InputError("a table of probabilities must hold numbers alone") from None
    if len(frame) < 2 or not frame.shape[1]:
        raise InputError("a table of probabilities must have at least two inputs and an output")
    for name, row in zip(frame.index, frame.to_numpy()):
        if not (np.isfinite(row).all() and row.min() >= 0) or abs(row.sum() - 1) > ROW_ROUNDING:
            raise InputError(
                f"the probabilities of input {name!r:.40} must be from 0 to 1 and sum to 1; they sum to "
                f"{row.sum():.6g}"
            )
    return frame


def set_fields(frozen: object, **values: object) -> None:
    """Set fields of a frozen dataclass while it is made."""
    for name, value in values.items():
        object.__setattr__(frozen, name, value)


def check_options(frozen: Any) -> None:
    """Validate the fields of a frozen dataclass that have a check, while it is made."""
    for item in fields(frozen):
        if check := item.metadata.get("check"):
            set_fields(frozen, **{item.name: check(item.name, getattr(frozen, item.name))})


def as_readonly(array: np.ndarray) -> np.ndarray:
    """Return a read-only view, so that frozen types stay frozen."""
    view = array.view()
    view.setflags(write=False)
    return view
