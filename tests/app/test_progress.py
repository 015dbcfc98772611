"""What is told of long work: where it stands, when it appears, how it is stopped, and how long a page may work unasked."""

from contextlib import contextmanager
from functools import partial
from itertools import count
from threading import Event, Lock, Thread, get_ident
from types import SimpleNamespace
from weakref import ref

import pytest
from streamlit.testing.v1 import AppTest

from calm_core.runtime.cancellation import cancellable, checkpoint
from calm_core.settings import Settings
from pages import words
from pages.ui import cached_calls, frame, progress, settings_bar, state
from pages.ui.result_cache import ResultCache
from tests.app.conftest import SHELL

BIG = {"source": "browsing", "d": "8", "k": "2", "seed": "77"}


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
    monkeypatch.setattr(progress, "st", found)
    # What a page says of its thread does not outlive the test.
    with cancellable(lambda: None):
        yield found


@pytest.fixture
def shown_at_once(monkeypatch):
    """Work is slow from its beginning, and looked at a hundred times a second."""
    monkeypatch.setattr(progress, "SLOW", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.01)


@pytest.mark.parametrize(("done", "total", "share"), [(0, 0, 0.0), (5, 4, 1.0), (1, 4, 0.25)])
def test_the_bar_is_never_fuller_than_full(page, done, total, share):
    progress.draw_bar(done, total, "", page)
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
    with progress.work_area("here", print):
        assert progress.wait_for(work, say) == "done"
    assert (0.25, "3 of 12") in page.shown and page.buttons == ["stop_here_0"]
    assert page.clear, "it goes when the work is done"


def test_one_run_may_wait_twice(page, shown_at_once):
    drawn = Event()
    page.progress = lambda share, text: drawn.set()
    with progress.work_area("here", print):
        for _ in range(2):
            drawn.clear()
            assert progress.wait_for(lambda notify: drawn.wait(60), say)
    assert len(page.buttons) == 2


def test_work_that_is_not_slow_yet_shows_nothing(page, monkeypatch):
    monkeypatch.setattr(progress, "SLOW", 3600.0)
    monkeypatch.setattr(progress, "PAUSE", 0.01)
    looks, looked = count(), Event()

    class State(dict):
        """Streamlit looks whether a run is still wanted where its state is asked for."""

        def get(self, *asked):
            if next(looks) > 5:
                looked.set()
            return super().get(*asked)

    page.sessions[get_ident()] = State()
    with progress.work_area("here", print):
        assert progress.wait_for(lambda notify: looked.wait(60), say)
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
        shelf.get("key", lambda: progress.wait_for(work, say, key="key"))

    def seen(share, text):
        page.shown.append((share, text))
        told.set()

    page.progress = seen
    session = Thread(target=first)
    session.start()
    assert begun.wait(60)
    with progress.work_area("here", print):
        found = shelf.get("key", pytest.fail, partial(progress.wait_turn, "key"))
    session.join()
    assert found == "done" and page.buttons == ["stop_here_0"] and page.clear
    assert page.shown[0] == (0.25, words.common.shared_work_text("3 of 12"))


def test_a_session_that_stops_waiting_leaves_the_work_of_others_alone(page, shown_at_once):
    turn = Lock()
    turn.acquire()

    def stopped(share, text):
        raise KeyboardInterrupt

    page.progress = stopped
    with pytest.raises(KeyboardInterrupt), progress.work_area("here", print):
        progress.wait_turn("key", turn)
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
        progress.wait_for(work, say)
    assert failed.value and made[0]() is None


def test_work_that_nobody_waits_for_ends(page, shown_at_once):
    left, ended = Event(), Event()

    def work(notify):
        assert left.wait(60)
        try:
            notify(1, 2)
        except progress.Stopped:
            ended.set()
            raise

    def stopped(share, text):
        raise KeyboardInterrupt

    page.progress = stopped
    with pytest.raises(KeyboardInterrupt), progress.work_area("here", print):
        progress.wait_for(work, say)
    left.set()
    assert ended.wait(10)


def test_the_pace_begins_anew_with_a_second_phase():
    pace = progress.Pace(clock=iter([0.0, 10.0, 11.0, 12.0]).__next__)
    pace.reach(1, 11)
    pace.reach(6, 11)
    assert pace.left == 10.0
    pace.reach(1, 11)
    assert pace.left is None
    pace.reach(2, 11)
    assert pace.left == 9.0


def test_stop_goes_back_to_the_last_good_settings_and_undo_to_those_stopped(open_app):
    app = open_app("marginals", **BIG)
    good = app.session_state["settings"]
    assert app.session_state["last_good"] == good
    kept = {"settings": good.with_changes(k=3), "last_good": good}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(state.st, "session_state", kept)
        state.restore_last_good()
    assert kept["settings"] == good
    app.session_state["applied"] = kept["applied"]
    app.run()
    assert any(words.settings.STOPPED.split(":")[0] in text.value for text in app.markdown)
    app.button("undo").click().run()
    assert app.session_state["settings"] == good.with_changes(k=3)


