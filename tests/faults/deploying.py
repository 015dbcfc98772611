"""Faults between report files and answers."""

from tests.faults.mutant import core

FILES = "tests/collection/test_report_files.py"
STATES = "tests/collection/test_states.py"
COMMANDS = "tests/cli/test_deploying.py"
PLANS = "tests/planning/test_plan_file.py"

MUTANTS = (
    core(
        "rows in the order of the people", "collection/reporting",
        "dataset = dataset.of_users(rng.permutation(dataset.n))", "pass",
        (f"{FILES}::test_rows_are_in_a_random_order",),
    ),
    core(
        "every part has the same noise", "collection/reporting",
        'stream(seed, "reports", check_count("part", part, low=0))', 'stream(seed, "reports")',
        (f"{FILES}::test_a_file_follows_from_seed_and_part_alone",),
    ),
    core(
        "counters of a byte overflow", "collection/tallying", "FULL = 255", "FULL = 256",
        (f"{FILES}::test_counters_of_a_byte_are_emptied_in_time",),
    ),
    core(
        "a refused bitmap stays counted", "collection/tallying",
        "lanes[lane + np.uintp(j)] -= spread", "lanes[lane + np.uintp(j)] += spread",
        (f"{FILES}::test_bitmaps_with_another_number_of_bits_are_refused",),
    ),
    core(
        "any report is counted", "collection/tallying",
        "elif number >= size[view]:", "elif number > size[view]:",
        (f"{FILES}::test_a_number_that_no_report_is_is_refused",),
    ),
    core(
        "a file of another plan is counted", "collection/report_files",
        "if found != wanted:", "if len(found) != len(wanted):",
        (f"{FILES}::test_a_file_of_another_plan_is_refused",),
    ),
    core(
        "a batch counts as often as it is seen", "collection/states",
        "if names <= counted:", "if not names:",
        (f"{STATES}::test_merging_is_commutative_associative_and_idempotent",),
    ),
    core(
        "a batch may change its content", "collection/states",
        "if contents.setdefault(name, sha) != sha:", "if False:",
        (f"{STATES}::test_a_batch_with_two_contents_and_another_plan_are_refused",), in_ci=True,
    ),
    core(
        "a state is believed", "collection/states",
        "if np.any(tally.support > np.repeat(tally.people, sizes)):", "if False:", (STATES,),
    ),
    core(
        "a plan forgets how people divide", "planning/plan_file",
        '"weights": plan.weights,', '"weights": (),', (f"{PLANS}::test_a_plan_is_read_back_as_it_was",),
    ),
    core(
        "people at the end of the file do not report", "collection/parts",
        "if have and domain is not None:", "if False:", (f"{COMMANDS}::test_chunks_are_cut_to_parts",),
    ),
    core(
        "a folder of reports is written into again", "collection/parts",
        'if any(folder.glob(f"*{SUFFIX}")):', "if False:",
        (f"{COMMANDS}::test_a_wrong_call_is_one_line",),
    ),
)  # fmt: skip
