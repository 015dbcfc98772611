"""Faults in the data door: encodings, rows, names, values, and the process that parses."""

from tests.faults.mutant import Mutant, core

VALUES = "tests/ingest/test_values.py"
UNDERSTOOD = "tests/ingest/test_understanding.py"
AMOUNTS = "tests/ingest/values/test_amounts.py"
ISOLATION = "tests/ingest/test_isolation.py"
STREAMING = "tests/ingest/test_streaming.py"
MEMORY = "tests/ingest/test_streaming_memory.py"
BAD = "tests/bad_files/test_bad_files.py"
PAGE = "tests/app/test_data_page.py"
NO_COLUMN = "tests/ingest/test_account.py::test_a_file_without_a_usable_column_is_refused_with_a_count_and_what_to_do"
REFUSED = f"{BAD}::test_bad_file_is_refused_in_one_sentence"
READ = f"{BAD}::test_odd_file_is_read_and_accounted_for"


def _fault(name: str, file: str, old: str, new: str, *tests: str, **more) -> Mutant:
    return core(name, f"ingest/{file}", old, new, tests, **more)


VALUE_FAULTS = (
    _fault(
        "numeric bin edges to the other side (texts)", "encode",
        'np.searchsorted(schema.edges, numbers[found], side="left")',
        'np.searchsorted(schema.edges, numbers[found], side="right")',
        f"{VALUES}::test_a_number_equal_to_an_edge_belongs_to_the_bin_below",
    ),
    _fault(
        "numeric bin edges to the other side (numbers)", "encode",
        'np.searchsorted(schema.edges, numbers, side="left")',
        'np.searchsorted(schema.edges, numbers, side="right")',
        f"{VALUES}::test_so_it_is_where_numbers_are_kept_as_numbers",
    ),
    _fault(
        "merging keeps the rarest values", "merging",
        "key=lambda code: (-counts[code], code)", "key=lambda code: (counts[code], code)",
        f"{VALUES}::test_merging_keeps_the_most_frequent_values",
    ),
    _fault(
        "listing keeps the rarest values", "shaping",
        '("count", "descending")', '("count", "ascending")',
        f"{VALUES}::test_many_values_are_merged_at_once_the_rare_ones_first",
    ),
    _fault(
        "quantile bins of equally many values, not rows", "shaping",
        "ends = np.cumsum(weights[order])", "ends = np.cumsum(np.ones_like(weights))",
        f"{VALUES}::test_quantile_bins_count_rows_and_not_values",
    ),
    _fault(
        "quantile edges one step too high", "merging",
        "edges = np.unique(grid[at])", "edges = np.unique(grid[np.minimum(at + 1, len(grid) - 1)])",
        f"{VALUES}::test_edges_are_values_of_the_data_below_the_largest",
        f"{VALUES}::test_quantile_bins_hold_equally_many_rows",
    ),
    _fault(
        "decimal comma read as a thousands mark", "detect_numbers",
        'decimal, sign = (",", COMMA) if comma > point else (".", POINT)', 'decimal, sign = ".", POINT',
        f"{UNDERSTOOD}::test_numbers_as_people_write_them",
    ),
    _fault(
        "1.234 is never asked about", "detect_numbers",
        'return ("," if is_money(unit) and written == "." else "."), True',
        'return ("," if is_money(unit) and written == "." else "."), False',
        f"{UNDERSTOOD}::test_the_decimal_sign_is_decided_by_evidence_or_asked",
    ),
    _fault(
        "any one decimal sign decides against the rest", "detect_numbers",
        "bool(signs) and (odd or (point > 0 and comma > 0))", "False",
        f"{UNDERSTOOD}::test_the_decimal_sign_is_decided_by_evidence_or_asked",
    ),
    _fault(
        "whole numbers above a thousand prove points between thousands", "detect_numbers",
        "(np.abs(whole) < 1000).all()", "True",
        f"{UNDERSTOOD}::test_whole_numbers_above_a_thousand_prove_nothing",
    ),
    _fault(
        "1.234 by a decimal comma stays a little more than one", "values/amounts",
        "out[self.doubt == POINT] = np.round(out[self.doubt == POINT] * 1000)", "pass",
        f"{UNDERSTOOD}::test_an_open_question_is_saved_and_can_be_answered_elsewhere",
    ),
    _fault(
        "metres are millions", "values/amounts",
        "doubtful = DOUBTFUL_SCALES.difference(scales)", "doubtful = frozenset()",
        f"{AMOUNTS}::test_m_is_metres_unless_the_column_speaks_of_thousands",
    ),
    _fault(
        "brackets are no minus", "values/amounts",
        '"()": BRACKETS}', '"()": PLUS}',
        f"{AMOUNTS}::test_units_and_brackets_count_only_where_the_column_has_them",
    ),
    _fault(
        "any unit is read", "values/amounts",
        "if one is not None and one.unit in units and", "if one is not None and",
        f"{AMOUNTS}::test_units_and_brackets_count_only_where_the_column_has_them",
    ),
    _fault(
        "a fraction beside percent is percent", "detect_numbers",
        'if units == ("%",) and bare.any()', "if False and bare.any()",
        f"{UNDERSTOOD}::test_a_fraction_beside_percent_is_no_percentage",
    ),
    _fault(
        "milliwatts are megawatts", "values/affixes",
        "else text.strip()", "else plain",
        f"{AMOUNTS}::test_which_units_are_the_same",
    ),
    _fault(
        "days are months", "values/dates",
        '"dmy": (self.a, self.b, self.c),', '"dmy": (self.b, self.a, self.c),',
        "tests/ingest/values/test_dates.py::test_numbers_are_read_in_the_order_said",
    ),
    _fault(
        "day and month are never asked about", "detect_dates",
        "return default, tuple(order for order in left if order != default)", "return default, ()",
        f"{UNDERSTOOD}::test_day_and_month_are_decided_by_the_column_or_asked",
    ),
    _fault(
        "what may be an answer is taken as empty", "detect_numbers",
        "taken[taken] = is_word(found.texts.filter(pa.array(taken)), NO_VALUE)",
        "taken[taken] = is_word(found.texts.filter(pa.array(taken)), MISSING_WORDS)",
        f"{UNDERSTOOD}::test_words_that_may_be_an_answer_stay_until_told",
    ),
    _fault(
        "an answer forgets what was said of empty cells", "decisions",
        'new = treat_missing(replace(new, missing="value"), old.missing)', "pass",
        f"{UNDERSTOOD}::test_an_answer_keeps_what_was_said_of_empty_cells",
    ),
    _fault(
        "declined proposals come again", "proposing",
        "if one.key not in column.declined", "if one.key",
        f"{UNDERSTOOD}::test_a_declined_proposal_is_not_made_again",
    ),
    _fault(
        "grades are spellings of a letter", "values/variants",
        "OUTER = \" \\t.,;:!?", "OUTER = \" \\t+-.,;:!?",
        "tests/ingest/values/test_variants.py::test_which_texts_are_one_value",
    ),
    _fault(
        "salaries are ids", "detect_words",
        "return named or span <= 2 * values or met or (values == rows and span > WIDE)", "return True",
        f"{UNDERSTOOD}::test_salaries_are_no_ids_and_running_numbers_are",
    ),
    _fault(
        "a stream is judged by its first part", "counting",
        "        for count in counts:\n", "        for count in counts if table is first else ():\n",
        f"{STREAMING}::test_a_stream_is_understood_as_the_whole_file_is",
    ),
    _fault(
        "texts beyond those kept are lost", "counting",
        "self.beyond += int", "self.beyond = int",
        f"{STREAMING}::test_counting_is_bounded_and_loses_no_row",
    ),
    _fault(
        "a code of many numbers is never empty", "encode",
        "return empty | np.isin(numbers, codes[~np.isnan(codes)]) if len(codes) else empty", "return empty",
        f"{UNDERSTOOD}::test_codes_among_very_many_numbers_of_a_typed_file",
    ),
    _fault(
        "missing marker counted as a value", "encode",
        "[*schema.missing_texts, None]", "[None]",
        f"{VALUES}::test_empty_cells_are_counted_and_words_once_told",
    ),
    _fault(
        "missing marker coded as a value", "encode",
        "*(empty for _ in schema.missing_texts)", "*(0 for _ in schema.missing_texts)",
        f"{VALUES}::test_empty_cells_are_counted_and_words_once_told",
        in_ci=True,
    ),
    _fault(
        "empty cells not said", "encode",
        "if missing := count_empty(cells, column):", "if missing := 0:",
        f"{VALUES}::test_empty_cells_are_counted_and_words_once_told",
    ),
    _fault(
        "words for nothing not said", "detect",
        "if text.casefold() in MISSING_WORDS", "if text in ()",
        f"{VALUES}::test_empty_cells_are_counted_and_words_once_told",
    ),
    _fault(
        "edges looked for where there are no bins", "editing",
        "edges = column.edges or ()", "edges = column.edges",
        "tests/ingest/test_editing.py::test_a_column_without_bins_has_no_edges_to_write",
    ),
    _fault(
        "the rarest items are kept", "transactions",
        "key=lambda i: (-counts[i], texts[i])", "key=lambda i: (counts[i], texts[i])",
        f"{VALUES}::test_most_frequent_items_are_kept",
    ),
    _fault(
        "an item counts as often as a basket names it", "transactions",
        "pairs = pairs[np.append(True, np.diff(pairs) > 0)] if len(pairs) else pairs", "",
        f"{VALUES}::test_most_frequent_items_are_kept",
    ),
)  # fmt: skip

