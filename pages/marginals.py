"""Marginals: any table over a few attributes, reconstructed and true."""

import math

import streamlit as st

from pages import words
from pages.panels import marginals as panel
from pages.ui import asking, cached_calls, exports, frame, navigation, state
from pages.ui.error_boundary import show_errors

settings = state.current()
with show_errors():
    outcome = cached_calls.outcome(settings)
domain = outcome.dataset.domain
attrs = state.attributes_shown(settings, domain)
with show_errors():
    offered = panel.table_views(settings, outcome, attrs)
    view = navigation.current_view(offered)
    frame.set_title(panel.table_title(settings, outcome, attrs, view))
    if view == "stages":
        panel.show_stages(settings, outcome, attrs)
    elif view == "guess":
        panel.show_guess(outcome, attrs)
    elif view == "all":
        panel.show_ranking(settings, outcome)
    else:
        panel.show_table(settings, outcome, attrs, view)
    navigation.show_views(offered)
    if not frame.is_lecture():
        if view == "plays":
            st.caption(panel.repeats_note(outcome.domain, attrs))
        if view != "all" and navigation.is_shown("ask"):
            st.button(
                words.ask.ABOUT_TABLE, key="ask_about", type="tertiary",
                on_click=asking.ask_about, args=(attrs,),
            )  # fmt: skip
        frame.show_text(
            words.marginals.lead(k=settings.k, tables=math.comb(domain.d, settings.k)), quiet=True
        )
        with frame.drawer(words.marginals.DETAILS, key="details"):
            if view == "all":
                panel.show_ranking_details(settings, outcome)
            else:
                panel.show_details(settings, outcome, attrs)
        exports.show_exports(settings, outcome, attrs)
