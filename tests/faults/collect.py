"""Faults of the page Collect."""

from tests.faults.mutant import Mutant, app

PAGE = "tests/app/test_collect_page.py::"
RESULTS = "tests/app/test_results_pages.py::"
BROWSER = "tests/browser/test_collect.py::"
SCRIPT = "pages/ui/components/collect.js"

MUTANTS = (
    Mutant(
        "many groups push what is below them under the strip", "pages/ui/components/collect.css",
        "height: 36px; line-height: 1.15;", "height: 41px;",
        (BROWSER + "test_a_card_selects_its_view_by_keyboard_with_one_message",),
    ),
    Mutant(
        "a picture keeps the room it had before something came above it", SCRIPT, "  watchStage(state.watch)\n", "",
        ("tests/browser/test_room.py::test_what_comes_late_does_not_push_a_picture_under_the_strip",),
    ),
    app(
        "cards fill with the reports of other groups", "panels/collect/arrival",
        "LEVELS * came[:, ids] // np.maximum(sizes[ids], 1)",
        "LEVELS * came[:, sorted(ids)] // np.maximum(sizes[sorted(ids)], 1)",
        (f"{PAGE}test_a_card_fills_with_the_reports_of_its_own_group",), in_ci=True,
    ),
    app(
        "shares below zero are cut off", "panels/collect/arrival",
        "return np.rint(PARTS * shares)", "return np.rint(PARTS * shares.clip(0))",
        (f"{PAGE}test_the_last_moment_is_the_run",),
    ),
    app(
        "the axis ends at zero", "panels/collect/arrival",
        "low = min(low, float(seen.released[i].min()), float(seen.others[:, i].min()))", "low = 0.0",
        (f"{PAGE}test_nothing_is_cut_off_and_the_axis_never_grows",),
    ),
    app(
        "a card opens the view that stands in its place in the design", "panels/collect/arrival",
        'choose(views[data["ids"][i]].attrs)', "choose(views[i].attrs)",
        (f"{BROWSER}test_a_card_selects_its_view_by_keyboard_with_one_message",),
    ),
    app(
        "the noise of a cell is told as that of an empty one", "panels/collect/counts",
        "max(1, reports.n), 1 / oracle.size)", "max(1, reports.n))",
        (f"{PAGE}test_the_view_chosen_stays_and_is_left_where_there_is_none",),
    ),
    app(
        "Collect does not say that it shows CALM's collection", "collect", "        warnings.calms_collection(settings)\n", "",
        (f"{RESULTS}test_collect_says_that_it_shows_calms_collection_where_another_method_is_chosen",),
    ),
    app(
        "FC is said to collect as CALM does", "ui/warnings", "issubclass(method, CollectingMethod) and", 'method.trust == "local" and',
        (f"{RESULTS}test_a_method_that_asks_otherwise_than_calm_is_told_apart_on_collect",),
    ),
    app(
        "a curator is not named where nobody reports", "ui/warnings", "else method.trust", 'else "local"',
        (f"{RESULTS}test_collect_says_that_it_shows_calms_collection_where_another_method_is_chosen",),
    ),
    app(
        "the error expected is told as that of this collection", "words/collect",
        '"cell": "expected of a cell"', '"cell": "a typical cell here"',
        (f"{PAGE}test_what_is_expected_is_told_as_expected",),
    ),
    app(
        "the error expected is heard as that of this collection", "words/collect", "{points} points expected, ", "{points} points, ",
        (f"{PAGE}test_what_is_expected_is_told_as_expected",),
    ),
    app(
        "pure noise is called an order", "words/collect", "pure = error > guess", "pure = error > 2 * guess",
        (f"{PAGE}test_the_title_tells_the_moment",),
    ),
    Mutant(
        "the title stays what it was on load", SCRIPT, 'const PLACES = { title: "h1",', "const PLACES = {",
        (f"{BROWSER}test_scrubbing_tells_every_moment_and_asks_nobody",),
    ),
    Mutant(
        "the rail keeps a moment of Collect when it is left", SCRIPT, "    restore(state)\n", "",
        (f"{BROWSER}test_scrubbing_tells_every_moment_and_asks_nobody",),
    ),
    Mutant(
        "what has played to its end says Play", "pages/ui/components/strip.js",
        "over ? words.again : data.play", "data.play",
        (f"{BROWSER}test_the_collection_plays_in_eight_seconds_and_ends_at_the_run",),
    ),
    Mutant(
        "charts of a lecture leave no room for the strip", "pages/ui/components/common.js",
        '"--strip-lecture" : "--strip"', '"--strip-none" : "--strip"',
        (f"{BROWSER}test_a_lecture_stops_at_600_at_6000_and_at_all",),
    ),
    Mutant(
        "marks move although less motion is wanted", SCRIPT, "  if (lessMotion()) {", "  if (false) {",
        (f"{BROWSER}test_the_collection_plays_in_eight_seconds_and_ends_at_the_run",),
    ),
)  # fmt: skip