TEXT_FAULTS = (
    core(
        "an option of another format is ignored", "ingest/readers/__init__", "    reader.check(options)\n", "",
        ("tests/bad_files/test_bad_files.py",),
    ),
    _fault(
        "one bad byte changes the encoding", "readers/encoding",
        "return 0 < good >= len(bad) or unlikely", "return False",
        f"{VALUES}::test_which_encoding_it_is",
    ),
    _fault(
        "an old encoding is taken for damaged UTF-8", "readers/encoding",
        "return 0 < good >= len(bad) or unlikely", "return 0 < len(bad)",
        f"{VALUES}::test_which_encoding_it_is",
    ),
    _fault(
        "letters that decode by chance are proof", "readers/encoding",
        "return all(byte in LATIN_LEADS for byte in word if 0xC0 <= byte < 0xE0)", "return True",
        f"{READ}[polish_not_utf8.csv]",
    ),
    _fault(
        "bad bytes replaced unasked", "readers/encoding",
        'if at is not None and options.bad_bytes == "refuse":', "if False:",
        f"{REFUSED}[one_bad_byte.csv]",
        in_ci=True,
    ),
    _fault(
        "bad bytes of a stream replaced unasked", "readers/encoding",
        'options.bad_bytes == "refuse"\n        self', "False\n        self",
        f"{STREAMING}::test_what_cannot_be_read_is_not_streamed_either",
    ),
    _fault(
        "position of the bad byte without the byte order mark", "readers/encoding",
        'return "utf-8" if codecs.lookup(encoding).name == "utf-8-sig" else encoding',
        "return encoding",
        f"{REFUSED}[bad_byte_after_mark.csv]",
    ),
    _fault(
        "replacement marks of the file counted as replaced", "readers/encoding",
        'bad = text.count("\\ufffd") - own', 'bad = text.count("\\ufffd")',
        f"{READ}[own_marks_are_not_counted.csv]",
    ),
    _fault(
        "longer rows left out unasked", "readers/lengths",
        "if longer and not self.leave_out:", "if longer and not longer:",
        f"{REFUSED}[few_longer.csv]",
    ),
    _fault(
        "any number of shorter rows left out unasked", "readers/lengths",
        "RAGGED_SHARE = 0.1", "RAGGED_SHARE = 1.0",
        f"{REFUSED}[ragged.csv]", f"{STREAMING}::test_what_cannot_be_read_is_not_streamed_either",
    ),
    _fault(
        "names shifted by one where rows are longer", "readers/sniff",
        'names = ["", *header] if ragged == "first_unnamed" else list(header)',
        'names = ["", *header] if len(header) == width - 1 else list(header)',
        f"{REFUSED}[row_names.csv]",
    ),
    _fault(
        "line named without those above the table", "readers/rows",
        "line = self.lines_before + self._line_of(row.number)", "line = self._line_of(row.number)",
        f"{REFUSED}[few_longer.csv]",
    ),
    _fault(
        "line named without those inside cells", "readers/rows",
        "return reader.line_num + 1", "return record",
        f"{REFUSED}[longer_below_lines_in_cells.csv]",
    ),
    _fault(
        "an open quotation mark swallows the rest", "readers/rows",
        "if any(one.rstrip(", "if False and any(one.rstrip(",
        f"{REFUSED}[swallowed.arff]", in_ci=True,
    ),
    _fault(
        "a long row is an open quotation mark", "readers/rows",
        "for block in (small, whole):", "for block in (small, small):",
        f"{READ}[long_cells.csv]",
    ),
    _fault(
        "first lines cut within a line", "readers/delimited",
        "end = found.end() if found else content.nbytes", "end = SAMPLE_BYTES",
        f"{REFUSED}[very_wide.csv]",
    ),
    _fault(
        "blank lines not said", "readers/rows",
        "if not one and has_blank_lines(self.body):", "if False:",
        f"{READ}[blank_lines.csv]",
    ),
    _fault(
        "an empty cell of a single column is no row", "readers/rows",
        "one = self.width == 1 and self.blank_is_missing", "one = False",
        f"{READ}[blank_is_missing.csv]",
    ),
    _fault(
        "the first row always holds the names", "readers/sniff",
        "return votes > 0 or (votes == 0 and named)", "return True",
        f"{VALUES}::test_where_the_names_stand",
    ),
    _fault(
        "a title of two cells holds the names", "readers/sniff",
        "if fuller and _names_above_numbers(rows[i], rows[i + 1 :]):", "if fuller and not rows:",
        f"{VALUES}::test_where_the_names_stand",
    ),
    _fault(
        "a title as wide as the table goes unsaid", "readers/sniff",
        "if self.doubt:", "if False:",
        f"{READ}[full_title.xlsx]",
    ),
    _fault(
        "blank rows of a sheet not said", "readers/excel",
        "blank_rows += at - last - 1", "blank_rows += 0",
        f"{READ}[rows_between.xlsx]",
    ),
    _fault(
        "lines without user or item not said", "transactions",
        "if not whole.all():", "if False:",
        f"{READ}[missing_pairs.csv]",
    ),
)  # fmt: skip

