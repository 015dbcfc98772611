"""The parts of the page Start: the first table, the entry cards, and presets."""

from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np

from calm_core.evaluation.run import Run
from calm_core.methods import METHODS
from calm_core.settings import Settings
from calm_core.tables.marginal import Marginal
from pages import words
from pages.ui import error_by_epsilon, frame, menu, naming, state, tables, view_state, widgets
from pages.ui.components import mount
from pages.ui.components.table import Head, TableData, draw_table


def show_first_table(settings: Settings, outcome: Run) -> None:
    """Show the first table with its own slider for epsilon; in a lecture the settings bar has it."""
    attrs = tables.get_first_pair(settings, outcome)
    shown = error_by_epsilon.compare_table(outcome, attrs)
    trusted = METHODS[settings.method].trust == "central"
    head = Head(
        ", ".join(naming.inline_titles(shown.truth.domain)),
        words.start.subtitle(outcome.n, trusted),
    )

    def draw(spread: error_by_epsilon.ErrorByEpsilon) -> None:
        draw_table(
            _table_data(shown.truth, shown.answer, spread, head),
            key="first_table",
            on_epsilon=_choose_epsilon,
        )

    error_by_epsilon.draw_with_updates(settings, shown, attrs, draw)


def _table_data(
    truth: Marginal, answer: Marginal, spread: error_by_epsilon.ErrorByEpsilon, head: Head
) -> TableData:
    return tables.make_table_data(
        truth,
        answer,
        style="pale",
        lecture=frame.is_lecture(),
        spread=spread.usual,
        reading=spread.here or tables.measured_reading(truth, answer),
        steps=spread.steps,
        index=spread.index,
        ghosts=np.array(tables.ghost_errors(truth.values.size)) if spread.steps else None,
        plays=spread.plays,
        measured=spread.complete,
        head=head,
        slider=not frame.is_lecture() and not state.is_hidden("epsilon"),
        height=412,
    )


def _choose_epsilon(epsilon: str) -> None:
    state.set_field("epsilon", widgets.parse_float(epsilon, "epsilon"))


@dataclass(frozen=True)
class Preset:
    """Settings to begin with: title, what they change in words, and the page that shows them."""

    title: str
    told: str
    page: str
    settings: Settings


PRESETS = {
    "survey": Preset(*words.start.PRESETS["survey"], "start", Settings()),
    "shopping": Preset(
        *words.start.PRESETS["shopping"], "marginals", Settings(source="browsing", d=16)
    ),
    "large_k": Preset(
        *words.start.PRESETS["large_k"], "marginals", Settings(source="browsing", d=16, k=6)
    ),
    "fails": Preset(
        *words.start.PRESETS["fails"], "errors", Settings(d=18, n=1000, epsilon=0.1)
    ),
}  # fmt: skip


def offered_presets(settings: Settings) -> dict[str, Preset]:
    """Return the presets that would change something; the survey only for other data."""
    return {
        name: preset
        for name, preset in PRESETS.items()
        if preset.settings.results_key != settings.results_key
        and (preset.settings != Settings() or settings.source != preset.settings.source)
    }


def open_preset(name: str) -> None:
    """Use a preset and open its page; a toast offers to undo it."""
    preset = PRESETS[name]
    state.adopt_preset(preset.told, preset.settings)
    view_state.go_with_undo(preset.page)


# The page behind each card; a lecture begins on Start.
ENTRY_PAGES = {"learn": "learn", "data": "data", "lecture": "start"}


def show_entry_cards() -> None:
    """Show the three entry cards and the presets."""
    found = [
        dict(
            zip(
                ("id", "title", "text", "href"),
                (name, *words.start.DOORS[name], _entry_address(name, page)),
            )
        )
        for name, page in ENTRY_PAGES.items()
        if menu.is_shown(page)
    ]
    begin = offered_presets(state.current())
    mount(
        "entry_cards",
        {
            "cards": found, "begin": words.start.BEGIN, "label": words.start.DOORS_LABEL,
            "presets": [{"id": name, "title": preset.title} for name, preset in begin.items()],
        },
        on={"go": on_entry},
    )  # fmt: skip


def _entry_address(name: str, page: str) -> str:
    lecture = {"presenter": "1"} if name == "lecture" else {}
    path = "./" if page == menu.FIRST else page
    query = urlencode(view_state.address_query() | lecture)
    return f"{path}?{query}" if query else path


def on_entry(name: str) -> None:
    """Open an entry card, or apply a preset."""
    if name in PRESETS:
        open_preset(name)
    elif name == "lecture":
        state.change(presenter=True)
    else:
        view_state.go(ENTRY_PAGES[name])
