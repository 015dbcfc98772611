"""Faults between report files and answers."""

from tests.faults.mutant import core

FILES = "tests/collection/test_report_files.py"
STATES = "tests/collection/test_states.py"
LINES = "tests/collection/test_report_lines.py"
COUNTED = "tests/evaluation/test_counted_state.py"
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
        "counters of a byte overflow", "collection/tallying", "FULL = 255", "FULL = 270",
        (f"{FILES}::test_counters_of_a_byte_are_emptied_in_time",),
    ),
    core(
        "planes of a bit overflow", "collection/tallying", "FEW = 2**PLANES - 1", "FEW = 2**PLANES + 1",
        (f"{FILES}::test_counters_of_a_byte_are_emptied_in_time",),
    ),
    core(
        "a bitmap may have any number of bits", "collection/tallying",
        "if held != np.uint64(chosen[view]):", "if held > np.uint64(chosen[view]):",
        (f"{FILES}::test_bitmaps_with_another_number_of_bits_are_refused",),
    ),
    core(
        "bits past the last cell are not looked at", "collection/tallying",
        "body[row, np.uintp(w - 1)] & unused[view]", "np.uint64(0)",
        (f"{FILES}::test_bits_that_stand_for_no_cell_are_refused",),
    ),
    core(
        "bits of another view's cells are not looked at", "collection/tallying",
        "for j in range(w, widest):", "for j in range(widest, widest):",
        (f"{FILES}::test_bits_that_stand_for_no_cell_are_refused",),
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
        "a report may come from a file that changes", "collection/report_lines",
        "if digest.hexdigest() != self.sha256:", "if False:",
        (f"{LINES}::test_what_is_counted_is_what_was_hashed",),
    ),
    core(
        "what is written after hashing is counted", "collection/report_lines",
        "min(BLOCK, self._size - start)", "BLOCK", (f"{LINES}::test_what_is_counted_is_what_was_hashed",),
    ),
    core(
        "the end of a long line is another line", "collection/report_lines",
        'rest, cut = b"", True', 'rest, cut = b"", False',
        (f"{LINES}::test_a_line_without_end_is_refused_and_never_held",),
    ),
    core(
        "a pipe is waited for", "files", "if not stat.S_ISREG(os.stat(path).st_mode):", "if False:",
        (f"{LINES}::test_a_pipe_is_not_waited_for",),
    ),
    core(
        "lines of reports are not listed", "opening",
        "any(name.endswith(REPORTS) for name in files)", "any(name.endswith(REPORTS[0]) for name in files)",
        ("tests/app/test_collection_page.py::test_reports_of_a_form_on_the_web_are_opened_as_those_of_parquet",),
    ),
    core(
        "AM answers from any plan", "methods/all_marginals",
        "if plan.whole and sorted(plan.views) == sorted(combinations(plan.domain.names, plan.l)):", "if True:",
        (f"{COUNTED}::test_all_who_can_answer_do_and_the_others_say_why_not",),
    ),
    core(
        "FC answers from any plan", "methods/full_contingency",
        "if plan.whole and plan.views == (plan.domain.names,):", "if True:",
        (f"{COUNTED}::test_all_who_can_answer_do_and_the_others_say_why_not",),
    ),
    core(
        "groups of a plan are expected to be equal", "methods/all_marginals",
        "1 / (plan.n * share))", "plan.m / plan.n)",
        (f"{COUNTED}::test_what_is_expected_is_what_is_measured",),
    ),
    core(
        "where nobody reported AM divides by nothing", "methods/all_marginals",
        "if not weights:", "if False:", (f"{COUNTED}::test_where_nobody_has_reported_yet_nothing_is_claimed",),
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
        "a person's cell forgets an attribute", "collection/reporting",
        "for step in range(plan.l):", "for step in range(plan.l - 1):",
        (f"{FILES}::test_reports_are_of_everybodys_own_cell",),
    ),
    core(
        "two parts have one name", "collection/reporting",
        'stream(seed, "batch", part)', 'stream(seed, "batch")',
        (f"{FILES}::test_a_file_follows_from_seed_and_part_alone", f"{COMMANDS}::test_from_a_table_to_an_answer"),
    ),
    core(
        "the name of a batch follows from no seed", "collection/reporting",
        'stream(seed, "batch", part)', 'stream(0, "batch", part)',
        (f"{FILES}::test_a_file_follows_from_seed_and_part_alone",),
    ),
    core(
        "too many people for one part", "collection/reporting",
        "if dataset.n > MOST_PEOPLE:", "if False:",
        (f"{FILES}::test_what_a_file_or_a_part_cannot_hold_is_refused",),
    ),
    core(
        "rows with a missing value are dropped without a word", "collection/tallying",
        "self.refused += np.array(rows.refused, dtype=np.int64)", "pass",
        (f"{FILES}::test_missing_values_are_refused_and_nothing_else",),
    ),
    core(
        "a seed stands where nobody draws one", "collection/tallying",
        "left = (asked < 0) & ~spare", "left = asked < 0",
        (f"{FILES}::test_a_seed_where_none_belongs_is_refused",),
    ),
    core(
        "a hash beyond the last bucket", "collection/tallying",
        "else reports) < form.size", "else reports) <= form.size",
        (f"{FILES}::test_a_number_that_no_report_is_is_refused",),
    ),
    core(
        "what is hashed is not what is read", "collection/report_files",
        "source, pre_buffer=False,", "path, pre_buffer=False,",
        (f"{FILES}::test_what_is_hashed_is_what_is_counted",),
    ),
    core(
        "a changed byte is another report", "collection/report_files",
        "page_checksum_verification=True", "page_checksum_verification=False",
        (f"{FILES}::test_a_file_cut_short_or_changed_is_refused_and_never_half_counted",),
    ),
    core(
        "a file may hold another number of reports than it says", "collection/report_files",
        'or about.get("reports") != str(self.reports):', "or False:",
        (f"{FILES}::test_a_file_that_is_not_what_it_says_is_refused",),
    ),
    core(
        "the plan in a file is believed", "collection/report_files",
        'if hashlib.sha256(about["plan"].encode()).hexdigest() != found:', "if False:",
        (f"{FILES}::test_a_file_that_is_not_what_it_says_is_refused",),
    ),
    core(
        "columns of another kind are read", "collection/report_files",
        "if found != columns.types or", "if found.keys() != columns.types.keys() or",
        (f"{FILES}::test_columns_of_another_kind_are_refused",),
    ),
    core(
        "a column that comes twice is read in the place of another", "collection/report_files",
        "or len(schema.names) != len(found):", "or False:",
        (f"{FILES}::test_columns_are_known_by_their_names_and_none_comes_twice",),
    ),
    core(
        "a wrong plan leaves a state that is in the way", "cli/deploying",
        "    if state.batches:\n", "    if True:\n",
        (f"{COMMANDS}::test_a_wrong_plan_leaves_no_state",),
    ),
    core(
        "merging overwrites what another state holds", "cli/deploying",
        "if out.exists() and not load_state(out)", "if False and not load_state(out)",
        (f"{COMMANDS}::test_a_state_is_extended_and_merged",),
    ),
    core(
        "people report into a folder where others have", "collection/parts",
        "    if reports_in(folder):\n", '    if any(folder.glob(f"*{SUFFIX}")):\n',
        (f"{COMMANDS}::test_people_do_not_report_beside_lines_of_others",),
    ),
    core(
        "all room that a file may take is taken at once", "files",
        "content = file.read() if os.fstat(file.fileno()).st_size <= most else None",
        "content = file.read(most + 1)",
        ("tests/test_files.py::test_a_small_file_is_read_in_little_room",),
    ),
    core(
        "a cluster that goes away is a traceback", "workers",
        "except (CancelledError, CommClosedError) as error:", "except KeyError as error:",
        (f"{COMMANDS}::test_a_cluster_that_goes_away_is_a_sentence",),
    ),
    core(
        "a scheduler without a port is asked", "workers",
        "        _check_address(scheduler)\n", "",
        ("tests/experiments/test_experiments.py::test_a_scheduler_that_is_not_there_is_said",),
    ),
    core(
        "a damaged file is a traceback", "collection/report_files",
        "except (pa.ArrowException, OSError, UnicodeDecodeError, IndexError) as error:", "except UnicodeDecodeError as error:",
        (f"{FILES}::test_a_file_cut_short_or_changed_is_refused_and_never_half_counted",),
    ),
    core(
        "a batch counted before is counted again", "collection/tallying",
        "if counted == file.sha256:", "if False:",
        (f"{FILES}::test_a_batch_counted_before_is_not_counted_again",),
    ),
    core(
        "two files of one name and other content count both", "collection/parts",
        "if contents.setdefault(name, sha) == sha:", "if True:",
        (f"{COMMANDS}::test_refused_files_do_not_keep_the_others_from_being_counted",),
    ),
    core(
        "a refused file keeps the others from being counted", "collection/parts",
        "        return str(error)\n", "        raise\n",
        (f"{COMMANDS}::test_refused_files_do_not_keep_the_others_from_being_counted",),
    ),
    core(
        "what is counted is saved at the end alone", "collection/parts",
        "if fresh and time.monotonic() > due:", "if False:",
        (f"{COMMANDS}::test_what_is_counted_is_saved_on_the_way",),
    ),
    core(
        "parts of which one is too large", "collection/parts",
        "each + (part < more)", "each + more * (part < 1)",
        (f"{COMMANDS}::test_chunks_are_cut_to_parts",),
    ),
    core(
        "what a batch shares with a sum counts twice", "collection/states",
        "        if names & counted:", "        if False:",
        (f"{STATES}::test_batches_that_are_too_many_become_one_sum",),
    ),
    core(
        "states of two plans are one", "collection/states",
        "if any(state.plan != plan for state in states):", "if False:",
        (f"{STATES}::test_a_batch_with_two_contents_and_another_plan_are_refused",),
    ),
    core(
        "batches are summed as soon as there are two", "collection/states",
        "if len(tallies) <= max(1, MOST_COUNTS // cells):", "if len(tallies) <= 1:",
        (STATES,),
    ),
    core(
        "a state's plan is not the one it names", "collection/state_files",
        'if about["plan_digest"] != plan_digest(plan):', "if False:", (STATES,),
    ),
    core(
        "counts of a state are cut to whole numbers", "collection/state_files",
        "if not all(type(number) is int for number in numbers):", "if False:", (STATES,),
    ),
    core(
        "a state unpacks to whatever it likes", "collection/state_files",
        "if sum(member.file_size for member in packed.infolist()) > MOST_BYTES:", "if False:", (STATES,),
    ),
    core(
        "a reason nobody knows is kept", "collection/state_files",
        "if set(stored.refused) - set(REASONS) or", "if", (STATES,),
    ),
    core(
        "what was refused is forgotten", "collection/state_files",
        "return Tally(batches, support, people, refused)", "return Tally(batches, support, people)", (STATES,),
    ),
    core(
        "bits of a report stand the other way round", "oracles/form",
        "return np.packbits(reports, axis=1)", 'return np.packbits(reports, axis=1, bitorder="little")',
        (f"{FILES}::test_packed_reports_are_the_reports",),
    ),
    core(
        "numbers lose their highest byte", "oracles/form",
        "bits = self.size if self.bitmap else (self.size - 1).bit_length()",
        "bits = self.size if self.bitmap else min(8, (self.size - 1).bit_length())",
        (f"{FILES}::test_packed_reports_are_the_reports",),
    ),
    core(
        "a killed worker is a traceback", "workers",
        "except TerminatedWorkerError as error:", "except ZeroDivisionError as error:",
        (f"{COMMANDS}::test_a_worker_that_is_killed_is_a_sentence",),
    ),
)  # fmt: skip
