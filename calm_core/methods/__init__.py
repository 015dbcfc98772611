"""Every method by name: a new method is one file and one line here."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from calm_core._checks import check_choice
from calm_core.methods.all_marginals import AllMarginals
from calm_core.methods.base import Method
from calm_core.methods.calm import Calm
from calm_core.methods.calm_binary import CalmBinary
from calm_core.methods.calm_plus import (
    DESIGNS_WITH_OWN_VIEWS,
    VIEW_SIZES,
    CalmPlus,
)
from calm_core.methods.central import CENTRAL
from calm_core.methods.em import Em
from calm_core.methods.fourier import Fourier
from calm_core.methods.full_contingency import FullContingency
from calm_core.methods.uniform import Uniform

LOCAL = (
    Calm, CalmPlus, FullContingency, AllMarginals, Fourier, Em, Uniform, CalmBinary,
)  # fmt: skip
METHODS: dict[str, type[Method]] = {method.name: method for method in (*LOCAL, *CENTRAL)}


def check_method(name: str) -> str:
    """Return the name of a method if there is one of this name.

    Examples
    --------
    >>> check_method("calm")
    'calm'
    """
    return check_choice("method", name, METHODS)


def make_method(name: str, **settings) -> Method:
    """Configure the method called `name` with the settings it has.

    Settings that a method does not have, such as theta for the uniform guess, are ignored, and so are None,
    and l and m beside a design with views of its own: one set of settings can configure every method of a
    comparison.

    Examples
    --------
    >>> make_method("calm", epsilon=1.0, k=2, theta=0.01).theta
    0.01
    """
    return METHODS[check_method(name)](**known_settings(name, settings))


def known_settings(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given settings that the method called `name` uses.

    Examples
    --------
    >>> known_settings("uni", {"k": 2, "theta": 0.001, "epsilon": None})
    {'k': 2}
    """
    names = {field.name for field in fields(METHODS[name])}
    usable = {key: value for key, value in settings.items() if key in names and value is not None}
    if usable.get("design") in DESIGNS_WITH_OWN_VIEWS:
        # l and m chosen for CALM are ignored by a design with views of its own.
        names -= {"l", "m"}
    return {key: value for key, value in usable.items() if key in names}


def unknown_settings(name: str, settings: Iterable[str]) -> tuple[str, ...]:
    """Return the settings that the method called `name` does not have.

    Examples
    --------
    >>> unknown_settings("uni", ("k", "theta"))
    ('theta',)
    """
    names = {field.name for field in fields(METHODS[check_method(name)])}
    return tuple(key for key in settings if key not in names)


def unused_settings(settings: Mapping[str, object]) -> dict[str, str]:
    """Return the settings without effect given the others, each with the reason.

    Examples
    --------
    >>> unused_settings({"l": 2, "m": 4, "theta": 0.001})
    {'theta': 'decides nothing where l and m are chosen'}
    >>> unused_settings({"l": 2, "m": None, "theta": 0.001, "nonnegativity": "ripple", "rounds": 3})
    {}
    >>> unused_settings({"l": 2, "design": "pairs"})
    {'l': 'is not used by the design pairs, which has views of its own'}
    >>> unused_settings({"nonnegativity": "ripple", "rounds": 0})
    {'nonnegativity': 'decides nothing where rounds is 0'}
    """
    idle = {}
    design = settings.get("design")
    if design in DESIGNS_WITH_OWN_VIEWS:
        why = f"is not used by the design {design}, which has views of its own"
        idle |= dict.fromkeys(("l", "m", "theta") if design in VIEW_SIZES else ("l", "m"), why)
    elif settings.get("l") is not None and settings.get("m") is not None:
        idle["theta"] = "decides nothing where l and m are chosen"
    if settings.get("nonnegativity") == "none":
        idle["rounds"] = "decides nothing without non-negativity"
    elif settings.get("rounds") == 0:
        idle["nonnegativity"] = "decides nothing where rounds is 0"
    return {name: why for name, why in idle.items() if settings.get(name) is not None}


def shared_settings(name: str, settings: Mapping[str, object]) -> dict[str, object]:
    """Return the settings chosen for CALM that the method called `name` shares.

    Each method excludes some, see `Method`: non-negativity and reconstruction of CALM's views are CALM's
    own, and the design is chosen for CALM+.

    Examples
    --------
    >>> shared_settings("ft", {"theta": 0.01, "nonnegativity": "ripple", "design": "pairs"})
    {'theta': 0.01}
    """
    excluded_settings = METHODS[check_method(name)].excluded_settings
    return {key: value for key, value in settings.items() if key not in excluded_settings}
