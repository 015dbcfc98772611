"""Faults between the data set and the reports."""

from tests.faults.mutant import core

COLLECTING = ("tests/collection/test_collecting.py",)
PLANNING = ("tests/planning/test_algorithm1.py",)

MUTANTS = (
    core(
        "users report twice", "collection/collecting",
        "_simulate(plan.oracles, _group_counts(dataset, plan, rng), rng)",
        "_simulate(plan.oracles, [2 * c for c in _group_counts(dataset, plan, rng)], rng)",
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
        ("tests/tables/test_data_types.py::test_dataset_refuses",),
    ),
    core(
        "what follows from a data set can be written into", "tables/dataset",
        'object.__setattr__(made, "codes", readonly(codes))',
        'object.__setattr__(made, "codes", codes)', ("tests/tables/test_data_types.py",),
    ),
    core(
        "remembered tables are handed out to be written into", "tables/dataset",
        "known[at].copy() if", "known[at] if", ("tests/tables/test_data_types.py",),
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
    ),
    core(
        "an iterator of attributes ends at the first view", "collection/aggregating",
        "        attrs = self.domain.canonical(attrs)\n        return any(", "        return any(",
        ("tests/collection/test_phase_types.py::test_a_raw_marginal_comes_from_the_smallest_view",),
    ),
    core(
        "axes of a view in another order than the domain's", "collection/aggregating",
        "if not fits or domain.canonical(table.attrs) != table.attrs:", "if not fits:",
        ("tests/collection/test_phase_types.py",),
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
    ),
    core(
        "the first reports are drawn with replacement", "collection/arrival",
        "rng.hypergeometric(view.support, view.n - view.support, size)",
        "rng.binomial(size, view.support / max(1, view.n))",
        ("tests/collection/test_arrival.py",), in_ci=True,
    ),
    core(
        "a report may support one cell twice", "collection/arrival",
        "starts, place = np.unique(borders % view.n", "starts, place = np.unique(borders",
        ("tests/collection/test_arrival.py",),
    ),
    core(
        "an earlier moment is not part of a later one", "collection/arrival",
        "came[i] = left = _some_of", "came[i] = _some_of", ("tests/collection/test_arrival.py",), in_ci=True,
    ),
    core(
        "who reports is drawn with replacement in the expected error", "evaluation/arrival",
        "shares * (1 - shares) / reports * left", "shares * (1 - shares) / reports",
        ("tests/noise/test_arrival_noise.py::test_other_collections_are_as_far_off_as_the_number_says",),
    ),
    core(
        "another collection draws its people anew at every moment", "evaluation/arrival",
        "np.diff(who, axis=0, prepend=0), rng=rng).cumsum(axis=0)", "who, rng=rng).cumsum(axis=0)",
        ("tests/noise/test_arrival_noise.py::test_other_collections_are_as_far_off_as_the_number_says",),
    ),
    core(
        "groups of a population are drawn without their size", "tables/population",
        "rng.multinomial(size, cells[order] / cells.sum())", "cells[order] * size // cells.sum()",
        ("tests/collection/test_population.py::test_counts_of_groups_are_those_of_people_drawn_one_by_one",),
    ),
    core(
        "people of a population are counted once a row", "tables/population",
        "np.bincount(self.rows.cells(view), self.times, ", "np.bincount(self.rows.cells(view), None, ",
        ("tests/collection/test_population.py::test_who_is_drawn_is_as_if_drawn_one_by_one",),
    ),
    core(
        "every order of a curator is of other people", "methods/central/learning",
        "everybody.counts(sets[order])", "each_once(dataset, rng=rng).counts(sets[order])",
        ("tests/collection/test_population.py::test_tables_of_a_curator_are_of_the_same_people",),
    ),
    core(
        "who is too many in a large draw stays", "randomness",
        "drawn += np.where(more, changed, -changed)", "drawn += np.where(more, changed, -drawn)",
        ("tests/collection/test_population.py::test_rounds_draw_as_numpy_does",),
    ),
    core(
        "the second phase asks people of the first", "methods/calm_plus",
        "for part, rng in zip(self.parts(), self.drawn, strict=True):",
        "for part, rng in zip(self.parts(), [self.rng] * len(self.drawn), strict=True):",
        ("tests/ingest/test_streaming.py::test_halves_of_parts_are_the_users_once",),
    ),
    core(
        "what led to an error is not looked at for lack of memory", "errors",
        "return before is not None and lacks_memory(before)", "return False",
        ("tests/ingest/test_streaming_memory.py::test_what_led_to_an_error_counts",),
    ),
)  # fmt: skip
