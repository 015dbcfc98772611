"""Faults in what attributes and values are called on screen."""

from tests.faults.mutant import app, core

TITLES = "tests/ingest/test_titles.py::"
NAMING = "tests/app/test_naming.py::"

MUTANTS = (
    core(
        "names of values by position",
        "ingest/column",
        'names = [named.get(label, "") for label in labels]',
        'names = [*self.value_names, *[""] * len(labels)][: len(labels)]',
        (f"{TITLES}test_values_that_stay_keep_their_names_whatever_becomes_of_the_others",),
        in_ci=True,
    ),
    core(
        "empty titles change the digest",
        "ingest/schema",
        "if value or name not in LEFT_OUT_IF_EMPTY",
        "if True",
        (f"{TITLES}test_files_and_digests_from_before_there_were_names_stay",),
    ),
    core(
        "titles decide equality",
        "tables/domain",
        "titles: tuple[str, ...] | None = field(default=None, compare=False, repr=False)",
        "titles: tuple[str, ...] | None = field(default=None, repr=False)",
        (f"{TITLES}test_names_change_no_number_and_no_name_of_the_library",),
    ),
    core(
        "another kind forgets the title",
        "ingest/editing",
        "return replace(found, title=column.title, short=column.short, value_names=names)",
        "return found",
        (f"{TITLES}test_values_that_stay_keep_their_names_whatever_becomes_of_the_others",),
    ),
    app(
        "two attributes under one short title",
        "ui/naming",
        "return mine if alike == 1 else title(domain, name)",
        "return mine",
        (f"{NAMING}test_short_titles_are_given_or_the_first_words_and_never_two_alike",),
    ),
    app(
        "named values of 0 and 1 are no and yes",
        "ui/naming",
        "names = tuple(text.strip().lower() for text in domain.value_names_of(name))",
        "names = tuple(text.strip().lower() for text in domain.labels_of(name))",
        (f"{NAMING}test_values_are_called_by_their_names_else_no_and_yes_else_their_labels",),
    ),
)
