"""What was found in each column of a file, open decisions, and advice before a collection."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import streamlit as st

from calm_core.evaluation.coarsening_advice import NEVER, CoarseningAdvice, suggest_coarsening
from calm_core.ingest import ColumnSchema, EncodedData, Schema
from calm_core.ingest.binning import merge_schema
from calm_core.ingest.editing import (
    accept_proposal,
    answer_question,
    decline_proposal,
    keep_as_values,
    name_values,
)
from calm_core.ingest.encode import choose_schema
from calm_core.ingest.findings import Finding, describe_columns
from calm_core.ingest.suggestions import Proposal, needs_confirmation
from calm_core.methods import METHODS, Calm, CalmPlus
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.panels.data import attributes
from pages.ui import cached_calls, escape, naming, notices, state, view_state
from pages.ui.components import mount
from pages.ui.error_boundary import fragment_with_errors
from pages.ui.jobs.background import LOOK_AGAIN, Worker
from pages.ui.jobs.result_cache import ResultCache

# Rows shown; in a wider table columns with open decisions come first.
MAX_ROWS = 200


def iter_suggestions(schema: Schema) -> Iterator[tuple[str, Proposal]]:
    """Yield the suggestions that one press can accept, with their column; names have to be typed."""
    for column in schema.columns:
        for proposal in column.proposals:
            if proposal.what != "names":
                yield column.name, proposal


def count_open(schema: Schema) -> tuple[int, int]:
    """Return the numbers of open questions and suggestions."""
    return sum(len(c.questions) for c in schema.columns), sum(1 for _ in iter_suggestions(schema))


def batch_suggestions(schema: Schema) -> list[tuple[str, Proposal]]:
    """Return the suggestions that may be accepted together; possible answers are accepted one by one."""
    return [one for one in iter_suggestions(schema) if not needs_confirmation(one[1])]


def show_review_link(schema: Schema) -> None:
    """Show a link to the review where something is open."""
    found = count_open(schema)
    if any(found):
        st.button(
            words.import_review.review_label(*found), key="open_offers", type="tertiary", icon=":material/rule:",
            on_click=view_state.change, kwargs={"view": "seen"},
        )  # fmt: skip


def show_first_question(schema: Schema) -> None:
    """Show the first open question with its assumed answer."""
    found = [question for column in schema.columns for question in column.questions]
    if not found:
        return
    more = f" {words.import_review.more_questions(len(found) - 1)}" if len(found) > 1 else ""
    with st.container(key="asked"):
        st.markdown(escape.sentence(found[0].sentence + more))
        st.button(
            words.import_review.CHANGE, key="open_asked", type="tertiary",
            on_click=view_state.change, kwargs={"view": "seen"},
        )  # fmt: skip


def show_review(schema: Schema, encoded: EncodedData) -> None:
    """Draw the columns with their findings and open decisions."""
    settings, used = state.current(), set(encoded.dataset.domain.names)
    most, detected = settings.max_values, cached_calls.detected_schema(settings)
    found = describe_columns(schema if most is None else merge_schema(schema, most))
    changed = {
        column.name
        for column in schema.columns
        if column.name in detected.names and column != detected.column(column.name)
    }
    rows = [
        _review_row(column, finding, used=column.name in used, changed=column.name in changed)
        for column, finding in zip(schema.columns, found)
    ]
    if len(rows) > MAX_ROWS:
        rows.sort(key=lambda row: not (row["questions"] or row["offers"]))
    questions, offers = count_open(schema)
    together = len(batch_suggestions(schema))
    rest = len(rows) - MAX_ROWS
    said = state.last_change()
    mount(
        "import_review",
        {
            "rows": [row | {"at": at} for at, row in enumerate(rows[:MAX_ROWS])],
            "said": said[0] if said else "",
            # Changes after every press, so that a refused one unlocks its row.
            "heard": st.session_state.get("seen_heard", 0),
            "words": words.import_review.ROWS | {
                "lead": words.import_review.lead_text(questions, offers, offers - together),
                "all": words.import_review.accept_all_label(together, offers) if together else "",
                "rest": words.import_review.unlisted_columns(rest) if rest > 0 else "",
            },
        },
        on={"decided": on_decision},
    )  # fmt: skip
    if any(column.is_number and column.binning != "fixed" for column in schema.used_columns):
        st.caption(words.data.EDGES_HINT)


def _review_row(column: ColumnSchema, finding: Finding, *, used: bool, changed: bool) -> dict:
    usable = not used and column.size > 0 and not state.is_hidden("columns")
    out, questions = "" if used else column.reason, [q.sentence for q in column.questions]
    return {
        "name": column.name, "title": column_title(column), "used": used, "changed": changed,
        "note": "" if used or out else words.import_review.NOT_CHOSEN,
        "saw": finding.saw, "becomes": words.data.left_out_text(out) if out else finding.becomes,
        "warnings": [text for text in finding.warnings if text not in questions],
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
            {"key": made.key, "label": words.import_review.proposal_label(made), "texts": words.import_review.proposal_texts(made)}
            for made in column.proposals if made.what != "names"
        ],
        "kept": words.import_review.keep_label(column.missing_texts) if column.missing_texts else "",
        "naming": _naming_data(column) if used else None,
        "use": "" if not usable else words.import_review.USE_ANYWAY if out else words.import_review.USE,
    }  # fmt: skip


def column_title(column: ColumnSchema) -> str:
    """Return the title of a column on screen."""
    return escape.shorten(column.title or column.name, 60)


def _naming_data(column: ColumnSchema) -> dict | None:
    """Return labels, names and shown texts of the two values of a column, or None."""
    at = [code for code in range(column.size) if code != column.missing_code]
    two = column.kind == "yes/no" or any(made.what == "names" for made in column.proposals)
    if not two or len(at) != 2:
        return None
    domain = Schema((column,)).domain if column.keep else Domain((column.name,), (column.size,))
    shown = naming.value_labels(domain, column.name)
    typed = column.value_names or ("",) * column.size
    return {
        "labels": [column.labels[code] for code in at], "names": [typed[code] for code in at],
        "shown": [shown[code] for code in at],
    }  # fmt: skip


def on_decision(told: dict) -> None:
    """Apply a decision from the review; decisions about removed columns do nothing."""
    st.session_state["seen_heard"] = st.session_state.get("seen_heard", 0) + 1
    schema, act = cached_calls.schema(state.current()), told["act"]
    with notices.show_user_errors():
        if act == "all":
            accept_all(schema)
        elif told["column"] in schema.names:
            if act == "use":
                attributes.on_use_change({"name": told["column"], "used": True})
            else:
                DECISIONS[act](schema, schema.column(told["column"]), told)


def accept_all(schema: Schema) -> None:
    """Accept all batch suggestions, one after the other."""
    # The largest first: it may make others needless or change their counts.
    wanted = sorted(batch_suggestions(schema), key=lambda one: -len(one[1].texts))
    count = 0
    for name, proposal in wanted:
        now = _find_proposal(schema.column(name).proposals, proposal.key)
        if now is not None:
            schema, count = accept_proposal(schema, name, now), count + 1
    if count:
        left = sum(1 for _ in iter_suggestions(schema))
        state.use_schema(schema, words.import_review.accepted_all_text(count, left))


def _find_proposal(proposals: tuple[Proposal, ...], key: str) -> Proposal | None:
    return next((proposal for proposal in proposals if proposal.key == key), None)


def accept_one(schema: Schema, column: ColumnSchema, proposal: Proposal) -> None:
    """Accept one suggestion."""
    said = words.import_review.accepted_text(column_title(column), proposal)
    state.use_schema(accept_proposal(schema, column.name, proposal), said)


def _on_accept(schema: Schema, column: ColumnSchema, told: dict) -> None:
    proposal = _find_proposal(column.proposals, told["offer"])
    if proposal is not None:
        accept_one(schema, column, proposal)


def _on_decline(schema: Schema, column: ColumnSchema, told: dict) -> None:
    proposal = _find_proposal(column.proposals, told["offer"])
    if proposal is not None:
        state.use_schema(
            decline_proposal(schema, column.name, proposal),
            f"{column_title(column)}: left as it is.",
        )


def _on_answer(schema: Schema, column: ColumnSchema, told: dict) -> None:
    asked_now = [question for question in column.questions if question.about == told["about"]]
    if asked_now:
        question = asked_now[0]
        choice = question.choices[told["choice"]]
        said = f"{column_title(column)}: {choice.text}."
        state.use_schema(answer_question(schema, column.name, question, choice), said)


def _on_keep_values(schema: Schema, column: ColumnSchema, told: dict) -> None:
    if column.missing_texts:
        changed = keep_as_values(schema, column.name, column.missing_texts)
        state.use_schema(
            changed, words.import_review.kept_text(column_title(column), column.missing_texts)
        )


def _on_name_values(schema: Schema, column: ColumnSchema, told: dict) -> None:
    named = name_values(column, dict(zip(told["labels"], told["names"])))
    if named != column:
        state.use_schema(
            schema.with_column(named),
            words.import_review.named_text(column_title(column), named.display_names),
        )


def _on_reset(schema: Schema, column: ColumnSchema, told: dict) -> None:
    detected = cached_calls.detected_schema(state.current())
    if column.name in detected.names:
        found = schema.with_column(detected.column(column.name))
        state.use_schema(found, f"{column_title(column)}: as found again.")


DECISIONS: dict[str, Callable[[Schema, ColumnSchema, dict], None]] = {
    "accept": _on_accept, "leave": _on_decline, "answer": _on_answer, "keep": _on_keep_values, "names": _on_name_values,
    "found": _on_reset,
}  # fmt: skip


# Pieces of advice shown, and the largest share of the error that may remain to be worth it.
MAX_ADVICE, WORTH = 3, 0.9
# Whether a button was pressed: the whole page then has to run, not only the fragment.
ADVICE_PRESSED = "advice_pressed"
WORKER = Worker()


@dataclass(eq=False)
class KnownAdvice:
    """The advice for some settings; None until it is computed."""

    found: tuple[CoarseningAdvice, ...] | None = None
    # Seconds until a page checks again.
    again: float = LOOK_AGAIN


_KNOWN = ResultCache(48)


def get_advice(settings: Settings) -> KnownAdvice:
    """Return the advice for these settings; computed in the background if unknown."""
    n = settings.n or cached_calls.encoded_data(settings).dataset.n
    chosen = n, settings.epsilon, settings.k, settings.theta
    known = _KNOWN.get(("advice", *cached_calls.data_key(settings), *chosen), KnownAdvice)
    if known.found is None:
        schema = used_schema(settings)
        known.again = WORKER.ask(known, lambda: compute_advice(known, schema, *chosen))
    return known


def used_schema(settings: Settings) -> Schema:
    """Return the columns as they are collected: those chosen, merged as the settings say."""
    columns, d = settings.columns or None, None if settings.columns else settings.d
    return choose_schema(cached_calls.schema(settings), columns, d, settings.max_values)


def compute_advice(
    known: KnownAdvice, schema: Schema, n: int, epsilon: float, k: int, theta: float
) -> Iterator[None]:
    """Fill `known`, predicted with CALM's plans."""
    found = suggest_coarsening(schema, n, epsilon, k, theta=theta)
    known.found = tuple(one for one in found if one.after <= WORTH * one.before)[:MAX_ADVICE]
    yield


