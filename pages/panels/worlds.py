"""The parts of the page Three worlds: the four cards, and the price of trusting nobody."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import streamlit as st

from calm_core.amplification import ShuffledPlan, shuffle_plan
from calm_core.evaluation.run import (
    CURATOR,
    LOCAL,
    Price,
    Run,
    curator_epsilon,
    iter_price,
    use_rows,
)
from calm_core.settings import Settings
from calm_core.tables.dataset import People
from pages import words
from pages.ui import cached_calls, error_by_epsilon, frame, results, tables
from pages.ui.components import mount
from pages.ui.error_boundary import draw_until_known
from pages.ui.error_by_epsilon import WORKER, ComparedTable, ErrorByEpsilon
from pages.ui.jobs import LOOK_AGAIN

# More cells would be too narrow in a card.
MAX_CELLS = 12


def trusted_settings(settings: Settings) -> Settings:
    """Return the settings of the curator, with the budget that promises the same as local privacy."""
    return settings.with_changes(method=CURATOR, epsilon=curator_epsilon(settings.epsilon))


def run_both_worlds(settings: Settings) -> tuple[Run, Run]:
    """Return the run with a curator and the local one, which is the Lab's where its method is CALM."""
    local = settings.with_changes(method=LOCAL)
    return cached_calls.outcome(trusted_settings(settings)), cached_calls.outcome(local)


def card_attributes(settings: Settings, outcome: Run) -> tuple[str, ...]:
    """Return the attributes chosen on Marginals if a card has room for them, else those of Start."""
    domain = outcome.domain
    attrs = domain.canonical(settings.attrs)
    if attrs and domain.cells_of(attrs) <= MAX_CELLS:
        return attrs
    return results.get_first_pair(settings, outcome)


def find_shuffled(local: Run) -> ShuffledPlan:
    """Return what the reports promise once they are shuffled; delta is far below one person's share."""
    return shuffle_plan(local.plan, local.n, min(1e-6, 0.1 / local.n))


def show_cards(settings: Settings, curator: Run, local: Run, attrs: tuple[str, ...]) -> None:
    """Draw the cards, and again while the errors are being measured."""
    ours, theirs = (error_by_epsilon.compare_table(run, attrs) for run in (local, curator))
    draw = partial(_draw_cards, settings, theirs, ours, attrs, find_shuffled(local))
    error_by_epsilon.draw_with_updates(settings.with_changes(method=LOCAL), ours, attrs, draw)


def _draw_cards(
    settings: Settings,
    curator: ComparedTable,
    local: ComparedTable,
    attrs: tuple[str, ...],
    shuffled: ShuffledPlan,
    spread: ErrorByEpsilon,
) -> None:
    truth = local.truth
    # A shuffler does not change the reports, so neither their table.
    answers = {"truth": truth, "curator": curator.answer, "shuffled": local.answer, "local": local.answer}  # fmt: skip
    axis = tables.make_axis(*(answer.values for answer in answers.values()), spread=spread.usual)
    steps = {"local": spread.steps, "shuffled": spread.steps, "curator": _curator_steps(settings, curator, attrs)}  # fmt: skip
    price = get_known_price(settings, attrs).price

    def number(name: str) -> tuple[str, str]:
        """Return the people of 100 in the wrong cell, and what they are of."""
        if price is None or name == "truth":
            reading = results.measured_reading(truth, answers[name])
            return reading.number, reading.source if name != "truth" else ""
        headline = price.curator if name == "curator" else price.local
        return words.numbers.wrong(headline.mean), words.marginals.source_text(headline.repeats)

    def card(name: str) -> dict:
        """Return one card: `noise` says who adds it, and whether reports are shuffled; `steps` has one entry for each epsilon offered."""
        title, text, picture = words.compare.CARDS[name]
        if frame.is_lecture() and name == "shuffled":
            # There the sentences are left out, and its table is that of the last card.
            title = words.compare.shuffled_title(title, shuffled.epsilon)
        reported = name in ("shuffled", "local")
        table = tables.make_table_data(
            truth, answers[name], style="pale", axis=axis, lecture=frame.is_lecture(),
            ghosts=tables.ghost_errors(truth.values.size) if spread.steps and reported else None,
        )  # fmt: skip
        shown, source = number(name)
        return {
            "title": title, "text": text, "picture": picture, "number": shown, "source": source, "ours": name == "local",
            "promise": words.compare.promise_text(name, settings.epsilon, shuffled.epsilon),
            "noise": {"truth": "", "local": "people"}.get(name, name),
            "table": table,
            "steps": [
                {"number": step.number, "source": step.source, "spread": step.spread}
                for step in steps.get(name, ())
            ],
        }  # fmt: skip

    mount(
        "worlds",
        {
            "worlds": [card(name) for name in answers], "index": spread.index,
            "lecture": frame.is_lecture(), "unit": words.marginals.TABLE_TEXTS["unit"],
        },
        key="worlds_cards",
    )  # fmt: skip


