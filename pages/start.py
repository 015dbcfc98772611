"""Start."""

import streamlit as st

from pages.shared import inputs, messages, runs, words

settings = inputs.current()
st.title(words.APP)
with messages.guard():
    outcome = runs.outcome(settings)
st.write(outcome.scores.sse.mean())