def show_advice(settings: Settings, schema: Schema) -> None:
    """Show columns that are too fine, each with a button that merges its values, once known."""
    # Only collections in views are predicted.
    if settings.method not in (Calm.name, CalmPlus.name):
        if any(column.size > NEVER for column in used_schema(settings).used_columns):
            st.caption(words.import_review.no_advice(METHODS[settings.method].title))
        return
    st.session_state[ADVICE_PRESSED] = False
    known = get_advice(settings)
    waiting = known.found is None

    def part() -> None:
        if st.session_state[ADVICE_PRESSED]:
            st.rerun()
        found = get_advice(settings).found
        if found is None:
            return
        if waiting:
            # Run again without a timer.
            notices.rerun()
        for at, one in enumerate(found):
            _show_one_advice(at, one, settings, schema)

    with st.container(key="advice"):
        fragment_with_errors(part, run_every=known.again if waiting else None)()


def _show_one_advice(at: int, one: CoarseningAdvice, settings: Settings, schema: Schema) -> None:
    used = used_schema(settings)
    fewer, now = one.schema.column(one.name), used.column(one.name)
    n = settings.n or cached_calls.encoded_data(settings).dataset.n
    k = min(settings.k, len(used.used_columns))
    said = (
        words.import_review.too_fine_text(
            column_title(now), now.size, n, settings.epsilon, bands=now.is_number
        ),
        words.import_review.merging_gain(fewer.size, k, one.before, one.after),
    )
    with st.container(key=f"advice_{at}"):
        st.markdown(escape.sentence(" ".join(said)))
        st.button(
            f"Merge to {fewer.size:,}: {words.numbers.points(one.after)}", key=f"coarser_{at}",
            on_click=apply_advice, args=(one, schema),
        )  # fmt: skip


def apply_advice(one: CoarseningAdvice, schema: Schema) -> None:
    """Use the column with fewer values; whether it is kept stays."""
    st.session_state[ADVICE_PRESSED] = True
    fewer, now = one.schema.column(one.name), schema.column(one.name)
    changed = schema.with_column(replace(fewer, keep=now.keep, reason=now.reason))
    state.use_schema(changed, f"{column_title(now)}: {fewer.size:,} values now.")
