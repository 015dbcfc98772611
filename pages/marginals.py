"""Marginals: any table over a few attributes, released beside true."""

import streamlit as st

from pages import words
from pages.panels.marginals import guess, look, plays, ranking, stages
from pages.ui import cached, exports, state, warnings, widgets
from pages.ui.guard import guarded

VIEWS = ("Look", "Stages", "Play 20 collections", "Guess first", "All marginals")

st.title(words.shared.PAGES["marginals"][0])
st.markdown(words.marginals.LEAD)
settings = state.current()
with guarded():
    outcome = cached.outcome(settings)
warnings.after_run(outcome, settings)

domain = outcome.dataset.domain
attrs = widgets.table_attributes(domain)
view = st.segmented_control(
    "What to see", VIEWS, default=VIEWS[0], key="marginals_view", required=True,
    label_visibility="collapsed", persist_state="session", wrap=True,
)  # fmt: skip
with guarded():
    if view == "Stages":
        stages.show(settings, outcome, attrs)
    elif view == "Play 20 collections":
        plays.show(settings, outcome, attrs)
    elif view == "Guess first":
        guess.show(outcome, attrs)
    elif view == "All marginals":
        ranking.show(settings, outcome)
    else:
        look.show(outcome, attrs)
    exports.bar(settings, outcome, attrs)
