"""Tables: any table over a few attributes, released beside true."""

import math

from pages import words
from pages.panels.marginals import details, guess, plays, ranges, ranking, shown, stages
from pages.ui import cached, exports, frame, glossary_link, state, view_state
from pages.ui.error_boundary import show_errors

settings = state.current()
with show_errors():
    outcome = cached.outcome(settings)
domain = outcome.dataset.domain
attrs = state.attributes_shown(settings, domain)
with show_errors():
    views = shown.views(settings, outcome, attrs)
    view = view_state.view(views)
    if view == "range":
        frame.title(ranges.title(settings, outcome, attrs))
    else:
        frame.title(shown.title(outcome, attrs, view))

    if view == "stages":
        stages.show(settings, outcome, attrs)
    elif view == "range":
        ranges.show(settings, outcome, attrs)
    elif view == "guess":
        guess.show(outcome, attrs)
    elif view == "all":
        ranking.show(settings, outcome)
    else:
        shown.show(settings, outcome, attrs, view)
    view_state.segments(views)
    if not frame.lecture():
        if view == "plays":
            plays.show(settings, outcome, attrs)
        glossary_link.say(
            words.marginals.lead(settings.k, math.comb(domain.d, settings.k)), quiet=True
        )
        with frame.drawer(words.marginals.DETAILS, key="details"):
            if view == "range":
                ranges.how(settings, outcome)
            if view == "all":
                ranking.details(settings, outcome)
            else:
                details.show(settings, outcome, attrs)
        exports.bar(settings, outcome, attrs)
