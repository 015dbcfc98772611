"""Faults in what is kept of uploads: for how long, for whom, and what of it goes."""

from tests.faults.mutant import Mutant, app, core

KEEPER = "tests/app/test_keeper.py::"
KEPT = "tests/app/test_kept_uploads.py::"
ATTRIBUTES = "tests/app/test_data_page.py::"


def _keeper(name: str, old: str, new: str, test: str, **more) -> Mutant:
    return app(name, "ui/keeper", old, new, (KEEPER + test,), **more)


def _kept(name: str, file: str, old: str, new: str, test: str, **more) -> Mutant:
    return app(name, file, old, new, (KEPT + test,), **more)


FORGOTTEN = (
    "tests/app/test_kept_uploads.py::test_forgetting_leaves_no_name_of_the_file_on_any_shelf"
)

MUTANTS = (
    _kept(
        "data with few attributes lowers d and k for good", "ui/state",
        "if source == settings.source else ()", "if False else ()",
        "test_data_with_few_attributes_lowers_d_and_k_only_for_itself",
    ),
    _kept(
        "what was chosen since is forgotten with the data", "ui/state",
        "        if now[name] == then:\n", "        if True:\n",
        "test_what_is_chosen_with_few_attributes_stays_chosen",
    ),
    _kept(
        "smaller tables are not said", "ui/state",
        "        if fitting.k < wanted.k:\n", "        if False:\n",
        "test_data_with_few_attributes_lowers_d_and_k_only_for_itself",
    ),
    core(
        "records outlive who brought them", "experiments/spec", "@while_it_lives\ndef fingerprint",
        "@__import__('functools').lru_cache(maxsize=2)\ndef fingerprint", (FORGOTTEN,),
    ),
    app(
        "a shelf knows plans by their names", "ui/warnings", "key = cached.plan_key(settings)",
        "key = cached.plan(settings)", (FORGOTTEN,),
    ),
    app(
        "sources of one shade", "panels/errors/why", '"reconstruction": "var(--dotted),"',
        '"reconstruction": ""',
        ("tests/app/test_colours.py::test_marks_side_by_side_differ_in_lightness_or_pattern",),
    ),
    _keeper(
        "things go only when somebody comes", "        if start:\n", "        if False:\n",
        "test_things_go_when_their_time_is_up_without_any_visitor",
    ),
    _keeper(
        "the first look is the last", "            if again:\n", "            if False:\n",
        "test_things_go_when_their_time_is_up_without_any_visitor",
    ),
    _keeper(
        "what an open tab uses goes", "if any(map(self._alive, held.holders)):", "if False:",
        "test_nothing_goes_while_somebody_holds_it",
        in_ci=True,
    ),
    _keeper(
        "the newest goes first", "unheld.sort(key=lambda key: self._held[key].used)",
        "unheld.sort(key=lambda key: -self._held[key].used)",
        "test_what_weighs_too_much_goes_the_longest_unused_first_and_never_what_is_held",
    ),
    _keeper(
        "a key of few bits", "secrets.token_urlsafe(32)", "secrets.token_urlsafe(4)",
        "test_only_the_key_finds_things_and_no_two_keys_are_alike",
    ),
    _kept(
        "the key opens what the link does not name", "ui/belongings",
        "    if found is None or digest not in {*found.uploads, *found.collections}:",
        "    if found is None:",
        "test_the_key_alone_opens_no_file_that_the_link_does_not_name",
    ),
    _kept(
        "results of a forgotten file stay", "ui/belongings",
        "    shelf.forget(source)\n    drop_files()", "    drop_files()",
        "test_forgetting_leaves_nothing_of_the_file_behind",
    ),
    _kept(
        "edited columns of a forgotten file stay", "ui/belongings", "if name not in about}", "if name}",
        "test_forgetting_leaves_nothing_of_the_file_behind",
    ),
    _kept(
        "a session lingers on with what is forgotten", "ui/belongings",
        "    things.uploads, things.schemas, things.collections = {}, {}, {}\n", "",
        "test_when_the_time_is_up_a_forgotten_session_holds_nothing",
    ),
    _kept(
        "the switch is not heard", "ui/belongings", "    if not (KEEP and isinstance(key, str)):",
        "    if not isinstance(key, str):", "test_one_switch_turns_keeping_off",
    ),
    _kept(
        "the address forgets what is waited for", "ui/state", "    return waiting() or current()\n",
        "    return current()\n", "test_who_lacks_the_key_gets_nothing_and_keeps_the_settings",
    ),
    app(
        "k is not said to follow", "words/data",
        'f", k = {k}" if k != before else ""', '""',
        (f"{ATTRIBUTES}test_a_box_says_all_that_it_changes",),
    ),
)  # fmt: skip
