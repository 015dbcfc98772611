"""Faults in the app: keys of what is kept, uploads, exports, and what figures say of themselves."""

from tests.faults.mutant import Mutant, app, core

KEYS = "tests/app/test_cache_keys.py::test_no_key_stands_for_two_results"
SETTINGS_KEY = "tests/app/test_cache_keys.py::test_every_setting_decides_the_key_of_a_run_or_is_a_matter_of_looks"


UPLOADS = "tests/app/test_uploads.py::"
EXPORTS = "tests/app/test_exports.py::"
NAMES = "tests/figures/test_figure_names.py::"
WORDS = "tests/app/test_words.py::"
READ = f"{WORDS}test_numbers_read_as_people_write_them"


def _key(name: str, file: str, old: str, new: str, look: str = "runs_of-calm", **more) -> Mutant:
    return app(f"key without {name}", file, old, new, (f"{KEYS}[{look}]",), **more)


def _figure(name: str, file: str, old: str, new: str, test: str) -> Mutant:
    return core(name, f"figures/{file}", old, new, (NAMES + test,), in_ci=True)


def _upload(name: str, file: str, old: str, new: str, test: str, **more) -> Mutant:
    return app(name, file, old, new, (UPLOADS + test,), **more)


MEASURED = '''    key = (*data_key(settings), settings.n, settings.seed, settings.k, settings.queries)
    return _OTHERS.get(("calibration"'''
GUESSED = '''    key = (*data_key(settings), settings.n, settings.seed, settings.k, settings.queries)
    return _OTHERS.get(("uniform"'''
DATA = "return settings.source, settings.schema, columns, settings.max_values"
PLAN = "key = (*data_key(settings), n, settings.seed, *settings.method_settings.values())"

