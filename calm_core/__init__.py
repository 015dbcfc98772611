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

import lazy_loader

from calm_core.version import __version__ as __version__

# Names are imported at their first use: a child process that needs one package starts in a quarter of the time.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
