"""Errors: how far off, where, and why."""

import streamlit as st

from pages.panels.errors import curves, pairs, sizes, sources, spread
from pages.ui import cached as runs
from pages.ui import exports, messages, warnings
from pages.ui import widgets as inputs
from pages.words import results as words_results
from pages.words import shared as words

VIEWS = ("Pairs", "Distribution", "Sources", "View sizes", "More people, more epsilon")

st.title(words.PAGES["errors"][0])
st.markdown(f"{words_results.ERRORS_LEAD} {words.SSE}")
settings = inputs.current()
with messages.guard():
    outcome = runs.outcome(settings)
warnings.after_run(outcome, settings)
view = st.segmented_control(
    "What to see", VIEWS, default=VIEWS[0], key="errors_view", required=True,
    label_visibility="collapsed", persist_state="session", wrap=True,
)  # fmt: skip
with messages.guard():
    if view == "Distribution":
        spread.show(settings, outcome)
    elif view == "Sources":
        sources.show(settings, outcome)
    elif view == "View sizes":
        sizes.show(settings, outcome)
    elif view == VIEWS[-1]:
        curves.show(settings, outcome)
    else:
        pairs.show(settings, outcome)
    domain = outcome.dataset.domain
    exports.bar(settings, outcome, domain.canonical(settings.attrs or domain.names[: settings.k]))
