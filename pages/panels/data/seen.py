"""What we saw: every column, what it becomes, and what there is to decide about it."""

from collections.abc import Callable, Iterator

import streamlit as st

from calm_core.ingest import ColumnSchema, Encoded, Schema
from calm_core.ingest.binning import merge_schema
from calm_core.ingest.editing import accept, answer, decline, keep_as_values, name_values
from calm_core.ingest.findings import Finding, findings
from calm_core.ingest.suggestions import Proposal, always_asked
from calm_core.tables.domain import Domain
from pages import words
from pages.panels.data import attributes
from pages.ui import cached, escape, naming, notices, state, view_state
from pages.ui.components import mount

# Rows shown; of a wider table those come first that have something to decide.
MAX_ROWS = 200


def suggestions(schema: Schema) -> Iterator[tuple[str, Proposal]]:
    """What can be accepted by one press, by column; two names have to be typed."""
    for column in schema.columns:
        for proposal in column.proposals:
            if proposal.what != "names":
                yield column.name, proposal


def open_offers(schema: Schema) -> tuple[int, int]:
    """How many questions and suggestions there are."""
    return sum(len(c.questions) for c in schema.columns), sum(1 for _ in suggestions(schema))


def for_all(schema: Schema) -> list[tuple[str, Proposal]]:
    """The suggestions that one press may accept together; what may be an answer is asked by itself."""
    return [one for one in suggestions(schema) if not always_asked(one[1])]


def foot(schema: Schema) -> None:
    """Under the attributes: that there is something to decide, and the way there."""
    found = open_offers(schema)
    if any(found):
        st.button(
            words.import_review.look(*found), key="open_offers", type="tertiary", icon=":material/rule:",
            on_click=view_state.change, kwargs={"view": "seen"},
        )  # fmt: skip


def asked(schema: Schema) -> None:
    """A question that nobody has answered is said in plain sight, with what is supposed."""
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


def show(schema: Schema, encoded: Encoded) -> None:
    """Draw the rows."""
    settings, used = state.current(), set(encoded.dataset.domain.names)
    most, detected = settings.max_values, cached.detected_schema(settings)
    found = findings(schema if most is None else merge_schema(schema, most))
    changed = {
        column.name
        for column in schema.columns
        if column.name in detected.names and column != detected.column(column.name)
    }
    rows = [
        _row(column, finding, used=column.name in used, changed=column.name in changed)
        for column, finding in zip(schema.columns, found)
    ]
    if len(rows) > MAX_ROWS:
        rows.sort(key=lambda row: not (row["questions"] or row["offers"]))
    questions, offers = open_offers(schema)
    together = len(for_all(schema))
    rest = len(rows) - MAX_ROWS
    said = state.last_change()
    mount(
        "import_review",
        {
            "rows": [row | {"at": at} for at, row in enumerate(rows[:MAX_ROWS])],
            "said": said[0] if said else "",
            # Another number even where a press was refused: its row is free again.
            "heard": st.session_state.get("seen_heard", 0),
            "words": words.import_review.ROWS | {
                "lead": words.import_review.lead(questions, offers, offers - together),
                "all": words.import_review.accept_all(together, offers) if together else "",
                "rest": words.import_review.not_listed(rest) if rest > 0 else "",
            },
        },
        on={"decided": decide},
    )  # fmt: skip
    if any(column.is_number and column.binning != "fixed" for column in schema.kept):
        st.caption(words.data.EDGES_HINT)


def _row(column: ColumnSchema, finding: Finding, *, used: bool, changed: bool) -> dict:
    usable = not used and column.size > 0 and not state.is_hidden("columns")
    out, questions = "" if used else column.reason, [q.sentence for q in column.questions]
    return {
        "name": column.name, "title": title(column), "used": used, "changed": changed,
        "note": "" if used or out else words.import_review.NOT_CHOSEN,
        "saw": finding.saw, "becomes": words.data.left_out(out) if out else finding.becomes,
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
            {"key": made.key, "label": words.import_review.offer(made), "texts": words.import_review.texts(made)}
            for made in column.proposals if made.what != "names"
        ],
        "kept": words.import_review.keep(column.missing_texts) if column.missing_texts else "",
        "naming": _naming(column) if used else None,
        "use": "" if not usable else words.import_review.USE_ANYWAY if out else words.import_review.USE,
    }  # fmt: skip


