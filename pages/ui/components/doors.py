"""The three ways into the app as cards, and settings to begin with in one line."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from pages import words
from pages.ui.components import component, hear_choices

KEY = "doors"


@dataclass(frozen=True)
class Door:
    """A card: `id` is "learn", "data" or "lecture"; `href` where it leads."""

    id: str
    title: str
    text: str
    href: str


def doors(
    found: Sequence[Door], presets: Sequence[tuple[str, str]], *, on_go: Callable[[str], None]
) -> None:
    """Draw the cards and the line of presets (id, title); `on_go(id)` hears what was chosen."""

    def heard() -> None:
        hear_choices(KEY, "go", on_go)

    component("doors")(
        key=KEY,
        data={
            "doors": [asdict(door) for door in found],
            "presets": [{"id": name, "title": title} for name, title in presets],
            "begin": words.start.BEGIN,
            "label": words.start.DOORS_LABEL,
        },
        on_go_change=heard,
    )
