"""The first table a visitor sees: two attributes, true and released, and what epsilon does to it."""

import numpy as np

from calm_core.evaluation.run import Run
from calm_core.methods import METHODS
from calm_core.settings import Settings
from calm_core.tables.marginal import Marginal
from pages import words
from pages.ui import error_by_epsilon, first_pair, frame, naming, number_input, state, tables
from pages.ui.components.table import Head, TableData, draw_table


def show(settings: Settings, outcome: Run) -> None:
    """The table with its own epsilon; in a lecture the settings bar has it."""
    attrs = first_pair.of_settings(settings, outcome)
    shown = error_by_epsilon.shown(outcome, attrs)
    trusted = METHODS[settings.method].trust == "central"
    head = Head(
        words.start.first_title(naming.titles(shown.truth.domain)),
        words.start.subtitle(outcome.n, trusted),
    )

    def draw(spread: error_by_epsilon.Spread) -> None:
        draw_table(
            _drawn(shown.truth, shown.answer, spread, head), key="first_table", on_epsilon=_choose
        )

    error_by_epsilon.watched(settings, shown, attrs, draw)


def _drawn(
    truth: Marginal, answer: Marginal, spread: error_by_epsilon.Spread, head: Head
) -> TableData:
    return tables.table_of(
        truth,
        answer,
        style="pale",
        lecture=frame.lecture(),
        spread=spread.usual,
        reading=spread.here or tables.measured(truth, answer),
        steps=spread.steps,
        index=spread.index,
        ghosts=np.array(tables.ghosts(truth.values.size)) if spread.steps else None,
        plays=spread.plays,
        measured=spread.complete,
        head=head,
        slider=not frame.lecture() and not state.is_hidden("epsilon"),
        height=412,
    )


def _choose(epsilon: str) -> None:
    state.set_field("epsilon", number_input.decimal(epsilon, "epsilon"))