def title(column: ColumnSchema) -> str:
    """What a column is called on screen."""
    return escape.short(column.title or column.name, 60)


def _naming(column: ColumnSchema) -> dict | None:
    """Labels of the two values of a column, what they are called, and how they are shown."""
    at = [code for code in range(column.size) if code != column.missing_code]
    two = column.kind == "yes/no" or any(made.what == "names" for made in column.proposals)
    if not two or len(at) != 2:
        return None
    domain = Schema((column,)).domain if column.keep else Domain((column.name,), (column.size,))
    shown = naming.values(domain, column.name)
    typed = column.value_names or ("",) * column.size
    return {
        "labels": [column.labels[code] for code in at], "names": [typed[code] for code in at],
        "shown": [shown[code] for code in at],
    }  # fmt: skip


def decide(told: dict) -> None:
    """What was pressed is done, and said with a way back; a press of what is gone does nothing."""
    st.session_state["seen_heard"] = st.session_state.get("seen_heard", 0) + 1
    schema, act = cached.schema(state.current()), told["act"]
    with notices.show_user_errors():
        if act == "all":
            accept_all(schema)
        elif told["column"] in schema.names:
            if act == "use":
                attributes.use({"name": told["column"], "used": True})
            else:
                DECISIONS[act](schema, schema.column(told["column"]), told)


def accept_all(schema: Schema) -> None:
    """Every suggestion, one after the other; questions stay, and what may be an answer."""
    # One about more texts may make another needless, or change how many rows it is about.
    wanted = sorted(for_all(schema), key=lambda one: -len(one[1].texts))
    count = 0
    for name, proposal in wanted:
        now = _of_key(schema.column(name).proposals, proposal.key)
        if now is not None:
            schema, count = accept(schema, name, now), count + 1
    if count:
        left = sum(1 for _ in suggestions(schema))
        state.use_schema(schema, words.import_review.accepted_all(count, left))


def _of_key(proposals: tuple[Proposal, ...], key: str) -> Proposal | None:
    return next((proposal for proposal in proposals if proposal.key == key), None)


def accept_one(schema: Schema, column: ColumnSchema, proposal: Proposal) -> None:
    """One suggestion."""
    said = words.import_review.accepted(title(column), proposal)
    state.use_schema(accept(schema, column.name, proposal), said)


def _accept(schema: Schema, column: ColumnSchema, told: dict) -> None:
    proposal = _of_key(column.proposals, told["offer"])
    if proposal is not None:
        accept_one(schema, column, proposal)


def _leave(schema: Schema, column: ColumnSchema, told: dict) -> None:
    proposal = _of_key(column.proposals, told["offer"])
    if proposal is not None:
        state.use_schema(
            decline(schema, column.name, proposal), words.import_review.left(title(column))
        )


def _answer(schema: Schema, column: ColumnSchema, told: dict) -> None:
    asked_now = [question for question in column.questions if question.about == told["about"]]
    if asked_now:
        question = asked_now[0]
        choice = question.choices[told["choice"]]
        said = words.import_review.answered(title(column), choice.text)
        state.use_schema(answer(schema, column.name, question, choice), said)


def _keep(schema: Schema, column: ColumnSchema, told: dict) -> None:
    if column.missing_texts:
        changed = keep_as_values(schema, column.name, column.missing_texts)
        state.use_schema(changed, words.import_review.kept(title(column), column.missing_texts))


def _name(schema: Schema, column: ColumnSchema, told: dict) -> None:
    named = name_values(column, dict(zip(told["labels"], told["names"])))
    if named != column:
        state.use_schema(
            schema.with_column(named), words.import_review.named(title(column), named.called)
        )


def _as_found(schema: Schema, column: ColumnSchema, told: dict) -> None:
    detected = cached.detected_schema(state.current())
    if column.name in detected.names:
        found = schema.with_column(detected.column(column.name))
        state.use_schema(found, words.import_review.as_found(title(column)))


DECISIONS: dict[str, Callable[[Schema, ColumnSchema, dict], None]] = {
    "accept": _accept, "leave": _leave, "answer": _answer, "keep": _keep, "names": _name,
    "found": _as_found,
}  # fmt: skip
