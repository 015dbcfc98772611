"""Marginals: any table over a few attributes, released beside true."""

import streamlit as st

from pages.panels.marginals import guess, look, plays, ranking, stages
from pages.ui import cached as runs
from pages.ui import escape, exports, messages, warnings
from pages.ui import widgets as inputs
from pages.words import results as words_results
from pages.words import shared as words

VIEWS = ("Look", "Stages", "Play 20 collections", "Guess first", "All marginals")

st.title(words.PAGES["marginals"][0])
st.markdown(words_results.MARGINALS_LEAD)
settings = inputs.current()
with messages.guard():
    outcome = runs.outcome(settings)
warnings.after_run(outcome, settings)

domain = outcome.dataset.domain
inputs.control(
    st.multiselect, "Attributes of the table", "attrs", options=list(domain.names),
    show=lambda attrs: list(attrs or domain.names[: settings.k]), read=tuple, max_selections=8,
    format_func=lambda name: escape.short(name, 32),
)  # fmt: skip
attrs = domain.canonical(inputs.current().attrs or domain.names[: settings.k])
view = st.segmented_control(
    "What to see", VIEWS, default=VIEWS[0], key="marginals_view", required=True,
    label_visibility="collapsed", persist_state="session", wrap=True,
)  # fmt: skip
with messages.guard():
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
