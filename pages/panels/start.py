"""The parts of the page Start: the first table, the entry cards, and presets."""

from urllib.parse import urlencode

from calm_core.evaluation.run import Run
from calm_core.methods import METHODS
from calm_core.settings import Settings
from pages import words
from pages.ui import (
    display,
    error_by_epsilon,
    frame,
    lecture,
    navigation,
    results,
    state,
    tables,
    widgets,
)
from pages.ui.components import mount
from pages.ui.navigation import Route


def show_first_table(settings: Settings, outcome: Run) -> None:
    """Show the first table with its own slider for epsilon; in a lecture the settings bar has it."""
    # Some methods answer nothing larger than k.
    attrs = results.get_first_pair(settings, outcome)[: settings.k]
    compared = error_by_epsilon.compare_table(outcome, attrs)
    trusted = METHODS[settings.method].trust == "central"
    title = ", ".join(display.inline_titles(compared.truth.domain))
    head = {"title": title, "subtitle": words.start.subtitle(outcome.n, trusted)}
    truth, answer, presented = compared.truth, compared.answer, frame.is_lecture()

    def draw(spread: error_by_epsilon.ErrorByEpsilon) -> None:
        data = tables.make_table_data(
            truth, answer, style="pale", lecture=presented, spread=spread.usual,
            reading=spread.here or results.measured_reading(truth, answer, spread.errors),
            slider=not presented and not state.is_hidden("epsilon"), head=head, height=412,
            **spread.table_fields(truth.values.size),
        )  # fmt: skip
        tables.draw_table(data, key="first_table", on={"epsilon": _choose_epsilon})

    error_by_epsilon.draw_with_updates(settings, compared, attrs, draw)


def _choose_epsilon(epsilon: str) -> None:
    state.set_field("epsilon", widgets.parse_float(epsilon, "epsilon"))


# Settings to begin with, and the page that shows them.
PRESETS = {
    "survey": ("start", Settings()),
    "shopping": ("marginals", Settings(source="browsing", d=16)),
    "large_k": ("marginals", Settings(source="browsing", d=16, k=6)),
    "fails": ("errors", Settings(d=18, n=1000, epsilon=0.1)),
}


def offered_presets(settings: Settings) -> list[str]:
    """Return the presets that would change something; the survey only for other data."""
    return [
        name
        for name, (_, preset) in PRESETS.items()
        if preset.results_key != settings.results_key
        and (preset != Settings() or settings.source != preset.source)
    ]


def open_preset(name: str) -> None:
    """Use a preset and open its page; a toast offers to undo it."""
    (page, settings), (_, change) = PRESETS[name], words.start.PRESETS[name]
    state.adopt_preset(change, settings)
    navigation.go_with_undo(page)


def show_entry_cards() -> None:
    """Show the three entry cards and the presets."""
    first = lecture.list_screens(state.current())[0].place
    cards = []
    for name, place in {"learn": Route("learn"), "data": Route("data"), "lecture": first}.items():
        if navigation.is_shown(place.page):
            title, text = words.start.DOORS[name]
            href = _entry_address(place, presented=name == "lecture")
            cards.append({"id": name, "title": title, "text": text, "href": href})
    begin = offered_presets(state.current())
    mount(
        "entry_cards",
        {
            "cards": cards, "begin": words.start.BEGIN, "label": words.start.DOORS_LABEL,
            "presets": [{"id": name, "title": words.start.PRESETS[name][0]} for name in begin],
        },
        on={"go": on_entry},
    )  # fmt: skip


def _entry_address(place: Route, *, presented: bool) -> str:
    path = "./" if place.page == navigation.FIRST else place.page
    query = urlencode(navigation.address_query(place) | ({"presenter": "1"} if presented else {}))
    return f"{path}?{query}" if query else path


def on_entry(name: str) -> None:
    """Open an entry card, or apply a preset."""
    if name in PRESETS:
        open_preset(name)
    elif name == "lecture":
        lecture.begin_lecture()
    else:
        navigation.go(name)
