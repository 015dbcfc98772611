"""The public names and where they are defined; `lazy_loader` reads this file, and so do type checkers."""

from . import amplification, attacks, release
from .collection.aggregation import NoisyMarginals, aggregate
from .collection.simulation import GroupDone, Reports, ViewReports, collect
from .designs.covering import find_covering
from .errors import DataError, InfeasibleError, InputError, UserError
from .evaluation.metrics import METRICS, jensen_shannon, l1, l2, score, sse
from .evaluation.run import Run, run
from .inference.consistency import ConsistentMarginals, make_consistent
from .inference.shrinkage.answers import PlusMarginals, infer_plus
from .methods import METHODS, make_method
from .methods.base import Answer, Method
from .oracles import ORACLES, Oracle, choose_oracle
from .planning.algorithm1 import Choice, choose_views
from .planning.plan import Plan, make_plan
from .randomness import stream
from .tables.dataset import Dataset
from .tables.domain import Domain, choose_queries
from .tables.marginal import Marginal, is_distribution, uniform
from .version import __version__

__all__ = [
    "__version__",
    "METHODS",
    "METRICS",
    "ORACLES",
    "Answer",
    "Choice",
    "ConsistentMarginals",
    "DataError",
    "Dataset",
    "Domain",
    "GroupDone",
    "InfeasibleError",
    "InputError",
    "Marginal",
    "Method",
    "NoisyMarginals",
    "Oracle",
    "Plan",
    "PlusMarginals",
    "Reports",
    "Run",
    "UserError",
    "ViewReports",
    "aggregate",
    "amplification",
    "attacks",
    "choose_oracle",
    "choose_queries",
    "choose_views",
    "collect",
    "find_covering",
    "infer_plus",
    "is_distribution",
    "jensen_shannon",
    "l1",
    "l2",
    "make_consistent",
    "make_method",
    "make_plan",
    "release",
    "run",
    "score",
    "sse",
    "stream",
    "uniform",
]
