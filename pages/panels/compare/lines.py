"""The lines of a comparison: every method chosen, and unbiased ones once more with their shares mended."""

from dataclasses import replace

from calm_core.experiments import MethodSpec, parse_methods
from calm_core.methods import METHODS, Method
from calm_core.methods.unbiased import UnbiasedMethod
from calm_core.settings import Settings
from calm_core.tables.marginal import Marginal
from pages import words

# What all methods of a comparison share with the Lab, where they have it.
SHARED = ("theta", "oracle", "nonnegativity", "rounds", "reconstruction", "design")
# Unbiased ones, and how each is mended.
UNBIASED = {
    name: method.comparison_nonnegativity
    for name, method in METHODS.items()
    if method.trust == "local" and issubclass(method, UnbiasedMethod)
}


def _mended(name: str) -> MethodSpec:
    return MethodSpec(name, (("nonnegativity", UNBIASED[name]),))


_NAMES = {name: name for name in METHODS} | {_mended(name).label: name for name in UNBIASED}
TITLES = {
    label: METHODS[name].title if label == name else words.compare.mended(METHODS[name].title)
    for label, name in _NAMES.items()
}


def method_of(label: str) -> type[Method]:
    """Whose line it is."""
    return METHODS[_NAMES[label]]


def chosen(names: list[str], settings: Settings, *, mending: bool) -> tuple[MethodSpec, ...]:
    """What to measure for the methods chosen; a mended line stands beside its raw one."""
    text = ",".join(
        part
        for name in names
        for part in (name, f"{name}:nonnegativity={UNBIASED.get(name)}")
        if part == name or (mending and name in UNBIASED)
    )
    return parse_methods(text, **{name: getattr(settings, name) for name in SHARED})


def table_of(label: str, answer, attrs: tuple[str, ...]) -> Marginal:
    """What a line released of these attributes; a mended line has the reports of its raw one."""
    if label not in METHODS:
        answer = replace(answer, nonnegativity=UNBIASED[_NAMES[label]])
    return answer.marginal(attrs)
