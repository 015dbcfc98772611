"""Faults in the app: keys of what is kept, uploads, exports, and what figures say of themselves."""

from tests.faults.mutant import Mutant, app, core

KEYS = "tests/app/test_cache_keys.py::test_no_key_stands_for_two_results"
SETTINGS_KEY = "tests/app/test_cache_keys.py::test_every_setting_decides_the_key_of_a_run_or_is_a_matter_of_looks"


UPLOADS = "tests/app/test_uploads.py::"
EXPORTS = "tests/app/test_exports.py::"
NAMES = "tests/figures/test_figure_names.py::"
WORDS = "tests/app/test_words.py::"
PLAN_PAGE = "tests/app/test_plan_page.py"
PLAN_BROWSER = "tests/browser/test_plan.py"
ROOM_IN_LECTURE = (
    f"{PLAN_BROWSER}::test_in_a_lecture_a_long_reason_leaves_room_for_every_row_however_much_noise_there_is",
)
SHELL = "tests/app/test_shell.py::"
THERE_AND_BACK = "tests/browser/test_there_and_back.py"
CHOICES = "tests/app/test_choices.py"
LECTURE = ("tests/app/test_lecture.py",)
READ = f"{WORDS}test_numbers_read_as_people_write_them"


def _key(name: str, file: str, old: str, new: str, look: str = "runs_of-calm", **more) -> Mutant:
    return app(f"key without {name}", file, old, new, (f"{KEYS}[{look}]",), **more)


def _figure(name: str, file: str, old: str, new: str, test: str, **more) -> Mutant:
    return core(name, f"figures/{file}", old, new, (NAMES + test,), **more)


def _upload(name: str, file: str, old: str, new: str, test: str, **more) -> Mutant:
    return app(name, file, old, new, (UPLOADS + test,), **more)


MEASURED = '''    key = (*data_key(settings), settings.n, settings.seed, settings.k, settings.queries)
    return _OTHERS.get(("calibration"'''
GUESSED = '''    key = (*data_key(settings), settings.n, settings.seed, settings.k, settings.queries)
    return _OTHERS.get(("uniform"'''
DATA = "return settings.source, settings.schema, columns, settings.max_values"
PLAN = 'return ("plan", *data_key(settings), n, settings.seed, *chosen)'
PHONE = "tests/browser/test_phone.py::"
ONE_CELL = "test_tables_that_differ_in_one_cell_are_never_taken_for_each_other"
MENU = "pages/ui/components/menu.js"
FRAME_CSS = "pages/ui/frame.css"
LOST_KEY = (
    "tests/browser/test_keys.py::test_a_key_whose_message_is_lost_is_told_again_and_done_once"
)
SHEET = f"{PHONE}test_the_lab_is_one_line_between_back_and_on_and_its_sheet_is_led_by_keys"

REFUSED = "tests/app/test_refused.py::"
# Takes longer: looks at every page.
SEEN = "tests/browser/test_every_page.py::test_a_page_can_be_read_and_used"

