"""Plan: how many answers from each person; who is asked what; Table 2; a survey without data."""

from pages import words
from pages.panels.plan import choices, details, machine, survey, views
from pages.ui import cached, frame, state, view_state, warnings
from pages.ui.error_boundary import PageEnded, show_errors

settings = state.current()
plan = None
with show_errors(stop=False):
    plan = cached.plan(settings)
if plan is None:
    raise PageEnded
view = view_state.view(words.plan.VIEWS)
if view == "steps":
    machine.show(plan)
    # A lecture has its number, with a word for how good it is.
    if not frame.lecture():
        with frame.side():
            warnings.calms_collection(settings, certified=True)
            warnings.before_run(settings)
elif view == "views":
    views.show(plan, settings)
elif view == "choices":
    choices.show(plan)
else:
    with show_errors(stop=False):
        survey.without_data(settings)
    with show_errors(stop=False):
        survey.theta_from_data(settings)
view_state.segments(words.plan.VIEWS)
if view == "steps":
    details.show(plan)
