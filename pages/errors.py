"""Errors: how far off, where, and why."""

import streamlit as st

from pages import words
from pages.panels.errors import curves, pairs, sizes, sources, spread
from pages.ui import cached, exports, state, warnings
from pages.ui.guard import guarded

VIEWS = ("Pairs", "Distribution", "Sources", "View sizes", "More people, more epsilon")

st.title(words.shared.PAGES["errors"][0])
st.markdown(f"{words.errors.LEAD} {words.shared.SSE}")
settings = state.current()
with guarded():
    outcome = cached.outcome(settings)
warnings.after_run(outcome, settings)
view = st.segmented_control(
    "What to see", VIEWS, default=VIEWS[0], key="errors_view", required=True,
    label_visibility="collapsed", persist_state="session", wrap=True,
)  # fmt: skip
with guarded():
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
    exports.bar(settings, outcome, state.attributes_shown(settings, outcome.dataset.domain))
