"""Faults in the table component: what it is given, how far off it says to be, what runs behind it."""

from tests.faults.mutant import Mutant, app, core

DATA = "tests/app/test_tables.py::"
SPREADS = "tests/app/test_spreads.py::"
PAGE = "tests/app/test_tables_page.py::"
BROWSER = "tests/browser/test_table.py::"
PARTS = "pages/ui/components/"
START = "tests/app/test_start_page.py::"

MUTANTS = (
    app(
        "the collection shown is one of 20 others", "panels/marginals/shown",
        "if playing and spread.plays is not None:\n        texts", "if False:\n        texts",
        (f"{PAGE}test_dots_are_called_others_unless_the_collection_shown_is_among_them",),
    ),
    app(
        "a difference does not fit the shares beside it", "words/ranges",
        "{numbers.apart(true, answered)} points", "{numbers.points(100 * abs(answered - true), unit=False)[1:]} points",
        ("tests/app/test_words.py::test_a_difference_is_that_of_the_shares_that_stand_beside_it",),
    ),
    app(
        "a difference in the list of cells does not fit the shares beside it", "panels/marginals/details",
        '(shown["estimate"] - shown["true"]).round', 'shown["difference"].round',
        ("tests/app/test_exports.py::test_true_and_released_in_the_cells_and_their_csv",),
    ),
    Mutant(
        "hardly anybody is nobody below a ranked table", f"{PARTS}table_bars.js", 'share > 0 && share < .0005 ? "<0.1" : ', "",
        (f"{BROWSER}test_no_line_of_the_dot_matrix_goes_through_a_text",),
    ),
    Mutant(
        "imagined collections are played as those made", f"{PARTS}table.js", 'told: "imagining"', 'told: "playing"',
        (f"{BROWSER}test_no_line_of_the_dot_matrix_goes_through_a_text",),
    ),
    Mutant(
        "a list on a phone hides what was released", f"{PARTS}table.css", ".sheet .list th { white-space: normal; }", "",
        (f"{BROWSER}test_no_line_of_the_dot_matrix_goes_through_a_text",),
    ),
    Mutant(
        "segments beside the one chosen lose a side", "pages/ui/frame.css", ':not([aria-checked="true"]) { border-color', ':not([aria-checked]) { border-color',
        (f"{BROWSER}test_no_line_of_the_dot_matrix_goes_through_a_text",),
    ),
    Mutant(
        "a lecture's legend runs under its band", f"{PARTS}table_bars.js", "room: box.room ?? box.width", "room: box.width",
        (f"{BROWSER}test_no_line_of_the_dot_matrix_goes_through_a_text",),
    ),
    Mutant(
        "a lecture's band hides a heading of the list", f"{PARTS}table.css", ".lecture.sheeted > .plot { padding-top: 2.3em; }", "",
        (f"{BROWSER}test_no_line_of_the_dot_matrix_goes_through_a_text",),
    ),
    app(
        "small errors of all tables are none", "panels/marginals/ranking",
        'names["points"]: number(format="%.3g")', 'names["points"]: number(format="%.2f")',
        (f"{PAGE}test_the_list_of_all_tables_opens_the_one_that_is_ticked",),
    ),
    Mutant(
        "few people are drawn as nobody", f"{PARTS}table_marks.js", 'share > 0 && share < .005 ? "<1%" : ', "",
        (f"{BROWSER}test_six_attributes_fit_a_screen_a_phone_and_a_lecture",),
    ),
    app(
        "a range without its last value", "panels/marginals/ranges", "range(ends[0], ends[1] + 1)", "range(*ends)",
        (f"{PAGE}test_values_chosen_on_screen_stand_in_the_address_and_come_back",),
    ),
    app(
        "all values of an attribute are asked about", "panels/marginals/ranges",
        "for c in choice if not c.everybody(domain)", "for c in choice",
        (f"{PAGE}test_values_chosen_on_screen_stand_in_the_address_and_come_back",),
    ),
    app(
        "values that are not there are let go silently", "ui/state",
        "if word not in fitting.inside", "if word in settings.attrs",
        (f"{PAGE}test_a_link_with_values_that_are_not_there_is_told_so_in_a_sentence",),
    ),
    app(
        "HDG answers from the reports of another epsilon", "panels/marginals/ranges",
        'cached.kept_once("hdg", settings.results_key,', 'cached.kept_once("hdg", settings.seed,',
        ("tests/app/test_cache_keys.py::test_no_key_stands_for_two_results[views_of-calm]",),
    ),
    core(
        "values next to each other twice", "tables/chosen", "least = last + 2", "least = last",
        ("tests/test_refusals.py::test_a_wrong_value_is_refused",),
    ),
    core(
        "cells of a range beside it", "tables/ranges", "found[tuple(slice(low, high + 1)", "found[tuple(slice(low, high)",
        ("tests/tables/test_chosen.py",),
    ),
    app(
        "ranked by the truth", "ui/tables", "truth or answer, answer or truth", "truth or answer, truth or answer",
        (f"{DATA}test_a_table_of_64_cells_is_ranked_and_nothing_is_lost",), in_ci=True,
    ),
    app(
        "the cells left out are those drawn", "ui/tables", "rest = order[len(drawn) :]", "rest = order[: len(drawn)]",
        (f"{DATA}test_a_table_of_64_cells_is_ranked_and_nothing_is_lost",),
    ),
    app(
        "ghosts of other cells", "ui/tables", "np.asarray(collections)[:, list(drawn)]", "np.asarray(collections)",
        (f"{PAGE}test_a_table_of_six_attributes_is_ranked",),
    ),
    app(
        "the axis forgets the ghosts", "ui/tables", "float(np.max(true)) + 2 * spread", "float(np.max(true))",
        (f"{DATA}test_the_axis_holds_every_bar_and_has_lines_at_5_10_or_20_percent",),
    ),
    app(
        "all cells of a ghost move together", "ui/tables", 'stream(0, "ghosts", cell)', 'stream(0, "ghosts")',
        (f"{DATA}test_ghosts_have_the_spread_they_are_drawn_with",),
    ),
    app(
        "a spread of a hundred times", "ui/tables", "spread=error / 100", "spread=error",
        (f"{DATA}test_a_step_says_its_points_its_band_and_both_to_a_screen_reader",),
    ),
    app(
        "every epsilon collected with the one chosen", "ui/spreads",
        "        chosen = settings.changed(epsilon=epsilon)\n        method = make_method(chosen.method, **chosen.method_settings)\n        rows",
        "        chosen = settings\n        method = make_method(chosen.method, **chosen.method_settings)\n        rows",
        (f"{SPREADS}test_measured_spreads_are_those_of_twenty_real_collections",),
    ),
    app(
        "measuring without end", "ui/spreads", "or spent > MOST_SECONDS", "or spent < 0",
        (f"{SPREADS}test_what_takes_too_long_stays_predicted",),
    ),
    app(
        "collections shared by all attributes", "ui/spreads", "if usual else settings).results_key, attrs", "if usual else settings).results_key, ()",
        (f"{SPREADS}test_what_is_measured_is_kept_for_one_table_only",),
    ),
    app(
        "work for a page that was left", "ui/background", "return silent <= job.again + self._patience and", "return",
        (f"{SPREADS}test_work_ends_where_nobody_waits",),
    ),
    app(
        "the oldest request first", "ui/background", "next(reversed(self._jobs.items()))", "next(iter(self._jobs.items()))",
        (f"{SPREADS}test_the_latest_request_comes_first_and_no_job_drops_one_that_is_waited_for",),
    ),
    app(
        "a preset stays where it is", "panels/start/presets", "places.depart(preset.page)", 'places.depart("start")',
        (f"{START}test_a_preset_opens_the_page_it_is_about_and_says_what_it_changed",),
    ),
    app(
        "stages on an axis each", "panels/marginals/stages", "    least = min(float(values.min()) for values in shares)", "    least = 0.0",
        (f"{PAGE}test_stages_share_an_axis_that_reaches_below_zero",),
    ),
    Mutant(
        "marks of the table before are moved to fewer cells", f"{PARTS}table.js", "!state.move || state.drawn !== state.data", "!state.move",
        (f"{BROWSER}test_play_shows_twenty_collections_and_pauses",),
    ),
    Mutant(
        "the rim hides how much longer a bar is", f"{PARTS}table_marks.js", "Math.max(released, truth + half + f * .12)", "released",
        (f"{BROWSER}test_which_of_true_and_released_is_more_can_be_seen",),
    ),
    Mutant(
        "lines through texts", f"{PARTS}table_bars.js", "from = level === true ? middles[a] : null", "from = level === true ? middles[a] : from",
        (f"{BROWSER}test_no_line_of_the_dot_matrix_goes_through_a_text",),
    ),
)  # fmt: skip
