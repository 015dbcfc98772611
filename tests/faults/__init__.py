"""Known faults by area: every module here holds a tuple MUTANTS."""

import pkgutil
from importlib import import_module

MUTANTS = tuple(
    mutant
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name)
    if module.name not in ("mutant", "server")
    for mutant in import_module(f"{__name__}.{module.name}").MUTANTS
)
