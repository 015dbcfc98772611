"""Advice before a collection: attributes too fine for so few people, with what fewer values bring."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import streamlit as st

from calm_core.evaluation.coarsening_advice import NEVER, CoarseningAdvice, suggest_coarsening
from calm_core.ingest import Schema
from calm_core.ingest.encode import choose_schema
from calm_core.methods import METHODS, Calm, CalmPlus
from calm_core.settings import Settings
from pages import words
from pages.panels.data import seen
from pages.ui import cached, escape, notices, state
from pages.ui.error_boundary import fragment_with_errors
from pages.ui.jobs.background import LOOK_AGAIN, Worker
from pages.ui.jobs.result_cache import ResultCache

# At once on the screen; and of what was predicted before, at most so much may be left afterwards.
MAX_SHOWN, WORTH = 3, 0.9
# Whether a button was pressed since the page was drawn: the part alone would not show what it did.
PRESSED = "advice_pressed"
WORKER = Worker()


@dataclass(eq=False)
class Known:
    """What is advised; None until it has been worked out."""

    found: tuple[CoarseningAdvice, ...] | None = None
    # Seconds after which a page is to look again.
    again: float = LOOK_AGAIN


_KNOWN = ResultCache(48)


def known_of(settings: Settings) -> Known:
    """What is advised for these settings; worked out in the background where it is not known yet."""
    n = settings.n or cached.encoded_data(settings).dataset.n
    chosen = n, settings.epsilon, settings.k, settings.theta
    known = _KNOWN.get(("advice", *cached.data_key(settings), *chosen), Known)
    if known.found is None:
        schema = as_used(settings)
        known.again = WORKER.ask(known, lambda: work_out(known, schema, *chosen))
    return known


def as_used(settings: Settings) -> Schema:
    """The columns as they are collected: those chosen, merged as the settings say."""
    columns, d = settings.columns or None, None if settings.columns else settings.d
    return choose_schema(cached.schema(settings), columns, d, settings.max_values)


def work_out(
    known: Known, schema: Schema, n: int, epsilon: float, k: int, theta: float
) -> Iterator[None]:
    """Fill `known`; the plans of CALM say what to expect."""
    found = suggest_coarsening(schema, n, epsilon, k, theta=theta)
    known.found = tuple(one for one in found if one.after <= WORTH * one.before)[:MAX_SHOWN]
    yield


def show(settings: Settings, schema: Schema) -> None:
    """What is too fine, each with the button that changes it; drawn when it is known."""
    # What is predicted is a collection in views: methods that make none err otherwise.
    if settings.method not in (Calm.name, CalmPlus.name):
        if any(column.size > NEVER for column in as_used(settings).kept):
            st.caption(words.import_review.no_advice(METHODS[settings.method].title))
        return
    st.session_state[PRESSED] = False
    known = known_of(settings)
    waiting = known.found is None

    def part() -> None:
        if st.session_state[PRESSED]:
            st.rerun()
        found = known_of(settings).found
        if found is None:
            return
        if waiting:
            # Once more, without a clock.
            notices.rerun()
        for at, one in enumerate(found):
            _draw(at, one, settings, schema)

    with st.container(key="advice"):
        fragment_with_errors(part, run_every=known.again if waiting else None)()


def _draw(at: int, one: CoarseningAdvice, settings: Settings, schema: Schema) -> None:
    used = as_used(settings)
    fewer, now = one.schema.column(one.name), used.column(one.name)
    n = settings.n or cached.encoded_data(settings).dataset.n
    k = min(settings.k, len(used.kept))
    said = (
        words.import_review.too_fine(
            seen.title(now), now.size, n, settings.epsilon, bands=now.is_number
        ),
        words.import_review.foreseen(fewer.size, k, one.before, one.after),
    )
    with st.container(key=f"advice_{at}"):
        st.markdown(escape.sentence(" ".join(said)))
        st.button(
            words.import_review.coarser(fewer.size, one.after), key=f"coarser_{at}",
            on_click=apply, args=(one, schema),
        )  # fmt: skip


def apply(one: CoarseningAdvice, schema: Schema) -> None:
    """Collect the column with fewer values; whether it is used stays."""
    st.session_state[PRESSED] = True
    fewer, now = one.schema.column(one.name), schema.column(one.name)
    changed = schema.with_column(replace(fewer, keep=now.keep, reason=now.reason))
    state.use_schema(changed, words.import_review.merged(seen.title(now), fewer.size))
