"""Range questions: how many people have these values, reconstructed and true."""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from calm_core.collection.simulation import GroupDone
from calm_core.errors import UserError
from calm_core.evaluation.run import Run, use_rows
from calm_core.methods import METHODS, Hdg, make_method
from calm_core.methods.calm_plus import CalmPlusAnswer
from calm_core.methods.hdg import HdgAnswer
from calm_core.randomness import stream
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from calm_core.tables.ranges import (
    ChosenValues,
    Ranges,
    choice_to_ranges,
    ordered_attributes,
    parse_choice,
    range_mask,
    range_shares,
    replace_codes,
)
from pages import words
from pages.ui import cached_calls, display, frame, navigation, state, tables, widgets
from pages.ui.progress import Notify
from pages.ui.state import to_sentence

SAID = words.marginals

LOOKS = Path(__file__).with_name("ranges.css")
# More values are shown as a list.
MAX_PILLS = 6
# HDG computes every range separately.
MAX_FOR_HDG = 50


class RangeAnswer(NamedTuple):
    """One line: its source, the share, and the ends of its interval where it has one."""

    kind: str
    who: str
    share: float
    interval: tuple[float, float] | None = None


def range_title(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> str:
    """Return the question in words."""
    domain = outcome.dataset.domain.project(attrs)
    choice = parse_choice(domain, settings.inside)
    texts = [_choice_text(domain, chosen) for chosen in choice if not chosen.everybody(domain)]
    return SAID.range_title(texts)


def _choice_text(domain: Domain, chosen: ChosenValues) -> str:
    """Return the chosen values of one attribute in words."""
    attribute = dict(zip(domain.names, display.short_titles(domain)))[chosen.attr]
    values, span = display.value_labels(domain, chosen.attr), chosen.span(domain)
    if span is None:
        texts = [values[code] for code in chosen.codes]
        return SAID.values_text(attribute, texts, len(values))
    ordered = domain.ordered_of(chosen.attr)
    others = [values[code] for code in chosen.codes if code >= ordered]
    return " or ".join([SAID.range_text(attribute, values[:ordered], *span), *others])


def show_ranges(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> None:
    """Show the controls of the question and the answers below."""
    st.html(LOOKS)
    domain = outcome.dataset.domain.project(attrs)
    choice = parse_choice(domain, settings.inside)
    if not frame.is_lecture() and not state.is_hidden("inside"):
        _show_controls(domain, choice)
    try:
        asked = choice_to_ranges(domain, choice)
    except UserError as error:
        st.info(to_sentence(error))
        return
    found = _range_answers(outcome, asked)
    slot = st.empty()
    if frame.is_lecture():
        _draw_answers(slot, found, outcome.n)
        return
    wanted = settings.method != Hdg.name and set(asked[0]) & set(ordered_attributes(domain))
    texts = [SAID.RANGE_LEAD if ordered_attributes(domain) else SAID.NO_ORDER]
    if wanted and len(asked) <= MAX_FOR_HDG:
        texts.append(_draw_with_hdg(slot, settings, outcome, asked, found))
    else:
        _draw_answers(slot, found, outcome.n)
    st.caption(" ".join(texts))


def show_how_answered(settings: Settings, outcome: Run) -> None:
    """Explain how a range question is answered."""
    texts = [SAID.RANGE_HOW]
    if settings.method == Hdg.name:
        texts.append(SAID.HDG_HOW)
    if "intervals" in outcome.answer.offers:
        texts.append(SAID.INTERVAL_HOW)
    st.markdown(" ".join(texts))


def _range_answers(outcome: Run, asked: list[Ranges]) -> list[RangeAnswer]:
    """Return the true share and the reconstructed one."""
    true = float(range_shares(outcome.dataset.marginals, asked).sum())
    reconstructed = float(outcome.answer.range_shares(asked).sum())
    interval = None
    if "intervals" in outcome.answer.offers:
        # Only this answer offers intervals.
        assert isinstance(outcome.answer, CalmPlusAnswer)
        names = outcome.domain.canonical(asked[0])
        inside = range_mask(outcome.domain.project(names), asked)
        interval = outcome.answer.interval_of_sum(names, inside)
    return [
        RangeAnswer("true", SAID.TRUE, true),
        RangeAnswer("reconstructed", SAID.RECONSTRUCTED, reconstructed, interval),
    ]


def _draw_with_hdg(slot, settings: Settings, outcome: Run, asked: list[Ranges], found) -> str:
    """Draw the answers with HDG's below, which may take a moment; return a sentence about HDG."""
    by_hdg = settings.with_changes(method=Hdg.name)
    if cached_calls.peek_result("hdg", by_hdg.results_key) is None:
        _draw_answers(slot, found, outcome.n)
    try:
        answer = run_hdg(settings)
    except UserError as error:
        _draw_answers(slot, found, outcome.n)
        return SAID.hdg_refused_text(sentence=to_sentence(error))
    share = float(answer.range_shares(asked).sum())
    _draw_answers(slot, [*found, RangeAnswer("other", METHODS[Hdg.name].title, share)], outcome.n)
    return SAID.HDG


def run_hdg(settings: Settings) -> HdgAnswer:
    """Return HDG's answer from a collection of its own with the same epsilon, cached."""
    settings = settings.with_changes(method=Hdg.name)
    people = cached_calls.people(settings)

    def work(notify: Notify) -> HdgAnswer:
        method = make_method(settings.method, **settings.method_settings)
        rows = use_rows(people, settings.n, settings.seed)

        def tell(event: object) -> None:
            if isinstance(event, GroupDone):
                notify(event.group, event.groups)

        answer = method.release(rows, rng=stream(settings.seed, 0, method.name), notify=tell)
        assert isinstance(answer, HdgAnswer)
        # A lazy property: computed here, while progress is shown.
        answer.inferred.pairs  # noqa: B018
        return answer

    # Stop goes back to the first view.
    stop, said = partial(navigation.change, view=""), words.common.collection_progress
    return cached_calls.get_long_result("hdg", settings.results_key, work, said, stop)


def _draw_answers(slot, found: list[RangeAnswer], n: int) -> None:
    true, reconstructed = found[0].share, found[1].share
    ends = [end for line in found for end in (line.share, *(line.interval or ()))]
    top = tables.make_axis([true], ends).top
    lines = "".join(_answer_html(line, true, top, n) for line in found)
    alt = SAID.range_finding_text(true, reconstructed, n)
    slot.html(f'<div class="calm-ranges" role="group" aria-label="{alt}">{lines}</div>')


def _answer_html(line: RangeAnswer, true: float, top: float, n: int) -> str:
    """Return one answer as HTML: share, people, difference, bar."""
    texts = [SAID.range_people_text(line.share, n)]
    bar = f'<u style="left:{_bar_percent(true, top)}"></u>'
    if line.kind != "true":
        texts.append(SAID.difference_text(true, line.share))
        bar = f'<i style="width:{_bar_percent(line.share, top)}"></i>{bar}'
    if line.interval is not None:
        low, high = line.interval
        texts.append(f"95% interval: {words.numbers.share(low)} to {words.numbers.share(high)}")
        left, width = _bar_percent(low, top), _bar_percent(high - low, top)
        bar += f'<s style="left:{left};width:{width}"></s>'
    notes = "".join(f"<small>{text}</small>" for text in texts)
    return (
        f'<div class="{line.kind}"><span class="who">{display.as_html(line.who)}{notes}</span>'
        f'<b>{words.numbers.share(line.share)}</b><span class="bar" aria-hidden="true">{bar}</span></div>'
    )


def _bar_percent(share: float, top: float) -> str:
    return words.numbers.percent(min(max(share / top, 0), 1), 2)


def _show_controls(domain: Domain, choice: tuple[ChosenValues, ...]) -> None:
    """Show one control per attribute: a range for ordered values, else values to press."""
    with st.grid(min(len(choice), 4), min_column_width=220):
        for chosen in choice:
            with st.container():
                _show_control(domain, chosen)


def _show_control(domain: Domain, chosen: ChosenValues) -> None:
    name, values, span = chosen.attr, display.value_labels(domain, chosen.attr), chosen.span(domain)
    label = display.markdown(display.attribute_title(domain, name))
    ordered = 0 if span is None else domain.ordered_of(name)

    def codes(inside: tuple[str, ...], kept: range) -> list[int]:
        """Return the codes chosen by settings that are in `kept`."""
        (now,) = (c for c in parse_choice(domain, inside) if c.attr == name)
        return [code for code in now.codes if code in kept]

    def chosen_anew(new: Iterable[int], kept: range) -> tuple[str, ...]:
        """Return the settings with other codes of a range, and those kept."""
        inside = state.current().inside
        return replace_codes(domain, inside, name, [*new, *codes(inside, kept)])

    ranged, others = range(ordered), range(ordered, len(values))
    if ordered:
        widgets.setting_widget(
            st.select_slider, label, "inside", key=f"in_range_{name}", options=ranged,
            format_func=[*map(display.markdown, _number_duplicates(values))].__getitem__,
            show=lambda inside: (codes(inside, ranged)[0], codes(inside, ranged)[-1]),
            read=lambda ends: chosen_anew(range(ends[0], ends[1] + 1), others),
        )  # fmt: skip
    if not others:
        return
    pressed = len(others) <= MAX_PILLS
    more = {"selection_mode": "multi"} if pressed else {"placeholder": SAID.ANY}

    def shown(inside: tuple[str, ...]) -> list[int]:
        """Return no code where all values count."""
        found = codes(inside, others)
        return [] if len(found) == len(values) else found

    widgets.setting_widget(
        st.pills if pressed else st.multiselect, f"{label}: and also" if ordered else label,
        "inside", key=f"in_values_{name}", options=others, show=shown,
        format_func=lambda code: display.markdown(values[code]) if pressed else values[code],
        read=lambda new: chosen_anew(new, ranged), **more,
    )  # fmt: skip


def _number_duplicates(texts: Sequence[str]) -> list[str]:
    """Return the names with numbers where long ones were cut to the same text.

    >>> _number_duplicates(("a", "b", "a"))
    ['a (1)', 'b', 'a (3)']
    """
    return [f"{text} ({i})" if texts.count(text) > 1 else text for i, text in enumerate(texts, 1)]