def _curator_steps(settings: Settings, curator: ComparedTable, attrs: tuple[str, ...]) -> tuple:
    """Return what is expected of the curator's table at every epsilon; empty without a formula."""
    theirs = settings.with_changes(method=CURATOR)
    errors = error_by_epsilon.predict_errors(
        theirs, curator.domain, curator.n, attrs, curator_epsilon
    )
    return error_by_epsilon.make_steps(settings, errors, curator.truth)


def _price_key(settings: Settings, attrs: tuple[str, ...]) -> tuple:
    options = (settings.epsilon, settings.k, settings.theta, settings.seed, settings.n)
    return (*cached_calls.data_key(settings), attrs, *options)


@dataclass(eq=False)
class KnownPrice:
    """The price once it is known, and the repeats so far; filled by one thread."""

    price: Price | None = None
    repeats: int = 0


def get_known_price(settings: Settings, attrs: tuple[str, ...]) -> KnownPrice:
    """Return what is known of the price."""
    return cached_calls.get_result("price", _price_key(settings, attrs), KnownPrice)


def fill_price(
    settings: Settings, people: People, attrs: tuple[str, ...], progress: KnownPrice
) -> Iterator[None]:
    """Fill `progress`, one repeat a step."""
    progress.repeats = 0
    steps = iter_price(
        use_rows(people, settings.n, settings.seed), attrs, epsilon=settings.epsilon, k=settings.k,
        theta=settings.theta, seed=settings.seed,
    )  # fmt: skip
    for price in steps:
        progress.repeats += 1
        if isinstance(price, Price):
            progress.price = price
        yield


def show_price(settings: Settings, local: Run, attrs: tuple[str, ...]) -> None:
    """Say what trusting nobody costs in people, and what the people there are enough for, as soon as it is known."""
    key, known = _price_key(settings, attrs), get_known_price(settings, attrs)
    if known.price is not None and frame.is_lecture():
        frame.show_number(words.compare.people_needed_text(known.price))
        return
    if known.price is not None:
        table = error_by_epsilon.compare_table(local, attrs)
        ours = settings.with_changes(method=LOCAL)
        spread = error_by_epsilon.error_by_epsilon(ours, table, attrs).errors
        st.markdown(
            words.compare.price_text(known.price, local.n, None if spread is None else spread.real)
        )
        return

    def part() -> bool:
        # Not kept by the session, which outlives its tab.
        people = cached_calls.people(settings)
        WORKER.ask(("price", key), lambda: fill_price(settings, people, attrs, known))
        if not frame.is_lecture():
            st.markdown(words.compare.price_progress(repeats=known.repeats))
        # The cards show the numbers that the price is computed from: they are drawn with it.
        return known.price is not None

    draw_until_known(part, LOOK_AGAIN)


def show_trust_drawer(settings: Settings, local: Run) -> None:
    """Show who has to be trusted for what, and what shuffled reports promise."""
    with frame.drawer(words.compare.TRUST_QUESTION, key="worlds_trust"):
        st.markdown(words.compare.TRUST_TABLE)
        st.markdown(words.compare.shuffling_details(find_shuffled(local), settings.epsilon))


def show_price_drawer(settings: Settings, local: Run, attrs: tuple[str, ...]) -> None:
    """Show how the price is computed."""
    with frame.drawer(words.compare.PRICE_QUESTION, key="worlds_price"):
        if (price := get_known_price(settings, attrs).price) is not None:
            st.markdown(words.compare.price_details(price, local.n))
        st.markdown(words.compare.EQUAL_PROMISES)
