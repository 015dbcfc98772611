"""A question in a sentence with gaps, its answer with an interval, the truth beside it."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st
from plotly.graph_objects import Figure

from calm_core.errors import InputError, UserError
from calm_core.evaluation.run import Run
from calm_core.figures.errors import Bar, draw_answers
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
# Bars that fit beside the answer without scrolling.
MAX_BARS = 8


class Condition(NamedTuple):
    """An attribute and some of its values, as chosen on the page."""

    domain: Domain
    name: str
    codes: tuple[int, ...]

    @property
    def text(self) -> str:
        """As the command line takes it."""
        labels = self.domain.labels_of(self.name)
        return words.ask.quote(f"{self.name}={'|'.join(labels[code] for code in self.codes)}")

    @property
    def label(self) -> str:
        """Its values as they stand on screen."""
        shown = display.value_labels(self.domain, self.name)
        return " / ".join(shown[code] for code in self.codes)

    def other_values(self) -> "list[Condition]":
        """One condition for each other value of the attribute."""
        every = range(len(self.domain.labels_of(self.name)))
        return [self._replace(codes=(code,)) for code in every if code not in self.codes]


class Request(NamedTuple):
    """A question, and those whose answers are drawn as bars.

    Attributes
    ----------
    kind : str
        Key of `words.ask.KINDS`.
    text : str
        As `ask` takes it; "" where nothing can be asked.
    bars : list of (str, str)
        Label and question of each bar.
    main : int
        How many of the bars, from the first, are what is asked about; the others are there to compare.
    against : str
        The question for the difference of the first bar and all others; "" where there is none.
    """

    kind: str
    text: str
    bars: list[tuple[str, str]]
    main: int = 1
    against: str = ""


def choose_question(domain: Domain) -> Request:
    """Show the sentence with its gaps; return the question."""
    said = words.ask
    with st.container(horizontal=True, vertical_alignment="center", key="ask_kinds"):
        kind = widgets.choose_segment(
            said.KIND, said.KINDS, "ask_kind", label_visibility="collapsed",
            persist_state="session",
        )  # fmt: skip
        if not frame.is_lecture():
            with st.container(width="content"):
                frame.show_text(said.LEAD, quiet=True)
    with _sentence():
        if kind in ("share", "difference"):
            return _fill_gaps(domain, kind)
        if kind == "groups":
            condition = _condition(domain)
            by = _attribute(domain, said.BY, "ask_groups", 0, domain.names)
            return Request(kind, f"groups {condition.text} by {words.ask.quote(by)}", [])
        if kind == "mean":
            return _mean_of(domain)
        one = _attribute(domain, said.FIRST, "ask_first", 0, domain.names)
        two = _attribute(domain, said.SECOND, "ask_second", 1, domain.names)
        text = f"association {words.ask.quote(one)} {words.ask.quote(two)}"
        return Request(kind, text, [(said.AXES[kind], text)])


def _sentence():
    return st.container(horizontal=True, vertical_alignment="center", key="ask_sentence")


def fill_gaps(domain: Domain, kind: str) -> str:
    """Show a question about a share or a difference with its gaps; return its text."""
    with _sentence():
        return _fill_gaps(domain, kind).text


def _fill_gaps(domain: Domain, kind: str) -> Request:
    condition = _condition(domain)
    if kind == "difference":
        return _two_groups(domain, condition)
    name = _attribute(domain, words.ask.AMONG, "ask_given", 1, ("", *domain.names))
    if not name:
        asked = [condition, *condition.other_values()]
        return _compared(kind, [(one.label, f"share {one.text}") for one in asked])
    given = _values(domain, name, "ask_given")
    others = given.other_values()
    found = _compared(kind, _among(f"share {condition.text}", [given, *others]))
    if others:
        rest = given._replace(codes=tuple(code for one in others for code in one.codes))
        found = found._replace(against=_difference(condition, given, rest))
    return found


def _among(question: str, groups: list[Condition]) -> list[tuple[str, str]]:
    """A question about each of some groups: bars of a `Request`."""
    return [(group.label, f"{question} given {group.text}") for group in groups]


def _difference(condition: Condition, first: Condition, second: Condition) -> str:
    return f"difference {condition.text} between {first.text} and {second.text}"


def _compared(kind: str, bars: list[tuple[str, str]]) -> Request:
    """The first question of some, with bars for all of them where there is room."""
    return Request(kind, bars[0][1], bars if len(bars) <= MAX_BARS else bars[:1])


def ask_about(attrs: tuple[str, ...]) -> None:
    """Callback: ask for a share of the last of some attributes, among a group of the first."""
    first = attrs[0] if len(attrs) > 1 else ""
    st.session_state.update(ask_kind="share", ask_one=attrs[-1], ask_given=first)
    navigation.go("ask")


def _choose(widget: Callable, label: str, options: Sequence, titles: Sequence[str], **more) -> Any:
    """Show a gap, as wide as its longest title."""
    width = min(max(150, (64 if widget is st.selectbox else 120) + 8 * max(map(len, titles))), 340)
    return widget(
        label, options, width=width, label_visibility="collapsed", persist_state="session", **more
    )


def _attribute(domain: Domain, label: str, key: str, at: int, names: tuple[str, ...]) -> str:
    """Show words of the sentence and the choice of an attribute; "" stands for everybody."""
    st.markdown(label, width="content")
    titles = dict(zip(domain.names, display.make_distinct(map(domain.title_of, domain.names))))
    shown = {name: titles.get(name, words.ask.EVERYBODY) for name in names}
    return _choose(
        st.selectbox, label, names, list(shown.values()), index=min(at, len(names) - 1), key=key,
        format_func=shown.__getitem__,
    )  # fmt: skip


def _condition(domain: Domain) -> Condition:
    """Show the choice of the attribute asked about, and of values."""
    name = _attribute(domain, words.ask.ASKED_ABOUT, "ask_one", 1, domain.names)
    return _values(domain, name, "ask_one")


def _values(domain: Domain, name: str, key: str) -> Condition:
    """Show the choice of one of two values, or of some of several."""
    shown, title = display.value_labels(domain, name), domain.title_of(name)
    every, last = range(len(shown)), len(shown) - 1
    choice = {"format_func": shown.__getitem__, "key": f"{key}_{name}"}
    if len(shown) == 2:
        codes = [_choose(st.selectbox, title, every, shown, index=last, **choice)]
    else:
        # Without any, all values count.
        more = {"default": [last], "placeholder": words.ask.ANY}
        codes = _choose(st.multiselect, title, every, shown, **more, **choice)
    return Condition(domain, name, tuple(codes or every))


def _two_groups(domain: Domain, condition: Condition) -> Request:
    """Show the attribute whose last value is compared with the first."""
    name = _attribute(domain, words.ask.COMPARED, "ask_by", 0, domain.names)
    shown, pair = display.value_labels(domain, name), []
    for place, at in (("first", len(shown) - 1), ("second", 0)):
        if pair:
            st.markdown(words.ask.AND, width="content")
        code = _choose(
            st.selectbox, f"{domain.title_of(name)}: {place}", range(len(shown)), shown,
            index=at, format_func=shown.__getitem__, key=f"ask_{place}_{name}",
        )  # fmt: skip
        pair.append(Condition(domain, name, (code,)))
    text = _difference(condition, *pair)
    bars = _among(f"share {condition.text}", pair)
    return Request("difference", text, bars, main=2, against=text)


def _mean_of(domain: Domain) -> Request:
    """Show the attributes whose values are numbers, and the group."""
    said = words.ask
    numbered = tuple(name for name in domain.names if _has_numbers(domain, name))
    if not numbered:
        st.info(said.NO_NUMBERS)
        return Request("mean", "", [])
    mean = f"mean {said.quote(_attribute(domain, said.OF, 'ask_mean', 0, numbered))}"
    group = _attribute(domain, said.AMONG, "ask_mean_given", 0, ("", *domain.names))
    if not group:
        return _compared("mean", [(said.EVERYBODY, mean)])
    given = _values(domain, group, "ask_mean_given")
    return _compared("mean", _among(mean, [given, *given.other_values()]))


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
    frame.set_title(words.common.TITLES["ask"])
    request = choose_question(asked.answer.domain)
    if request.text:
        _show_found(asked, request)
    show_files(asked)


def _show_found(asked: Asked, request: Request) -> None:
    """Show the answer to a question, or why there is none."""
    kind, question = request.kind, request.text
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
    show_answer(asked, request, found, truth)
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
    _show_calls(asked, question)


def _show_calls(asked: Asked, question: str) -> None:
    """Show the calls that give the same answer."""
    with frame.drawer(words.ask.SAME_ANSWER, key="ask_call"):
        st.code(asked.calls(question), language="python")


def _ask_for_value(answer: Answer, question: str) -> Estimate:
    # No question of this page draws random numbers, and each has one value.
    found = ask(answer, question, rng=stream(0, "ask"))
    assert isinstance(found, Estimate)
    return found


def show_answer(asked: Asked, request: Request, found: Estimate, truth: Estimate | None) -> None:
    """Show the answer in large, and the bars that it is compared with."""
    said, kind, lecture = words.ask, request.kind, frame.is_lecture()
    number, known = said.value_text(kind, found.value), said.UNKNOWN
    if truth is not None:
        known = said.truth_text(truth=said.value_text(kind, truth.value))

    def make() -> tuple[Figure, str]:
        labels = display.make_distinct((label for label, _ in request.bars), 24)
        answers = (_try_answers(asked, question) for _, question in request.bars)
        bars = [Bar(label, *pair) for label, pair in zip(labels, answers)]
        per_100 = kind in ("share", "difference")
        title, scale = (said.AXES["share"], 100) if per_100 else (said.AXES[kind], 1)
        figure = draw_answers(bars, title, main=request.main, scale=scale)
        return figure, f"{found.sentence} {known}"

    if lecture:
        frame.set_title(found.sentence.rstrip("."))
        frame.show_number(number)
        picture = st.container()
    else:
        text, picture = st.columns([4, 8], gap="large")
        value, _, unit = number.partition(" ")
        with text:
            st.html(f'<div class="calm-answer"><b>{value}</b> {unit}</div>')
            interval = said.interval_text(kind, found.low, found.high)
            st.markdown(said.sure_text(interval=interval))
            st.markdown(f"◆ {known}" if truth else known)
            st.caption(display.sentence(found.sentence))
    with picture:
        results.show_figure("ask", (*asked.key, request.text), make, caption=False)
        if not lecture:
            _show_difference(asked, request)
    if lecture:
        st.caption(known)


def _show_difference(asked: Asked, request: Request) -> None:
    """Say how far the first bar is from all others, and whether that may be chance."""
    found, _ = _try_answers(asked, request.against) if request.against else (None, None)
    if found is None:
        return
    said, labels = words.ask, [display.markdown(label, 40) for label, _ in request.bars]
    write = said.real_difference if found.low > 0 or found.high < 0 else said.chance
    interval = said.answer_text("difference", found.value, found.low, found.high)
    rest = labels[1] if len(labels) == 2 else said.ALL_OTHERS
    st.markdown(write(one=labels[0], rest=rest, interval=interval))


def _try_answers(asked: Asked, question: str) -> tuple[Estimate | None, Estimate | None]:
    """The answer and the true one; None where there is none."""
    try:
        return find_answers(asked, question)
    except UserError:
        return None, None


def show_basis(asked: Asked, found: Estimate, question: str) -> None:
    """Show how sure the answer is, and the calls that give the same."""
    with frame.drawer(words.ask.HOW_SURE, key="ask_sure"):
        for note in found.notes:
            st.markdown(display.sentence(note))
        if question.startswith("association"):
            st.markdown(f"**{words.ask.TEST}** {independence_sentence(asked, found.tables[0])}")
    _show_calls(asked, question)


def independence_sentence(asked: Asked, names: tuple[str, ...]) -> str:
    """Return what the test of independence says, cached."""
    made = cached_calls.get_result(
        "independence", (*asked.key, names),
        lambda: independence(asked.answer, *names, rng=stream(0, "independence"), draws=199),
    )  # fmt: skip
    return display.sentence(made.sentence)
