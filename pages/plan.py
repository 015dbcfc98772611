"""Plan: how many answers per person, the views, Table 2, and a survey without data."""

from pages import words
from pages.panels import plan as panel
from pages.ui import cached_calls, frame, navigation, plan_chart, state, warnings
from pages.ui.error_boundary import show_errors

settings = state.current()
with show_errors():
    plan = cached_calls.plan(settings)
view = navigation.current_view(words.plan.VIEWS)
if view == "tradeoff":
    panel.show_tradeoff(plan, settings)
elif view == "steps":
    panel.show_steps(plan)
elif view == "views":
    plan_chart.show_views(plan, cached_calls.plan_key(settings))
elif view == "choices":
    panel.show_choices(plan)
else:
    with show_errors(stop=False):
        panel.show_survey_design(settings)
# A lecture has its number, with a word for how good it is.
if view in ("tradeoff", "steps") and not frame.is_lecture():
    with frame.side():
        warnings.show_other_collection(settings)
        warnings.show_expected_unusable(settings)
navigation.show_views(words.plan.VIEWS)
if view == "steps":
    panel.show_details(plan)
