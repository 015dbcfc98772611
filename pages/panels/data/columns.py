"""The columns of the table: those used, what was found in each, open decisions, and advice."""

import math
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import streamlit as st

from calm_core.ingest import editing
from calm_core.ingest.binning import merge_schema
from calm_core.ingest.cleaning import iter_suggestions
from calm_core.ingest.counting import ValueCounts, count_column
from calm_core.ingest.encode import EncodedData, count_codes
from calm_core.ingest.findings import Finding, describe_columns
from calm_core.ingest.proposed_columns import PEOPLE, find_doubts, rank_columns
from calm_core.ingest.schema import ColumnSchema, Schema
from calm_core.ingest.suggestions import spellings_note
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.ui import cached_calls, display, frame, navigation, state, widgets
from pages.ui.components import mount

SAID = words.data

# Unused columns shown; "Choose and order" lists the others.
MAX_UNUSED = 100


def show_attributes(schema: Schema, encoded: EncodedData) -> None:
    """Draw the rows; a lecture shows used attributes only."""
    dataset, used = encoded.dataset, encoded.dataset.domain
    rows = [
        _attribute_row(used, name, dataset.marginal((name,)).values, used=True)
        for name in used.names
    ]
    two = all(size == 2 for size in used.sizes)
    if not frame.is_lecture():
        rows += _unused_rows(schema, used.names)
    mount(
        "attributes",
        {
            "rows": rows, "first": used.d, "lecture": frame.is_lecture(),
            # Changes after every choice, so that the boxes are reset after a refused one.
            "heard": st.session_state.get("attributes_heard", 0),
            "words": SAID.ROWS | {
                "share": SAID.SECOND if two else SAID.SHARES,
                "more": f"Show {len(rows) - used.d} more",
                "locked": frame.is_lecture() or state.is_hidden("columns"),
            },
        },
        on={"used": change_use},
    )  # fmt: skip


def _unused_rows(schema: Schema, used: Collection[str]) -> list[dict]:
    columns = tuple(column for column in schema.columns if column.name not in used)[:MAX_UNUSED]
    shares, doubts, rows = value_shares(state.current(), columns), find_doubts(schema), []
    for column in columns:
        if column.size:
            domain = Schema((replace(column, keep=True, reason=""),)).domain
        else:
            domain = Domain((column.name,), (1,), titles=(column.title or column.name,))
        doubt = doubts.get(column.name, "")
        reason = PEOPLE.get(doubt) or column.reason or doubt
        note = SAID.left_out_text(reason=reason) if reason else ""
        column_shares = shares.get(column.name, np.zeros(0))
        rows.append(_attribute_row(domain, column.name, column_shares, used=False, note=note))
    return rows


def value_shares(settings: Settings, columns: tuple[ColumnSchema, ...]) -> dict[str, np.ndarray]:
    """Return the share of every value of these columns, cached because it passes over the table."""

    def compute() -> dict[str, np.ndarray]:
        table = cached_calls.table(settings)
        counts = {
            column.name: count_codes(table, column)
            for column in columns
            if column.size and column.name in table.names
        }
        return {name: rows / max(1, rows.sum()) for name, rows in counts.items()}

    names = tuple(column.name for column in columns)
    return cached_calls.get_result("shares", (settings.source, settings.schema, names), compute)


def _attribute_row(
    domain: Domain, name: str, shares: np.ndarray, *, used: bool, note: str = ""
) -> dict:
    values, share_list = display.value_labels(domain, name), [float(share) for share in shares]
    return {
        "name": name, "title": display.attribute_title(domain, name), "used": used, "note": note,
        "values": " / ".join(values), "shares": [round(s, 4) for s in share_list],
        "told": SAID.share_text(share_list), "alt": SAID.shares_text(values, share_list),
    }  # fmt: skip


def change_use(press: dict) -> None:
    """Handle a checkbox: add an attribute at the end, or remove it."""
    st.session_state["attributes_heard"] = st.session_state.get("attributes_heard", 0) + 1
    settings = state.current()
    names = list(cached_calls.encoded_data(settings).dataset.domain.names)
    all_names = {column.name for column in cached_calls.schema(settings).columns}
    name, is_used = press["name"], bool(press["used"])
    if name not in all_names or is_used == (name in names):
        return
    names = [*names, name] if is_used else [other for other in names if other != name]
    choose_attributes(tuple(names))


