"""Faults between the data set and the reports."""

from tests.faults.mutant import core

COLLECTING = ("tests/collection/test_collecting.py",)
PLANNING = ("tests/planning/test_algorithm1.py",)

MUTANTS = (
    core(
        "users report twice", "collection/collecting",
        "_simulate(plan.oracles, _true_counts(dataset, plan, labels), rng)",
        "_simulate(plan.oracles, [2 * c for c in _true_counts(dataset, plan, labels)], rng)",
        COLLECTING,
    ),
    core(
        "groups in the order of the file", "collection/collecting",
        "(np.uint64(tickets[user]) * groups) >> TICKET_BITS", "user * groups // len(tickets)", COLLECTING,
    ),
    core(
        "the first users of the file leave a full group", "collection/collecting",
        "users = rng.integers(n, size=4 * len(vacancies) + 8192)",
        "users = np.arange(n)", COLLECTING,
    ),
    core(
        "attributes after the fourth forgotten", "tables/counting",
        "wide = max(map(len, views), default=0) > UNROLLED", "wide = False", COLLECTING,
    ),
    core(
        "one user too many", "collection/collecting",
        "sizes[order[:left]] += 1", "sizes[order[: left + 1]] += 1", ("tests/collection/test_collecting.py::test_group_sizes_sum_exactly",),
    ),
    core(
        "budget divided among the views", "planning/plan",
        "return choose_oracle(cells, epsilon, rule)",
        "return choose_oracle(cells, epsilon / 2, rule)",
        COLLECTING + PLANNING,
    ),
    core(
        "code -1 lands in the last cell", "tables/dataset",
        "if low[i] < 0 or high[i] >= size:", "if high[i] >= size:",
        ("tests/tables/test_data_types.py",),
    ),
    core(
        "a data set may hold any codes", "tables/dataset",
        "def __post_init__(self):", "def _never_called(self):",
        ("tests/tables/test_data_types.py::test_dataset_refuses",), in_ci=True,
    ),
    core(
        "what follows from a data set can be written into", "tables/dataset",
        'object.__setattr__(made, "codes", readonly(codes))',
        'object.__setattr__(made, "codes", codes)', ("tests/tables/test_data_types.py",), in_ci=True,
    ),
    core(
        "more reports on a cell than reports", "collection/collecting",
        "np.maximum.reduce(support.view(np.uint64)) > n", "support.min() < 0",
        ("tests/collection/test_phase_types.py",), in_ci=True,
    ),
    core(
        "raw marginal from the largest view", "collection/aggregating",
        "return min(covering, key", "return max(covering, key",
        ("tests/collection/test_phase_types.py::test_a_raw_marginal_comes_from_the_smallest_view",),
        in_ci=True,
    ),
    core(
        "axes of a view in another order than the domain's", "collection/aggregating",
        "if not fits or domain.canonical(table.attrs) != table.attrs:", "if not fits:",
        ("tests/collection/test_phase_types.py",), in_ci=True,
    ),
    core(
        "flat index overflows", "tables/dataset",
        "flat = np.zeros(self.n, dtype=np.int64)", "flat = np.zeros(self.n, self.codes.dtype)",
        ("tests/tables/test_data_types.py", *COLLECTING),
    ),
    core(
        "collecting needs more than a plan for it declares", "collection/collecting",
        "check_users(dataset.n, plan.m)", "check_users(plan.n, plan.m)",
        (f"{COLLECTING[0]}::test_what_is_collected_needs_no_more_than_its_protocol_declares",),
        in_ci=True,
    ),
)  # fmt: skip
