"""Faults between the data set and the reports."""

from tests.faults.mutant import core

COLLECTING = ("tests/core/test_collecting.py",)
PLANNING = ("tests/core/test_planning.py",)

MUTANTS = (
    core(
        "users report twice", "collecting",
        "_simulate(plan.oracles, _true_counts(dataset, plan, labels), rng)",
        "_simulate(plan.oracles, [2 * c for c in _true_counts(dataset, plan, labels)], rng)",
        COLLECTING,
    ),
    core(
        "groups in the order of the file", "collecting",
        "(np.uint64(tickets[user]) * groups) >> TICKET_BITS", "user * groups // len(tickets)", COLLECTING,
    ),
    core(
        "the first users of the file leave a full group", "collecting",
        "users = rng.integers(n, size=4 * len(vacancies) + 8192)",
        "users = np.arange(n)", COLLECTING,
    ),
    core(
        "attributes after the fourth forgotten", "_counting",
        "wide = max(map(len, views), default=0) > UNROLLED", "wide = False", COLLECTING,
    ),
    core(
        "one user too many", "collecting",
        "sizes[order[:left]] += 1", "sizes[order[: left + 1]] += 1", ("tests/core/test_collecting.py::test_group_sizes_sum_exactly",),
    ),
    core(
        "budget divided among the views", "plans",
        "return choose_oracle(cells, epsilon, rule)",
        "return choose_oracle(cells, epsilon / 2, rule)",
        COLLECTING + PLANNING,
    ),
    core(
        "code -1 lands in the last cell", "dataset",
        "if low[i] < 0 or high[i] >= size:", "if high[i] >= size:",
        ("tests/core/test_data_types.py",),
    ),
    core(
        "a data set may hold any codes", "dataset",
        "def __post_init__(self):", "def _never_called(self):",
        ("tests/core/test_data_types.py::test_dataset_refuses",), in_ci=True,
    ),
    core(
        "what follows from a data set can be written into", "dataset",
        'object.__setattr__(made, "codes", readonly(codes))',
        'object.__setattr__(made, "codes", codes)', ("tests/core/test_data_types.py",), in_ci=True,
    ),
    core(
        "more reports on a cell than reports", "collecting",
        "np.maximum.reduce(support.view(np.uint64)) > n", "support.min() < 0",
        ("tests/core/test_phase_types.py",), in_ci=True,
    ),
    core(
        "raw marginal from the largest view", "aggregating",
        "return min(covering, key", "return max(covering, key",
        ("tests/core/test_phase_types.py::test_a_raw_marginal_comes_from_the_smallest_view",),
        in_ci=True,
    ),
    core(
        "axes of a view in another order than the domain's", "aggregating",
        "if not fits or self.domain.canonical(table.attrs) != table.attrs:", "if not fits:",
        ("tests/core/test_phase_types.py",), in_ci=True,
    ),
    core(
        "flat index overflows", "dataset",
        "flat = np.zeros(self.n, dtype=np.int64)", "flat = np.zeros(self.n, self.codes.dtype)",
        ("tests/core/test_data_types.py", *COLLECTING),
    ),
)  # fmt: skip
