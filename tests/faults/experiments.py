"""Faults in experiments: keys, failures that vanish, files."""

from tests.faults.mutant import app, core

KEYS = "tests/experiments/test_keys.py"
FILES = "tests/test_files.py"
FAILURES = "tests/experiments/test_failures.py"
EXPERIMENTS = "tests/experiments/test_experiments.py"
REPRODUCE = "tests/experiments/test_reproduce.py"

MUTANTS = (
    core(
        "options of a comparison that decide nothing are taken", "experiments/spec",
        "in idle_settings(own).items():", "in {}.items():",
        ("tests/experiments/test_experiments.py::test_method_options_by_text",),
    ),
    core(
        "task key without the seed", "experiments/spec",
        "self.query_kind, self.seed, self.name, repetition]",
        "self.query_kind, self.name, repetition]",
        (f"{KEYS}::test_every_field_of_an_experiment_changes_the_keys",), in_ci=True,
    ),
    core(
        "task key without the number of queries", "experiments/spec",
        "[self.epsilons, self.queries, self.query_kind,", "[self.epsilons, self.query_kind,",
        (f"{KEYS}::test_every_field_of_an_experiment_changes_the_keys",),
    ),
    core(
        "task key without the options", "experiments/spec",
        "method.label, [[key, repr(value)] for key, value in method.options]]", "method.label]",
        (f"{KEYS}::test_every_field_of_a_method_changes_the_keys",),
    ),
    core(
        "classification key without features", "experiments/classification",
        '["classification", self.label, self.features, self.epsilons,',
        '["classification", self.label, self.epsilons,',
        (f"{KEYS}::test_every_field_of_a_classification_changes_the_keys",),
    ),
    core(
        "records of another shape share a key", "experiments/spec",
        "[domain.names, domain.sizes, data.n, *", "[data.n, *",
        (f"{KEYS}::test_keys_tell_names_and_sizes_of_attributes",),
    ),
    core(
        "settings that a figure ignores are read", "experiments/reproduce", "    kind.check(settings)\n", "",
        (f"{REPRODUCE}::test_what_a_figure_would_ignore_is_refused_before_anything_is_written",),
    ),
    core(
        "a figure ignores a setting that it does not say", "experiments/figures_priview",
        '"ns": settings.ns, "epsilons"', '"ns": (), "epsilons"',
        (f"{REPRODUCE}::test_a_figure_has_use_for_what_it_does_not_ignore_and_for_nothing_else",),
    ),
    core(
        "a figure of formulas says it has use for theta only", "experiments/figures_designs",
        '("methods", "repetitions", "queries", "seed", "label", "features")', '("label", "features")',
        (f"{REPRODUCE}::test_a_figure_computed_at_once_looks_at_what_it_does_not_ignore",),
    ),
    core(
        "a quick figure has settings it has no use for", "experiments/figure",
        "for n, v in fewer.items() if n not in self.ignores", "for n, v in fewer.items()",
        (f"{REPRODUCE}::test_a_figure_is_made_quick_in_what_it_has_use_for",),
    ),
    core(
        "more attributes asked about than are there are left out", "experiments/spec",
        "most = max(self.ds, default=self.data.domain.d)", "most = self.data.domain.d",
        (f"{EXPERIMENTS}::test_wrong_experiments_are_refused",),
    ),
    app(
        "comparison ignores n (page)", "panels/compare/request",
        "ns=(settings.n or dataset.n,)", "ns=(dataset.n,)",
        ("tests/app/test_compare_pages.py::test_a_comparison_takes_the_settings_of_the_strip",),
    ),
    app(
        "comparison ignores the seed (page)", "panels/compare/request",
        "seed=settings.seed", "seed=1",
        ("tests/app/test_compare_pages.py::test_a_comparison_takes_the_settings_of_the_strip",),
    ),
    core(
        "comparison ignores n", "experiments/scoring",
        "return use_rows(data, point.n, seed, repetition)", "return data",
        (f"{EXPERIMENTS}::test_repetition_zero_is_a_release",),
    ),
    core(
        "comparison ignores the seed", "experiments/scoring",
        "rng=stream(seed, task.repetition, method.name))", "rng=stream(1, task.repetition, method.name))",
        (f"{EXPERIMENTS}::test_repetition_zero_is_a_release",),
    ),
    core(
        "one query that fails takes the others with it", "experiments/scoring",
        "                found[i] = answer.marginal(query)\n", "                found[i] = answer.marginals(queries)[i]\n",
        (f"{FAILURES}::test_a_query_that_fails_leaves_the_others_of_its_repetition",),
    ),
    core(
        "failed repetitions are not counted", "evaluation/summary",
        'found["failed"] = failed.reindex(found.index, fill_value=0)', 'found["failed"] = 0',
        (f"{FAILURES}::test_failures_are_counted_and_told",),
    ),
    core(
        "settings without any result vanish", "evaluation/summary",
        "    groups = table.groupby(by, sort=False)[value]\n",
        "    table = table.dropna(subset=[value])\n    groups = table.groupby(by, sort=False)[value]\n",
        (f"{FAILURES}::test_repetitions_that_fail_are_counted_by_setting_and_reason",),
    ),
    core(
        "means of survivors unmarked in the picture", "figures/compare",
        "if title in failed else title", "if not failed else title",
        (f"{FAILURES}::test_pictures_mark_means_of_survivors",),
    ),
    core(
        "means of survivors unmarked on the command line", "cli/experiments",
        "{of if row.failed else ''}", "",
        (f"{FAILURES}::test_the_command_line_says_what_failed",),
    ),
    core(
        "wrong options are found out after all the work", "experiments/spec",
        "        method.make(1.0, 1)\n", "",
        (f"{EXPERIMENTS}::test_wrong_options_are_refused_before_the_data_are_read",),
    ),
    core(
        "options a method lacks are ignored", "cli/release",
        "for option in foreign_settings(method, chosen):", "for option in ():",
        (f"{FAILURES}::test_options_a_method_does_not_have_are_refused",),
    ),
    core(
        "shared options a method lacks are ignored silently", "cli/experiments",
        "        if without:\n", "        if False:\n",
        (f"{FAILURES}::test_shared_options_a_method_does_not_have_are_said",),
    ),
    core(
        "an interruption has status 0", "processes",
        "return 128 + self.signal", "return 0",
        (f"{FAILURES}::test_an_interruption_before_any_result_says_so",),
    ),
    core(
        "an interruption that freeing an object swallowed is forgotten", "processes",
        "with attended(say_again):", "with attended(lambda: None):",
        (f"{FAILURES}::test_an_interruption_while_an_object_is_freed_is_heard_at_the_next_turn",),
    ),
    core(
        "what winds up an interrupted work is interrupted", "processes",
        "if received and not _is_wound_up():", "if received:",
        (f"{FAILURES}::test_an_interruption_while_an_object_is_freed_is_heard_at_the_next_turn",),
    ),
    core(
        "a device is replaced", "files",
        "    if not stat.S_ISREG(mode):\n", "    if stat.S_ISFIFO(mode):\n",
        (f"{FILES}::test_what_is_not_an_ordinary_file_is_refused_and_left",),
    ),
    core(
        "a symbolic link is replaced", "files",
        "found = Path(os.path.realpath(path))", "found = path",
        (f"{FILES}::test_links_are_written_through",),
    ),
    core(
        "half a file is left", "files",
        "            partial.unlink()\n", "            pass\n",
        (f"{FILES}::test_a_disk_that_refuses_leaves_the_old_file_and_no_other",),
    ),
    core(
        "written in place", "files",
        'with open(partial, "xb") as file:\n                file.write', 'with open(target, "wb") as file:\n                file.write',
        (f"{FILES}::test_a_disk_that_refuses_leaves_the_old_file_and_no_other",), in_ci=True,
    ),
    core(
        "two processes write one file", "experiments/storage",
        "        with claim(self.out, OUT):\n", "        with told(self.out, OUT):\n",
        (f"{FILES}::test_compare_says_that_another_process_is_at_work",),
    ),
    core(
        "a lock nobody minds", "files",
        "fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)", "held + 0",
        (f"{FILES}::test_a_claim_keeps_others_out_and_goes_with_its_owner",),
    ),
    core(
        "a figure is not drawn as its entry says", "experiments/reproduce",
        "drawn, summary = kind.draw(table, settings)", "drawn, summary = [], None",
        (f"{REPRODUCE}::test_a_new_figure_is_one_entry_that_draws_itself",),
    ),
    core(
        "what a figure comes to is not said", "experiments/reproduce",
        "findings = kind.findings(table, settings)", "findings = {}",
        (f"{REPRODUCE}::test_a_new_figure_is_one_entry_that_draws_itself",),
    ),
    core(
        "what is told by formula is left out of the file", "experiments/reproduce",
        "            table = kind.complete(table, settings)\n", "",
        (f"{REPRODUCE}::test_what_is_measured_is_drawn_as_lines_and_boxes_unless_told",),
    ),
)  # fmt: skip