def test_another_method_that_a_page_shows_is_nothing_to_go_back_to(open_app):
    app = open_app("worlds", **BIG, method="calm_plus")
    assert app.session_state["settings"].method == "calm_plus"
    assert "last_good" not in app.session_state


def test_stop_on_a_first_visit_goes_to_the_usual_settings(monkeypatch):
    kept = {"settings": Settings(d=7, k=2, presenter=True, hide=("k",))}
    monkeypatch.setattr(state.st, "session_state", kept)
    state.restore_last_good()
    assert kept["settings"] == Settings(presenter=True, hide=("k",))


def test_work_ends_where_streamlit_ends_the_run(page, monkeypatch):
    class Ended(Exception):
        pass

    class State(dict):
        def get(self, *name):
            raise Ended

    monkeypatch.setattr(progress, "PAUSE", 0.0)
    page.sessions[get_ident()] = State()
    progress.set_page_cancel_hook()
    with pytest.raises(Ended):
        checkpoint()


# ---------------------------------------------------------------- a page does not work for long unasked


SLOW = {"k": "6", "d": "16", "source": "browsing", "queries": "100", "seed": "4321"}


@pytest.fixture
def short(monkeypatch):
    """No patience, on a server that has warmed up."""
    warm = Event()
    warm.set()
    monkeypatch.setattr(progress, "WARM", warm)
    monkeypatch.setattr(progress, "BUDGET", 0.02)
    monkeypatch.setattr(progress, "SLOW", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.001)


def test_a_page_that_takes_long_is_ended_and_goes_on_when_asked(open_app, short):
    app = open_app("errors", **SLOW)
    (warning,) = app.warning
    assert warning.value == words.common.too_long(settings=app.session_state["settings"])
    assert cached_calls.peek(app.session_state["settings"]) is None
    app.button(key="go_on_anyway").click().run()
    assert not app.exception and not app.warning
    assert cached_calls.peek(app.session_state["settings"]) is not None


def test_what_stands_around_a_page_is_within_its_budget(open_app, short, monkeypatch):
    monkeypatch.setattr(frame, "step_results", endless)
    app = open_app("errors", **SLOW)
    assert [warning.value for warning in app.warning] == [
        words.common.too_long(settings=app.session_state["settings"])
    ]
    monkeypatch.setattr(frame, "step_results", lambda page: {})
    app.button(key="go_on_anyway").click().run()
    assert not app.exception and not app.warning


def test_a_link_whose_data_take_long_is_ended_before_it_has_settings(open_app, short, monkeypatch):
    own = cached_calls.encoded_data
    monkeypatch.setattr(cached_calls, "encoded_data", endless)
    # Ended before it knows its page.
    app = AppTest.from_file(str(SHELL), default_timeout=120)
    app.query_params.update(SLOW)
    app.run()
    told = Settings(k=6, d=16, source="browsing", queries=100, seed=4321)
    assert [warning.value for warning in app.warning] == [words.common.too_long(settings=told)]
    monkeypatch.setattr(cached_calls, "encoded_data", own)
    app.button(key="go_on_anyway").click().run()
    assert not app.exception and not app.warning and app.session_state["settings"] == told


def test_a_fragment_drawn_by_itself_has_a_budget_of_its_own(short):
    def script():
        import streamlit as st

        from pages.ui import error_boundary, state
        from tests.app.test_progress import endless

        state.ensure_settings()
        # The part stands for itself: nothing of a page is drawn around it.
        error_boundary.fragment_with_errors(
            endless if st.session_state.get("patient") is None else st.caption
        )("as long as it takes")

    app = AppTest.from_function(script, default_timeout=120)
    app.run()
    assert [warning.value for warning in app.warning] == [
        words.common.too_long(settings=Settings())
    ]
    app.button(key="go_on_anyway").click().run()
    assert not app.warning and [caption.value for caption in app.caption] == ["as long as it takes"]


def endless(settings):
    for _ in range(10**8):
        checkpoint()
    pytest.fail("nobody ends it")


def test_a_budget_counts_this_drawing_only_and_every_thread(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress, "cpu_seconds", lambda: now[0])
    with cancellable(lambda: None):
        progress.set_budget(8.0)
        budget = progress._BUDGET.get()
        now[0] = 105.0
        budget.check(now[0])
        budget.spend(4.0)
        with pytest.raises(progress.CpuBudgetExceeded):
            budget.check(now[0])
        progress.set_budget(None)
        assert progress._BUDGET.get() is None


def test_the_number_beside_epsilon_is_left_out_where_it_takes_long_and_not_tried_again(
    open_app, monkeypatch
):
    asked = []

    def predicted(settings):
        asked.append(settings)
        endless(settings)

    monkeypatch.setattr(settings_bar, "warnings", SimpleNamespace(predict_wrong=predicted))
    monkeypatch.setattr(settings_bar, "PREDICTION_SECONDS", 0.01)
    monkeypatch.setattr(progress, "PAUSE", 0.001)
    app = open_app("plan", seed="4322")
    assert not app.exception and app.title
    app.run()
    assert len(asked) == 1
