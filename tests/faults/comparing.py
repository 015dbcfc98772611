"""Faults in Errors, Three worlds and Methods: points, sources, remedies, rows."""

from tests.faults.mutant import Mutant, app, core

ERRORS = "tests/app/test_errors_page.py::"
COMPARED = "tests/app/test_compare_pages.py::"
REMEDIES = "tests/app/test_remedies.py::"
OPTIMUM = "tests/evaluation/test_optimum.py"
UNTOLD = "tests/evaluation/test_untold.py::test_what_is_not_told_is_weighed_by_its_chance"
WORLDS_IN_LECTURE = (
    "tests/browser/test_compare.py::test_in_a_lecture_the_worlds_stand_on_one_line_above_the_strip_with_a_long_number",
)
TWELVE = (
    "tests/browser/test_errors.py::test_twelve_attributes_are_seen_at_once_and_of_more_the_worst",
)
PREDICTED = "tests/evaluation/test_prediction.py::"

MUTANTS = (
    app(
        "SSE printed in the cells", "panels/errors/pairs", '100 * (found["sse"] / cells) ** 0.5', 'found["sse"]',
        (ERRORS + "test_the_title_is_the_finding",),
    ),
    app(
        "a number below its bar", "panels/errors/sources", "grid-area: 2 / 1 / auto / -1;", "",
        ("tests/browser/test_errors.py::test_many_attributes_scroll_in_their_box_only",),
    ),
    app(
        "a hint runs into the number beside it", "panels/errors/help",
        "[data-testid=stHtml] :is(b, .band) {", "[data-testid=stHtml] {",
        ("tests/browser/test_errors.py::test_many_attributes_scroll_in_their_box_only",),
    ),
    app(
        "a cell opens nothing", "panels/errors/pairs", 'places.go("marginals")', "pass",
        (ERRORS + "test_a_cell_opens_its_table",), in_ci=True,
    ),
    app(
        "all attributes in a lecture", "panels/errors/pairs", "if not lecture or domain.d <= MOST_IN_LECTURE:",
        "if True:", (ERRORS + "test_a_lecture_names_the_twelve_worst_attributes",),
    ),
    app(
        "the bar shows points, not squares", "panels/errors/why", "scale * found[name], 2)",
        "scale * math.sqrt(found[name]), 2)", (ERRORS + "test_widths_of_the_bar_are_squares",),
    ),
    app(
        "nothing is said of a source below zero", "panels/errors/why", "if found[name] < 0]", "if False]",
        (ERRORS + "test_a_source_below_zero_is_said_and_left_out_of_the_bar",),
    ),
    app(
        "sources are of whole tables", "panels/errors/why", "(parts[name] / cells)", "(parts[name])",
        (ERRORS + "test_the_squares_of_the_sources_add_up_to_that_of_the_typical_error",),
    ),
    app(
        "a remedy makes it worse", "ui/remedies", "for offer in found if _helps(settings, offer)]", "for offer in found]",
        (REMEDIES + "test_what_is_predicted_to_make_it_worse_is_no_remedy",),
    ),
    app(
        "larger errors of larger cells are a remedy", "ui/remedies",
        "return better or offer.points < AS_GOOD * now", "return True",
        (REMEDIES + "test_larger_cells_are_a_remedy_where_that_is_seen",),
    ),
    app(
        "a better band of larger cells is no remedy", "ui/remedies",
        "return better or offer.points", "return offer.points",
        (REMEDIES + "test_larger_cells_are_a_remedy_where_that_is_seen",),
    ),
    app(
        "a remedy gains nothing", "ui/remedies", "LEAST_GAIN, AS_GOOD = 0.99,", "LEAST_GAIN, AS_GOOD = 1.0,",
        (REMEDIES + "test_who_gains_nothing_is_no_remedy",),
    ),
    Mutant(
        "the legend of a card of Three worlds leaves it", "pages/ui/components/table_marks.js",
        "if (said && wide(all) > room) ghosts = false", "", WORLDS_IN_LECTURE,
    ),
    Mutant(
        "names below take the room of rows", "pages/ui/components/pairs.js",
        "narrow ? longest : clamp(", "true ? longest : clamp(", TWELVE,
    ),
    Mutant(
        "rows are as high as the lines of a text", "pages/ui/components/pairs.css", " line-height: 1.25;", "", TWELVE,
    ),
    Mutant(
        "names have as little room beside few cells as beside many", "pages/ui/components/table_bars.js",
        "Math.min(box.width * .4, right - count * f * 2.6)", "0", WORLDS_IN_LECTURE,
    ),
    Mutant(
        "cards of Three worlds are not on one line", "pages/ui/components/worlds.css",
        "grid-template-rows: subgrid; ", "", WORLDS_IN_LECTURE,
    ),
    app(
        "what lies between worlds is measured of rows, where people are drawn", "panels/worlds/gap",
        "dataset = cached.people(settings)\n    grid", "dataset = cached.encoded(settings).dataset\n    grid",
        ("tests/app/test_compare_pages.py::test_a_billion_people_have_three_worlds",),
    ),
    Mutant(
        "three worlds that are refused take the switch with them", "pages/worlds.py",
        "    people = cached.people(settings)\n", "    people = cached.people(settings)\n    cards.runs_of(settings)\n",
        ("tests/app/test_compare_pages.py::test_the_switch_stays_where_the_worlds_are_refused",),
    ),
    app(
        "the price of trust is luck", "panels/worlds/gap", "CURATORS = 10", "CURATORS = 1",
        (COMPARED + "test_the_price_of_trusting_nobody_is_one_sentence",),
    ),
    app(
        "a remedy promises what is", "ui/remedies", "after = settings.changed(**change)", "after = settings",
        (REMEDIES + "test_what_a_remedy_promises_is_the_prediction_with_it",),
    ),
    app(
        "a way out leads to noise", "ui/remedies", "return offer.band not in (None, Band.NOISE)", "return True",
        (REMEDIES + "test_every_way_out_of_noise_is_enough_alone",),
    ),
    app(
        "hidden controls are remedies", "ui/remedies", "if hidden(settings, field):", "if False:",
        (REMEDIES + "test_what_a_teacher_hides_is_no_remedy",),
    ),
    app(
        "a fence that lets nothing in lets groups in", "words/scales", "    if not few_enough:\n", "    if False:\n",
        ("tests/app/test_plan_page.py::test_what_no_number_of_groups_can_do_is_not_said_to_be_done",),
    ),
    app(
        "halves round to even", "words/numbers", "ROUND_HALF_UP)}%", "'ROUND_HALF_EVEN')}%", ("pages/words/numbers.py",),
    ),
    app(
        "the report names CALM's rule for FC", "ui/exports", 'used["nonnegativity"], used', "settings.nonnegativity, used",
        ("tests/app/test_exports.py::test_the_report_names_no_setting_that_its_method_does_not_have",),
    ),
    core(
        "shares are predicted to err more than they can", "methods/calm", "np.minimum(errors, FURTHEST)", "errors",
        (PREDICTED + "test_no_more_is_expected_than_shares_can_err",),
    ),
    core(
        "shares that nothing mends are predicted to err as those that are", "methods/calm", "or not self.rounds", "",
        (PREDICTED + "test_shares_that_nothing_mends_may_err_more",),
    ),
    core(
        "a curator's shares that nothing mends are predicted to err as those that are", "methods/central/priview",
        "super().mends and self.rounds > 0", "super().mends",
        (PREDICTED + "test_shares_that_nothing_mends_may_err_more",),
    ),
    core(
        "a curator's shares are predicted to err more than they can", "methods/central/base",
        "np.minimum(errors, FURTHEST)", "errors", (PREDICTED + "test_no_more_is_expected_of_a_curator_than_shares_can_err",),
    ),
    core(
        "CALM+ is predicted without its prior", "methods/calm_plus", "queries, usual_variance)",
        "queries, lambda order: 1e9)", (PREDICTED + "test_calm_plus_on_a_survey_errs_as_predicted",),
    ),
    core(
        "empty groups divide by nothing", "methods/unbiased", "    if n < m:\n", "    if False:\n",
        (PREDICTED + "test_too_few_people_are_refused_in_a_sentence",),
    ),
    app(
        "squares of tables, not of cells", "panels/compare/outcome", "domain.cells_of(attrs)", "4",
        (COMPARED + "test_points_count_the_cells_of_every_table",),
    ),
    app(
        "methods in any order", "panels/compare/rows", "last if row.points is None else row.points", "0",
        (COMPARED + "test_rows_are_in_order_of_trust_and_points",),
    ),
    app(
        "failures are not told", "panels/compare/rows",
        'note = failed.get(name, "" if known', 'note = ("" if known',
        (COMPARED + "test_rows_are_in_order_of_trust_and_points",),
    ),
    core(
        "the optimum takes people for given", "evaluation/optimum", "(followed + 1 / view.n) * np.diag(f) - np.outer(f, f) / view.n",
        "followed * np.diag(f)", (f"{OPTIMUM}::test_where_reports_say_all_their_noise_is_left",),
    ),
    core(
        "the posterior is its mode", "evaluation/table_posterior", "math.log(rng.random()) < self.value(new)",
        "math.inf < self.value(new)", (f"{OPTIMUM}::test_one_attribute_is_what_an_integral_says",),
    ),
    core(
        "all chances to interact are alike", "evaluation/untold_posterior",
        "np.log([[1 - law.share, law.share] for law in laws]).T", "math.log(0.5)", (UNTOLD,),
    ),
    core(
        "the way back is forgotten", "evaluation/untold_posterior",
        "gain += back.log_density(now, was) - there.log_density(new, strong)", "pass", (UNTOLD,),
    ),
    core(
        "no dependence is as likely as any", "evaluation/untold_posterior",
        "(len(square) - 1) * np.log", "len(square) * np.log", (UNTOLD,),
    ),
    core(
        "stretched coefficients keep their density", "evaluation/untold_posterior",
        " + by * len(where)", "", (UNTOLD,),
    ),
    core(
        "what is usual is taken for the law", "evaluation/optimum", "if known else error", "if True else error",
        ("tests/evaluation/test_untold.py::test_all_meet_the_same_people_whether_it_is_asked_for_or_not",),
    ),
    core(
        "who asks for the best untold meets other people", "evaluation/optimum", "(own,) = rng.spawn(1)", "own = rng",
        ("tests/evaluation/test_untold.py::test_all_meet_the_same_people_whether_it_is_asked_for_or_not",),
    ),
    app(
        "a mended line opens the raw table", "panels/compare/lines", "if label not in METHODS:", "if False:",
        (f"{COMPARED}test_a_mended_line_opens_the_reports_of_its_raw_one",),
    ),
    app(
        "every line is mended", "panels/compare/lines", "(mending and name in UNBIASED)", "name in UNBIASED",
        (f"{COMPARED}test_without_the_choice_nothing_is_mended",),
    ),
)  # fmt: skip
