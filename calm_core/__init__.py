"""CALM Lab's library: marginals under local differential privacy, in pipeline order.

>>> import numpy as np
>>> import calm_core as cc
>>> rng = np.random.default_rng(1)
>>> domain = cc.Domain(names=("sex", "age"), sizes=(2, 3))
>>> dataset = cc.Dataset.from_codes(rng.integers(0, 2, size=(5000, 2)), domain)
>>> plan = cc.make_plan(domain, dataset.n, epsilon=2.0, k=2, rng=rng)
>>> views = cc.make_consistent(cc.aggregate(cc.collect(dataset, plan, rng=rng)))
>>> views.marginal(("sex", "age")).values.shape
(2, 3)
"""

from importlib import import_module
from typing import TYPE_CHECKING

from calm_core.version import __version__ as __version__

if TYPE_CHECKING:
    from calm_core.public import *  # noqa: F403


def __getattr__(name: str):
    """Load the library when it is first asked for: a child that needs one room starts in a quarter of the time."""
    if name == "__all__" or not name.startswith("__"):
        public = import_module("calm_core.public")
        globals().update({name: getattr(public, name) for name in public.__all__})
        globals()["__all__"] = ["__version__", *public.__all__]
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
