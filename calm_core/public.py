"""The library's names, from all its rooms: what `import calm_core as cc` offers. Its first use loads them."""

from calm_core.starting import told_by_command_line

with told_by_command_line():
    from calm_core.collection.aggregating import NoisyMarginals, aggregate
    from calm_core.collection.collecting import GroupDone, Reports, ViewReports, collect
    from calm_core.designs import find_covering, is_covering
    from calm_core.errors import DataError, InfeasibleError, InputError, UserError
    from calm_core.evaluation.metrics import METRICS, jensen_shannon, l1, l2, score, sse
    from calm_core.evaluation.run import Run, run
    from calm_core.inference.consistency import ConsistentMarginals, make_consistent
    from calm_core.inference.shrinkage import PlusMarginals, infer_plus
    from calm_core.methods import METHODS, Answer, Method, make_method
    from calm_core.oracles import ORACLES, Oracle, choose_oracle
    from calm_core.planning.algorithm1 import Choice, choose_views
    from calm_core.planning.expected_error import predicted_sse
    from calm_core.planning.plan import Plan, make_plan
    from calm_core.randomness import stream
    from calm_core.tables.dataset import Dataset
    from calm_core.tables.domain import Domain
    from calm_core.tables.marginal import Marginal, is_distribution, uniform
    from calm_core.tables.queries import choose_queries
    from calm_core.tables.ranges import choose_ranges, range_shares

__all__ = [
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
    "choose_oracle",
    "choose_queries",
    "choose_ranges",
    "choose_views",
    "collect",
    "find_covering",
    "infer_plus",
    "is_covering",
    "is_distribution",
    "jensen_shannon",
    "l1",
    "l2",
    "make_consistent",
    "make_method",
    "make_plan",
    "predicted_sse",
    "range_shares",
    "run",
    "score",
    "sse",
    "stream",
    "uniform",
]