def choose_attributes(names: tuple[str, ...]) -> bool:
    """Use these attributes in this order; k shrinks with them, and the toast says so."""
    settings = state.current()
    schema = cached_calls.schema(settings.with_changes(columns=()))
    proposed = rank_columns(schema)[: len(names)]
    # Those that are proposed need no names in the address.
    first = [*names] == [column.name for column in schema.columns if column.name in proposed]
    k = min(settings.k, len(names) or settings.k)
    changes = {"columns": () if first else names, "k": k, "l": None, "m": None}
    if first:
        changes["d"] = len(names)
    return state.apply(
        f"{len(names)} attributes" + (f", k = {k}" if k != settings.k else ""), **changes
    )


AS_THEY_ARE = "as they are"
MERGES = ("2", "3", "4", "5", "6", "8", "10", "16")


def show_order(schema: Schema) -> None:
    """Show the controls for the attributes used, their number, and their largest number of values."""
    used = cached_calls.encoded_data(state.current()).dataset.domain.names
    titles = display.make_distinct(c.title or c.name for c in schema.columns)
    called = dict(zip(schema.names, titles, strict=True))
    widgets.setting_widget(
        st.multiselect, SAID.ATTRIBUTES, "columns", options=list(schema.names),
        show=lambda columns: list(columns or used), read=tuple, max_selections=64,
        format_func=called.get, help=SAID.ATTRIBUTES_HELP,
    )  # fmt: skip
    usable = min(64, len(schema.used_columns))
    if usable > 2:
        widgets.setting_widget(
            st.slider, SAID.FIRST, "d", min_value=2, max_value=max(usable, len(used)),
            help=words.settings.HELP["d"],
        )  # fmt: skip
    widgets.setting_widget(
        st.selectbox, SAID.MAX_VALUES, "max_values",
        options=[AS_THEY_ARE, *MERGES], show=lambda c: AS_THEY_ARE if c is None else str(c),
        read=lambda text: None if text == AS_THEY_ARE else widgets.parse_int(text, "max_values"),
        accept_new_options=True,
        help=SAID.MAX_VALUES_HELP,
    )  # fmt: skip


def show_rows(encoded: EncodedData, elsewhere: Collection[str]) -> None:
    """Show how many rows and columns were read, left out, or changed.

    Parameters
    ----------
    encoded : EncodedData
    elsewhere : collection of str
        Notes that the page shows elsewhere.
    """
    cells = math.prod(encoded.dataset.domain.sizes)
    with st.container(key="rows"):
        st.markdown(display.sentence(SAID.rows_text(encoded.report, cells)))
        for note in encoded.report.notes:
            if note not in elsewhere and not frame.is_lecture():
                st.caption(display.sentence(note))
        if not frame.is_lecture():
            frame.show_text(SAID.TERMS, quiet=True)


# Rows shown; in a wider table columns with open decisions come first.
MAX_ROWS = 200


def count_open(schema: Schema) -> tuple[int, int]:
    """Return the numbers of open questions and suggestions."""
    return sum(len(c.questions) for c in schema.columns), sum(1 for _ in iter_suggestions(schema))


def show_review_link(schema: Schema) -> None:
    """Show a link to the review where something is open."""
    open_counts = count_open(schema)
    if any(open_counts):
        st.button(
            SAID.review_label(*open_counts), key="open_offers", type="tertiary", icon=":material/rule:",
            on_click=navigation.change, kwargs={"view": "seen"},
        )  # fmt: skip


def show_joined_spellings(schema: Schema) -> None:
    """Show where spellings of yes and no were joined."""
    if note := spellings_note(schema.used_columns):
        with st.container(key="joined"):
            st.caption(display.sentence(f"{note} {SAID.SEPARATE}"))