PROCESS_FAULTS = (
    _fault(
        "full environment handed to the parser", "isolation",
        "{key: os.environ[key] for key in PASSED_ON if key in os.environ} | QUIET",
        "dict(os.environ) | QUIET",
        f"{ISOLATION}::test_no_secret_of_the_parent_reaches_the_child",
    ),
    _fault(
        "the parser finds modules where the parent says", "isolation",
        'flags = ["-I", *', "flags = [*",
        f"{ISOLATION}::test_the_child_stands_alone",
    ),
    _fault(
        "a good file is blamed for how the parser ends", "worker", "    os._exit(0)\n", "",
        f"{ISOLATION}::test_what_goes_wrong_when_the_child_is_taken_down_is_not_laid_on_the_file",
    ),
    _fault(
        "Arrow input not validated", "isolation",
        "data.validate(full=True)", "data.validate()",
        f"{ISOLATION}::test_indices_beyond_the_values_are_refused",
        f"{ISOLATION}::test_text_beyond_its_buffer_is_refused",
    ),
    _fault(
        "Parquet input not validated", "readers/parquet",
        "data.validate(full=True)", "data.validate()",
        f"{ISOLATION}::test_indices_of_a_parquet_file_are_checked",
    ),
    _fault(
        "streamed Parquet input not validated", "readers/parquet",
        "checked(batch).columns", "batch.columns",
        f"{ISOLATION}::test_indices_of_a_streamed_parquet_file_are_checked",
    ),
    _fault(
        "no CPU limit", "worker",
        "(resource.RLIMIT_CPU, seconds),", "(resource.RLIMIT_CORE, 0),",
        f"{ISOLATION}::test_the_child_is_limited_before_it_parses",
    ),
    _fault(
        "no memory limit", "worker",
        "(resource.RLIMIT_AS, memory_bytes),", "(resource.RLIMIT_FSIZE, memory_bytes),",
        f"{ISOLATION}::test_the_child_is_limited_before_it_parses",
    ),
    _fault(
        "no limits at all", "worker",
        '    limit_process(job["limits"]["memory_bytes"], job["seconds"])\n', "",
        f"{ISOLATION}::test_the_child_is_limited_before_it_parses",
    ),
    # Its test ends at pytest's own limit of time: not in CI.
    core(
        "no clock", "ingest/isolation",
        "if time.monotonic() > until:", "if False:",
        (f"{BAD}::test_slow_file_is_given_up",),
    ),
    _fault(
        "no memory is a damaged Parquet file", "readers/parquet",
        "if lacks_memory(error):", "if False:",
        f"{MEMORY}::test_no_memory_is_one_sentence_wherever_it_runs_out",
    ),
    _fault(
        "formats that can be streamed known by name", "streaming",
        "if reader.batches is None or", 'if reader.name not in ("CSV", "Parquet") or',
        f"{STREAMING}::test_a_new_format_that_offers_batches_is_streamed",
    ),
    _fault(
        "lists of items streamed as a table", "streaming",
        'options.shape not in (None, "table")', "False",
        f"{STREAMING}::test_lists_of_items_are_not_streamed",
    ),
    _fault(
        "all that was read of a streamed file is held", "streaming", "        forget()\n", "",
        f"{MEMORY}::test_what_was_read_of_a_file_is_let_go",
    ),
    _fault(
        "no row may be longer than a small block", "readers/delimited",
        "min(max(LEAST_BLOCK, 64 * longest), MOST_BLOCK)", "LEAST_BLOCK",
        f"{MEMORY}::test_a_row_longer_than_a_small_block_is_read",
    ),
    _fault(
        "no memory ends a stream in a traceback", "streaming",
        "if not lacks_memory(error):", "if True:",
        f"{MEMORY}::test_no_memory_is_one_sentence_wherever_it_runs_out",
    ),
    _fault(
        "bugs of a stream called lack of memory", "streaming",
        "if not lacks_memory(error):", "if False:",
        f"{MEMORY}::test_other_errors_stay_what_they_are",
    ),
    _fault(
        "reading options not taken by the stream", "streaming",
        "options = options or ReadOptions()", "options = ReadOptions()",
        f"{STREAMING}::test_odd_texts_are_streamed_as_they_are_read",
    ),
    Mutant(
        "choice on the page for bad bytes not taken", "pages/panels/data/source.py",
        'bad_bytes=BAD_BYTES[chosen.get("read_bad_bytes", next(iter(BAD_BYTES)))],', "",
        (f"{PAGE}::test_what_a_refusal_offers_is_a_choice_on_the_page",),
    ),
    core(
        "a refused sheet does not say that there are others", "ingest/load",
        "raise DataError(table.told_beside(str(error))) from error", "raise",
        ("tests/ingest/test_account.py::test_a_refusal_of_a_sheet_names_the_others",),
    ),
    core(
        "columns left out for one reason are named one by one", "wording",
        "alike.setdefault(reason, [])", "alike.setdefault(reason + name, [])", (NO_COLUMN,),
    ),
    core(
        "a file without a usable column is refused without a count", "ingest/schema",
        'f"none of the {count:,} columns can"', '"no column can"', (NO_COLUMN,),
    ),
)  # fmt: skip

MUTANTS = VALUE_FAULTS + TEXT_FAULTS + PROCESS_FAULTS
