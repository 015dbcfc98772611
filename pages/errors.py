"""Errors: how far off, where, and why."""

import streamlit as st

from pages import words
from pages.panels import errors as panel
from pages.ui import cached_calls, exports, frame, navigation, results, state, warnings
from pages.ui.error_boundary import show_errors

settings = state.current()
with show_errors():
    outcome = cached_calls.outcome(settings)
    scored = panel.pair_errors(settings, outcome)
    worst, _ = panel.find_worst_pair(outcome.domain, scored)
    frame.set_title(
        words.errors.worst_title(worst=worst) if frame.is_lecture()
        else words.errors.title(outcome.wrong, results.tables_scored(outcome), worst)
    )  # fmt: skip
    frame.show_headline(outcome.wrong, outcome.verdict)
    panel.worst_pair_text(settings, outcome)
    if frame.is_lecture():
        panel.show_pairs(outcome, scored, lecture=True)
    else:
        where, reasons = st.columns((540, 620), gap="large")
        with where:
            frame.show_text(words.errors.WHERE)
            panel.show_pairs(outcome, scored, lecture=False)
        with reasons, st.container(key="reasons"):
            warnings.show_result_warnings(outcome, settings)
            panel.show_reasons(settings, outcome)
            panel.show_suggestions(settings, outcome)
    if not frame.is_lecture():
        if navigation.is_shown("ask"):
            navigation.page_link("ask", words.ask.OPEN)
        panel.show_details(settings, outcome, scored)
        exports.show_exports(settings, outcome, state.attributes_shown(settings, outcome.domain))