MUTANTS = (
    app(
        "dotted words in a lecture", "ui/terms", "plain(text) if frame.lecture() else dotted(text)",
        "dotted(text)", ("tests/browser/test_learn.py::test_a_lesson_is_read_from_the_back_row",),
    ),
    app(
        "a number without its unit", "words/errors", 'return f"worst: {numbers.points(points)}"',
        'return f"worst: {numbers.points(points, unit=False)}"', (f"{SEEN}[errors]",),
    ),
    app(
        "what a run cut short had to say is lost", "ui/notices", "if found == Notice() and state.get",
        "if False and state.get",
        (REFUSED + "test_what_a_run_that_was_cut_short_had_to_say_is_said_by_the_next",),
    ),
    app(
        "what was said goes when the script runs by itself", "ui/notices",
        '    st.session_state["unheard"] = True\n', "    pass\n",
        (REFUSED + "test_a_part_that_has_the_page_drawn_anew_leaves_what_was_said",),
    ),
    app(
        "a page that ends takes its frame along", "ui/guard", "            raise PageEnded from error", "            st.stop()",
        (REFUSED + "test_around_a_page_that_has_ended_itself_everything_is_drawn",),
    ),
    app(
        "an epsilon of one's own has no place on the slider", "ui/privacy",
        "return tuple(sorted((*others, epsilon)))", "return EPSILONS",
        ("tests/app/test_start_page.py::test_an_epsilon_of_ones_own_is_a_place_of_its_slider",),
    ),
    app(
        "a refusal forgets what was asked", "ui/state", "notices.Refusing(**changes)",
        "notices.Refusing()",
        (REFUSED + "test_a_change_that_is_refused_leaves_buttons_that_work",),
    ),
    app(
        "remedies are offered untried", "ui/refusals", "            check(after)\n", "",
        (REFUSED + "test_the_largest_smaller_value_is_offered_that_works",),
    ),
    app(
        "buttons of a refusal last for one run", "ui/refusals", "        if not told.ways:\n", "        if True:\n",
        (REFUSED + "test_a_refusal_on_screen_is_done_by_its_button_and_undone",),
    ),
    core(
        "key of a run without queries", "settings", "if name not in LOOKS)",
        'if name not in (*LOOKS, "queries"))', (f"{SETTINGS_KEY}[queries]",),
    ),
    core(
        "key of a run without the design", "settings", "if name not in LOOKS)",
        'if name not in (*LOOKS, "design"))', (f"{SETTINGS_KEY}[design]",),
    ),
    _key("max_values (data)", "ui/cached", DATA, DATA.replace("max_values", "schema"), "runs_of-merged columns"),
    _key("source (data)", "ui/cached", DATA, DATA.replace(".source", ".schema")),
    _key("schema (data)", "ui/cached", DATA, DATA.replace(".schema", ".source")),
    _key("columns (data)", "ui/cached", "columns = settings.columns or settings.d", "columns = settings.d"),
    _key("seed (plan)", "ui/cached", PLAN, PLAN.replace("settings.seed", "n")),
    _key("n (plan)", "ui/cached", PLAN, PLAN.replace("n, settings", "settings")),
    _key("data (plan)", "ui/cached", PLAN, PLAN.replace("*data_key(settings), ", "")),
    _key("method settings (plan)", "ui/cached", PLAN, PLAN.replace(", *chosen", "")),
    *(
        _key(
            f"{part} ({name})", "ui/cached", old, old.replace(f", settings.{part}", "", 1),
        )
        for name, old in (("uniform error", GUESSED), ("calibration", MEASURED))
        for part in ("n", "seed", "k", "queries")
    ),
    *(
        _key(f"data ({name})", "ui/cached", old, old.replace("*data_key(settings), ", "", 1))
        for name, old in (("uniform error", GUESSED), ("calibration", MEASURED))
    ),
    _key(
        "settings (predicted spreads)", "ui/spreads", '_key(settings, attrs), make', 'attrs, make',
        "views_of-calm",
    ),
    _key("settings (stages)", "panels/marginals/stages", '"stages", settings.results_key', '"stages", settings.d', "views_of-calm"),
    _key("settings (pairs)", "panels/errors/pairs", '"pairs", settings.results_key', '"pairs", settings.d', "views_of-calm"),
    _key("settings (sources)", "panels/errors/why", '"split", settings.results_key', '"split", settings.d', "views_of-calm"),
    _key("settings (all scores)", "ui/results", '"all scores", settings.results_key', '"all scores", settings.d', "views_of-calm"),
    _key("settings (curves)", "panels/errors/curves", 'f"curve_{name}", settings.results_key', 'f"curve_{name}", (settings.d,)', "views_of-calm"),
    _key("settings (view sizes)", "panels/errors/sizes", '"views", automatic.results_key', '"views", (settings.d,)', "views_of-calm"),
    _key("the plan (prediction)", "ui/warnings", '"planned points", key,', '"planned points", settings.n,'),
    _key("the limit (remedies)", "ui/remedies", "key = (cached.plan_key(settings), limit)", "key = cached.plan_key(settings)", "views_of-calm"),
    _key("n (predictions)", "ui/remedies", "data_key(settings), n, settings.seed, method)", "data_key(settings), settings.seed, method)", "views_of-calm"),
    _key("the plan (figure of the views)", "panels/plan/views", "key = cached.plan_key(settings)", "key = settings.source", "designs_of-calm"),
    _key("what is drawn (figure of errors)", "panels/errors/details", '"pairs", (settings.results_key, metric)', '"pairs", metric', "views_of-calm"),
    _key("epsilon (survey)", "panels/plan/survey", "key = (d, values, n, epsilon, *shared.values())", "key = (d, values, n, *shared.values())", "designs_of-calm"),
    _key("theta (survey)", "panels/plan/survey", "key = (d, values, n, epsilon, *shared.values())", "key = (d, values, n, epsilon, k)", "designs_of-calm"),
    app(
        "key without seed (three worlds)", "panels/worlds/gap", "settings.theta, settings.seed, settings.queries)",
        "settings.theta, settings.queries)",
        (f"{KEYS}[worlds_of-calm]",),
    ),
    core(
        "source of an upload without its name", "settings", 'hexdigest(), _file("file", file), ',
        "hexdigest(), ", (UPLOADS + "test_a_source_is_named_by_all_that_decides_the_table",),
    ),
    core(
        "source of an upload without its reading", "settings", ', _reading("read", read)]', "]",
        (UPLOADS + "test_a_source_is_named_by_all_that_decides_the_table",),
    ),
    core(
        "source of an upload without its content", "settings", "hashlib.sha256(content).hexdigest(), ",
        "", (UPLOADS + "test_a_source_is_named_by_all_that_decides_the_table",),
    ),
    _upload(
        "uploads are kept unchecked", "ui/cached", "parsing.parsed(content, file, options, _usable)",
        "parsing.parsed(content, file, options, lambda t: Source(t, detect_schema(t)))",
        "test_what_cannot_become_a_data_set_is_on_no_shelf",
    ),
    _upload(
        "one usable column is enough", "ui/cached",
        "        parsing.check_attributes(domain, left)\n", "        pass\n",
        "test_refused_files_change_nothing_and_are_not_kept",
    ),
    _upload(
        "the upload in use is let go", "ui/belongings", 'state.get("settings"), state.get("last_good")',
        'state.get("last_good")', "test_the_upload_in_use_is_never_let_go",
    ),
    _upload(
        "the last good upload is let go", "ui/belongings", 'state.get("settings"), state.get("last_good")',
        'state.get("settings")', "test_the_way_back_leads_to_an_upload_that_is_still_here",
    ),
    _upload(
        "a comparison's upload is let go", "ui/belongings", 'state.get("last_good"), compared]', 'state.get("last_good")]',
        "test_a_comparison_keeps_its_upload",
    ),
    _upload(
        "uploads without bound", "ui/shelf", "gone = spare[: max(0, len(things) - most)]", "gone = []",
        "test_the_upload_in_use_is_never_let_go",
    ),
    _upload(
        "schemas are kept unchecked", "ui/cached", "    _encode(settings.changed(schema=digest), schema)\n", "",
        "test_a_damaged_schema_is_refused_and_not_kept",
    ),
    core(
        "schema files are believed", "ingest/column", 'return made(checked(plain, ColumnSchema, "schema", of), ColumnSchema)',
        "return made(plain, ColumnSchema)", ("tests/ingest/test_schema_files.py",),
    ),
    _upload(
        "schemas without bound", "ui/cached", "schema, belongings.SCHEMAS_KEPT)", "schema, 10**6)",
        "test_edited_schemas_are_bounded_and_the_one_in_use_stays",
    ),
    core(
        "a table is known by its beginning", "settings", "hashlib.sha256(content)", "hashlib.sha256(content[:1000])",
        (UPLOADS + ONE_CELL,),
    ),
    _upload(
        "shares of values are another table's", "panels/data/attributes", "(settings.source, settings.schema, names), compute",
        "(settings.schema, names), compute", ONE_CELL,
    ),
    _upload(
        "a run is shown to who lacks its table", "ui/cached", "    _held(settings)\n    found =", "    found =",
        "test_nothing_kept_is_handed_to_who_lacks_the_table[outcome]",
    ),
    _upload(
        "a data set is shown to who lacks its table", "ui/cached",
        "    return _encode(settings, schema(settings))",
        "    return _DATASETS.get(data_key(settings), lambda: encode_table(table(settings)))",
        "test_nothing_kept_is_handed_to_who_lacks_the_table[encoded]",
    ),
    app(
        "true and released exchanged in the cells and their CSV", "panels/marginals/details",
        '{"true": "true share", "estimate": "released share"}',
        '{"true": "released share", "estimate": "true share"}',
        (EXPORTS + "test_true_and_released_in_the_cells_and_their_csv",),
    ),
    app(
        "true and released exchanged in the CSV alone", "panels/marginals/details",
        "csv_text(named(exact.rename(columns=values), attrs))",
        "csv_text(named(exact.rename(columns=dict(zip(values, [*values.values()][::-1]))), attrs))",
        (EXPORTS + "test_true_and_released_in_the_cells_and_their_csv",),
    ),
    app(
        "true and released exchanged in the report", "ui/exports",
        "compare_cells(outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs))",
        "compare_cells(outcome.answer.marginal(attrs), outcome.dataset.marginal(attrs))",
        (EXPORTS + "test_the_report_and_the_errors_say_what_they_hold",),
    ),
    app(
        "notebook of seed 1 (page)", "ui/exports", 'run_settings={"seed": settings.seed',
        'run_settings={"seed": 1', (EXPORTS + "test_the_notebook_repeats_the_very_run",),
    ),
    core(
        "notebook of seed 1", "reports", "{_keywords(run_settings)}", "{_keywords(dict(run_settings, seed=1))}",
        (EXPORTS + "test_the_notebook_repeats_the_very_run",),
    ),
    app(
        "the notebook duplicates the rows of a population", "ui/exports",
        "population=settings.n if settings.drawn else None", "population=None",
        (EXPORTS + "test_the_notebook_repeats_the_very_run",),
    ),
    app(
        "report again repeats the report", "panels/collect/person", 'stream(settings.seed, "report", view, press)',
        'stream(settings.seed, "report", view)',
        ("tests/app/test_collect_page.py::test_another_press_another_view_or_another_seed_is_fresh_noise",),
    ),
    app(
        "reports sent before change with the last", "panels/collect/person",
        "_report(oracle, cell, settings, view, press) for press",
        "_report(oracle, cell, settings, view, presses) for press",
        ("tests/app/test_collect_page.py::test_reports_are_each_a_new_one_and_stay_what_they_were",),
    ),
    _figure(
        "true and released exchanged (cells)", "marginals",
        "true=truth.values.ravel(), estimate=answer.values.ravel()",
        "true=answer.values.ravel(), estimate=truth.values.ravel()",
        "test_bars_called_true_are_true_and_released_ones_released",
    ),
    _figure(
        "true and released exchanged (bars)", "marginals",
        '("true", "True", "true"), ("estimate", "Released", "estimate")',
        '("true", "Released", "true"), ("estimate", "True", "estimate")',
        "test_bars_called_true_are_true_and_released_ones_released",
    ),
    _figure(
        "true and released exchanged (points)", "marginals",
        'x=table["true"], y=table["estimate"]', 'x=table["estimate"], y=table["true"]',
        "test_points_stand_at_the_true_share_across_and_the_released_one_up",
    ),
    _figure(
        "l and m exchanged", "errors", 'x=held["m"], y=held["l"]', 'x=held["l"], y=held["m"]',
        "test_view_sizes_go_up_and_numbers_of_views_across",
        in_ci=True,
    ),
    _figure(
        "l and m exchanged on the axes", "errors", 'figure.update_yaxes(title="l, attributes per view"',
        'figure.update_yaxes(title="m, number of views"',
        "test_view_sizes_go_up_and_numbers_of_views_across",
    ),
    _figure(
        "l and m exchanged in the paper's heatmap", "experiments",
        'part.pivot(index="l", columns="m", values="mean").sort_index(axis=1)',
        'part.pivot(index="m", columns="l", values="mean").sort_index(axis=1)',
        "test_the_papers_heatmap_has_the_same_axes",
    ),
    _figure(
        "l and m exchanged in Table 2", "plan", 'f"{choice.l}, {choice.m}"', 'f"{choice.m}, {choice.l}"',
        "test_table_2_names_l_before_m",
    ),
    _figure(
        "SSE called L1", "errors", '"sse": "SSE (squared shares)"', '"sse": "L1 distance (shares)"',
        "test_the_scale_of_pairs_names_the_measure_shown",
        in_ci=True,
    ),
    _figure(
        "L1 shown for every measure", "errors", "value = getattr(row, metric)", 'value = getattr(row, "l1")',
        "test_the_scale_of_pairs_names_the_measure_shown",
    ),
    _figure(
        "points of the curve are those of its band", "errors", '("points", "measured", measured',
        '("points_low", "measured", measured', "test_axes_of_curves_say_points",
    ),
    _figure(
        "squares of a comparison called points", "compare", "np.sqrt(part)", "part",
        "test_axes_of_the_papers_figures_say_sse_and_those_of_comparisons_points",
    ),
    app(
        "a sentence stands on a page", "panels/collect/counts", "words.collect.COUNTS",
        '"How many of the reports that arrived support each cell"',
        (f"{WORDS}test_sentences_stand_in_words[panels/collect/counts.py]",),
    ),
    app(
        "a page rounds by itself", "panels/marginals/guess", "words.numbers.points(points)", 'f"{points:.2g}"',
        (f"{WORDS}test_numbers_are_rounded_in_one_place[panels/marginals/guess.py]",),
    ),
    app(
        "few people are called nobody", "words/numbers", "if abs(value) >= 0.001 or value == 0", "if True",
        (READ,),
    ),
    app(
        "nearly all people are called all", "words/numbers", "if 0.1 <= share <= 99.9:", "if True:", (READ,),
    ),
    app(
        "astronomical numbers of cells overflow", "words/numbers", "if things < 10**300", "if True", (READ,),
    ),
    app(
        "the bar stays after the work", "ui/progress", "            place.slot.empty()\n\n\ndef", "            pass\n\n\ndef",
        ("tests/app/test_progress.py::test_long_work_says_how_far_it_is_and_has_one_button",),
    ),
    app(
        "the bar overflows", "ui/progress", "min(1.0, done / max(1, total))", "done / max(1, total)",
        ("tests/app/test_progress.py",),
    ),
    app(
        "the bar appears at once", "ui/progress", "started >= SLOW", "started >= -1",
        ("tests/app/test_progress.py::test_work_that_is_not_slow_yet_is_not_told_of",),
    ),
    app(
        "the fence outside its scale", "ui/scales", "ROOM = 1.6", "ROOM = 1.0",
        (f"{PLAN_PAGE}::test_the_fence_has_every_theta_in_points_and_the_scale_has_room_for_it",),
    ),
    app(
        "groups needed said for groups dealt", "ui/scales",
        "sampling = choice.m / question.n", "sampling = planned.sampling_error",
        (f"{PLAN_PAGE}::test_every_state_is_what_algorithm_1_decides",),
    ),
    app(
        "a hidden fence can be moved", "panels/plan/machine",
        ' or state.hidden("theta"):', ":",
        (f"{PLAN_PAGE}::test_a_move_of_the_fence_changes_theta_unless_it_is_hidden_and_the_step",),
    ),
    app(
        "the result lost when settings change", "panels/plan/machine",
        "        at = last\n", "        pass\n",
        (f"{PLAN_PAGE}::test_who_has_seen_the_result_sees_that_of_other_settings",),
    ),
    Mutant(
        "Python hears every move of the fence", "pages/ui/components/plan.js",
        "Math.min(S.at, last(S))\n  S.draw()", "Math.min(S.at, last(S))\n  S.draw()\n  S.tell()",
        (f"{PLAN_BROWSER}::test_the_question_the_steps_and_the_fence",),
    ),
    Mutant(
        "a part of the screen is defined anew for a lecture", "pages/ui/components/connection.py",
        "\"<p class='root' role='alert' hidden></p>\\n\"", "f\"<p class='root{lecture}' role='alert' hidden></p>\\n\"",
        ("tests/test_architecture.py::test_a_part_of_the_screen_has_one_definition",),
    ),
    Mutant(
        "of choices that come together the last is heard only", "pages/ui/components/common.js",
        "[...before, { value, at }].slice(-FEW)", "[{ value, at }]",
        (f"{THERE_AND_BACK}::test_choices_that_reach_the_server_together_are_all_heard",),
    ),
    Mutant(
        "a table loses the attribute that was chosen before", "pages/ui/tables.py",
        "others = [name for name in names", "others = [name for name in domain.names",
        (f"{THERE_AND_BACK}::test_two_attributes_are_taken_from_a_table_at_once",),
    ),
    Mutant(
        "choices are heard again", "pages/ui/components/__init__.py",
        'if choice["at"] > last_heard(key, field):', "if True:", (CHOICES,),
    ),
    Mutant(
        "a choice is given up for the next", "pages/ui/connections.py",
        "            with unbroken():\n", "            if True:\n", (CHOICES,),
    ),
    Mutant(
        "a run takes what is old", "pages/ui/connections.py", "            self._yield_callback()\n", "", (CHOICES,),
    ),
    Mutant(
        "whoever is gone is heard to the end", "pages/ui/connections.py",
        "ask() if wanted and _open_session(context.session_id) is None else None", "None", (CHOICES,),
    ),
    Mutant(
        "an answer stops where the next run begins", "pages/ui/connections.py",
        "wanted and _open_session(context.session_id) is None", "wanted", (CHOICES,),
    ),
    Mutant(
        "two runs answer at once", "pages/ui/connections.py",
        "with _turn(context.session_id) if context is not None else nullcontext():", "with nullcontext():",
        (CHOICES,),
    ),
    Mutant(
        "one visitor waits for another's answer", "pages/ui/connections.py",
        "_turn(context.session_id) if", '_turn("") if', (CHOICES,),
    ),
    Mutant(
        "a fence that goes back before it is answered stays", "pages/ui/components/plan.js",
        "S.index !== S.data.theta || unheard(S)", "S.index !== S.data.theta", (THERE_AND_BACK,),
    ),
    Mutant(
        "an epsilon that goes back before it is answered stays", "pages/ui/components/table.js",
        "index === state.data.index && !state.asked", "index === state.data.index", (THERE_AND_BACK,),
    ),
    Mutant(
        "a card chosen again before it is answered is not", "pages/ui/components/collect.js",
        'onclick: () => state.tell("view", i)', 'onclick: () => i !== state.data.chosen && state.tell("view", i)',
        (THERE_AND_BACK,),
    ),
    Mutant(
        "a key lost with the answer to the one before", "pages/ui/components/plan.js",
        "if (S.waiting || unheard(S)) {", "if (unheard(S)) {",
        (f"{PLAN_BROWSER}::test_the_question_the_steps_and_the_fence",),
    ),
    Mutant(
        "an answer takes away what is being typed", "pages/ui/components/strip.js",
        "!state.dragging && !typing(state.root)) build", "!state.dragging) build",
        ("tests/browser/test_frame.py::test_more_settings_are_typed_checked_and_refused_in_a_sentence",),
    ),
    Mutant(
        "an answer takes away the button that is held down", "pages/ui/components/strip.js",
        "state.late && !state.pressed &&", "state.late &&",
        ("tests/browser/test_frame.py::test_more_settings_are_typed_checked_and_refused_in_a_sentence",),
    ),
    Mutant(
        "losers without their reasons", "pages/ui/components/plan.js",
        "reasons: shown.reasons.slice(0, at)", "reasons: shown.reasons.slice(1, at)",
        (f"{PLAN_BROWSER}::test_the_question_the_steps_and_the_fence",),
    ),
    Mutant(
        "keys told before the last one is answered", "pages/ui/components/keys.js",
        "    if (!waits()) {", "    {",
        ("tests/browser/test_frame.py::test_keys_of_a_lecture_turn_the_screens_and_back",),
    ),
    Mutant(
        "a key that was lost stays lost", "pages/ui/components/keys.js",
        "if (waits()) state.tell(times + 1)", "", (LOST_KEY,),
    ),
    app(
        "a key that is told twice is done twice", "ui/lecture",
        ' and told["at"] != st.session_state.get("key_heard_at")', "", (LOST_KEY,),
    ),
    app(
        "a change of page that keys do not wait for", "ui/lecture",
        '"moving": places.moving()', '"moving": False',
        ("tests/browser/test_frame.py::test_keys_of_a_lecture_turn_the_screens_and_back",),
    ),
    app(
        "a lecture says twice that it is noise, and hides what Plan is about", "plan",
        "    if not frame.lecture():\n        with frame.side():", "    if True:\n        with frame.side():", ROOM_IN_LECTURE,
    ),
    Mutant(
        "a lecture's number covers what is said beside it", "pages/ui/frame.css",
        "margin-right: max(264px, 22vw)", "margin-right: 0", ROOM_IN_LECTURE,
    ),
    app(
        "a reload in a lecture forgets the teacher's own settings", "ui/shell",
        "places.address(places.current(), lecture.link())", "places.address(places.current(), {})", LECTURE,
    ),
    app(
        "a reload in a lecture takes the screen's settings for the teacher's", "ui/lecture",
        "own = st.session_state[\"own\"] = state.teachers()", "own = st.session_state[\"own\"] = {}", LECTURE,
    ),
    app(
        "teacher's settings that cannot be meant are dropped silently", "ui/state",
        "(*st.session_state.get(\"remarks\", ()), *remarks)", "st.session_state.get(\"remarks\", ())", LECTURE,
    ),
    app(
        "keys of a lecture count steps of the page before", "ui/lecture",
        "return count if page == places.current().page else None", "return count", LECTURE,
    ),
    Mutant(
        "a full collection after every rerun", ".streamlit/config.toml",
        "postScriptGC = false", "postScriptGC = true",
        ("tests/app/test_server.py::test_no_full_collection_follows_a_rerun",),
    ),
    Mutant(
        "the sheet stays open when a link of it is followed", MENU,
        "one => one.tagName === \"A\"", "one => one.tagName === \"B\"", (SHEET,),
    ),
    Mutant("the focus is lost with the sheet", MENU, "      state.button.focus()\n", "", (SHEET,)),
    Mutant(
        "links of the sheet lower than a finger", FRAME_CSS,
        ":is(.st-key-sections, .st-key-steps) a { height: 48px !important;",
        ":is(.st-key-sections, .st-key-steps) a { height: 40px !important;", (SHEET,),
    ),
    Mutant(
        "the ways have no names", FRAME_CSS,
        ".st-key-way_on strong { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }",
        ".st-key-way_on strong { display: none; }",
        (f"{PHONE}test_the_lab_is_one_line_between_back_and_on_and_its_sheet_is_led_by_keys",),
    ),
    Mutant(
        "segments lower than a finger", FRAME_CSS,
        ":is(button, summary, [data-testid=\"stNumberInputContainer\"]", ":is([data-testid=\"stNumberInputContainer\"]",
        (f"{SEEN}[collect]",),
    ),
    Mutant(
        "twice enlarged, Plan's scales come after its words", FRAME_CSS,
        "(max-width: 760px) and (max-height: 480px)", "(max-width: 760px) and (max-height: 80px)",
        ("tests/browser/test_plan.py::test_twice_enlarged_the_scales_are_there_at_once",),
    ),
    app(
        "names that begin alike break the first rows", "data",
        "escape.distinct(head.columns)", "[escape.short(name) for name in head.columns]",
        ("tests/app/test_data_page.py::test_columns_that_begin_alike_are_told_apart_and_long_texts_are_cut",),
    ),
    app(
        "columns that begin alike are taken for one", "ui/escape",
        "        while name in found:", "        while False:",
        ("tests/app/test_data_page.py::test_columns_that_begin_alike_are_told_apart_and_long_texts_are_cut",),
    ),
    app(
        "names that begin alike get longer and longer", "ui/escape", "short(text, max(1, width - len(tail))) + tail", "name + tail",
        ("tests/app/test_data_page.py::test_columns_that_begin_alike_are_told_apart_and_long_texts_are_cut",),
    ),
    app(
        "a book in a cell is sent to the browser", "data", ".map(escape.brief)", "",
        ("tests/app/test_data_page.py::test_columns_that_begin_alike_are_told_apart_and_long_texts_are_cut",),
    ),
    app(
        "what nobody knows in a link is left out in silence", "ui/state",
        "remarks += (words.settings.unknown_parts(field, strange),)", "pass",
        (f"{SHELL}test_parts_of_a_link_that_nobody_knows_are_left_out_and_said",),
    ),
    app(
        "a link hides what nobody knows", "ui/state", '("pages", words.shared.PAGES), ("hide", HIDEABLE))', '("pages", words.shared.PAGES),)',
        (f"{SHELL}test_parts_of_a_link_that_nobody_knows_are_left_out_and_said",),
    ),
    app(
        "a link does not hide what only the page Data or Tables has", "ui/state", '*words.settings.HIDEABLE, "exports"}', "*words.settings.HIDEABLE}",
        (f"{SHELL}test_parts_of_a_link_that_nobody_knows_are_left_out_and_said",),
    ),
    app(
        "a guess that is better is said to do nearly as well", "words/bands",
        "if error > guess and numbers.points(error) != told:", "if False:", ("tests/app/test_words.py::test_which_is_better_is_said",),
    ),
    app(
        "a guess that is shown as alike is said to do better", "words/bands",
        " and numbers.points(error) != told:", ":", ("tests/app/test_words.py::test_which_is_better_is_said",),
    ),
    app(
        "two thresholds under one label", "words/strip", "range(2, numbers.MOST_DIGITS + 1)", "range(2, 3)",
        ("tests/app/test_words.py::test_thresholds_are_told_apart",),
    ),
    app(
        "a guess twice as far off does nearly as well", "words/bands", "error < NEARLY * guess:", "False:",
        ("pages/words/bands.py",),
    ),
)  # fmt: skip
