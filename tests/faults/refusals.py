"""Faults by which types take what they should refuse, or a new type needs no place."""

from tests.faults.mutant import core

REFUSED = ("tests/test_refusals.py::test_a_wrong_value_is_refused",)

MUTANTS = (
    core(
        "a public type without a case", "planning/algorithm1",
        "@dataclass(frozen=True)\nclass Choice:",
        "@dataclass(frozen=True)\nclass Chosen:\n    l: int\n\n\n@dataclass(frozen=True)\nclass Choice:",
        ("tests/test_refusals.py::test_every_frozen_type_has_its_place",),
    ),
    core(
        "limits of nothing", "ingest/limits",
        "check_count(item.name, getattr(self, item.name))", "getattr(self, item.name)",
        REFUSED,
    ),
    core(
        "no items kept of transactions", "ingest/table",
        "        check_count(\"items\", self.items)\n", "", REFUSED,
    ),
    core(
        "settings of a figure unchecked", "experiments/figure",
        "        if self.methods:\n            self.chosen(\"\")\n", "", REFUSED,
    ),
    core(
        "two classifiers under one label", "experiments/classification",
        "if len(set(labels)) < len(labels):", "if not labels:", REFUSED,
    ),
    core(
        "a split whose oracles are for other views", "methods/unbiased",
        "        check_views(self.domain, self.views, self.oracles)\n", "        pass\n",
        REFUSED,
    ),
    core(
        "interactions of attributes of another size", "inference/shrinkage/interactions",
        "if not known or not (sizes[subsets] == family.sizes).all():", "if not known:",
        REFUSED, in_ci=True,
    ),
    core(
        "a way to rebuild that there is not", "inference/consistency",
        "        check_choice(\"reconstruction\", self.reconstruction, RECONSTRUCTION)\n", "",
        REFUSED,
    ),
    core(
        "any word is yes to the presenter's view", "settings",
        "    if isinstance(value, bool):\n        return value\n    raise InputError(f\"{name}",
        "    if value is not None:\n        return bool(value)\n    raise InputError(f\"{name}",
        REFUSED,
    ),
    core(
        "a figure of a report without its sentence", "reports",
        "len(figure) == 2 and isinstance(figure[1], str)):", "len(figure) == 2):",
        REFUSED,
    ),
)  # fmt: skip
