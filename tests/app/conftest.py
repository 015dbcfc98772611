"""The app run in this process, page by page, without a browser."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
SHELL = ROOT / "pages" / "ui" / "shell.py"


@pytest.fixture
def open_app(monkeypatch):
    """Call it with a page and settings as in a link; gives the AppTest after its first run."""
    monkeypatch.syspath_prepend(str(ROOT))

    def start(page: str = "start", **query: str) -> AppTest:
        app = AppTest.from_file(str(SHELL), default_timeout=120)
        for name, value in query.items():
            app.query_params[name] = value
        app.run()
        if page != "start":
            app.switch_page(f"../{page}.py").run()
        assert not app.exception, app.exception
        return app

    return start
