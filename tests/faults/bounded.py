"""Faults in what bounds a server: what uploads may take, whose turn it is, when work of pages ends."""

from tests.faults.mutant import Mutant, app, core

BOMBS = "tests/ingest/test_bombs.py"
TURNS = "tests/app/test_turns.py"
JOBS = "tests/app/test_jobs.py"
REFUSED = f"{BOMBS}::test_a_bomb_is_refused_and_nothing_of_it_stays"
SHELF = "tests/app/test_shelf.py"
SPREADS = "tests/app/test_spreads.py"
BUDGET = "tests/app/test_budget.py::"
DOWNLOADS = "tests/app/test_downloads.py::"
KEEPS = "test_a_session_keeps_parts_that_draw_themselves_and_not_the_runs_they_are_of"
SERVER = "tests/app/test_server.py::"
REMEMBERED = "tests/inference/test_consistency.py::test_of_views_with_many_cells_only_the_last_are_remembered"
ASKING = "tests/app/test_attention.py"
SERVING = "tests/app/test_serving.py::"
PEOPLE = "tests/planning/test_users_needed.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "nobody can leave a table that ripples", "calm_core/inference/nonnegativity.py",
        "        attend()\n", "", (f"{ASKING}::test_a_table_that_ripples_for_long_can_be_left",),
    ),
    app(
        "tables stay with the error that they ended in", "ui/progress",
        "            clear_frames(error.__traceback__)\n", "",
        ("tests/app/test_progress.py::test_tables_of_work_that_failed_do_not_stay_with_its_error",),
    ),
    core(
        "what unpacks is believed to be a table", "ingest/limits",
        "        if size > max(SMALL, self.ratio * packed):\n", "        if False:\n",
        (f"{REFUSED}[lying.csv.gz]",),
    ),
    core(
        "the size in an archive's index is believed", "ingest/readers/excel",
        "    whole.file_size = limits.sheet_bytes + 1\n", "    whole.file_size = info.file_size\n",
        (f"{REFUSED}[lying.xlsx]",),
    ),
    core(
        "cells without a place are not counted", "ingest/readers/excel",
        "    limits.check_sheet(sheet.height, sheet.width)\n", "",
        (f"{REFUSED}[unnumbered.xlsx]",),
    ),
    core(
        "lists are unpacked to be left out", "ingest/readers/parquet",
        "    return kind.num_fields == 0\n", "    return True\n",
        (f"{BOMBS}::test_lists_are_named_and_not_unpacked",),
    ),
    core(
        "who waits for a file cannot leave", "ingest/isolation",
        "                attend()\n", "                pass\n",
        (f"{BOMBS}::test_what_is_raised_by_who_waits_ends_the_child",),
    ),
    core(
        "the table of a child is copied", "ingest/isolation",
        'pa.OSFile if sys.platform == "win32" else pa.memory_map', "pa.OSFile",
        (f"{BOMBS}::test_the_table_is_the_file_that_the_child_left",),
    ),
    core(
        "the parser comes before pages", "ingest/worker",
        "        os.nice(NICENESS)\n", "        pass\n",
        ("tests/ingest/test_isolation.py::test_the_child_is_limited_before_it_parses",),
    ),
    app(
        "first come, first served", "ui/turns",
        "            return busy.count(t.owner) + own, self._served.get(t.owner, 0), t.number\n",
        "            return 0, 0, t.number\n",
        (f"{TURNS}::test_nobody_waits_for_anothers_second",), in_ci=True,
    ),
    app(
        "who has gone is waited for", "ui/turns",
        "if t.at_work or now - t.asked <= self._patience", "if True",
        (f"{TURNS}::test_who_has_gone_is_not_waited_for_but_whoever_works_keeps_the_place",),
    ),
    app(
        "a place is kept by what has failed", "ui/turns",
        "    finally:\n        turns.end(turn)\n", "    finally:\n        pass\n",
        (f"{TURNS}::test_the_place_is_left_however_it_ends",),
    ),
    app(
        "work goes on for a closed tab", "ui/jobs",
        "            if job.missed >= MISSED:\n", "            if False:\n",
        (f"{JOBS}::test_work_ends_when_its_tab_is_closed",),
    ),
    app(
        "work goes on for a page that was left", "ui/jobs",
        "job.session == session and job.page != page", "False",
        (f"{JOBS}::test_work_ends_when_another_page_is_opened",),
    ),
    app(
        "a place is not free when work has ended", "ui/jobs",
        "        self._turns.end(self._turn)\n        return True\n", "        return True\n",
        (f"{JOBS}::test_who_has_ended_leaves_the_place_though_nobody_looks",),
    ),
    core(
        "a job is a session of its own to the scheduler", "children",
        "process_group=0", "start_new_session=True",
        (f"{JOBS}::test_the_nice_child_is_weighed_beside_the_apps_threads",),
    ),
    core(
        "views are weighed again for every number of people", "planning/remedies",
        "        if views not in known:\n", "        if True:\n",
        (f"{PEOPLE}::test_few_sets_of_views_are_weighed_however_many_numbers_of_people_are_tried",),
    ),
    core(
        "a subset is precise only where views share no more", "planning/expected_error",
        "        precision = np.flip(np.cumsum(np.flip(precision, axis), axis), axis)\n", "        pass\n",
        (f"{PEOPLE}::test_errors_of_queries_are_the_sums_over_their_subsets",),
    ),
    app(
        "a class drops each other's measurements", "ui/background",
        "            if key not in self._jobs and not self._room(now):\n", "            if False:\n",
        (f"{SPREADS}::test_the_latest_request_comes_first_and_no_job_drops_one_that_is_waited_for",),
    ),
    app(
        "measuring goes on for a closed tab", "ui/background",
        " and belongings.present(job.session)", "",
        (f"{SPREADS}::test_work_ends_with_the_tab_it_is_for",),
    ),
    app(
        "closed tabs keep runs: the table", "panels/marginals/shown",
        "_drawn(shown.truth, ", "_drawn(outcome.dataset.marginal(attrs), ",
        (f"{SPREADS}::{KEEPS}[marginals]",),
    ),
    app(
        "closed tabs keep runs: three worlds", "panels/worlds/cards",
        "draw = partial(_draw, settings, theirs, ours, attrs)",
        "draw = lambda spread: _draw(settings, spreads.shown(curator, attrs), ours, attrs, spread)",
        (f"{SPREADS}::{KEEPS}[worlds]",),
    ),
    app(
        "every cell is named", "ui/tables",
        "[_name_of(domain, cell) for cell in drawn], (), ()", "names(domain)[0], (), ()",
        ("tests/app/test_tables.py::test_of_a_large_table_only_the_cells_that_are_drawn_have_names",),
    ),
    core(
        "all large indices of views are remembered", "inference/averaging",
        "_small if cells <= KEPT_CELLS else", "_small if cells <= MOST_KEPT else",
        (REMEMBERED,),
    ),
    core(
        "large arrays come from the heap", "processes",
        "        choose(M_MMAP_THRESHOLD, LARGE)\n", "",
        (f"{SERVER}test_large_memory_goes_back_to_the_system_when_it_is_freed",),
    ),
    Mutant(
        "the server keeps what it frees", "app.py", "keep_little_memory()\n", "\n",
        (f"{SERVER}test_the_server_keeps_little_memory_asks_nobody_outside_and_watches_no_files",),
    ),
    core(
        "loops do not ask whether anybody waits", "attention",
        "    if ask is not None:\n", "    if False:\n",
        (f"{ASKING}::test_what_formulas_foresee_asks_too",),
    ),
    app(
        "what is on a screen goes as anything else", "ui/shelf",
        "bool(kept.screens) == shown", "not shown",
        (f"{SHELF}::test_what_an_open_session_shows_goes_last_and_only_where_all_of_it_is_too_heavy",),
    ),
    app(
        "what was on a screen stays for ever", "ui/screens",
        "            self._release(*screen.before)\n", "            pass\n",
        (f"{SHELF}::test_what_is_not_shown_any_more_goes_first",),
    ),
    app(
        "the background takes every core", "ui/background", ", unhelped():", ":",
        (f"{ASKING}::test_what_is_counted_in_the_background_takes_one_core",),
    ),
    core(
        "helpers work for nobody's budget", "tables/counting",
        "            helped(seconds)\n", "",
        (f"{ASKING}::test_what_helpers_count_is_time_of_who_has_it_counted",),
    ),
    app(
        "the names of a million views weigh nothing", "ui/shelf",
        "    if isinstance(value, Domain):\n", "    if isinstance(value, Domain):\n        return 0\n    if False:\n",
        (f"{SHELF}::test_a_result_weighs_what_it_holds_once_and_a_million_parts_are_not_looked_at",),
    ),
    core(
        "every view remembers parts of its own", "tables/domain",
        "        domain = whole()\n", "        domain = None\n",
        ("tests/tables/test_data_types.py::test_parts_of_parts_are_those_of_the_whole_and_hold_nothing_of_it",),
    ),
    app(
        "a page works as long as it likes", "ui/progress",
        "        if self.spent + more > self.most:\n", "        if False:\n",
        ("tests/app/test_budget.py::test_a_page_that_takes_long_is_ended_and_goes_on_when_asked",),
    ),
    app(
        "the strip tries again what took too long", "ui/strip",
        '        st.session_state["unforeseen"] = settings.results_key\n', "",
        ("tests/app/test_budget.py::test_the_number_beside_epsilon_is_left_out_where_it_takes_long_and_not_tried_again",),
    ),
    app(
        "a tab that was closed may come back", "ui/connections",
        "code != GOING_AWAY and ", "",
        ("tests/app/test_serving.py::test_a_connection_that_was_lost_may_come_back_and_a_closed_tab_does_not",),
    ),
    app(
        "a foreign page has the server ask outside, and wait", "ui/serving",
        "    net_util.get_external_ip = nobody\n", "",
        ("tests/app/test_serving.py::test_a_foreign_page_that_wants_to_connect_has_nobody_asked_outside",),
    ),
    Mutant(
        "the server may ask outside", "app.py", "ask_nobody_outside()\n", "\n",
        (f"{SERVER}test_the_server_keeps_little_memory_asks_nobody_outside_and_watches_no_files",),
    ),
    Mutant(
        "runs answer at the same time", "app.py", "connections.answer_in_turn()\n", "\n",
        (f"{SERVER}test_the_server_keeps_little_memory_asks_nobody_outside_and_watches_no_files",),
    ),
    Mutant(
        "files are watched for who comes back", "app.py", "connections.watch_no_files()\n", "\n",
        (f"{SERVER}test_the_server_keeps_little_memory_asks_nobody_outside_and_watches_no_files",),
    ),
    app(
        "who comes back watches files nobody asked for", "ui/connections",
        "    AppSession.register_file_watchers = register_where_wanted\n", "",
        (f"{SERVER}test_no_file_is_watched_nor_by_who_comes_back_unless_asked_for[none]",),
    ),
    app(
        "files are not watched for who comes back and asked for it", "ui/connections",
        "            register(self)\n", "            pass\n",
        (f"{SERVER}test_no_file_is_watched_nor_by_who_comes_back_unless_asked_for[poll]",),
    ),
    app(
        "a tab may send as much at once as it likes", "ui/arriving",
        "        if own > MOST_OF_ONE:\n", "        if False:\n",
        (f"{SERVING}test_of_one_tab_only_so_much_is_on_its_way",),
    ),
    app(
        "what has come is counted for ever", "ui/arriving",
        "            self._coming.remove(one)\n", "            pass\n",
        (f"{SERVING}test_of_one_tab_only_so_much_is_on_its_way",),
    ),
    app(
        "what never says its size is counted as nothing", "ui/serving",
        "if size.isdigit() else most", "if size.isdigit() else 0",
        (f"{SERVING}test_of_one_tab_only_so_much_is_on_its_way",),
    ),
    app(
        "who sends most keeps all others from sending", "ui/arriving",
        "        if size <= own:\n", "        if True:\n",
        (f"{SERVING}test_where_too_much_is_on_its_way_who_sends_most_gives",),
    ),
    app(
        "text breaks the server's end of a connection", "ui/serving",
        'if message.get("text") is not None:', "if False:",
        ("tests/app/test_serving.py::test_text_is_the_end_of_a_connection_that_knows_bytes_only",),
    ),
    app(
        "a connection that is lost while something is sent breaks the server's end", "ui/serving",
        "        with suppress(OSError):\n            await send(message)\n", "        await send(message)\n",
        ("tests/app/test_serving.py::test_who_has_gone_while_something_is_sent_is_told_by_what_is_heard_next",),
    ),
    app(
        "the server's own work is warned of", "ui/cached", "    unseen()\n", "",
        (f"{SERVER}test_what_is_made_ready_while_the_server_starts_warns_of_nothing",),
    ),
    app(
        "a question overtakes the end of the run before", "ui/serving",
        "            await connections.sent(name)\n", "            pass\n",
        ("tests/app/test_serving.py::test_what_is_asked_for_waits_until_the_run_before_is_sent",),
    ),
    app(
        "the next run drops what this one has drawn", "ui/drawing",
        "        connections.deliver()\n", "",
        ("tests/app/test_serving.py::test_a_run_ends_when_its_page_is_on_its_way_where_the_next_already_waits",),
    ),
    app(
        "what is said is taken for sent", "ui/connections",
        "return session is None or session._browser_queue.is_empty()", "return True",
        ("tests/app/test_serving.py::test_a_run_ends_when_its_page_is_on_its_way_where_the_next_already_waits",),
    ),
    app(
        "a run waits for its own end", "ui/connections",
        "    _DRAWN.pop(_OF_SESSION.get(session, \"\"), None)\n", "    pass\n",
        ("tests/app/test_serving.py::test_what_is_asked_for_waits_until_the_run_before_is_sent",),
    ),
    app(
        "all pages are drawn at once", "ui/turns",
        "len(self._inside) < self._places", "True",
        ("tests/app/test_turns.py::test_a_door_lets_few_in_in_their_order_and_who_leaves_makes_room",),
    ),
    app(
        "one who stays long keeps the door shut", "ui/turns",
        "if now - at < self._lease}", "}",
        ("tests/app/test_turns.py::test_a_door_is_not_kept_shut_by_who_stays_long_nor_by_who_goes_away_waiting",),
    ),
    app(
        "the theme is worked out for every run", "ui/theme",
        "        _KEPT[section] = told\n", "",
        ("tests/app/test_server.py::test_the_theme_is_worked_out_once_and_is_streamlits_own",),
    ),
    app(
        "a population is made before it is refused", "panels/data/source",
        "            check_codes(int(n), int(d), UPLOADS.cells)\n", "",
        ("tests/app/test_data_page.py::test_a_population_too_large_to_be_read_is_refused_before_it_is_made",),
    ),
    app(
        "what stands around a page has no budget", "ui/shell",
        "with drawing.one(), in_time():\n", "with drawing.one():\n",
        (f"{BUDGET}test_what_stands_around_a_page_is_within_its_budget",),
    ),
    app(
        "what is there at the start is looked through again and again", "ui/progress",
        "    gc.freeze()\n", "",
        ("tests/app/test_server.py::test_what_is_made_ready_while_the_server_starts_warns_of_nothing",),
    ),
    app(
        "a part drawn by itself has no budget", "ui/guard",
        "                bound()\n", "",
        (f"{BUDGET}test_a_part_drawn_by_itself_has_a_budget_of_its_own",),
    ),
    app(
        "who goes on does not go on with the link's settings", "ui/state",
        "or _linked()[0]", "or Settings()",
        (f"{BUDGET}test_a_link_whose_data_take_long_is_ended_before_it_has_settings",),
    ),
    app(
        "files of a page that is drawn anew are let go", "ui/downloads",
        "            if self._drawing and now - self._swept < LATEST:\n", "            if False:\n",
        (f"{DOWNLOADS}test_what_a_page_offers_is_there_while_it_is_drawn_anew",),
    ),
    app(
        "who is never drawn is waited for", "ui/downloads",
        " if now - began < LONGEST\n", "\n", (f"{DOWNLOADS}test_nobody_is_waited_for_forever",),
    ),
    Mutant(
        "Streamlit lets go of files as it likes", "app.py",
        "        downloads.Sweeper(server.media_file_mgr)\n", "",
        (f"{DOWNLOADS}test_the_server_keeps_its_files_so",),
    ),
    app(
        "a stranger's files push out mine", "ui/raw_files",
        "max(beside, key=beside.__getitem__)", "next(iter(beside))",
        ("tests/app/test_raw_files.py::test_who_sends_much_pushes_out_nobody_else",),
    ),
    Mutant(
        "raw files are kept without bound", "app.py",
        "        raw_files.Bounded(cast(raw_files.Manager, server.uploaded_file_mgr))\n", "",
        (f"{DOWNLOADS}test_the_server_keeps_its_files_so",),
    ),
)  # fmt: skip
