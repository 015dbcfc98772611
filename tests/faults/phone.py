"""Faults of the phone page, of its routes, and of the client anyone can use."""

from tests.faults.mutant import Mutant, app, core

PAGE = "pages/panels/classroom/phone.html"
DEVICE = "calm_core/oracles/device.js"
PHONE = "tests/browser/test_classroom_phone.py::"
CHROMIUM = "tests/browser/test_device.py::"
VECTORS = (f"{CHROMIUM}test_the_golden_vectors_are_what_the_browser_draws",)
ROUTES = "tests/app/test_classroom_routes.py::"
LINES = "tests/collection/test_report_lines.py::"

MUTANTS = (
    # The page
    Mutant(
        "a second tab draws again", PAGE, "if (!record.report) {", "if (true) {",
        (f"{PHONE}test_a_second_tab_does_not_draw_again",),
    ),
    Mutant(
        "a report is sent before it is kept", PAGE, 'save("sending");', 'record.state = "sending";',
        (f"{PHONE}test_what_is_drawn_is_kept_before_anything_is_sent",),
    ),
    Mutant(
        "waits without end", PAGE, "Math.min(8e3, 700", "Math.min(80000, 700",
        (f"{PHONE}test_the_same_bytes_again_and_again_ever_more_slowly",),
    ),
    Mutant(
        "sending waits too long", PAGE, "setTimeout(deliver, between(0, 2e3))", "setTimeout(deliver, 4000)",
        (f"{PHONE}test_the_same_bytes_again_and_again_ever_more_slowly",),
    ),
    Mutant(
        "any promise is believed", PAGE, "- said.epsilon) < 1e-9", "- said.epsilon) < 9",
        (f"{PHONE}test_a_promise_that_does_not_add_up_ends_it_before_a_question_is_asked",),
    ),
    Mutant(
        "the ticket of a card stays in the address", PAGE,
        'if (card) history.replaceState(history.state, "", location.pathname);', "",
        (f"{PHONE}test_a_card_is_the_ticket_and_leaves_the_address",),
    ),
    Mutant(
        "a teacher's text is markup", PAGE,
        "made.appendChild(inside[i].nodeType ? inside[i] : document.createTextNode(inside[i]));",
        "inside[i].nodeType ? made.appendChild(inside[i]) : made.insertAdjacentHTML('beforeend', inside[i]);",
        (f"{PHONE}test_texts_are_shown_as_they_are_and_run_nothing",),
    ),
    Mutant(
        "phones ask ten times as often", PAGE, "between(1500, 2500)", "between(150, 250)",
        (f"{PHONE}test_the_lobby_asks_every_two_seconds_or_so",),
    ),
    Mutant(
        "a typed code must be as it is stored", PAGE, 'field.value.replace(/\\W/g, "")', "field.value",
        (f"{PHONE}test_who_cannot_scan_types_the_code",),
    ),
    Mutant(
        "who types the code loses the language", PAGE, "+ typed + location.hash", "+ typed",
        (f"{PHONE}test_who_cannot_scan_types_the_code",),
    ),
    Mutant(
        "a ticket before there is a code", PAGE, 'if (code === "r" || !code) return show("code");', "",
        (f"{PHONE}test_who_cannot_scan_types_the_code",),
    ),
    Mutant(
        "what was tapped is kept", PAGE, "  tapped = wordsOf(own);",
        "  tapped = wordsOf(own);\n  record.tapped = tapped;",
        (f"{PHONE}test_from_the_lobby_to_the_receipt",),
    ),
    Mutant(
        "the questions stay in the document", PAGE, '  main.textContent = "";\n', "",
        (f"{PHONE}test_from_the_lobby_to_the_receipt",),
    ),
    Mutant(
        "too late to be taken back is forgotten", PAGE,
        'if (status !== 409) setTimeout(function () { save("counted"); });', "",
        (f"{PHONE}test_after_closing_it_is_too_late_to_take_it_back",),
    ),
    Mutant(
        "what is missing is said below the fold", PAGE, "position: sticky; bottom: 8px;", "",
        (f"{PHONE}test_an_answer_that_is_missing_is_said_where_it_is_seen",),
    ),
    Mutant(
        "grey on grey", PAGE, "--muted: #4e5d6b", "--muted: #a0a8b0",
        (f"{PHONE}test_every_screen_is_for_everybody",),
    ),
    Mutant(
        "a language without a text", "pages/words/phone.py", '        "yes": "Ja, zurücknehmen",\n', "",
        ("tests/app/test_classroom_phone_text.py",),
    ),
    Mutant(
        "chance from elsewhere", PAGE, "CALM.below(1e6 + 1, CALM.word) / 1e6", "Math.random()",
        ("tests/app/test_classroom_phone_text.py",),
    ),
    app(
        "spaces of a text go", "panels/classroom/phone", "KEPT.split(", "re.split(r'(\\0)', ",
        ("tests/app/test_classroom_phone_text.py::test_spaces_go_but_those_of_a_text_or_a_pattern_stay",),
    ),
    # The randomiser
    Mutant("a threshold is met by its equal", DEVICE, "b < low(threshold)", "b <= low(threshold)", VECTORS),
    Mutant(
        "a remainder is favoured", DEVICE, "while (x >= limit)", "while (x > limit)",
        (f"{CHROMIUM}test_words_that_would_favour_a_remainder_are_drawn_again",),
    ),
    Mutant("other cells miss the last", DEVICE, "if (other >= cell) other++;", "if (other > cell) other++;", VECTORS),
    Mutant("a set holds one too many", DEVICE, "if (j > first || !hold)", "if (j >= first)", VECTORS),
    Mutant("another hash", DEVICE, "folded(mixed, 30)", "folded(mixed, 31)", VECTORS),
    Mutant("a bucket's estimate is not mended", DEVICE, "bucket--;", ";", VECTORS),
    Mutant("an own bit as likely as a stray one", DEVICE, "chance(HALF, word)", "chance(oracle.stray, word)", VECTORS),
    Mutant(
        "no answer is the first answer", DEVICE, 'typeof answers[i] !== "number" || ', "",
        (f"{CHROMIUM}test_cells_are_row_major_and_what_is_no_answer_is_refused",),
    ),
    core(
        "a device keeps more than epsilon allows", "oracles/grr", '{"keep": hexadecimal(self.keep)}',
        '{"keep": hexadecimal(self.keep + 1)}', ("tests/oracles/test_device.py",), in_ci=True,
    ),
    # The routes
    app(
        "other sites may post", "panels/classroom/routes", 'not in ("same-origin", "none")', "in ()",
        (f"{ROUTES}test_other_sites_cannot_answer_for_somebody",),
    ),
    app(
        "bodies of any length", "panels/classroom/routes", "if len(content) > MOST_BODY:", "if False:",
        (f"{ROUTES}test_the_largest_body_that_is_read",),
    ),
    app(
        "any kind of body", "panels/classroom/routes", 'strip().lower() != "application/json"', "strip() == 'x'",
        (f"{ROUTES}test_only_json_is_read",),
    ),
    app(
        "a field may come twice", "panels/classroom/routes", "len(pairs) != len(fields) or ", "",
        (f"{ROUTES}test_a_malformed_body_is_refused_before_anything_is_asked",),
    ),
    app(
        "a full disk is an error of ours", "panels/classroom/routes", "except (Unavailable, UserError):",
        "except ZeroDivisionError:", (f"{ROUTES}test_what_cannot_be_written_is_asked_again",),
    ),
    app(
        "answers are kept by browsers", "panels/classroom/routes", '"no-store"', '"public"',
        (f"{ROUTES}test_no_answer_is_kept_or_sets_a_cookie",),
    ),
    app(
        "the page has the app's policy", "ui/serving", 'headers.setdefault("Content-Security-Policy", ',
        'headers.__setitem__("Content-Security-Policy", ',
        (f"{ROUTES}test_every_code_has_the_same_page_with_its_own_policy",),
    ),
    app(
        "routes beside the base path", "panels/classroom/routes", 'f"{base_path()}/r"', '"/r"',
        (f"{ROUTES}test_all_of_it_lies_below_the_base_path",),
    ),
    app(
        "addresses in any order", "panels/classroom/address", "(own != first, ip_address(own))", "ip_address(own)",
        (f"{ROUTES}test_a_laptops_addresses_the_one_that_leads_on_first",),
    ),
    app(
        "the own machine is a phone", "panels/classroom/address", "and not own_only(client)", "",
        (f"{ROUTES}test_whether_a_phone_has_opened_the_page_is_known_without_its_address",),
    ),
    # Lines of reports
    core(
        "a report sent twice counts twice", "collection/report_lines", "if name in self._known:", "if not name:",
        (f"{LINES}test_what_is_no_report_is_refused_and_told_by_reason",),
    ),
    core(
        "reports of any plan", "collection/report_lines", 'said["plan"] != self._digest', "not said",
        (f"{LINES}test_what_is_no_report_is_refused_and_told_by_reason",),
    ),
    core(
        "bits at the wrong end", "collection/report_lines", "int(report, 2) << 8 * form.width - form.size",
        "int(report, 2)", (f"{LINES}test_lines_are_counted_as_the_oracle_counts_the_reports",),
    ),
    core(
        "a file that has grown is another batch", "collection/report_lines",
        "hashlib.sha256(first).hexdigest()[:32]", "self.sha256[:32]",
        (f"{LINES}test_a_file_that_has_grown_is_not_counted_twice",),
    ),
    core(
        "shares of views as if each were the first", "planning/device_plan", "Fraction(share) / left", "Fraction(share)",
        (f"{LINES}test_a_device_is_told_every_view_and_how_often_each_comes",),
    ),
    core(
        "a form's files replace somebody's", "files", "if path.exists() and path.read_bytes() != content:",
        "if False:", (f"{LINES}test_client_writes_the_files_of_a_form_and_overwrites_nobodys",),
    ),
)  # fmt: skip
