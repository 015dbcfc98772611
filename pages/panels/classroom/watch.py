"""Parts of the page that look again by themselves, and what happens where the survey is not there any more."""

from collections.abc import Callable

from calm_core.classroom.projector import SurveyDeleted
from pages.panels.classroom.held import Held
from pages.ui import notices
from pages.ui.error_boundary import fragment_with_errors

LOOK = 0.5
# What does not move is only asked whether it is still there.
SELDOM = 2.0


def part(draw: Callable[[], None], *, every: float = LOOK) -> None:
    """Draw something again and again; that its survey was deleted is told by the whole page."""

    def drawn() -> None:
        try:
            draw()
        except SurveyDeleted:
            notices.rerun()

    fragment_with_errors(drawn, run_every=every)()


def alive(shown: Held) -> None:
    """Nothing to see: the page goes on only while its survey is there."""

    def ask() -> None:
        shown.wall.progress()

    part(ask, every=SELDOM)
