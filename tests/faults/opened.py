"""Faults of collections that are open, and of tables of the server."""

from tests.faults.mutant import app, core

KEPT = "tests/app/test_kept_uploads.py::"
PAGE = "tests/app/test_collection_page.py::"
SHARED = "tests/app/test_shared_page.py::"
LISTED = "tests/ingest/test_shared_tables.py::"
STREAMED = "tests/experiments/test_streamed_collection.py::"

MUTANTS = (
    core(
        "a link leads out of the folder given", "files",
        "if not found.is_relative_to(home):", "if False:",
        ("tests/app/test_collection_page.py::test_nothing_else_can_be_opened",), in_ci=True,
    ),
    app(
        "the address does not name what is open", "ui/places", '"open": self.open,', '"open": "",',
        (f"{PAGE}test_a_reload_finds_a_collection_below_the_folder_with_its_table",),
    ),
    app(
        "the tab is not asked for a collection", "ui/waiting",
        "state.waiting() is not None or bool(opened.missing())", "state.waiting() is not None",
        (f"{KEPT}test_a_reload_brings_back_a_collection",),
    ),
    app(
        "a collection of the tab is not taken up", "ui/waiting",
        "    belongings.claim(key, opened.missing())\n", "",
        (f"{KEPT}test_a_reload_brings_back_a_collection",),
    ),
    app(
        "forgetting the file forgets the collection", "ui/belongings",
        "if not things.uploads and not things.collections and", "if not things.uploads and",
        (f"{KEPT}test_forgetting_the_file_keeps_the_collection_and_its_key",),
    ),
    app(
        "what followed from a closed collection stays", "ui/belongings",
        "    shelf.forget(digest)\n    _give_back_key(things)\n", "    _give_back_key(things)\n",
        (f"{KEPT}test_closing_lets_go_of_a_collection_and_of_all_about_it",),
    ),
    app(
        "collections of a session pile up", "ui/opened",
        "newest(others | {opened.digest: opened}, kept, {opened.digest})", "others | {opened.digest: opened}",
        (f"{KEPT}test_the_newest_collections_are_kept",),
    ),
    app(
        "what is looked at goes with its file", "ui/opened", "    if at != told:\n", "    if True:\n",
        (f"{PAGE}test_what_is_looked_at_stays_when_its_file_goes",),
    ),
    app(
        "a changed file is not read anew", "ui/opened",
        "(str(root), name, seal_below(root, name))", "(str(root), name)",
        (f"{PAGE}test_a_file_that_changed_is_read_anew",),
    ),
    app(
        "a table of more attributes than were asked about", "panels/collection/tables_of",
        "return min(MOST_ATTRIBUTES, most_asked(held.state.plan, name))", "return MOST_ATTRIBUTES",
        (f"{PAGE}test_others_answer_where_the_plan_asks_what_they_need",),
    ),
    app(
        "shares below zero go without a word", "panels/collection/tables_of",
        "if found.values.min() < 0:", "if False:",
        (f"{PAGE}test_shares_below_zero_are_said_to_have_no_bar",),
    ),
    app(
        "pages that play a collection do not say so", "ui/shell",
        "if played and opened.place().open:", "if False:",
        (f"{PAGE}test_pages_that_play_a_collection_say_that_the_open_one_is_not_theirs",),
    ),
    app(
        "the fence of a plan that is made can be moved", "panels/collection/steps",
        '"fixed": True,', '"fixed": False,', (f"{PAGE}test_why_these_questions_goes_through_algorithm_1",),
    ),
    app(
        "views of any design are called Algorithm 1's", "panels/collection/steps",
        "            if not _chosen_so(plan):\n", "            if False:\n",
        (f"{PAGE}test_views_of_another_design_are_not_called_algorithm_1s",),
    ),
    app(
        "large numbers of people are rounded", "words/numbers", "len(digits) > 3:", "False:",
        ("tests/app/test_words.py::test_numbers_read_as_people_write_them",),
    ),
    core(
        "what leads outside by a link is offered", "ingest/shared_tables",
        "path = below(root, name)", "path = Path(root) / name",
        (f"{LISTED}test_tables_are_offered_and_nothing_else",),
    ),
    core(
        "report files are offered as tables", "ingest/shared_tables",
        "or _of_reports(path)", "", (f"{LISTED}test_tables_are_offered_and_nothing_else",),
    ),
    core(
        "a table of any size is read whole", "ingest/shared_tables",
        "return self.size <= limits.upload_bytes", "return True",
        (f"{LISTED}test_what_fits_is_what_an_upload_may_be",),
    ),
    core(
        "a streamed collection has noise of its own", "evaluation/run_in_chunks",
        "    rng = stream(seed, 0, method.name)\n    plan, reports", "    rng = stream(seed, 1, method.name)\n    plan, reports",
        (f"{STREAMED}test_reports_are_those_of_the_run_in_chunks",),
    ),
    core(
        "where the folder lies is told", "experiments/streamed_collection",
        "without_root(self._read(REFUSED).decode(), self._root)", "self._read(REFUSED).decode()",
        (f"{STREAMED}test_a_file_that_vanishes_is_one_sentence",),
    ),
    core(
        "a refused file looks like a bug", "experiments/streamed_collection",
        '        (folder / REFUSED).write_text(str(error), "utf-8")\n        return\n', "        raise\n",
        (f"{STREAMED}test_what_cannot_be_collected_from_is_one_sentence",),
    ),
    app(
        "the strip's seed is not heard by a large table", "panels/data/shared",
        "options=options, seed=settings.seed,", "options=options, seed=1,",
        (f"{SHARED}test_a_large_table_becomes_a_collection",),
    ),
    app(
        "a collection of a large table is not opened", "panels/data/shared",
        "            opened.show(job.state, Path(job.file).name, (made, *job.notes))\n", "            pass\n",
        (f"{SHARED}test_a_large_table_becomes_a_collection",),
    ),
)  # fmt: skip
