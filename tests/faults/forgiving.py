"""Faults in what the import forgives: stray marks, old code pages, days that mean never, odd units."""

from tests.faults.mutant import Mutant, core

MEANINGS = "tests/ingest/test_meanings.py"
MOMENTS = "tests/ingest/test_moments.py"
YES_NO = "tests/ingest/test_yes_no.py"
QUOTES = "tests/ingest/test_quotes.py"


def _fault(name: str, file: str, old: str, new: str, *tests: str, **more) -> Mutant:
    return core(name, f"ingest/{file}", old, new, tests, **more)


MUTANTS = (
    _fault(
        "a mark that quotes nothing swallows lines", "readers/quotes",
        "if self._is_sound(np.frombuffer(content, np.uint8)):", "if True:",
        f"{QUOTES}::test_marks_put_in_anywhere_swallow_no_line_and_parts_are_as_the_whole", in_ci=True,
    ),
    _fault(
        "a cell that is not closed yet is taken for one that never is", "readers/quotes",
        "if not final and self._open.match(data, at):", "if False:",
        f"{QUOTES}::test_marks_put_in_anywhere_swallow_no_line_and_parts_are_as_the_whole",
        f"{QUOTES}::test_a_sound_text_stays_as_it_is_whole_and_in_parts",
    ),
    _fault(
        "Gdańsk is in Spain", "readers/code_pages",
        'never = _NEVER if page == "cp1252" else None', "never = None",
        "tests/ingest/test_code_pages.py::test_a_few_words_tell_the_code_page",
    ),
    _fault(
        "other code pages are not offered", "readers/code_pages",
        "if not others:", "if others:",
        "tests/ingest/test_code_pages.py::test_where_two_would_do_the_one_taken_is_said_and_the_other_offered",
    ),
    _fault(
        "times of typed files lose their clock", "moments",
        "texts = whole.cast(pa.string())", "texts = whole.cast(pa.date32()).cast(pa.string())",
        f"{MOMENTS}::test_times_are_binned_as_the_same_texts_are", in_ci=True,
    ),
    _fault(
        "fractions of a second go unsaid", "moments",
        "if pc.any(pc.not_equal(back, column)).as_py():", "if False:",
        f"{MOMENTS}::test_fractions_of_a_second_are_left_away_and_said",
    ),
    _fault(
        "days that mean never stretch the bins", "shaping",
        "near = weighted_sketch(numbers[is_number & ~apart], counts[is_number & ~apart])", "near = sketch",
        f"{MEANINGS}::test_a_day_that_means_never_is_offered_as_missing_and_bins_are_those_of_the_others",
    ),
    _fault(
        "zeros among dates are values", "detect_dates",
        "nothing |= is_no_date(found.texts)", "pass",
        f"{MEANINGS}::test_zeros_among_dates_are_no_date",
    ),
    _fault(
        "a slip among dates of eight digits makes them numbers", "detect_dates",
        "if other.any() and (", "if other.any() or (",
        f"{MEANINGS}::test_slips_among_dates_of_eight_digits_make_them_no_numbers",
    ),
    _fault(
        "whatever is highest and 99 is a code", "values/markers",
        "rows >= LEAST_SPIKE and rows > OFTEN * usual", "rows >= LEAST_SPIKE",
        f"{MEANINGS}::test_codes_that_stand_out_are_offered_as_missing",
    ),
    _fault(
        "fifty cents are fifty euros", "values/affixes",
        "return 1.0 if main in CENTS else 100.0", "return 1.0",
        f"{MEANINGS}::test_compound_units_and_cents", in_ci=True,
    ),
    _fault(
        "numbers are no names", "readers/sniff",
        "votes += 1 if differ and _unlike(cell, below) else -1", "votes -= 1",
        "tests/bad_files/test_bad_files.py::test_odd_file_is_read_and_accounted_for[doses.csv]",
    ),
    _fault(
        "two named values are told as no and yes", "findings",
        "if _as_yes_no(two) else two", "if two else two",
        f"{MEANINGS}::test_two_values_with_names_are_told_by_them",
    ),
    _fault(
        "north and south are no and yes", "values/variants",
        "for pair in (*YES_NO, *letters):", "for pair in (*YES_NO, *LETTER_PAIRS):",
        f"{YES_NO}::test_letters_are_themselves_until_somebody_names_them",
    ),
    _fault(
        "any words of another column name the letters", "detect",
        "for pair, known in LETTER_PAIRS.items() if known & words)", "for pair in LETTER_PAIRS if words)",
        f"{YES_NO}::test_letters_of_another_language_stay",
    ),
    _fault(
        "letters are named without a word", "findings",
        "if sentence := letters_named(column):", "if sentence := \"\":",
        f"{YES_NO}::test_words_of_another_column_show_the_language_and_that_is_said",
    ),
    _fault(
        "on and off are shown as yes and no", "detect_words",
        'labels[:2] == ("off", "on")', "False", f"{YES_NO}::test_on_and_off_keep_their_words",
    ),
    _fault(
        "0 and 1 beside a code stay numbers", "decisions",
        'TWO_VALUED = ("category", "yes/no", "ordered")', 'TWO_VALUED = ("category", "yes/no")',
        f"{YES_NO}::test_zero_and_one_without_their_code_are_no_and_yes",
    ),
    _fault(
        "of many amounts written alike feet and inches are cut, too", "values/amounts",
        'or not _is_usual(texts[0].as_py()):', "or False:",
        "tests/ingest/values/test_amounts.py::test_many_texts_are_read_as_few_are",
    ),
    _fault(
        "an area is a time", "values/composites", r'(?!\d+ ?m\^?[23]$)', "",
        "tests/ingest/values/test_composites.py::test_an_area_is_no_time",
    ),
)  # fmt: skip
