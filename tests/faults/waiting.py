"""Faults in how long work is told of and stopped, and in what is said where the server is away."""

from tests.faults.mutant import Mutant, app

PROGRESS = "tests/app/test_progress.py::"
FRAME = "tests/browser/test_frame.py::"
BROWSER = "tests/browser/test_waiting.py::"
EVERY = "tests/browser/test_every_page.py::test_a_page_can_be_read_and_used"

MUTANTS = (
    app(
        "each step inside the one before", "ui/progress", "draw(done, total, text or self._text, self._slot)",
        "self._slot = self._slot.progress(min(1.0, done / max(1, total)), text=text or self._text)",
        (f"{PROGRESS}test_two_thousand_steps_on_a_real_page",),
    ),
    app(
        "each step is drawn", "ui/progress", "self._next = self._clock() + PAUSE", "self._next = 0.0",
        (f"{PROGRESS}test_two_thousand_steps_are_shown_in_one_place_and_ten_times_a_second",), in_ci=True,
    ),
    app(
        "work goes on for nobody", "ui/progress", "        gone.set()\n", "",
        (f"{PROGRESS}test_work_ends_where_nobody_waits",),
    ),
    app(
        "a page's other method is gone back to", "ui/cached",
        'if st.session_state.get("settings", settings) == settings:', "if True:",
        (f"{PROGRESS}test_another_method_that_a_page_shows_is_nothing_to_go_back_to",),
    ),
    app(
        "undo stays on the page of a preset", "ui/places", '        st.session_state["go"] = place.page\n', "",
        ("tests/app/test_start_page.py::test_undo_of_a_preset_leads_back_to_where_it_was_chosen",),
    ),
    app(
        "a lesson's settings are taken without a word", "panels/learn/screen",
        "elif refusals.change(changes):", "elif state.change(**changes):",
        ("tests/app/test_learn.py::test_a_lesson_goes_on_after_the_guess_only_and_then_to_the_lab",),
    ),
    app(
        "who comes second sees nothing", "ui/cached", "lambda: _run(settings), partial(wait_turn, key))",
        "lambda: _run(settings))", (f"{BROWSER}test_a_long_collection_says_how_far_it_is_and_can_be_stopped",),
    ),
    app(
        "who comes second is not told how far it is", "ui/progress", "            _AT_WORK[key] = tell\n", "            pass\n",
        (f"{PROGRESS}test_who_comes_second_is_told_that_the_same_is_computed_and_how_far_it_is",),
    ),
    app(
        "one name for all buttons of a run", "ui/progress", "key=next(place.keys)", 'key="stop"',
        (f"{PROGRESS}test_one_run_waits_twice",),
    ),
    app(
        "measurements without the time left", "ui/stepwise", "of {total}, {left}", "of {total}",
        (f"{PROGRESS}test_measurements_say_how_long_the_rest_takes",),
    ),
    app(
        "a phone lacks what is typed", "ui/strip", '        _own("theta", f"{settings.theta:g}"),\n', "",
        ("tests/browser/test_phone.py::test_a_phone_sets_what_a_desk_sets",),
    ),
    Mutant(
        "a true line as faint as the scale", "pages/ui/components/table_marks.css", ".true { stroke: var(--ink);",
        ".true { stroke: var(--line);", (f"{EVERY}[worlds]",),
    ),
    Mutant(
        "a colour that deuteranopes lose", "calm_core/figures/theme.py", '"#009E73", "#B85C93"', '"#009E73", "#CC79A7"',
        ("tests/app/test_colours.py",),
    ),
    Mutant(
        "nobody says that the server is away", "pages/ui/components/connection.js",
        "{ root.hidden = false }", "{ root.hidden = true }",
        (f"{BROWSER}test_where_the_server_is_away_the_page_says_so",),
    ),
    Mutant(
        "a reload forgets how far somebody was", "pages/ui/components/kept.js", 'else tellPython(parentElement, setStateValue, "reached", before)', "",
        (f"{FRAME}test_a_reload_keeps_what_the_rail_has_told",),
    ),
    Mutant(
        "the strip does not hear the points", "pages/ui/components/strip.js", "state.points = event.detail; ", "",
        (f"{FRAME}test_the_strip_says_epsilon_and_points_at_rest_and_while_it_is_moved",),
    ),
    Mutant(
        "the focus leaves the sheet", "pages/ui/components/strip.js", "  to.focus()\n", "",
        ("tests/browser/test_phone.py::test_the_settings_on_a_phone_stand_once_each_and_keep_the_focus",),
    ),
)  # fmt: skip
