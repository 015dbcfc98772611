"""Faults in background jobs: what outlives whom, what stays on disk, how an end is told."""

from tests.faults.mutant import Mutant, app, core

JOBS = "tests/experiments/test_background.py"
PROCESSES = "tests/experiments/test_processes.py"
IMPORTING = f"{PROCESSES}::test_children_die_with_their_parent_while_they_still_import"
ENDING = f"{PROCESSES}::test_whoever_is_asked_to_end_while_threads_hand_over_work_ends"
FAILING = "tests/experiments/test_failures.py"
PAGES = "tests/app/test_compare_pages.py"

MUTANTS = (
    core(
        "job child outlives a dead parent", "tied/preamble",
        "    end_with_parent(int(parent))\n", "",
        (IMPORTING,),
    ),
    core(
        "a child outlives a dead parent elsewhere than on Linux", "tied/preamble",
        "        threading.Thread(target=_watch, args=(parent,), daemon=True).start()\n", "",
        (f"{PROCESSES}::test_elsewhere_than_on_linux_a_child_looks_after_its_parent_itself",),
    ),
    core(
        "workers outlive a dead parent", "workers",
        '{"__module__": WORKER}', "{}",
        (IMPORTING,),
    ),
    core(
        "the parser outlives a dead parent", "ingest/isolation",
        "            command(WORKER, folder, flags=flags),\n", "            [sys.executable, *flags, str(WORKER), str(folder)],\n",
        (IMPORTING,),
    ),
    core(
        "a request to end leaves locks of the pool taken", "workers",
        "            with uninterrupted():\n                finished, waiting = wait(waiting, TURN_SECONDS, FIRST_COMPLETED)\n",
        "            finished, waiting = wait(waiting, TURN_SECONDS, FIRST_COMPLETED)\n",
        (ENDING,),
    ),
    core(
        "a request to end leaves locks of helpers taken", "tables/counting",
        "    with uninterrupted():\n        others", "    if True:\n        others",
        (ENDING,),
    ),
    core(
        "a request to end is put off for good", "processes",
        "    if noted and not _is_wound_up():\n        raise Interrupted(noted[0])\n", "",
        (f"{FAILING}::test_an_interruption_waits_for_what_must_not_be_left_half_done",),
    ),
    core(
        "a job dies with the thread of the page", "children",
        "self._process = start_lasting(\n                subprocess.Popen,\n", "self._process = subprocess.Popen(\n",
        (f"{PROCESSES}::test_a_job_outlives_the_thread_that_started_it_but_not_the_program",),
    ),
    core(
        "job child not niced", "children",
        "    os.nice(10)\n", "    os.nice(0)\n",
        (f"{JOBS}::test_a_job_gives_way_keeps_its_records_private_and_is_gone_once_cancelled",),
    ),
    core(
        "a request forgets a field", "experiments/background",
        '"seed", "query_kind", "name")', '"seed", "query_kind")',
        (f"{JOBS}::test_the_request_says_all_of_the_experiment",),
    ),
    core(
        "records stay on disk while a job works", "experiments/background",
        '    (folder / "codes.npy").unlink()\n', "    # kept\n",
        (f"{JOBS}::test_a_job_gives_way_keeps_its_records_private_and_is_gone_once_cancelled",),
    ),
    core(
        "others may read what a job writes", "children",
        "    os.umask(0o077)\n", "    os.umask(0o022)\n",
        (f"{JOBS}::test_a_job_gives_way_keeps_its_records_private_and_is_gone_once_cancelled",),
    ),
    core(
        "others may read the records", "scratch",
        "os.open(path, flags, 0o600)", "os.open(path, flags, 0o644)",
        (f"{JOBS}::test_a_job_gives_way_keeps_its_records_private_and_is_gone_once_cancelled",),
    ),
    core(
        "a folder stays after the end", "children",
        "                self._scratch.close()\n", "                pass\n",
        (f"{JOBS}::test_a_killed_child_is_not_finished_and_leaves_nothing",),
    ),
    core(
        "a living server's folder is swept", "scratch",
        "        if held is not None:\n", "        if held is not None or _remove(folder, os.dup(0)) is None:\n",
        (f"{PROCESSES}::test_what_a_killed_process_leaves_is_swept_and_nothing_else",),
    ),
    core(
        "any folder of that name is swept", "scratch",
        "            (folder / OWNER).lstat()\n", "            folder.lstat()\n",
        (f"{PROCESSES}::test_what_a_killed_process_leaves_is_swept_and_nothing_else",),
    ),
    core(
        "others' folders are swept", "scratch",
        " or found.st_uid != os.getuid()", "",
        (f"{PROCESSES}::test_what_others_own_is_not_swept",),
    ),
    core(
        "the command line does not sweep", "cli/__init__",
        "    sweep()\n", "",
        ("tests/cli/test_cli.py::test_the_command_line_sweeps_at_the_start",), in_ci=True,
    ),
    Mutant(
        "the app does not sweep", "app.py",
        "    sweep()\n", "",
        (f"{PROCESSES}::test_the_app_sweeps_at_the_start",),
    ),
    core(
        "a comparison that died looks finished", "experiments/background",
        "if self.succeeded and done == total:", "if self._process.returncode != -9:",
        (f"{JOBS}::test_a_child_that_ends_midway_has_died_for_a_reason",),
    ),
    core(
        "a killed comparison looks stopped by the user", "experiments/background",
        "        if self.cancelled:\n", "        if self._process.returncode < 0:\n",
        (f"{JOBS}::test_a_killed_child_is_not_finished_and_leaves_nothing",),
    ),
    app(
        "the page says nothing of a comparison that died", "panels/compare/outcome",
        '    if state.name == "died":\n', '    if state.name == "dead":\n',
        (f"{PAGES}::test_a_comparison_that_died_is_no_finished_one",),
    ),
    app(
        "an unfinished comparison is exported as a finished one", "panels/compare/outcome",
        "    if not state.unfinished:\n", "    if True:\n",
        (f"{PAGES}::test_only_a_finished_comparison_is_exported_without_remark",),
    ),
    app(
        "the picture of an unfinished comparison has no note", "panels/compare/outcome",
        "guess=guess, note=note)", "guess=guess)",
        (f"{PAGES}::test_a_comparison_that_died_is_no_finished_one",),
    ),
    app(
        "failures are not shown beside the method", "panels/compare/outcome",
        "    if failed:\n", "    if False:\n",
        (f"{PAGES}::test_failures_are_counted_beside_the_method_and_say_why",),
    ),
)  # fmt: skip
