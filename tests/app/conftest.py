"""The app run in this process, page by page, without a browser."""

import importlib.metadata
import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from calm_core.classroom import forecast
from calm_core.classroom.survey import Question, Survey
from pages.panels.classroom import open_survey
from pages.ui import error_by_epsilon, jobs
from pages.ui.jobs import LOOK_AGAIN, TurnQueue

ROOT = Path(__file__).resolve().parents[2]
SHELL = ROOT / "pages" / "ui" / "shell.py"
ASKED = tuple(Question(name, f"{name}?", ("No", "Yes")) for name in ("tired", "late", "happy"))
SURVEY = Survey("School", ASKED, epsilon=2.0)


@pytest.fixture(autouse=True)
def skip_background_work(monkeypatch):
    """Work in the background is not done: it would go on for seconds after most tests.

    A test of what comes of it replaces `ask` once more.
    """
    monkeypatch.setattr(error_by_epsilon.WORKER, "ask", lambda key, work: LOOK_AGAIN)


@pytest.fixture(autouse=True)
def all_places_are_free(monkeypatch):
    """A process that an earlier test has left is not waited for."""
    monkeypatch.setattr(jobs, "TURNS", TurnQueue(1))


@pytest.fixture(autouse=True)
def few_simulated_classes(monkeypatch):
    """What a forecast says is tested in tests/classroom; here four classes do for fifty."""
    monkeypatch.setattr(forecast, "CLASSES", forecast.MIN_CLASSES)
    # Without its cache, which outlives the test.
    monkeypatch.setattr(forecast, "_forecast_sizes", forecast._forecast_sizes.__wrapped__)


@pytest.fixture(autouse=True)
def quick(parse_in_process):
    """Every upload of these tests is small."""


@pytest.fixture(autouse=True)
def no_installed_components(monkeypatch):
    """Every AppTest would look for components in all installed packages: a sixth of a second."""
    monkeypatch.setattr(importlib.metadata, "distributions", lambda **_: iter(()))


@pytest.fixture
def room(tmp_path, monkeypatch):
    """The store that Classroom uses, in a file of its own."""
    monkeypatch.setenv("CALM_CLASSROOM", str(tmp_path / "room.sqlite3"))
    open_survey.get_store.cache_clear()
    store = open_survey.get_store()
    yield store
    store.stop()
    open_survey.get_store.cache_clear()


@pytest.fixture
def keys(room):
    """The keys of a survey whose lobby nobody has joined."""
    return room.create(SURVEY, expected=30)


@pytest.fixture
def open_app(monkeypatch):
    """Call it with a page and settings as in a link; gives the AppTest after its first run."""
    monkeypatch.syspath_prepend(str(ROOT))

    def start(page: str = "start", **query: str) -> AppTest:
        app = AppTest.from_file(str(SHELL), default_timeout=120)
        for name, value in query.items():
            app.query_params[name] = value
        if page != "start":
            app.switch_page(f"../{page}.py")
        app.run()
        assert not app.exception, app.exception
        # A page that is not there would be the first one.
        assert app.session_state["page"] == page
        return app

    return start


@pytest.fixture
def data_of():
    """Call it with an app and the key of a component of ours; gives what the browser is sent."""

    def find(app: AppTest, key: str) -> dict:
        found = [e for e in app.get("bidi_component") if e.proto.id.endswith(f"-{key}")]
        assert len(found) == 1, [e.proto.id for e in app.get("bidi_component")]
        return json.loads(found[0].proto.json)

    return find
