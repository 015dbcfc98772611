"""Faults between a phone's report and what the wall says of a class."""

from tests.faults.mutant import core

STORE, DURABLE = "tests/classroom/test_store.py", "tests/classroom/test_durable.py"
DEALING, EXPORT = "tests/classroom/test_dealing.py", "tests/classroom/test_export.py"
RESULTS, FORECAST = "tests/classroom/test_results.py", "tests/classroom/test_forecast.py"
SURVEY = "tests/classroom/test_survey.py"

MUTANTS = (
    core(
        "a report sent twice counts twice", "classroom/phones",
        "            return _reply(COUNTED, 200) if spent == SPENT else _reply(WITHDRAWN, 409)\n",
        "            pass\n", (f"{STORE}::test_a_thousand_replays_count_once",), in_ci=True,
    ),
    core(
        "a phone may report anew after it has withdrawn", "classroom/phones",
        "_spend(db, code, ticket, DEAD)", "_spend(db, code, ticket, DEALT)",
        (f"{STORE}::test_a_withdrawn_report_is_gone_and_its_ticket_dead_for_good",),
    ),
    core(
        "somebody else's report can be withdrawn", "classroom/phones",
        "            spent == SPENT\n            and db.execute(", "            db.execute(",
        (f"{STORE}::test_a_withdrawal_takes_one_of_its_own_view",
         f"{STORE}::test_what_was_not_sent_cannot_be_withdrawn"),
    ),
    core(
        "a withdrawal takes one of every view", "classroom/phones",
        "WHERE code = ? AND view = ? AND report = ? AND number > 0",
        "WHERE code = ? AND view >= min(0, ?) AND report = ? AND number > 0",
        (f"{STORE}::test_a_withdrawal_takes_one_of_its_own_view",),
    ),
    core(
        "a report outside the view is counted", "classroom/phones",
        "if not 0 <= int(report) < size:", "if not 0 <= int(report) <= size:",
        (f"{STORE}::test_reports_outside_the_view_are_refused",),
    ),
    core(
        "a phone that asks again is dealt again", "classroom/phones",
        "        if known is None or known[0] == UNUSED:\n            refused",
        "        if known is None or known[0] == UNUSED or state == 'open':\n            refused",
        (f"{STORE}::test_a_view_is_dealt_once_and_before_any_question_is_shown",),
    ),
    core(
        "one phone more than the capacity", "classroom/phones",
        "if joined >= capacity:", "if joined > capacity:",
        (f"{STORE}::test_capacity_holds_against_five_hundred_joins_at_once",),
    ),
    core(
        "who has no card joins all the same", "classroom/phones",
        'if roster == "cards" and known is None:', 'if roster == "card" and known is None:',
        (f"{STORE}::test_only_tickets_on_cards_join",),
    ),
    core(
        "no limit to guessing codes", "classroom/phones",
        "NEW_TICKETS, UNKNOWN_CODES = 200, 50", "NEW_TICKETS, UNKNOWN_CODES = 200, 10**9",
        (f"{STORE}::test_unknown_codes_and_tickets",),
    ),
    core(
        "no limit to new tickets", "classroom/phones",
        "NEW_TICKETS, UNKNOWN_CODES = 200, 50", "NEW_TICKETS, UNKNOWN_CODES = 10**9, 50",
        (f"{STORE}::test_two_hundred_new_tickets_a_second",),
    ),
    core(
        "late phones all get the first view", "classroom/dealing",
        "return int(rng.choice(np.flatnonzero(counts == counts.min())))", "return 0",
        (f"{STORE}::test_views_are_dealt_in_balance_whoever_comes_when",),
    ),
    core(
        "views are dealt in the order of the tickets", "classroom/dealing",
        "return rng.permutation(np.resize(rng.permutation(m), phones))",
        "return np.resize(np.arange(m), phones)",
        (f"{DEALING}::test_every_phone_gets_every_view_equally_often",),
    ),
    core(
        "a view may have any number of cells", "classroom/dealing",
        "while _cells(plan) > MOST_CELLS:", "while _cells(plan) > 10**9:",
        (f"{DEALING}::test_no_view_has_more_than_64_cells_and_every_question_is_asked",),
    ),
    core(
        "smaller views are as many as there can be", "classroom/dealing",
        "m = covering if covering <= most else None", "m = None",
        (f"{DEALING}::test_views_made_smaller_still_cover_every_pair_with_few",
         f"{DEALING}::test_no_view_has_more_than_64_cells_and_every_question_is_asked"),
    ),
    core(
        "odds of a stored plan are not checked", "classroom/dealing",
        'if tuple(f"{oracle.keep:016x}" for oracle in oracles) != stored.keep:', "if False:",
        (f"{DEALING}::test_a_plan_that_no_phone_can_have_been_asked_by_is_refused",),
    ),
    core(
        "an answer before it is on the disk", "classroom/writer",
        '                self._db.execute("COMMIT")\n',
        '                for job in jobs:\n                    self._tell(job)\n'
        '                self._db.execute("COMMIT")\n                return\n',
        (f"{DURABLE}::test_what_waits_is_written_by_one_commit_and_told_after_it",), in_ci=True,
    ),
    core(
        "one request that fails takes the others with it", "classroom/writer",
        "if isinstance(error, sqlite3.Error) and not isinstance(error, sqlite3.IntegrityError):",
        "if isinstance(error, sqlite3.Error):",
        (f"{DURABLE}::test_what_fails_alone_is_undone_alone",),
    ),
    core(
        "half of what failed stays written", "classroom/writer",
        'self._db.execute("ROLLBACK TO job")', 'self._db.execute("SELECT 1")',
        (f"{DURABLE}::test_what_fails_alone_is_undone_alone",),
    ),
    core(
        "who stops forgets what waits", "classroom/writer",
        "self._write([job for job in batch if job is not None])",
        "self._write([job for job in batch if job is not None and going])",
        (f"{DURABLE}::test_a_stopped_writer_has_written_what_waited_and_takes_no_more",),
    ),
    core(
        "commits do not wait for the disk", "classroom/database",
        "PRAGMA synchronous=FULL;", "PRAGMA synchronous=NORMAL;", (f"{STORE}::test_how_the_file_is_written",),
    ),
    core(
        "what is deleted stays in the file", "classroom/database",
        "PRAGMA secure_delete=ON;", "PRAGMA secure_delete=OFF;", (f"{STORE}::test_how_the_file_is_written",),
    ),
    core(
        "what is deleted stays in the log", "classroom/database",
        'database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()', "[(0, 0, 0)]",
        (f"{STORE}::test_a_deleted_survey_leaves_nothing_in_the_file",),
    ),
    core(
        "a file of a newer version is opened", "classroom/database",
        "if version > VERSION:", "if version > VERSION + 1:",
        (f"{DURABLE}::test_a_file_of_a_newer_version_or_another_program_is_left_untouched",),
    ),
    core(
        "nothing is kept where it could not be written, and nobody says so", "classroom/database",
        "self.temporary = self._scratch is not None", "self.temporary = False",
        (f"{DURABLE}::test_where_nothing_can_be_written_a_temporary_file_serves",),
    ),
    core(
        "surveys left open stay open for ever", "classroom/database",
        "return time.time() - written > DAY", "return False",
        (f"{DURABLE}::test_what_was_left_for_over_a_day_is_closed_at_the_start",),
    ),
    core(
        "the wall sees what is not shown", "classroom/wall",
        'return bool(self._row("shown", code)[0])', "return True",
        (f"{STORE}::test_the_wall_sees_only_what_is_shown",), in_ci=True,
    ),
    core(
        "classes of other teachers are pooled", "classroom/wall",
        "USING(teacher, wall, questions, plan, test)", "USING(questions, plan, test)",
        (f"{STORE}::test_another_teachers_class_is_never_pooled",),
    ),
    core(
        "the wall's key opens the desk", "classroom/store",
        'f"SELECT code, {role} FROM surveys ORDER BY rowid DESC"',
        '"SELECT code, wall FROM surveys ORDER BY rowid DESC"',
        (f"{STORE}::test_the_code_opens_nothing_and_a_key_only_its_own_door",),
    ),
    core(
        "any number of wrong keys may be tried", "classroom/store",
        "if self._wrong.reached():", "if False:", (f"{STORE}::test_five_wrong_keys_a_second",),
    ),
    core(
        "tickets outlive the survey", "classroom/desk",
        'db.execute("DELETE FROM tickets WHERE code = ?", (self.code,))\n', "pass\n",
        (f"{STORE}::test_closing_ends_it_for_good",),
    ),
    core(
        "results are shown of hardly anybody", "classroom/desk",
        "if shown and self.progress().reports < FEWEST_REPORTS:", "if False:",
        (f"{STORE}::test_results_are_shown_from_ten_reports_on",),
    ),
    core(
        "marks that turn text round are kept", "classroom/survey",
        "and sign not in BIDI", "", (f"{SURVEY}::test_control_and_bidi_characters_leave_every_text",),
    ),
    core(
        "rows of an export in the order of the cells", "classroom/export",
        "order = check_rng(rng).permutation(len(rows))", "order = range(len(check_rng(rng) and rows))",
        (f"{EXPORT}::test_rows_are_in_random_order",),
    ),
    core(
        "an export says when it was made", "classroom/export",
        "packed.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)",
        "packed.writestr(name, content, zipfile.ZIP_DEFLATED)",
        (f"{EXPORT}::test_what_an_export_says",),
    ),
    core(
        "a changed row of an export is believed", "classroom/export",
        'if row != ["" if cell is None else str(harmless(cell)) for cell in expected]:',
        "if not known:", (f"{EXPORT}::test_a_changed_export_is_refused_in_one_sentence",),
    ),
    core(
        "a file that says it is encrypted ends in an error", "collection/state_files",
        "OSError, RuntimeError,", "OSError,",
        ("tests/collection/test_states.py::test_what_is_no_state_is_refused_in_a_sentence",),
    ),
    core(
        "nine reports say something", "classroom/results",
        "if collected.n < FEWEST_REPORTS:", "if collected.n < FEWEST_REPORTS - 1:",
        (f"{RESULTS}::test_fewer_than_ten_reports_say_nothing",),
    ),
    core(
        "what nobody was asked has a share", "classroom/results",
        "if not all(self.collected.asked(name) for name in names):", "if False:",
        (f"{RESULTS}::test_a_question_or_a_pair_that_nobody_was_asked_is_not_known",),
    ),
    core(
        "what arrived is counted from one view only", "classroom/results",
        "found = found + counts.reshape", "found = counts.reshape",
        (f"{RESULTS}::test_what_arrived_counts_every_view_of_a_question",),
    ),
    core(
        "a link is told by those who say no", "classroom/results",
        "excess.max() - TIED)[-1]", "excess.max() - TIED)[0]",
        (f"{RESULTS}::test_the_direction_of_a_link_between_yes_and_no_is_told_by_yes",),
    ),
    core(
        "an interval cut off at 0 seems half as wide", "classroom/results",
        "return np.maximum(self.high - self.values, self.values - self.low)",
        "return (self.high - self.low) / 2",
        (f"{RESULTS}::test_how_far_an_interval_reaches_is_told_to_its_further_end",),
    ),
    core(
        "between measured classes n itself counts", "classroom/forecast",
        "np.interp(math.log(n), np.log(rows[:, 0]), column)", "np.interp(n, rows[:, 0], column)",
        (f"{FORECAST}::test_between_measured_classes_the_logarithm_of_n_counts",),
    ),
    core(
        "the table serves classes that were not measured", "classroom/forecast",
        "rows is not None and rows[0, 0] <= n <= rows[-1, 0]", "rows is not None",
        (f"{FORECAST}::test_what_was_not_measured_is_simulated_and_the_same_every_time",),
    ),
    core(
        "nobody is told that nothing is known", "inference/shrinkage/answers",
        "if unasked:", "if not query:",
        ("tests/inference/test_calm_plus.py::test_what_nobody_reported_on_may_be_anything",),
    ),
)
