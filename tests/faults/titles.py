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
        "return escape.distinct(found, width)[domain.names.index(name)]",
        "return found[domain.names.index(name)]",
        (f"{NAMING}test_short_titles_fit_and_no_two_are_alike",),
    ),
    app(
        "short titles that begin alike are numbered",
        "ui/naming",
        "text if found.count(text) == 1 else _ending(domain, other, width)",
        "text",
        (f"{NAMING}test_short_titles_are_given_or_the_first_words_and_never_two_alike",),
    ),
    app(
        "a short title is longer than asked for the sign that it goes on",
        "ui/naming",
        "said[: width if asks else width + 1]",
        "said[: width + 1]",
        (f"{NAMING}test_a_question_that_goes_on_is_cut_between_words_for_its_sign_too",),
    ),
    app(
        "a number makes a name longer than there is room",
        "ui/escape",
        "max(1, width - len(tail))",
        "width",
        (f"{NAMING}test_names_told_apart_fit",),
    ),
    app(
        "the title of a table writes a column's name with a capital",
        "words/marginals",
        "if names[len(names) > 2] not in written:",
        "if True:",
        (f"{NAMING}test_the_title_of_a_table_leaves_names_of_columns_as_they_are_written",),
    ),
    app(
        "a long name of a column is written small",
        "ui/naming",
        "return tuple(text if as_written(domain, name) else _small(text)",
        "return tuple(text if text == name else _small(text)",
        (f"{NAMING}test_the_title_of_a_table_leaves_names_of_columns_as_they_are_written",),
    ),
    app(
        "named values of 0 and 1 are no and yes",
        "ui/naming",
        "names = tuple(text.strip().lower() for text in domain.value_names_of(name))",
        "names = tuple(text.strip().lower() for text in domain.labels_of(name))",
        (f"{NAMING}test_values_are_called_by_their_names_else_no_and_yes_else_their_labels",),
    ),
)
