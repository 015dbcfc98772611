"""Faults in the command line: options that differ between commands, the bar."""

from tests.faults.mutant import core

DEPLOYING = "tests/cli/test_deploying.py::"
OPTIONS = "tests/cli/test_options.py"
FAILURES = "tests/experiments/test_failures.py"
PROGRESS = "tests/cli/test_progress.py"

BOTH_WAYS = "tests/app/test_schema_both_ways.py"

MUTANTS = (
    core(
        "the order of dates that somebody says is not heard", "ingest/detect",
        "hints = Hints(dialect.decimal, dialect.date_order)", "hints = Hints(dialect.decimal)",
        (f"{BOTH_WAYS}::test_what_is_decided_on_the_command_line_is_decided_in_the_app",),
    ),
    core(
        "a schema is told and written without a saved one", "cli/loading",
        "        if self.schema is not None:\n            found = Schema.load",
        "        if False:\n            found = Schema.load",
        (f"{BOTH_WAYS}::test_what_is_decided_in_the_app_is_decided_on_the_command_line",),
    ),
    core(
        "an option has another default in one command", "cli/experiments",
        "    seed: options.Seed = 1,\n    json:", "    seed: options.Seed = 5,\n    json:",
        (f"{OPTIONS}::test_an_option_has_one_default_or_none[seed]",), in_ci=True,
    ),
    core(
        "the usual k is not among the usual ks", "cli/experiments",
        'k: options.QuerySizeList = "3"', 'k: options.QuerySizeList = "2"',
        (f"{OPTIONS}::test_an_option_has_one_default_or_none[k]",),
    ),
    core(
        "a command declares an option of its own", "cli/experiments",
        "    m: options.ViewCount = None,", "    m: int | None = None,",
        (f"{OPTIONS}::test_an_option_says_the_same_in_every_command[m]",),
    ),
    core(
        "several numbers say something else than one", "cli/options",
        "typer.Option(help=K + SEVERAL)", 'typer.Option(help="Numbers by commas.")',
        (f"{OPTIONS}::test_an_option_says_the_same_in_every_command[k]",),
    ),
    core(
        "an option that nothing is done with is ignored", "cli/options",
        "for name, value in given(context, names).items():", "for name, value in ():",
        (f"{DEPLOYING}test_a_wrong_call_is_one_line",),
    ),
    core(
        "what is named twice is measured twice", "cli/options",
        "found.count(number) > 1", "False", (f"{DEPLOYING}test_a_wrong_call_is_one_line",),
    ),
    core(
        "a plan is written over another", "cli/release",
        "check_target(out, OUT), content,", 'check_target(out, OUT).with_name("none"), content,',
        (f"{DEPLOYING}test_a_plan_with_a_pair_of_its_own_says_so_and_is_not_written_over",),
    ),
    core(
        "the pair of Algorithm 1 is told as that of another plan", "cli/release",
        "if (made.l, made.m) != (choice.l, choice.m):", "if False:",
        (f"{DEPLOYING}test_a_plan_with_a_pair_of_its_own_says_so_and_is_not_written_over",),
    ),
    core(
        "quick does less than was said", "cli/experiments",
        "replace(kind.quick(settings), **said)", "kind.quick(settings)",
        ("tests/experiments/test_reproduce.py",),
    ),
    core(
        "a folder is left where nothing came of it", "files", "                one.rmdir()", "                pass",
        ("tests/test_files.py", f"{DEPLOYING}test_a_wrong_call_is_one_line"),
    ),
    core(
        "more people are planned for than a plan can say", "planning/algorithm1",
        'check_count("n", n, low=2, high=MOST_PEOPLE)', 'check_count("n", n, low=2)',
        (f"{DEPLOYING}test_a_wrong_call_is_one_line",),
    ),
    core(
        "options that a figure ignores are read", "cli/experiments",
        "    _refuse_ignored(context, kind)\n", "", (f"{DEPLOYING}test_a_wrong_call_is_one_line",),
    ),
    core(
        "an option takes fractions in one command", "cli/options",
        "KnownViewSize = Annotated[int,", "KnownViewSize = Annotated[float,",
        (f"{OPTIONS}::test_an_option_takes_the_same_in_every_command[l]",),
    ),
    core(
        "the help does not list the figures", "cli/__init__",
        "app.command(cls=experiments.ListsFigures)(experiments.reproduce)",
        "app.command()(experiments.reproduce)",
        ("tests/cli/test_cli.py::test_the_help_of_reproduce_lists_every_figure_in_its_own_words",),
    ),
    core(
        "a name the terminal cannot write costs the results", "cli/__init__",
        'errors="backslashreplace"', 'errors="strict"',
        ("tests/cli/test_cli.py::test_a_name_the_terminal_cannot_write_is_escaped",),
    ),
    core(
        "a wrong call has status 0", "cli/__init__",
        "        tell([str(error)])\n        status = 2\n",
        "        tell([str(error)])\n        status = 0\n",
        ("tests/cli/test_cli.py::test_a_wrong_call_is_one_line_and_status_2",),
    ),
    core(
        "an interrupted experiment does not say what is kept", "cli/experiments",
        "            if progress.done:\n", "            if not progress.done:\n",
        (f"{FAILURES}::test_an_interrupted_comparison_says_what_is_kept",),
    ),
    core(
        "the bar goes on by one, whatever is done", "cli/progress",
        "update(self.done - self._bar.n)", "update(1)",
        (f"{PROGRESS}::test_the_bar_stands_where_the_event_says",),
    ),
    core(
        "the bar stays when the work is over", "cli/progress",
        "            self._bar.close()\n", "            pass\n",
        (f"{PROGRESS}::test_the_line_is_left_free_where_the_work_fails",),
    ),
    core(
        "too little memory to start is a traceback", "starting",
        "if not (_is_command_line() and lacks_memory(error)):", "if error:",
        ("tests/cli/test_starting.py",),
    ),
    core(
        "a limit of memory that is too low is not looked at", "starting",
        "0 <= _addresses_allowed() < LEAST_ADDRESSES", "False", ("tests/cli/test_starting.py",),
    ),
    core(
        "every child loads the whole library", "__init__", "if TYPE_CHECKING:", "if True:",
        ("tests/cli/test_starting.py::test_a_room_is_entered_without_the_whole_house",),
    ),
    core(
        "importing the library ends the program that does", "starting",
        "if not (_is_command_line() and lacks_memory(error)):", "if not lacks_memory(error):",
        ("tests/cli/test_starting.py",),
    ),
    core(
        "one column is said to bound k", "_checks", "if d == 1 and needed > 1:", "if False:",
        ("tests/cli/test_cli.py::test_one_column_is_refused_in_one_true_sentence",),
    ),
    core(
        "one column is said to bound k in a comparison", "experiments/spec", "if most == 1:", "if False:",
        ("tests/cli/test_cli.py::test_one_column_is_refused_in_one_true_sentence",),
    ),
    core(
        "what decides nothing beside the rest is taken without a word", "cli/release",
        "    for option, why in idle_settings(chosen).items():", "    for option, why in ():",
        ("tests/cli/test_cli.py::test_release_refuses_what_decides_nothing_beside_the_rest",),
    ),
    core(
        "the app's command says what the command line refuses", "settings", "if name not in idle}", "}",
        ("tests/test_settings.py::test_the_command_gives_the_settings_back",),
    ),
)  # fmt: skip
