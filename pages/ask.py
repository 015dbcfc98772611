"""Ask: a question to the release, its answer with an interval, the truth beside it."""

from pages import words
from pages.panels import ask as panel
from pages.ui import cached_calls, frame, state
from pages.ui.error_boundary import show_errors

settings = state.current()
with show_errors():
    outcome = cached_calls.outcome(settings)
    frame.show_text(words.ask.LEAD, quiet=True)
    kind, question = panel.show_question(outcome.domain)
with show_errors(stop=False):
    if question:
        found, truth = panel.find_answers(settings, outcome, question)
        panel.show_answer(settings, kind, found, truth, question)
        panel.show_basis(settings, outcome, found, question)
