"""Faults in the lessons, their sheet and the glossary."""

from tests.faults.mutant import Mutant, app

LEARN = "tests/app/test_learn.py::"


def _lesson(name: str, file: str, old: str, new: str, test: str, **more):
    return app(name, f"panels/learn/{file}", old, new, (LEARN + test,), **more)


MUTANTS = (
    Mutant(
        "the address keeps a step that is none", "pages/learn.py", "    places.change(at=at)\n", "",
        (LEARN + "test_a_lesson_that_is_none_and_a_step_that_is_none_are_answered",),
    ),
    app(
        "two thresholds have one name", "words/strip", "told.count(text) == 1", "True",
        ("pages/words/strip.py",),
    ),
    _lesson(
        "a lecture shows other people than its lesson", "screen", "% MOST_SEEDS\n", "% MOST_SEEDS * frame.lecture()\n",
        "test_a_lecture_shows_the_same_people_as_the_lesson",
    ),
    Mutant(
        "a guess is lost by a reload before its answer", "pages/ui/components/lesson.js",
        "else if (state.data.begins) remember", "else if (state.data.open) remember",
        ("tests/browser/test_learn.py::test_the_guess_is_made_by_keyboard_and_by_choosing",),
    ),
    _lesson(
        "after the last lesson the first begins anew", "screen", "        label, on = SAID.ALL, leave\n",
        '        label, on = SAID.ALL, partial(open_at, "coin", IDEA)\n',
        "test_after_the_last_lesson_are_all_and_no_guess_is_lost",
    ),
    _lesson(
        "asked again for nothing", "limits", ', by_chance=lambda values: values["kind"] != LARGE', "",
        "test_everybody_is_asked_again_where_something_else_can_come_of_it",
    ),
    Mutant(
        "two decimals of any number in a lesson's table", "pages/ui/components/lesson.js", "+value.toPrecision(3)",
        "+value.toFixed(2)", ("tests/browser/test_learn.py::test_the_table_says_what_the_picture_shows",),
    ),
    _lesson(
        "the answer before the guess", "screen", "truth = lesson.truth(press) if at == REVEAL else None",
        "truth = lesson.truth(press) if asks else None",
        "test_the_truth_goes_to_the_browser_with_the_answer_only",
    ),
    _lesson(
        "reports shown while they are guessed", "coin", '["line"] * ICONS', '["released"] * ICONS',
        "test_the_picture_of_a_guess_shows_no_answer",
    ),
    _lesson(
        "a guess is for the lesson that is shown when it is heard", "screen", "hear=partial(hear_guess, lesson)",
        "hear=lambda value: hear_guess(next(one for one in LESSONS if one.key == places.current().lesson), value)",
        "test_a_guess_heard_with_the_way_out_is_kept_for_its_lesson",
    ),
    _lesson(
        "on without a guess", "screen", "disabled=waits", "disabled=False",
        "test_a_lesson_goes_on_after_the_guess_only_and_then_to_the_lab",
    ),
    _lesson(
        "a lesson's epsilon becomes the Lab's at once", "screen", "elif refusals.change(changes):",
        "elif refusals.change({}):", "test_a_lesson_goes_on_after_the_guess_only_and_then_to_the_lab",
    ),
    _lesson(
        "guesses that cannot be made", "lesson", "self.least <= value <= self.most", "True",
        "test_a_guess_is_one_that_can_be_made",
    ),
    _lesson(
        "people dealt as if epsilon was split", "splitting", ".variance(group)", ".variance(PEOPLE)",
        "test_the_exact_answers",
    ),
    _lesson(
        "people dealt are all people", "splitting", "variance(group)) + sampling)", "variance(group)))",
        "test_people_dealt_differ_from_all_by_chance",
    ),
    _lesson(
        "the usual error beside the worst of one collection", "many_answers",
        "off, worst = math.sqrt(np.mean((noisy - true) ** 2)),", "off, worst = typical(questions),",
        "test_the_worst_cell_of_a_collection_is_not_better_than_a_typical_one_of_it",
    ),
    app(
        "one share are below zero", "words/lessons_limits", "plural(below, 'is', 'are')", "'are'",
        (LEARN + "test_one_share_below_zero_is_one_and_none_is_no_contradiction",),
    ),
    app(
        "some shares below zero of none", "words/lessons_limits",
        "found if below else 'no share is below zero this time'", "found",
        (LEARN + "test_one_share_below_zero_is_one_and_none_is_no_contradiction",),
    ),
    app(
        "more accurate with a smaller epsilon", "words/lessons_limits", "if epsilon > other else", "if True else",
        (LEARN + "test_a_large_epsilon_is_told_by_its_numbers",),
    ),
    app(
        "thousands as programs write them", "words/numbers", "if 1 <= abs(value) < 10_000_000:", "if False:",
        (LEARN + "test_a_large_epsilon_is_told_by_its_numbers",),
    ),
    app(
        "a bound below what it bounds", "words/numbers", "_bound(value, ROUND_CEILING)", "_bound(value, ROUND_HALF_UP)",
        (LEARN + "test_bounds_of_beliefs_are_true_and_those_of_the_picture",),
    ),
    app(
        "certainty where rounding brings it", "words/numbers", "0.01 * min(value, 1 - value)", "0.01",
        (LEARN + "test_bounds_of_beliefs_are_true_and_those_of_the_picture",),
    ),
    app(
        "dealing is better whatever the numbers say", "words/lessons", "        if dealt < split\n", "        if True\n",
        (LEARN + "test_the_way_that_is_better_is_told_as_the_numbers_have_it",),
    ),
    app(
        "two errors that differ look alike", "words/numbers", "for count in (2, 3):", "for count in ():",
        (LEARN + "test_the_way_that_is_better_is_told_as_the_numbers_have_it",),
    ),
    Mutant(
        "a mark rounded anew in the browser", "pages/ui/components/lesson.js", "at, text, f, { anchor: right",
        "at, says(y, Math.round(b)), f, { anchor: right",
        ("tests/browser/test_learn.py::test_a_mark_says_what_the_sentence_says",),
    ),
    Mutant(
        "the table names CALM where the picture does not", "pages/ui/components/lesson.js",
        "...picture.legend.map(([, text]) => text)]", '"true", "CALM", "CALM+"]',
        ("tests/browser/test_learn.py::test_the_table_says_what_the_picture_shows",),
    ),
    Mutant(
        "a table of a hundred zeros before the guess", "pages/ui/components/lesson.js", " || picture.data.blank", "",
        ("tests/browser/test_learn.py::test_the_table_says_what_the_picture_shows",),
    ),
    Mutant(
        "a guess comes back for the next visitor", "pages/ui/components/common.js", 'TAB = "sessionStorage"',
        'TAB = "localStorage"',
        ("tests/browser/test_learn.py::test_the_next_visitor_of_a_browser_makes_a_guess_of_her_own",),
    ),
    _lesson(
        "what is usual is said of one collection", "agreement", ", how=TOLD.answer", "",
        "test_what_is_usual_is_not_told_of_one_collection",
    ),
    app(
        "a yes of the coin tells nothing", "words/lessons",
        "It tells a little: the odds that yes is true grow three times, and no more.", "No single yes means anything.",
        (LEARN + "test_a_yes_of_the_coin_tells_what_epsilon_bounds",),
    ),
    _lesson(
        "the rest without those who were not asked", "rest", "math.sqrt(noise + 1 / asked)", "math.sqrt(noise)",
        "test_nobody_errs_less_than_the_best_possible_answer",
    ),
    _lesson(
        "odds the wrong way", "epsilon", "math.exp(-log_odds)", "math.exp(log_odds)",
        "test_the_exact_answers",
    ),
    _lesson(
        "the coin left in", "coin", "float(oracle.estimate(oracle.support(reports), people)[1])",
        "float(reports.mean())", "test_a_quarter_says_yes_by_chance", in_ci=True,
    ),
    _lesson(
        "every code leads to the same lesson", "sheet", '"code": code(link(address, lesson))',
        '"code": code(link(address, LESSONS[0]))',
        "test_the_sheet_has_links_codes_and_answers_of_all_lessons",
    ),
    app(
        "a dotted word's text as HTML", "ui/terms", "text=html.escape(text)", "text=text",
        ("tests/app/test_glossary.py::test_a_dotted_word_shows_its_text_literally",),
    ),
)  # fmt: skip
