"""What is told of long work: where it stands, when it appears, and how it is stopped."""

from contextlib import contextmanager
from functools import partial
from itertools import count
from threading import Event, Lock, Thread, get_ident
from weakref import ref

import pytest

from calm_core.runtime.cancellation import cancellable, checkpoint
from calm_core.settings import Settings
from pages import words
from pages.ui import jobs, state
from pages.ui.result_cache import ResultCache
from tests.app.screen import session_of


class Page:
    """A place of a page that remembers what was shown there, and whether it is still; a thread is a session."""

    def __init__(self):
        self.shown, self.slots, self.buttons, self.clear = [], 0, [], True
        self.sessions = {}

    @property
    def session_state(self):
        return self.sessions.setdefault(get_ident(), {})

    def empty(self):
        self.slots += 1
        self.clear = True
        return self

    def progress(self, share, text):
        self.shown.append((share, text))
        # As Streamlit's: what comes into it stands one place deeper.
        return None

    @contextmanager
    def container(self, **how):
        yield self

    def button(self, label, **how):
        assert how["key"] not in self.buttons, "a second button of that name"
        self.buttons.append(how["key"])
        self.clear = False


@pytest.fixture
def page(monkeypatch):
    found = Page()
    monkeypatch.setattr(jobs, "st", found)
    # What a page says of its thread does not outlive the test.
    with cancellable(lambda: None):
        yield found


@pytest.fixture
def shown_at_once(monkeypatch):
    """Work is slow from its beginning, and looked at a hundred times a second."""
    monkeypatch.setattr(jobs, "SLOW", 0.0)
    monkeypatch.setattr(jobs, "LOOK_EVERY", 0.01)


@pytest.mark.parametrize(("done", "total", "share"), [(0, 0, 0.0), (5, 4, 1.0), (1, 4, 0.25)])
def test_the_bar_is_never_fuller_than_full(page, done, total, share):
    jobs.draw_bar(done, total, "", page)
    assert page.shown == [(share, "")]


def say(done, total, left):
    return f"{done} of {total}"


def test_long_work_says_how_far_it_is_and_has_one_button(page, shown_at_once):
    told = Event()

    def work(notify):
        notify(3, 12)
        assert told.wait(60)
        return "done"

    def seen(share, text):
        page.shown.append((share, text))
        if text == "3 of 12" and len(page.shown) > 5:
            told.set()

    page.progress = seen
    with jobs.work_area(print):
        assert jobs.wait_for(work, say) == "done"
    assert (0.25, "3 of 12") in page.shown and page.buttons == ["stop_page_0"]
    assert page.clear, "it goes when the work is done"


def test_one_run_may_wait_twice(page, shown_at_once):
    drawn = Event()
    page.progress = lambda share, text: drawn.set()
    with jobs.work_area(print):
        for _ in range(2):
            drawn.clear()
            assert jobs.wait_for(lambda notify: drawn.wait(60), say)
    assert len(page.buttons) == 2


def test_work_that_is_not_slow_yet_shows_nothing(page, monkeypatch):
    monkeypatch.setattr(jobs, "SLOW", 3600.0)
    monkeypatch.setattr(jobs, "LOOK_EVERY", 0.01)
    looks, looked = count(), Event()

    class State(dict):
        """Streamlit looks whether a run is still wanted where its state is asked for."""

        def get(self, *asked):
            if next(looks) > 5:
                looked.set()
            return super().get(*asked)

    page.sessions[get_ident()] = State()
    with jobs.work_area(print):
        assert jobs.wait_for(lambda notify: looked.wait(60), say)
    assert not page.shown and not page.buttons
    assert page.slots == 1, "nothing is sent to the browser for a look"


def test_a_second_session_sees_the_progress_of_the_same_computation(page, shown_at_once):
    shelf, begun, told = ResultCache(2), Event(), Event()

    def work(notify):
        notify(3, 12)
        begun.set()
        assert told.wait(60)
        return "done"

    def first() -> None:
        shelf.get("key", lambda: jobs.wait_for(work, say, key="key"))

    def seen(share, text):
        page.shown.append((share, text))
        told.set()

    page.progress = seen
    session = Thread(target=first)
    session.start()
    assert begun.wait(60)
    with jobs.work_area(print):
        found = shelf.get("key", pytest.fail, partial(jobs.wait_turn, "key"))
    session.join()
    assert found == "done" and page.buttons == ["stop_page_0"] and page.clear
    assert page.shown[0] == (0.25, words.common.shared_work_text("3 of 12"))


def test_a_session_that_stops_waiting_leaves_the_work_of_others_alone(page, shown_at_once):
    turn = Lock()
    turn.acquire()

    def stopped(share, text):
        raise KeyboardInterrupt

    page.progress = stopped
    with pytest.raises(KeyboardInterrupt), jobs.work_area(print):
        jobs.wait_turn("key", turn)
    assert turn.locked()


def test_tables_of_work_that_failed_do_not_stay_with_its_error(page):
    """Not even where the waiting thread holds the error in a reference cycle."""
    made = []

    class Table:
        pass

    def work(notify):
        table = Table()
        made.append(ref(table))
        raise ValueError("no such table")

    with pytest.raises(ValueError, match="no such table") as failed:
        jobs.wait_for(work, say)
    assert failed.value and made[0]() is None


def test_work_that_nobody_waits_for_ends(page, shown_at_once):
    left, ended = Event(), Event()

    def work(notify):
        assert left.wait(60)
        try:
            notify(1, 2)
        except jobs.Stopped:
            ended.set()
            raise

    def stopped(share, text):
        raise KeyboardInterrupt

    page.progress = stopped
    with pytest.raises(KeyboardInterrupt), jobs.work_area(print):
        jobs.wait_for(work, say)
    left.set()
    assert ended.wait(10)


def test_the_pace_begins_anew_with_a_second_phase():
    pace = jobs.Pace(clock=iter([0.0, 10.0, 11.0, 12.0]).__next__)
    pace.reach(1, 11)
    pace.reach(6, 11)
    assert pace.left == 10.0
    pace.reach(1, 11)
    assert pace.left is None
    pace.reach(2, 11)
    assert pace.left == 9.0


def test_stop_goes_back_one_change_and_on_a_first_visit_to_the_usual_settings():
    usual, shown = Settings(presenter=True, hide=("k",)), {"presenter": True, "hide": ("k",)}
    with session_of(settings=Settings(d=7, k=2, **shown)) as kept:
        state.change(epsilon=2.0)
        state.stop()
        assert kept["settings"] == Settings(d=7, k=2, **shown)
        assert state.last_change() == words.settings.STOPPED
        state.stop()
        assert kept["settings"] == usual


def test_work_ends_where_streamlit_ends_the_run(page, monkeypatch):
    class Ended(Exception):
        pass

    class State(dict):
        def get(self, *name):
            raise Ended

    monkeypatch.setattr(jobs, "LOOK_EVERY", 0.0)
    page.sessions[get_ident()] = State()
    with pytest.raises(Ended), jobs.render_slot():
        checkpoint()
