"""The three ways into the app."""

from urllib.parse import urlencode

from pages import words
from pages.panels.start import presets
from pages.ui import menu, state, view_state
from pages.ui.components import mount

# The page behind each way in; a lecture begins here.
PAGES = {"learn": "learn", "data": "data", "lecture": "start"}


def show() -> None:
    """Cards, and settings to begin with."""
    found = [
        dict(
            zip(
                ("id", "title", "text", "href"),
                (name, *words.start.DOORS[name], _address(name, page)),
            )
        )
        for name, page in PAGES.items()
        if menu.shown(page)
    ]
    begin = presets.offered(state.current())
    mount(
        "entry_cards",
        {
            "cards": found, "begin": words.start.BEGIN, "label": words.start.DOORS_LABEL,
            "presets": [{"id": name, "title": preset.title} for name, preset in begin.items()],
        },
        on={"go": go},
    )  # fmt: skip


def _address(name: str, page: str) -> str:
    lecture = {"presenter": "1"} if name == "lecture" else {}
    path = "./" if page == menu.FIRST else page
    query = urlencode(view_state.query() | lecture)
    return f"{path}?{query}" if query else path


def go(name: str) -> None:
    """Open a way in, or begin with a preset."""
    if name in presets.PRESETS:
        presets.begin(name)
    elif name == "lecture":
        state.change(presenter=True)
    else:
        view_state.go(PAGES[name])
