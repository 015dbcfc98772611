"""What tests read from the screen, and how they move on it."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from calm_core.settings import Settings
from pages.ui.navigation import Route


def run_coroutine(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine returns, run in a thread: browser tests leave an event loop running in this one."""
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(asyncio.run, coroutine).result()


def wait_until(true: Callable[[], Any], seconds: float = 60) -> Any:
    """What `true()` gives, as soon as that is true or the time is over."""
    end = time.monotonic() + seconds
    while not (found := true()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def wait_for_end(process) -> None:
    """Wait until a process has ended; somebody looks at it meanwhile, or it would end itself."""

    def has_ended() -> bool:
        process.refresh()
        return not process.is_running

    assert wait_until(has_ended, 120)


def clean(app: AppTest) -> AppTest:
    """The app itself; it shows no exception and no error."""
    assert not app.exception, app.exception
    assert not app.error, [error.value for error in app.error]
    return app


def settings_of(app: AppTest) -> Settings:
    """The settings of the session."""
    return app.session_state["settings"]


def change(app: AppTest, **settings) -> AppTest:
    """The page with other settings, as if they had been changed elsewhere."""
    app.session_state["settings"] = settings_of(app).with_changes(**settings)
    return clean(app.run())


def plain(text: str) -> str:
    """A text without what keeps it from being read as Markdown."""
    return text.replace("\\", "").replace("\u200b", "")


def read(app: AppTest) -> str:
    """All texts of the page, plain."""
    alerts = (*app.error, *app.warning, *app.info, *app.success)
    parts = (*app.title, *app.subheader, *app.markdown, *app.caption, *app.html, *alerts)
    return plain(" ".join(str(part.value) for part in parts))


def figures(app: AppTest) -> int:
    """How many Plotly figures are shown."""
    return len(app.get("plotly_chart"))


def press(app: AppTest, label: str) -> AppTest:
    """Press the button with a label."""
    return next(button for button in app.button if button.label == label).click().run()


def offered_files(app: AppTest) -> dict[str, Callable[[], str | bytes]]:
    """What makes the files that the page offers for download, by the file's name."""
    return {one.file: one.make for one in app.session_state["downloads"].values()}


def open_view(app: AppTest, page: str, view: str = "", **place) -> AppTest:
    """Another view of the page that is shown, as a link opens it."""
    app.session_state["places"] = {page: Route(page, view=view, **place)}
    app.run()
    assert not app.exception, app.exception
    return app


def upload(app: AppTest, content: bytes | str, name: str = "people.csv", key: str = "upload"):
    """Give a file to a field of the page."""
    content = content.encode() if isinstance(content, str) else content
    app.file_uploader(key=key).set_value((name, content, "text/csv")).run()
    assert not app.exception, app.exception
    return app


def widget(kind, label: str):
    """The first widget of a kind whose label begins so."""
    return next(one for one in kind if one.label.startswith(label))


@contextmanager
def session_of(page: str = "start", settings: Settings | None = None, **state) -> Generator[dict]:
    """Within it code sees the state of a session on a page, as its callbacks do."""
    held = {"settings": settings or Settings(), "page": page, "places": {page: Route(page)}} | state
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st, "session_state", held)
        yield held


def in_app(app, do):
    """What `do()` gives in the app's session: what a component's callback does cannot be sent."""
    changed = ("settings", "places", "refused", "applied", "before", "go", "shown")
    names = (*changed, "page", "uploads", "schemas", "steps")
    state = {name: app.session_state[name] for name in names if name in app.session_state}
    with session_of(**state) as held:
        found = do()
    for name in changed:
        if name in held:
            app.session_state[name] = held[name]
    return found
