"""Errors: how far off, where, and why."""

import streamlit as st

from pages import words
from pages.panels.errors import curves, details, help, pairs, sizes, sources, spread, why
from pages.ui import (
    cached,
    exports,
    frame,
    glossary_link,
    optimum,
    state,
    stepper,
    view_state,
    warnings,
)
from pages.ui.error_boundary import show_errors

SECONDARY = {"spread": spread, "sources": sources, "sizes": sizes, "curves": curves}

settings = state.current()
with show_errors():
    outcome = cached.outcome(settings)
    scored = pairs.pairs_of(settings, outcome)
    worst, _ = pairs.worst_of(outcome.domain, scored)
    frame.title(words.errors.title(outcome.points, worst))
    frame.headline(outcome.points, outcome.band)
    stepper.report(pairs.furthest(settings, outcome))
    view = view_state.view(words.errors.VIEWS)
    if frame.lecture():
        pairs.show(outcome, scored, lecture=True)
    elif view in SECONDARY:
        SECONDARY[view].show(settings, outcome)
        if view == "sources":
            optimum.drawer(settings, "errors_optimum")
    else:
        where, reasons = st.columns((540, 620), gap="large")
        with where:
            glossary_link.say(words.errors.WHERE)
            pairs.show(outcome, scored, lecture=False)
        with reasons, st.container(key="reasons"):
            warnings.after_run(outcome, settings)
            why.show(settings, outcome)
            help.show(settings, outcome.points)
    view_state.segments(words.errors.VIEWS)
    if not frame.lecture():
        details.show(settings, outcome, scored)
        exports.bar(settings, outcome, state.attributes_shown(settings, outcome.domain))
