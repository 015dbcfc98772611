"""Faults in the classification figure (its label, users and warning), and what the README uses."""

from tests.faults.mutant import core

FILE = "experiments/classification_figure"
TESTS = "tests/experiments/test_classification_figure.py"
CLEAR = (f"{TESTS}::test_a_figure_tells_something_where_training_clearly_gains",)
WARNS = (f"{TESTS}::test_an_uninformative_figure_says_so_and_names_better_labels",)
LABEL = (
    f"{TESTS}::test_a_last_attribute_that_nothing_predicts_gives_way_to_one_that_can_be",
    f"{TESTS}::test_the_last_attribute_stays_where_it_can_be_predicted",
)

MUTANTS = (
    core(
        "a figure tells something whatever the noise of its gain", FILE,
        "2 * found[\"standard_error\"].fillna(0)", "0 * found[\"standard_error\"].fillna(0)",
        CLEAR,
    ),
    core(
        "a figure tells something however small the gain", FILE,
        "np.maximum(LEAST_GAIN, 2", "np.maximum(0.0, 2", CLEAR,
    ),
    core(
        "NoNoise and Majority swapped in the gain", FILE,
        'pairs["Majority"] - pairs["NoNoise"]', 'pairs["NoNoise"] - pairs["Majority"]',
        CLEAR, in_ci=True,
    ),
    core(
        "an uninformative figure is drawn without a warning", FILE,
        "        warn(lines, told)\n", "", WARNS,
    ),
    core(
        "the caption does not warn", FILE,
        'caption = f"{told}. {caption}"', "pass", WARNS,
    ),
    core(
        "the findings do not warn", FILE,
        'if row.informative == "no":', "if False:",
        (f"{TESTS}::test_the_command_line_prints_the_warning", *WARNS),
    ),
    core(
        "the last attribute is the label however little it can be predicted", FILE,
        "features)[0] < LEAST_GAIN:", "features)[0] < -1:", LABEL,
    ),
    core(
        "another label though the last attribute can be predicted", FILE,
        "features)[0] < LEAST_GAIN:", "features)[0] < 1:", LABEL,
    ),
    core(
        "a column said twice is proposed as a label", FILE,
        "gain >= LEAST_GAIN and errs > 0", "gain >= LEAST_GAIN",
        (f"{TESTS}::test_a_label_that_another_column_says_is_not_proposed",),
    ),
    core(
        "the classification figure trains on the rows that happen to be there",
        "experiments/figures_calm", "        for n in settings.ns or USERS\n    ]",
        "        for n in settings.ns or (None,)\n    ]",
        (f"{TESTS}::test_users_are_the_papers_unless_given",),
    ),
    core(
        "an option that the README uses has another name", "cli/options",
        'typer.Option(help="Methods, by commas', 'typer.Option("--those", help="Methods, by commas',
        ("tests/test_readme.py::test_commands_and_options_exist",),
    ),
)  # fmt: skip