def show_review(schema: Schema, encoded: EncodedData) -> None:
    """Draw the columns with their findings and open decisions."""
    settings, used = state.current(), set(encoded.dataset.domain.names)
    max_values, detected = settings.max_values, cached_calls.detected_schema(settings)
    findings = describe_columns(schema if max_values is None else merge_schema(schema, max_values))
    by_name = {column.name: column for column in detected.columns}
    changed = {c.name for c in schema.columns if by_name.get(c.name, c) != c}
    rows = [
        _review_row(column, finding, used=column.name in used, changed=column.name in changed)
        for column, finding in zip(schema.columns, findings)
    ]
    if len(rows) > MAX_ROWS:
        rows.sort(key=lambda row: not (row["questions"] or row["offers"]))
    questions, offers = count_open(schema)
    rest = len(rows) - MAX_ROWS
    mount(
        "import_review",
        {
            "rows": [row | {"at": at} for at, row in enumerate(rows[:MAX_ROWS])],
            "said": state.last_change(),
            # Changes after every press, so that a refused one unlocks its row.
            "heard": st.session_state.get("seen_heard", 0),
            "words": SAID.ROW_WORDS | {
                "lead": SAID.lead_text(questions, offers),
                "rest": SAID.unlisted_columns(count=rest) if rest > 0 else "",
            },
        },
        on={"decided": apply_decision},
    )  # fmt: skip
    if any(column.is_number and column.binning != "fixed" for column in schema.used_columns):
        st.caption(SAID.EDGES_HINT)


def _review_row(column: ColumnSchema, finding: Finding, *, used: bool, changed: bool) -> dict:
    out = "" if used else column.reason
    return {
        "name": column.name, "title": column_title(column), "used": used, "changed": changed,
        "note": "" if used or out else SAID.NOT_CHOSEN,
        "saw": finding.saw, "becomes": SAID.left_out_text(reason=out) if out else finding.becomes,
        "warnings": [*finding.warnings],
        "questions": [
            {
                "about": question.about, "sentence": question.sentence,
                "choices": [
                    {"text": choice.text, "taken": choice == question.taken}
                    for choice in question.choices
                ],
            }
            for question in column.questions
        ],
        "offers": [
            {"key": made.key, "label": SAID.proposal_label(made), "texts": SAID.proposal_texts(made)}
            for made in column.proposals
        ],
        "kept": SAID.keep_label(column.missing_texts) if column.missing_texts else "",
    }  # fmt: skip


def column_title(column: ColumnSchema) -> str:
    """Return the title of a column on screen."""
    return display.shorten(column.title or column.name, 60)


def apply_decision(choice: dict) -> None:
    """Apply a decision from the review; decisions about removed columns do nothing."""
    st.session_state["seen_heard"] = st.session_state.get("seen_heard", 0) + 1
    schema = cached_calls.schema(state.current())
    with state.show_user_errors():
        if choice["column"] in schema.names:
            decided = _decide(schema, schema.column(choice["column"]), choice)
            if decided is not None:
                state.use_schema(*decided)


def _decide(schema: Schema, column: ColumnSchema, choice: dict) -> tuple[Schema, str] | None:
    """Return the schema after a decision about a column, and the decision in words; None if nothing is left to decide."""
    title = column_title(column)

    def counted() -> ValueCounts:
        return count_column(cached_calls.table(state.current()), column.name)

    match choice["act"]:
        case "accept" | "leave" as act:
            for proposal in column.proposals:
                if proposal.key == choice["offer"]:
                    if act == "leave":
                        changed = editing.decline_proposal(schema, column.name, proposal)
                        return changed, f"{title}: left as it is."
                    changed = editing.accept_proposal(counted(), schema, proposal)
                    return changed, SAID.accepted_text(title, proposal)
        case "answer":
            for question in column.questions:
                if question.about == choice["about"]:
                    answer = question.choices[choice["choice"]]
                    changed = editing.answer_question(counted(), schema, question, answer)
                    return changed, f"{title}: {answer.text}."
        case "keep" if column.missing_texts:
            changed = editing.keep_as_values(schema, column.name)
            return changed, SAID.new_values_note(title, column.missing_texts)
        case "found":
            detected = cached_calls.detected_schema(state.current())
            if column.name in detected.names:
                changed = schema.with_column(detected.column(column.name))
                return changed, f"{title}: as found again."
    return None