MUTANTS = (
    core(
        "key of a run without queries", "settings", "if name not in LOOKS)",
        'if name not in (*LOOKS, "queries"))', (f"{SETTINGS_KEY}[queries]",), in_ci=True,
    ),
    core(
        "key of a run without the design", "settings", "if name not in LOOKS)",
        'if name not in (*LOOKS, "design"))', (f"{SETTINGS_KEY}[design]",), in_ci=True,
    ),
    _key("max_values (data)", "ui/cached", DATA, DATA.replace("max_values", "schema"), "runs_of-merged columns", in_ci=True),
    _key("source (data)", "ui/cached", DATA, DATA.replace(".source", ".schema")),
    _key("schema (data)", "ui/cached", DATA, DATA.replace(".schema", ".source")),
    _key("columns (data)", "ui/cached", "columns = settings.columns or settings.d", "columns = settings.d"),
    _key("seed (plan)", "ui/cached", PLAN, PLAN.replace("settings.seed", "n"), in_ci=True),
    _key("n (plan)", "ui/cached", PLAN, PLAN.replace("n, settings", "settings")),
    _key("data (plan)", "ui/cached", PLAN, PLAN.replace("*data_key(settings), ", "")),
    _key("method settings (plan)", "ui/cached", PLAN, PLAN.replace(", *settings.method_settings.values()", "")),
    *(
        _key(
            f"{part} ({name})", "ui/cached", old, old.replace(f", settings.{part}", "", 1),
            in_ci=(name, part) in (("uniform error", "k"), ("calibration", "n")),
        )
        for name, old in (("uniform error", GUESSED), ("calibration", MEASURED))
        for part in ("n", "seed", "k", "queries")
    ),
    *(
        _key(f"data ({name})", "ui/cached", old, old.replace("*data_key(settings), ", "", 1))
        for name, old in (("uniform error", GUESSED), ("calibration", MEASURED))
    ),
    _key(
        "attributes (plays)", "panels/marginals/plays", '(settings.results_key, attrs), make', 'attrs, make',
        "views_of-calm",
    ),
    _key("settings (stages)", "panels/marginals/stages", '"stages", settings.results_key', '"stages", settings.d', "views_of-calm"),
    _key("settings (pairs)", "panels/errors/pairs", '"pairs", settings.results_key', '"pairs", settings.d', "views_of-calm"),
    _key("settings (sources)", "panels/errors/sources", '"split", settings.results_key', '"split", settings.d', "views_of-calm"),
    _key("settings (all scores)", "ui/results", '"all scores", settings.results_key', '"all scores", settings.d', "views_of-calm"),
    _key("settings (formula)", "panels/errors/spread", '"analytical", settings.results_key', '"analytical", settings.d', "views_of-ft"),
    _key("settings (curves)", "panels/errors/curves", 'f"curve_{name}", settings.results_key', 'f"curve_{name}", (settings.d,)', "views_of-calm"),
    _key("settings (view sizes)", "panels/errors/sizes", '"views", automatic.results_key', '"views", (settings.d,)', "views_of-calm"),
    _key("the plan (prediction)", "ui/warnings", '"predicted", plan,', '"predicted", plan.n,'),
    _key("the limit (remedies)", "ui/warnings", '"remedies", (plan, limit)', '"remedies", plan', "views_of-calm"),
    _key("epsilon (survey)", "panels/plan/survey", "key = (d, values, n, epsilon, *shared.values())", "key = (d, values, n, *shared.values())", "designs_of-calm"),
    _key("theta (survey)", "panels/plan/survey", "key = (d, values, n, epsilon, *shared.values())", "key = (d, values, n, epsilon, k)", "designs_of-calm"),
    app(
        "key without seed (three worlds)", "worlds", "*asked.values(), *seeded.values())",
        "*asked.values(), settings.queries)",
        (f"{KEYS}[worlds_of-calm]",),
    ),
    core(
        "source of an upload without its name", "settings", 'hexdigest(), _file("file", file), ',
        "hexdigest(), ", (UPLOADS + "test_a_source_is_named_by_all_that_decides_the_table",), in_ci=True,
    ),
    core(
        "source of an upload without its reading", "settings", ', _reading("read", read)]', "]",
        (UPLOADS + "test_a_source_is_named_by_all_that_decides_the_table",), in_ci=True,
    ),
    core(
        "source of an upload without its content", "settings", "hashlib.sha256(content).hexdigest(), ",
        "", (UPLOADS + "test_a_source_is_named_by_all_that_decides_the_table",), in_ci=True,
    ),
    _upload(
        "uploads are kept unchecked", "ui/cached", "_usable(read_table(content, name=file, options=options))",
        "(lambda t: Source(t, detect_schema(t)))(read_table(content, name=file, options=options))",
        "test_what_cannot_become_a_data_set_is_on_no_shelf",
    ),
    _upload(
        "one usable column is enough", "ui/cached",
        "    check_attributes(encode_table(table, schema=detected, d=d).dataset.domain)\n", "    encode_table(table, schema=detected, d=d)\n",
        "test_refused_files_change_nothing_and_are_not_kept",
    ),
    _upload(
        "the upload in use is let go", "ui/cached", 'state.get("settings"), state.get("last_good")',
        'state.get("last_good")', "test_the_upload_in_use_is_never_let_go",
    ),
    _upload(
        "the last good upload is let go", "ui/cached", 'state.get("settings"), state.get("last_good")',
        'state.get("settings")', "test_the_way_back_leads_to_an_upload_that_is_still_here",
    ),
    _upload(
        "a comparison's upload is let go", "ui/cached", 'state.get("last_good"), compared]', 'state.get("last_good")]',
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
        "schema files are believed", "ingest/schema", "ColumnSchema(**_checked(column))",
        "ColumnSchema(**column)", ("tests/ingest/test_schema_files.py",), in_ci=True,
    ),
    _upload(
        "schemas without bound", "ui/cached", "schema, SCHEMAS_KEPT)", "schema, 10**6)",
        "test_edited_schemas_are_bounded_and_the_one_in_use_stays",
    ),
    _upload(
        "a run is shown to who lacks its table", "ui/cached", "    _held(settings)\n    found =", "    found =",
        "test_nothing_kept_is_handed_to_who_lacks_the_table[outcome]", in_ci=True,
    ),
    _upload(
        "a data set is shown to who lacks its table", "ui/cached",
        "    return _encode(settings, schema(settings))",
        "    return _DATASETS.get(data_key(settings), lambda: encode_table(table(settings)))",
        "test_nothing_kept_is_handed_to_who_lacks_the_table[encoded]", in_ci=True,
    ),
    app(
        "true and reconstructed exchanged in the table and its CSV", "panels/marginals/look",
        '{"true": "true share", "estimate": "reconstructed share"}',
        '{"true": "reconstructed share", "estimate": "true share"}',
        (EXPORTS + "test_true_and_reconstructed_in_the_table_and_its_csv",), in_ci=True,
    ),
    app(
        "true and reconstructed exchanged in the CSV alone", "panels/marginals/look",
        '"Download CSV", csv_text(shown)',
        '"Download CSV", csv_text(shown.rename(columns=dict(zip(values.values(), [*values.values()][::-1]))))',
        (EXPORTS + "test_true_and_reconstructed_in_the_table_and_its_csv",), in_ci=True,
    ),
    app(
        "true and reconstructed exchanged above heatmaps", "panels/marginals/look",
        '"true": "True", "estimate": "Reconstructed",', '"estimate": "True", "true": "Reconstructed",',
        (EXPORTS + "test_heatmaps_stand_below_their_names",), in_ci=True,
    ),
    app(
        "true and released exchanged in the report", "ui/exports",
        "compare_cells(outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs))",
        "compare_cells(outcome.answer.marginal(attrs), outcome.dataset.marginal(attrs))",
        (EXPORTS + "test_the_report_and_the_errors_say_what_they_hold",), in_ci=True,
    ),
    app(
        "notebook of seed 1 (page)", "ui/exports", 'run_settings={"seed": settings.seed',
        'run_settings={"seed": 1', (EXPORTS + "test_the_notebook_repeats_the_very_run",), in_ci=True,
    ),
    core(
        "notebook of seed 1", "reports", "{_keywords(run_settings)}", "{_keywords(dict(run_settings, seed=1))}",
        (EXPORTS + "test_the_notebook_repeats_the_very_run",), in_ci=True,
    ),
    app(
        "report again repeats the report", "panels/collect/person", 'stream(settings.seed, "report", view, press)',
        'stream(settings.seed, "report", view)',
        (EXPORTS + "test_another_press_another_view_or_another_seed_is_fresh_noise",), in_ci=True,
    ),
    app(
        "reports sent before change with the last", "panels/collect/person",
        "_report(oracle, cell, settings, view, press) for press",
        "_report(oracle, cell, settings, view, presses) for press",
        (EXPORTS + "test_reports_are_each_a_new_one_and_stay_what_they_were",), in_ci=True,
    ),
    _figure(
        "true and released exchanged (cells)", "marginals",
        "true=truth.values.ravel(), estimate=answer.values.ravel()",
        "true=answer.values.ravel(), estimate=truth.values.ravel()",
        "test_bars_called_true_are_true_and_reconstructed_ones_released",
    ),
    _figure(
        "true and released exchanged (bars)", "marginals",
        '("true", "True", "true"), ("estimate", "Reconstructed", "estimate")',
        '("true", "Reconstructed", "true"), ("estimate", "True", "estimate")',
        "test_bars_called_true_are_true_and_reconstructed_ones_released",
    ),
    _figure(
        "true and released exchanged (points)", "marginals",
        'x=table["true"], y=table["estimate"]', 'x=table["estimate"], y=table["true"]',
        "test_points_stand_at_the_true_share_across_and_the_released_one_up",
    ),
    _figure(
        "l and m exchanged", "errors", 'x=held["m"], y=held["l"]', 'x=held["l"], y=held["m"]',
        "test_view_sizes_go_up_and_numbers_of_views_across",
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
    ),
    _figure(
        "L1 shown for every measure", "errors", "value = getattr(row, metric)", 'value = getattr(row, "l1")',
        "test_the_scale_of_pairs_names_the_measure_shown",
    ),
    _figure(
        "axis of a curve of SSE called L1", "errors",
        'figure.update_yaxes(title="mean SSE (log scale)"', 'figure.update_yaxes(title="mean L1 (log scale)"',
        "test_axes_of_curves_say_sse",
    ),
    _figure(
        "axis of a comparison called L1", "compare", 'title="mean SSE (log scale)"', 'title="mean L1 (log scale)"',
        "test_axes_of_curves_say_sse",
    ),
    app(
        "a sentence stands on a page", "collect", "words.collect.COUNTS",
        '"How many of the reports that arrived support each cell"',
        (f"{WORDS}test_sentences_stand_in_words[collect.py]",), in_ci=True,
    ),
    app(
        "a page rounds by itself", "panels/marginals/guess", "words.numbers.digits(mine, 2)", 'f"{mine:.2g}"',
        (f"{WORDS}test_numbers_are_rounded_in_one_place[panels/marginals/guess.py]",), in_ci=True,
    ),
    app(
        "few people are called nobody", "words/numbers", "if abs(value) >= 0.001 or value == 0", "if True",
        (READ,), in_ci=True,
    ),
    app(
        "nearly all people are called all", "words/numbers", "if 0.1 <= share <= 99.9:", "if True:", (READ,), in_ci=True,
    ),
    app(
        "astronomical numbers of cells overflow", "words/numbers", "if things < 10**300", "if True", (READ,), in_ci=True,
    ),
    app(
        "the bar stays after the work", "ui/progress", "            self.bar.empty()", "            pass",
        ("tests/app/test_progress.py",), in_ci=True,
    ),
    app(
        "the bar overflows", "ui/progress", "min(1.0, done / max(1, total))", "done / max(1, total)",
        ("tests/app/test_progress.py",), in_ci=True,
    ),
    app(
        "the bar appears at once", "ui/progress", ">= self.after", ">= 0", ("tests/app/test_progress.py",), in_ci=True,
    ),
)  # fmt: skip
