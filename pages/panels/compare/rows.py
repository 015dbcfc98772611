"""Methods as rows: name, what it does, how far off it is, what that is good for."""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd
import streamlit as st

from calm_core.errors import UserError
from calm_core.evaluation.error_units import Band, classify_error
from calm_core.methods import METHODS
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.panels.compare.lines import TITLES, method_of
from pages.ui import cached, escape, frame, remedies
from pages.ui.notices import as_sentence

# Rows that a back row can read.
MAX_IN_LECTURE = 8


class Row(NamedTuple):
    """One line of a comparison; `note` says why it has no points, or of what they are.

    `remark` says in what the data are not what the method was made for.
    """

    method: str
    points: float | None
    band: Band | None
    note: str = ""
    remark: str = ""


def predicted(settings: Settings) -> list[Row]:
    """All local methods by their formulas, closest first; without one, or refused, last."""
    found, domain = [], cached.people(settings).domain
    for name, method in METHODS.items():
        if method.trust != "local":
            continue
        asked = settings.changed(method=name)
        try:
            points = remedies.predicted(asked)
        except UserError as error:
            found.append(Row(name, None, None, str(error)))
            continue
        kind = None if points is None else classify_error(points, cached.guess_points(asked))
        note = "" if points is not None else words.compare.NO_FORMULA
        found.append(Row(name, points, kind, note, method.data_warning(domain)))
    return in_order(found)


def measured(
    summary: pd.DataFrame, epsilon: float, guess: float, failed: dict[str, str], domain: Domain
) -> list[Row]:
    """The methods of a comparison at one epsilon; `summary` is in points, `failed` by method."""
    found = []
    held = summary[summary["epsilon"] == epsilon]
    for name, points in zip(held["method"], held["mean"]):
        known = not pd.isna(points)
        note = failed.get(name, "" if known else words.compare.COULD_NOT)
        row = (float(points), classify_error(points, guess)) if known else (None, None)
        found.append(Row(name, *row, note, method_of(name).data_warning(domain)))
    return in_order(found)


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Local methods first, closest first; those without points last."""
    last = float("inf")
    return sorted(
        rows,
        key=lambda row: (
            method_of(row.method).trust != "local",
            last if row.points is None else row.points,
        ),
    )


def show(rows: list[Row]) -> None:
    """Draw them, under a heading where both kinds of trust are there."""
    lecture = frame.lecture()
    shown = rows[:MAX_IN_LECTURE] if lecture else rows
    trusts = list(dict.fromkeys(method_of(row.method).trust for row in shown))
    parts = []
    for trust in trusts:
        if len(trusts) > 1:
            parts.append(f'<h3 class="calm-trust">{words.compare.TRUST[trust]}</h3>')
        own = [row for row in shown if method_of(row.method).trust == trust]
        parts.append("".join(_line(row) for row in own))
    kind = "calm-rows lecture" if lecture else "calm-rows"
    label = f'role="list" aria-label="{words.compare.ROWS}"'
    st.html(f'<div class="{kind}" {label}>{"".join(parts)}</div>{STYLE}')


def _line(row: Row) -> str:
    method = method_of(row.method)
    kind = "" if row.note == words.compare.NO_FORMULA else ' class="failed"'
    note = f"<em{kind}>{as_text(row.note)}</em>" if row.note else ""
    if row.remark:
        note += f" <em>{as_text(row.remark)}</em>"
    number = band_of = ""
    if row.points is not None and row.band is not None:
        number = words.numbers.points(row.points, unit=False)
        sign, word = words.bands.SIGNS[row.band], words.bands.WORDS[row.band]
        band_of = f'<span class="band {row.band.value}">{sign} {word}</span>'
    # In a lecture there is room for two lines: why there is no number comes before what it does.
    said = "" if note and not number and frame.lecture() else escape.as_html(method.summary, 200)
    return (
        f'<div class="calm-row" role="listitem"><b>{escape.as_html(TITLES[row.method])}</b>'
        f"<span>{said} {note}</span><strong>{number}</strong>{band_of or '<i></i>'}</div>"
    )


def as_text(note: str) -> str:
    """A note with anything that a file put into it shown literally."""
    return escape.as_html(note, 300)


def why_not(sentences: Iterable[str]) -> None:
    """Why methods failed, one line each."""
    for sentence in sentences:
        st.caption(as_sentence(sentence))


STYLE = """<style>
.calm-rows { display: grid; }
.calm-trust { font-size: 15px; font-weight: 600; color: var(--calm-muted); margin: 14px 0 2px; padding: 0; }
.calm-row {
  display: grid; grid-template-columns: 7.5em minmax(0, 1fr) 4.5em 8.4em; gap: 2px 14px; align-items: center;
  padding: 7px 0; border-bottom: 1px solid var(--calm-line); min-height: 48px;
}
.calm-row > b { font-weight: 650; }
.calm-row > span:not(.band) { color: var(--calm-muted); font-size: 15px; line-height: 1.3; }
.calm-row em { font-style: normal; }
.calm-row em.failed { color: var(--calm-noise); }
.calm-row > strong { font-size: 22px; font-weight: 700; font-variant-numeric: tabular-nums; text-align: right; }
.calm-row > .band { justify-self: start; font-size: 15px; }
.calm-rows.lecture .calm-row { font-size: max(22px, 3.05vh); padding: 4px 0; grid-template-columns: 8em minmax(0, 1fr) 5em 9em; }
.calm-rows.lecture .calm-row > span:not(.band) {
  font-size: max(22px, 3.05vh); line-height: 1.15; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden;
}
.calm-rows.lecture .calm-row > :is(strong, .band) { font-size: max(22px, 3.05vh); }
@media (max-width: 640px) {
  .calm-row { grid-template-columns: minmax(0, 1fr) auto auto; }
  .calm-row > span:not(.band) { grid-column: 1 / -1; grid-row: 2; }
}
</style>"""
