"""Faults in what a person decides about a file's columns, and in the way back from it."""

from tests.faults.mutant import Mutant, app

SEEN = "tests/app/test_seen.py::"


def _fault(name: str, file: str, old: str, new: str, test: str, **more) -> Mutant:
    return app(name, file, old, new, (SEEN + test,), **more)


MUTANTS = (
    _fault(
        "a change of columns without a way back", "ui/state",
        "return _with_way_back(told, **changes) if now != now.changed(**changes) else True",
        "return change(**changes)", "test_a_merge_is_one_press_with_a_way_back", in_ci=True,
    ),
    _fault(
        "an edit back to what was found stays an edit", "ui/cached",
        "if digest == detected(settings).digest:", "if not digest:",
        "test_a_column_is_as_found_again_and_the_others_stay",
    ),
    _fault(
        "a press of what is gone is refused", "panels/data/seen",
        "    if proposal is not None:\n        accept_one", "    if True:\n        accept_one",
        "test_a_press_of_what_is_gone_does_nothing",
    ),
    _fault(
        "all suggestions take those of two names", "panels/data/seen",
        '            if proposal.what != "names":\n                yield',
        '            if proposal.what:\n                yield',
        "test_all_suggestions_at_once_leave_the_question",
    ),
    _fault(
        "the smaller suggestion first", "panels/data/seen", "-len(one[1].texts)", "len(one[1].texts)",
        "test_of_suggestions_that_contain_each_other_the_larger_is_taken",
    ),
    _fault(
        "suggestions without what changed since", "panels/data/seen",
        "        if now is not None:\n            schema, count", "        if True:\n            schema, count",
        "test_of_suggestions_that_contain_each_other_the_larger_is_taken",
    ),
    _fault(
        "a wide table lists its first columns", "panels/data/seen",
        'rows.sort(key=lambda row: not (row["questions"] or row["offers"]))', "rows.sort(key=len)",
        "test_a_very_wide_table_lists_first_what_is_to_decide",
    ),
    _fault(
        "an answer of the other choice", "panels/data/seen", 'question.choices[told["choice"]]',
        'question.choices[told["choice"] - 1]', "test_a_question_is_answered_by_one_press",
    ),
    _fault(
        "the row stays locked after a refusal", "panels/data/seen",
        'st.session_state["seen_heard"] = st.session_state.get("seen_heard", 0) + 1',
        'st.session_state["seen_heard"] = 0', "test_a_press_of_what_is_gone_does_nothing",
    ),
    *(
        _fault(
            f"advice kept without {name}", "panels/data/advice",
            '("advice", *cached.data_key(settings), *chosen)', kept,
            f"test_advice_is_kept_under_all_that_decides_it[other{at}]",
        )
        for name, at, kept in (
            ("the columns", 5, '("advice", *chosen)'),
            ("epsilon", 0, '("advice", *cached.data_key(settings), n, settings.k, settings.theta)'),
            ("theta", 3, '("advice", *cached.data_key(settings), *chosen[:3])'),
        )
    ),
    _fault(
        "advice about columns that are merged already", "panels/data/advice",
        "columns, d, settings.max_values)", "columns, d, None)",
        "test_columns_are_advised_about_as_they_are_collected",
    ),
    _fault(
        "none is missing with all other suggestions", "panels/data/seen",
        "if not always_asked(one[1])]", "if one]",
        "test_what_may_be_an_answer_is_not_accepted_with_all_others",
    ),
    _fault(
        "a kind is refused without a word of what is kept", "panels/data/column",
        "notices.Notice(notices.as_sentence(error)).show()", "st.error(notices.as_sentence(error))",
        "test_a_kind_that_nothing_fits_is_refused_with_examples_and_of_many_all_are_listed",
    ),
    app(
        "a press of advice shows nothing", "panels/data/advice",
        "    st.session_state[PRESSED] = True\n", "    pass\n",
        ("tests/browser/test_seen.py::test_advice_is_followed_by_one_press_and_taken_back",),
    ),
    _fault(
        "advice for methods without views", "panels/data/advice",
        "if settings.method not in (Calm.name, CalmPlus.name):", "if not settings.method:",
        "test_advice_is_drawn_when_it_is_known_and_only_for_views",
    ),
    Mutant(
        "the strip covers the second row of lessons in a lecture", "pages/ui/components/lessons.css",
        ".lecture .end { display: none; }\n", "", ("tests/browser/test_every_page.py::test_a_page_can_be_read_and_used[learn]",),
    ),
    Mutant(
        "twelve attributes do not fit", "pages/ui/components/pairs.js", "text * 1.25 : 22", "text * 1.25 : 30",
        ("tests/browser/test_errors.py::test_twelve_attributes_are_seen_at_once_and_of_more_the_worst",),
    ),
    Mutant(
        "why a method has no number is cut in a lecture", "pages/panels/compare/rows.py",
        "-webkit-line-clamp: 2", "-webkit-line-clamp: 1",
        ("tests/browser/test_every_page.py::test_a_page_can_be_read_and_used[compare]",),
    ),
)  # fmt: skip
