"""The bar of long work: where it stands, when it appears, and that it goes."""

import pytest

from pages.ui import progress


class Bar:
    """A bar that remembers what it showed."""

    def __init__(self):
        self.shown, self.gone = [], False

    def progress(self, share, text):
        self.shown.append((share, text))
        return self

    def empty(self):
        self.gone = True


@pytest.fixture
def bar(monkeypatch):
    found = Bar()
    monkeypatch.setattr(progress, "st", found)
    return found


def test_each_step_moves_the_bar_and_the_end_takes_it_away(bar):
    with progress.Progress("Working") as at_work:
        at_work.show(0, 4)
        at_work.show(3, 4, "Working: 3 done")
        assert bar.shown == [(0.0, "Working"), (0.75, "Working: 3 done")] and not bar.gone
    assert bar.gone


def test_work_that_is_done_soon_shows_no_bar(bar):
    with progress.Progress("Working", after=3600) as at_work:
        at_work.show(1, 2)
    assert not bar.shown and not bar.gone


def test_the_bar_goes_where_the_work_fails(bar):
    with pytest.raises(ValueError, match="stopped"), progress.Progress("Working") as at_work:
        at_work.show(1, 2)
        raise ValueError("stopped")
    assert bar.gone


@pytest.mark.parametrize(("done", "total", "share"), [(0, 0, 0.0), (5, 4, 1.0), (1, 4, 0.25)])
def test_the_bar_is_never_fuller_than_full(bar, done, total, share):
    progress.draw(done, total, "")
    assert bar.shown == [(share, "")]
