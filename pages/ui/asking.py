"""A question in a sentence with gaps, its answer with an interval, the truth beside it."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from calm_core.errors import InputError, UserError
from calm_core.evaluation.run import Run
from calm_core.figures.errors import draw_interval
from calm_core.methods import make_method
from calm_core.methods.base import Answer, Method
from calm_core.randomness import stream
from calm_core.release.associations import independence
from calm_core.release.estimate import Estimate, TrueTables
from calm_core.release.microdata import ScoreCard, microdata, score_card
from calm_core.release.numbers import read_scores
from calm_core.release.privacy_card import privacy_card
from calm_core.release.questions import ask
from calm_core.release.shares import GroupShares
from calm_core.reports import csv_text
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.ui import cached_calls, display, downloads, frame, navigation, results, state, widgets

# More are made at the command line.
MAX_ROWS = 100_000


def show_question(domain: Domain) -> tuple[str, str]:
    """Show the sentence with its gaps; return the kind of question and its text, "" where it cannot be asked."""
    said = words.ask
    kind = widgets.choose_segment(
        said.LEAD, said.KINDS, "ask_kind", label_visibility="collapsed", persist_state="session"
    )
    with st.container(key="ask_sentence"), st.grid(4, min_column_width=200):
        if kind in ("share", "difference"):
            return kind, fill_gaps(domain, kind)
        if kind == "groups":
            condition = _condition(domain, said.ASKED_ABOUT, "ask_one", 1)
            by = _attribute(domain, said.BY, "ask_groups", 0, domain.names)
            return kind, f'groups {condition} by "{by}"'
        if kind == "mean":
            return kind, _mean_of(domain)
        one = _attribute(domain, said.FIRST, "ask_first", 0, domain.names)
        two = _attribute(domain, said.SECOND, "ask_second", 1, domain.names)
        return kind, f'association "{one}" "{two}"'


def fill_gaps(domain: Domain, kind: str) -> str:
    """Show the gaps of a question about a share or a difference; return its text."""
    condition = _condition(domain, words.ask.ASKED_ABOUT, "ask_one", 1)
    if kind == "difference":
        return _two_groups(domain, condition)
    given = _condition(domain, words.ask.AMONG, "ask_given", 1, everybody=True)
    return f"share {condition} given {given}" if given else f"share {condition}"


def ask_about(attrs: tuple[str, ...]) -> None:
    """Callback: ask for a share of the last of some attributes, among a group of the first."""
    first = attrs[0] if len(attrs) > 1 else ""
    st.session_state.update(ask_kind="share", ask_one=attrs[-1], ask_given=first)
    navigation.go("ask")


def _attribute(domain: Domain, label: str, key: str, at: int, names: tuple[str, ...]) -> str:
    """Show the choice of an attribute; "" stands for everybody."""
    titles = dict(zip(domain.names, display.make_distinct(map(domain.title_of, domain.names))))
    return st.selectbox(
        label, names, index=min(at, len(names) - 1), key=key, persist_state="session",
        format_func=lambda name: titles.get(name, words.ask.EVERYBODY),
    )  # fmt: skip


def _condition(domain: Domain, label: str, key: str, at: int, *, everybody: bool = False) -> str:
    """Show the choice of an attribute and a value; return them as text, "" for everybody."""
    name = _attribute(domain, label, key, at, ("",) * everybody + domain.names)
    if not name:
        st.empty()
        return ""
    shown, labels = display.value_labels(domain, name), domain.labels_of(name)
    every, last = range(len(shown)), len(shown) - 1
    choice: dict[str, Any] = {
        "format_func": shown.__getitem__, "key": f"{key}_{name}", "label_visibility": "hidden",
        "persist_state": "session",
    }  # fmt: skip
    if len(shown) == 2:
        codes = [st.selectbox(domain.title_of(name), every, last, **choice)]
    else:
        # Without any, all values count.
        any_value = words.ask.ANY
        codes = st.multiselect(
            domain.title_of(name), every, [last], placeholder=any_value, **choice
        )
    return words.ask.quote_condition(name, "|".join(labels[code] for code in codes or every))


def _two_groups(domain: Domain, condition: str) -> str:
    """Show the attribute whose last value is compared with the first."""
    name = _attribute(domain, words.ask.COMPARED, "ask_by", 0, domain.names)
    labels = domain.labels_of(name)
    shown = display.value_labels(domain, name)
    with st.container():
        pair = [
            st.selectbox(
                f"{domain.title_of(name)}: {place}", range(len(shown)), index=at, format_func=shown.__getitem__,
                key=f"ask_{place}_{name}", persist_state="session",
            )
            for place, at in (("first", len(shown) - 1), ("second", 0))
        ]  # fmt: skip
    first, second = (words.ask.quote_condition(name, labels[code]) for code in pair)
    return f"difference {condition} between {first} and {second}"


def _mean_of(domain: Domain) -> str:
    """Show the attributes whose values are numbers, and the group."""
    numbered = tuple(name for name in domain.names if _has_numbers(domain, name))
    if not numbered:
        st.info(words.ask.NO_NUMBERS)
        return ""
    name = _attribute(domain, words.ask.OF, "ask_mean", 0, numbered)
    given = _condition(domain, words.ask.AMONG, "ask_mean_given", 0, everybody=True)
    return f'mean "{name}"' + (f" given {given}" if given else "")


def _has_numbers(domain: Domain, name: str) -> bool:
    if len(domain.labels_of(name)) < 3:
        return False
    try:
        read_scores(domain, name)
    except InputError:
        return False
    return True


class Asked(NamedTuple):
    """What questions are put to.

    Attributes
    ----------
    key : tuple
        Plain values that decide the answer.
    answer : Answer
        The release.
    truth : Answer or None
        The true tables, where they are known.
    calls : callable (question: str) -> str
        The calls that give the same from Python and the command line.
    method : Method or None
        That of a simulation; a collection's answer carries its plan.
    """

    key: tuple[Hashable, ...]
    answer: Answer
    truth: Answer | None
    calls: Callable[[str], str]
    method: Method | None = None


def ask_run(settings: Settings, outcome: Run) -> Asked:
    """Return what questions to a simulated release are put to."""
    truth = TrueTables(outcome.domain, lambda attrs: outcome.dataset.marginal(attrs))
    options = f"--epsilon {settings.epsilon:g} --k {settings.k} --method {settings.method}"
    calls = partial(words.ask.calls_text, "DATA", options)
    method = make_method(settings.method, **settings.method_settings)
    return Asked((settings.results_key,), outcome.answer, truth, calls, method)


def show_asking(asked: Asked) -> None:
    """Show a question, its answer, and what that rests on."""
    kind, question = show_question(asked.answer.domain)
    if question:
        _show_found(asked, kind, question)
    show_files(asked)


def _show_found(asked: Asked, kind: str, question: str) -> None:
    """Show the answer to a question, or why there is none."""
    try:
        if kind == "groups":
            show_groups(asked, question)
            return
        found, truth = find_answers(asked, question)
    except UserError as error:
        # Not every question has an answer: nothing went wrong.
        st.info(state.to_sentence(error))
        if reported_question() == (kind, question):
            show_report_choice(kind, question)
        return
    show_answer(asked, kind, found, truth, question)
    # Only a simulation has a report.
    if asked.method is not None:
        show_report_choice(kind, question)
    show_basis(asked, found, question)


def reported_question() -> tuple[str, str] | None:
    """Return the kind and text of the question whose answer stands in the report, if there is one."""
    return st.session_state.get("reported")


def show_report_choice(kind: str, question: str) -> None:
    """Show whether the answer to a question stands in the report."""
    if state.is_hidden("exports") or frame.is_lecture():
        return
    st.session_state["ask_report"] = reported_question() == (kind, question)
    st.toggle(
        words.ask.INTO_REPORT, key="ask_report", help=words.ask.INTO_REPORT_HELP,
        on_change=_change_report, args=(kind, question),
    )  # fmt: skip


def _change_report(kind: str, question: str) -> None:
    st.session_state["reported"] = (kind, question) if st.session_state["ask_report"] else None


def show_files(asked: Asked) -> None:
    """Show what can be taken from a release: invented rows with how close they are, and the privacy card."""
    if state.is_hidden("exports") or frame.is_lecture():
        return
    said = words.ask
    panel = st.expander(said.FILES, icon=":material/ios_share:", on_change="rerun", key="ask_files")
    if not panel.open:
        return
    with panel:
        n = st.number_input(said.ROWS, 1, MAX_ROWS, 1000, key="ask_rows", persist_state="session")
        card = privacy_card(asked.answer, asked.method)
        try:
            rows, score = find_rows(asked, n)
        except UserError as error:
            rows = None
            st.info(state.to_sentence(error))
        else:
            st.markdown(
                display.sentence(
                    f"{score.sentence} {said.score(score=score, wrong=score.wrong_cell_share / 100)}"
                )
            )
        with st.container(horizontal=True):
            if rows is not None:
                downloads.show_download(
                    said.ROWS_FILE, lambda: csv_text(rows), "rows.csv", "text/csv", key="take_rows"
                )
            downloads.show_download(
                said.CARD, card.to_html, "privacy-card.html", "text/html", key="take_card"
            )
            downloads.show_download(
                said.CARD_DATA,
                card.to_json,
                "privacy-card.json",
                "application/json",
                key="take_card_data",
            )


def find_rows(asked: Asked, n: int) -> tuple[pd.DataFrame, ScoreCard]:
    """Return invented rows with how close they are to the release; always the same ones, cached."""

    def compute() -> tuple[pd.DataFrame, ScoreCard]:
        rows = microdata(asked.answer, n=n, rng=stream(0, "microdata"))
        return rows, score_card(asked.answer, rows)

    return cached_calls.get_result("rows", (*asked.key, n), compute)


def find_answers(asked: Asked, question: str) -> tuple[Estimate, Estimate | None]:
    """Return the answer and the true one, where it is known; cached."""

    def compute() -> tuple[Estimate, Estimate | None]:
        found = _ask_for_value(asked.answer, question)
        return found, None if asked.truth is None else _ask_for_value(asked.truth, question)

    return cached_calls.get_result("ask", (*asked.key, question), compute)


def show_groups(asked: Asked, question: str) -> None:
    """Show the share in every group, groups of which little is known flagged; where it is known, the true one and the error."""
    answers = [answer for answer in (asked.answer, asked.truth) if answer is not None]
    found, *known = cached_calls.get_result(
        "groups", (*asked.key, question),
        lambda: [ask(answer, question, rng=stream(0, "ask")) for answer in answers],
    )  # fmt: skip
    assert isinstance(found, GroupShares)
    frame.set_title(found.sentence.rstrip("."))
    said, rows = words.ask, []
    for at, one in enumerate(found.groups):
        ends = ("value", "low", "high")
        shares = {end: None if one.estimate is None else getattr(one.estimate, end) for end in ends}
        row = {"group": one.group, "people": said.write_share(one.people.value)}
        row |= {end: said.write_share(share) for end, share in shares.items()}
        for truth in known:
            real = truth.groups[at].estimate
            true = None if real is None else real.value
            row |= {"true": said.write_share(true), "error": said.error_text(true, shares["value"])}
        rows.append(row | {"note": said.FLAGGED if one.flagged else ""})
    st.dataframe(pd.DataFrame(rows).rename(columns=said.COLUMNS), hide_index=True)
    with frame.drawer(words.ask.SAME_ANSWER, key="ask_call"):
        st.code(asked.calls(question), language="python")


def _ask_for_value(answer: Answer, question: str) -> Estimate:
    # No question of this page draws random numbers, and each has one value.
    found = ask(answer, question, rng=stream(0, "ask"))
    assert isinstance(found, Estimate)
    return found


def show_answer(
    asked: Asked, kind: str, found: Estimate, truth: Estimate | None, question: str
) -> None:
    """Show the answer and its picture."""
    said = words.ask
    frame.set_title(said.answer_text(kind, found.value, found.low, found.high))
    st.markdown(display.sentence(found.sentence))
    scale = 100.0 if kind in ("share", "difference") else 1.0
    known = said.UNKNOWN
    if truth is not None:
        known = said.truth_text(truth=said.value_text(kind, truth.value))

    def make():
        ends = (scale * one for one in (found.value, found.low, found.high))
        true = None if truth is None else scale * truth.value
        figure = draw_interval(*ends, true, said.AXES[kind], zero=kind != "mean")
        return figure, f"{found.sentence} {known}"

    results.show_figure("ask", (*asked.key, question), make, caption=False)
    st.caption(known)


def show_basis(asked: Asked, found: Estimate, question: str) -> None:
    """Show how sure the answer is, and the calls that give the same."""
    with frame.drawer(words.ask.HOW_SURE, key="ask_sure"):
        for note in found.notes:
            st.markdown(display.sentence(note))
        if question.startswith("association"):
            st.markdown(f"**{words.ask.TEST}** {test_sentence(asked, found.tables[0])}")
    with frame.drawer(words.ask.SAME_ANSWER, key="ask_call"):
        st.code(asked.calls(question), language="python")


def test_sentence(asked: Asked, names: tuple[str, ...]) -> str:
    """Return what the test of independence says, cached."""
    made = cached_calls.get_result(
        "independence", (*asked.key, names),
        lambda: independence(asked.answer, *names, rng=stream(0, "independence"), draws=199),
    )  # fmt: skip
    return display.sentence(made.sentence)
