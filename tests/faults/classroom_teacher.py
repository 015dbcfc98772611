"""Faults of the teacher's side of the live classroom."""

from tests.faults.mutant import Mutant, app, core

PAGE, MISHAPS = "tests/app/test_classroom_page.py::", "tests/app/test_classroom_mishaps.py::"
ROOM = "panels/classroom"
NOTES, POOLING = "tests/classroom/test_notes.py::", "tests/classroom/test_pooling.py::"

MUTANTS = (
    app(
        "a teacher key stands in the address", f"{ROOM}/held",
        "    _keep(Held(desk, key))\n", "    _keep(Held(desk, key), wall=key)\n",
        (f"{PAGE}test_coming_back_with_the_teacher_key",),
    ),
    app(
        "all sessions guess as one", f"{ROOM}/held", "_plain(code), by=belongings.session())\n    # Of", "_plain(code))\n    # Of",
        (f"{MISHAPS}test_wrong_keys_of_others_do_not_keep_the_teacher_out",),
    ),
    app(
        "keys are shown again", f"{ROOM}/held",
        'replace(st.session_state["class_held"], keys=None)', 'st.session_state["class_held"]',
        (f"{PAGE}test_the_keys_are_shown_once",),
    ),
    app(
        "the link reader complains about surveys", "ui/state", '"by", "survey", "wall")', '"by")',
        (f"{PAGE}test_the_link_reader_knows_surveys_and_walls_and_the_shell_shows_no_simulation",),
    ),
    app(
        "a wall sees what is not shown", f"{ROOM}/wall",
        "return now.shown or (shown.desk is not None and now.state == \"closed\")", "return True",
        (f"{PAGE}test_results_wait_for_ten_reports_and_for_the_teacher",), in_ci=True,
    ),
    app(
        "a wall has the teacher's buttons", f"{ROOM}/held",
        "return self.wall if isinstance(self.wall, Desk) else None", "return self.wall",
        (f"{PAGE}test_the_wall_opens_by_its_link_or_its_key_and_can_do_nothing",),
    ),
    app(
        "the wall keeps to what it has drawn", f"{ROOM}/live", "if kept is None or _due(kept, now, reports):", "if kept is None:",
        (f"{PAGE}test_the_wall_follows_at_its_next_look_whoever_looks",),
    ),
    app(
        "the wall's numbers stand still", f"{ROOM}/wall",
        "        now = shown.wall.progress()\n        if _parts(", "        now = drawn\n        if _parts(",
        (f"{PAGE}test_the_wall_follows_at_its_next_look_whoever_looks",),
    ),
    app(
        "the wall looks once in ten seconds", f"{ROOM}/watch", "LOOK = 0.5", "LOOK = 10.0",
        (f"{PAGE}test_the_wall_looks_twice_a_second_by_itself",),
    ),
    app(
        "every report makes a new picture", f"{ROOM}/live", "STEP = 5", "STEP = 1",
        (f"{PAGE}test_a_picture_is_made_once_for_all_and_only_after_five_reports_more",),
    ),
    app(
        "the last reports before the end are not in the picture", f"{ROOM}/live",
        'if now.state != "open" or kept.state != now.state or reports < FEWEST_REPORTS:', "if reports < FEWEST_REPORTS:",
        (f"{PAGE}test_a_picture_is_made_once_for_all_and_only_after_five_reports_more",),
    ),
    app(
        "pooled pictures stand still", f"{ROOM}/live",
        "reports = now.reports if collected is None else collected.n", "reports = now.reports",
        (f"{PAGE}test_pooled_pictures_follow_the_other_classes",),
    ),
    app(
        "what arrived is shown as corrected", f"{ROOM}/look",
        'return found.raw(name) if step == "arrived" else found.share(name)', "return found.raw(name)",
        (f"{PAGE}test_what_arrived_then_corrected_then_which_go_together",),
    ),
    app(
        "a pair without a report claims phones", f"{ROOM}/look",
        "if table.asked\n        else words.classroom.TOO_FEW_BOTH", "if True\n        else words.classroom.TOO_FEW_BOTH",
        (f"{PAGE}test_a_pair_that_no_phone_has_reported_on_says_so",),
    ),
    app(
        "epsilon 3 is chosen silently", f"{ROOM}/create",
        'st.session_state["class_epsilon"] = DEFAULT_EPSILON', 'st.session_state["class_epsilon"] = 3.0',
        (f"{PAGE}test_the_forecast_follows_the_inputs_and_offers_three_without_choosing_it",),
    ),
    app(
        "any password will do", f"{ROOM}/create",
        "if hmac.compare_digest(given.encode(), wanted.encode()):", "if given:",
        (f"{PAGE}test_a_password_of_the_server_is_asked_before_a_survey_is_made",),
    ),
    app(
        "a file makes a survey without the password", f"{ROOM}/doors",
        "    if not create.allowed():\n        return\n", "",
        (f"{PAGE}test_a_saved_survey_needs_the_password_too",),
    ),
    app(
        "the code has no white border", f"{ROOM}/joining", "BORDER = 4", "BORDER = 0",
        (f"{PAGE}test_the_qr_code_has_its_border_and_says_the_address",),
    ),
    app(
        "a survey opens with nobody there", f"{ROOM}/lobby", "disabled=not phones,", "disabled=False,",
        (f"{PAGE}test_the_survey_opens_once_somebody_is_there",),
    ),
    app(
        "hints stay when a phone has found the page", f"{ROOM}/lobby",
        "    if joining.visited(shown.code):\n        return\n", "",
        (f"{PAGE}test_a_lobby_that_nobody_finds_says_why_after_a_minute",),
    ),
    app(
        "a rehearsal stays", f"{ROOM}/held", "        test.desk.delete()\n", "        pass\n",
        (f"{PAGE}test_a_rehearsal_is_a_survey_of_its_own_and_leaves_nothing",),
    ),
    app(
        "the second press of two opens what was put away", f"{ROOM}/held",
        " or not first_press(test):", ":",
        (f"{MISHAPS}test_two_presses_end_the_test_once",),
    ),
    app(
        "a class that was closed is asked for room", f"{ROOM}/joining", 'if now.state != "closed" and most', "if most",
        (f"{MISHAPS}test_the_number_of_a_field_that_goes_with_the_end_is_no_wish",),
    ),
    app(
        "one report have arrived", f"{ROOM}/look", "said.arrived(now.reports)", "said.arrived(0)",
        (f"{PAGE}test_one_is_not_many",),
    ),
    app(
        "a group of one reports", "words/classroom_counts", 'return plural(reports, "report")', 'return "reports"',
        (f"{PAGE}test_one_is_not_many",),
    ),
    app(
        "of two classes one gives its name", f"{ROOM}/next_steps", "progress.code, found.collected.classes)", "progress.code, 1)",
        (f"{PAGE}test_classes_looked_at_together_are_called_so",),
    ),
    app(
        "everybody is called one class", f"{ROOM}/sureness", "found.collected.n, found.collected.classes))", "found.collected.n, 1))",
        (f"{PAGE}test_classes_looked_at_together_are_called_so",),
    ),
    core(
        "two classes are one batch", "classroom/tallies", "most = min(self.classes, max(1, self.n))", "most = 1",
        (f"{PAGE}test_classes_looked_at_together_are_called_so",),
    ),
    core(
        "a file claims batches without end", "classroom/tallies", "most = min(self.classes, max(1, self.n))",
        "most = self.classes", (f"{POOLING}test_no_more_batches_than_reports_are_believed",),
    ),
    app(
        "an address is to be typed where no field is", f"{ROOM}/keys", '"" if closed else said.OR_TYPE_NEXT', "said.OR_TYPE",
        (f"{PAGE}test_another_address_can_be_typed",),
    ),
    app(
        "answers that no invented person gave are lost", f"{ROOM}/next_steps", "return Source(table, Schema(tuple(columns)))",
        "return Source(table, Schema(tuple(columns)) and cached.detect_schema(table))",
        (f"{PAGE}test_invented_people_keep_the_answers_of_the_survey",),
    ),
    app(
        "two questions of one text refuse to be invented", f"{ROOM}/next_steps",
        "titles = texts if len(set(texts)) == domain.d else domain.names", "titles = texts",
        (f"{PAGE}test_invented_people_keep_the_answers_of_the_survey",),
    ),
    app(
        "a refusal of opening is not told", f"{ROOM}/lobby", ' or "refused" in st.session_state', "",
        (f"{MISHAPS}test_a_part_that_looks_by_itself_leaves_a_refusal_to_the_page",),
    ),
    app(
        "too many cells end the page", f"{ROOM}/sureness", "        with guarded(stop=False):\n            _more(", "        if True:\n            _more(",
        (f"{MISHAPS}test_more_than_a_table_holds_is_said_and_the_rest_stays",),
    ),
    app(
        "of all classes the reports of one are counted", f"{ROOM}/wall", "look.counts(now, found)", "look.counts(now)",
        (f"{PAGE}test_running_again_takes_the_same_plan_and_the_wall_shows_one_class_or_all",),
    ),
    app(
        "the lesson tells of the largest questions only", f"{ROOM}/lesson",
        "plan.domain.cells_of(view) for view in plan.views]", "max(map(plan.domain.cells_of, plan.views))] * plan.m",
        (f"{PAGE}test_the_lesson_tells_of_all_groups_not_of_the_largest_questions",),
    ),
    app(
        "a link within its interval is certain", "words/classroom_results", "doubtful = excess <= half_width", "doubtful = False",
        ("pages/words/classroom_results.py",),
    ),
    core(
        "CALM is certain of links", "classroom/results", "            return math.inf\n", "            return 0.0\n",
        (f"{MISHAPS}test_calm_turns_no_noise_into_certainty",),
    ),
    core(
        "the next class is locked out", "classroom/desk", "capacity=max(capacity, usual)", "capacity=capacity",
        (f"{MISHAPS}test_the_next_class_is_not_locked_out_with_the_last_one",),
    ),
    app(
        "a rehearsal counts", f"{ROOM}/lobby", "expected=DEFAULT_CLASS, test=True", "expected=DEFAULT_CLASS",
        (f"{PAGE}test_a_rehearsal_is_a_survey_of_its_own_and_leaves_nothing",),
    ),
    app(
        "invented people are not hatched", f"{ROOM}/sureness",
        "Column(SAID.more(n), invented=True)", "Column(SAID.more(n))",
        (f"{PAGE}test_how_sure_stands_beside_what_was_predicted",),
    ),
    app(
        "invented people pass for true", "ui/toast",
        "if state.current().file.endswith(words.classroom_results.INVENTED_END) and not frame.lecture():", "if False:",
        (f"{PAGE}test_an_invented_population_is_the_data_and_every_page_says_what_it_is",),
    ),
    app(
        "a deleted survey stays open on the page", f"{ROOM}/next_steps", "        held.let_go(shown)\n        st.session_state", "        st.session_state",
        (f"{PAGE}test_deleting_leaves_nothing_in_the_file",),
    ),
    app(
        "a survey is left without a question", "classroom", "        leaving.ask()\n", "        pass\n",
        ("tests/browser/test_classroom.py::test_a_whole_lesson",),
    ),
    app(
        "a lesson is left without a question", "classroom",
        'if shown.keys is not None or (shown.desk is not None and progress.state != "closed"):', "if shown.keys is not None:",
        ("tests/browser/test_classroom.py::test_a_whole_lesson",),
    ),
    app(
        "a lecture's screens are crowded", f"{ROOM}/wall", "lines + more > most", "False",
        (f"{PAGE}test_in_a_lecture_few_lines_stand_on_a_screen_and_keys_turn_them",),
    ),
    app(
        "a lecture forgets what stands behind a question", f"{ROOM}/wall", "(len(question.text) + BEHIND) // LINE",
        "len(question.text) // LINE", (f"{PAGE}test_in_a_lecture_few_lines_stand_on_a_screen_and_keys_turn_them",),
    ),
    app(
        "a title of two lines takes no room", f"{ROOM}/wall", "most = MOST_LINES - closed", "most = MOST_LINES",
        (f"{PAGE}test_in_a_lecture_few_lines_stand_on_a_screen_and_keys_turn_them",),
    ),
    app(
        "a link in a lecture tells its questions in full", f"{ROOM}/look", "BRIEFLY if brief else (MOST_TEXT, MOST_CHOICE)",
        "(MOST_TEXT, MOST_CHOICE)", (f"{PAGE}test_a_link_is_told_briefly_in_a_lecture_and_its_doubt_in_full",),
    ),
    Mutant(
        "a table in a lecture is never drawn closer", "pages/ui/components/wall.js",
        "if (spare() < 0) root.dataset.close = close", "if (spare() < -1e6) root.dataset.close = close",
        ("tests/browser/test_classroom.py::test_no_line_of_a_lecture_lies_under_its_strip",),
    ),
    Mutant(
        "a lecture cuts what is doubtful of a link", "pages/ui/components/wall.css",
        ".lecture .pair .told { flex-basis: 11em; max-width: none; }",
        ".lecture .pair .told { flex-basis: 11em; max-width: none; max-height: 4em; overflow: hidden; }",
        ("tests/browser/test_classroom.py::test_six_long_answers_each_are_seen_in_a_lecture_and_scroll_by_themselves_on_a_phone",),
    ),
    app(
        "two questions have one short name", f"{ROOM}/create",
        "one for one in tried if one.casefold() not in taken", "one for one in tried",
        (f"{PAGE}test_short_names_are_different_and_fit",),
    ),
    core(
        "a saved survey is no collection", "opening", "if is_export(content)", "if False",
        (f"{PAGE}test_the_export_opens_as_a_collection_too",),
    ),
    core(
        "a saved class counts twice", "classroom/desk", "if fits.n and any(", "if False and any(",
        (f"{POOLING}test_a_saved_class_joins_another_whose_views_lie_in_another_order",),
    ),
    core(
        "reports of one view are added to another", "classroom/tallies", "(found.counts[at] for at in there)",
        "(found.counts[at] for at in here)",
        (f"{POOLING}test_a_saved_class_joins_another_whose_views_lie_in_another_order",),
    ),
    core(
        "classes of other views add up", "classroom/tallies",
        "if [like.plan.views[at] for at in here] != [found.plan.views[at] for at in there]:", "if False:",
        (f"{POOLING}test_phones_that_were_dealt_other_views_do_not_add_up",),
    ),
    app(
        "everything is one class", f"{ROOM}/next_steps", "            desk.saved,\n", "            lambda: (desk.collected(),),\n",
        (f"{MISHAPS}test_all_that_is_pooled_is_saved_and_more_joins",),
    ),
    app(
        "other screens of a deleted survey look alive", f"{ROOM}/watch", "        except Gone:\n            notices.rerun()\n",
        "        except Gone:\n            pass\n", (f"{MISHAPS}test_a_part_that_looks_by_itself_turns_the_page",),
    ),
    app(
        "an address is chosen for one session", f"{ROOM}/joining", "return notes.get(LINK) or kept or ", "return ",
        (f"{PAGE}test_another_address_can_be_typed",),
    ),
    app(
        "an address that this computer has lost is shown", f"{ROOM}/joining",
        "own if own and addresses.holds(own, shows) else", "own if own else",
        (f"{PAGE}test_an_own_address_holds_while_this_computer_has_it",),
    ),
    core(
        "paper speaks English", "classroom/wall", "self._notes(code).get(LANGUAGE, LANGUAGES[0])", "LANGUAGES[0]",
        (f"{NOTES}test_a_survey_keeps_its_language",),
    ),
    core(
        "a rehearsal outlives the lesson", "classroom/desk", "            return now\n        self.end_rehearsals()\n",
        "            return now\n", (f"{NOTES}test_a_rehearsal_goes_with_what_it_tries",),
    ),
    core(
        "a survey in use is taken for one that was left", "classroom/notes", "if before == now and ", "if said and ",
        (f"{NOTES}test_only_what_did_not_move_between_two_looks_was_left",),
    ),
    core(
        "what was left stays open beside others in use", "classroom/notes", "min(written, today)", "today",
        (f"{NOTES}test_what_was_prepared_waits_over_a_weekend_and_not_for_ever",
         "tests/classroom/test_durable.py::test_what_was_left_for_over_a_day_is_closed_at_the_start"),
    ),
    app(
        "two presses make two surveys", f"{ROOM}/held", "    return _open() is shown\n", "    return True\n",
        (f"{MISHAPS}test_a_double_press_does_what_one_does",),
    ),
    app(
        "after a reload of a result the form for a new survey", "classroom",
        'if code and st.session_state.get("class_asked_for") != code:',
        'if code and not places.current().view and st.session_state.get("class_asked_for") != code:',
        (f"{PAGE}test_a_reload_on_any_view_asks_for_the_key_and_comes_back_to_the_survey",),
    ),
    app(
        "the way in stays in the address", f"{ROOM}/held", " and here.view not in words.classroom.VIEWS", "",
        (f"{PAGE}test_a_reload_on_any_view_asks_for_the_key_and_comes_back_to_the_survey",),
    ),
    app(
        "who has lost the key cannot make another survey", "classroom",
        '        st.session_state["class_asked_for"] = code\n', "",
        (f"{PAGE}test_after_a_reload_the_key_is_asked_for_with_the_code_filled_in",),
    ),
    app(
        "an empty question is dropped", f"{ROOM}/create",
        "            if len(complete) >= FEWEST_QUESTIONS and number not in complete:", "            if not number:",
        (f"{PAGE}test_what_is_too_long_is_refused_and_no_empty_question_is_dropped",),
    ),
    app(
        "raw shares in a lecture without a word of it", f"{ROOM}/wall",
        "    if brief and step.kind in words.classroom.STEPS:\n", "    if not brief and step.kind in words.classroom.STEPS:\n",
        (f"{PAGE}test_a_lecture_says_which_step_it_shows_and_what_is_surest_where_it_is_seen",),
    ),
    app(
        "a lecture's title speaks of another question", f"{ROOM}/results", " and best[0] in seen:", ":",
        (f"{PAGE}test_the_title_of_a_lecture_is_about_a_question_that_is_seen",),
    ),
    app(
        "a lecture begins at another step", f"{ROOM}/wall", "    if was_brief != brief and kind in offered:",
        "    if was_brief and kind in offered and not brief:",
        (f"{PAGE}test_who_begins_a_lecture_stays_at_the_step",),
    ),
    Mutant(
        "who met a full room never comes in", "pages/panels/classroom/phone.html",
        "        setTimeout(join, between(4e3, 8e3));\n", "",
        ("tests/browser/test_classroom_phone.py::test_who_met_a_full_room_comes_in_once_there_is_room",),
    ),
    Mutant(
        "a full room begins its page anew", "pages/panels/classroom/phone.html",
        '        if (reason === "full") return;\n', "",
        ("tests/browser/test_classroom_phone.py::test_who_met_a_full_room_comes_in_once_there_is_room",),
    ),
    Mutant(
        "a page that is scrolled is framed as a whole", "pages/ui/frame.css",
        "stMain\"]:focus-visible::before { box-shadow: none !important; }",
        "stMain\"]:focus-visible::before { opacity: 1; }",
        ("tests/browser/test_frame.py::test_a_page_that_is_scrolled_is_not_framed_and_what_keys_reach_is",),
    ),
    Mutant(
        "what keys reach is not framed", "pages/ui/frame.css",
        "[data-testid=\"stMain\"]:focus-visible::before {", ":focus-visible, :focus-visible::before {",
        ("tests/browser/test_frame.py::test_a_page_that_is_scrolled_is_not_framed_and_what_keys_reach_is",),
    ),
    Mutant(
        "names in a table are broken into letters", "pages/ui/components/wall.css",
        "  th:not([colspan]) .name { min-width: 4em;", "  th:not([colspan]) .name { min-width: 0;",
        ("tests/browser/test_classroom.py::test_six_long_answers_each_are_seen_in_a_lecture_and_scroll_by_themselves_on_a_phone",),
    ),
)  # fmt: skip
