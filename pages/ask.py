"""Ask: a question to the release, its answer with an interval, the truth beside it."""

from pages.ui import asking, cached_calls, exports, state
from pages.ui.error_boundary import show_errors

settings = state.current()
with show_errors():
    outcome = cached_calls.outcome(settings)
asking.show_asking(asking.ask_run(settings, outcome))
exports.show_exports(settings, outcome, state.attributes_shown(settings, outcome.domain))
