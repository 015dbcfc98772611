"""Noise, sampling, rebuilding: what each costs, and what is left of the error without it."""

import streamlit as st

from calm_core.evaluation.error_sources import PARTS
from calm_core.evaluation.run import Run
from calm_core.methods import Calm
from calm_core.reports import csv_text
from calm_core.settings import Settings
from pages import words
from pages.panels.errors import why

# On a phone the bar has a line of its own, below its name and its number.
STYLE = """<style>
.calm-source { display: grid; grid-template-columns: 13em minmax(0, 1fr) 4em; gap: 0 12px; align-items: center; margin: 4px 0; }
.calm-source b { font-weight: 650; font-variant-numeric: tabular-nums; }
@media (max-width: 640px) {
  .calm-source { grid-template-columns: minmax(0, 1fr) auto; margin: 8px 0; }
  .calm-source > :nth-child(2) { grid-area: 2 / 1 / auto / -1; }
}
</style>"""


def show(settings: Settings, outcome: Run) -> None:
    """The bar of the collection with those of its reruns below, in the same scale."""
    if settings.method != Calm.name:
        why.show(settings, outcome)
        return
    parts = why.parts_of(settings, outcome)
    found = why.squares(parts, outcome.domain)
    st.markdown(words.errors.SPLIT_LEAD)
    st.html(_bars(found))
    why.say_below_zero(found)
    with st.grid(3, min_column_width=220):
        for name in PARTS:
            label, _, text = words.errors.SOURCES[name]
            points = why.points_of(found[name])
            with st.container(border=True, height="stretch"):
                st.metric(label, "–" if points is None else words.numbers.points(points))
                st.caption(text)
    st.download_button(
        "Download CSV", csv_text(parts.drop(columns="query")), "split.csv", "text/csv",
        icon=":material/download:", on_click="ignore", key="split_csv",
    )  # fmt: skip


def _bars(found: dict[str, float]) -> str:
    """A line per collection; the widths are squares, the numbers points."""
    whole = max(found[name] for name in words.errors.RERUNS)
    lines = []
    for name, label in words.errors.RERUNS.items():
        if name == "sse":
            drawn = why.bar(found, whole, high=26, gap=2)
        else:
            width = round(100 * max(found[name], 0.0) / max(whole, 1e-300), 2)
            drawn = f'<div style="width:{width}%;height:26px;background:var(--calm-faint);border-radius:4px"></div>'
        points = words.numbers.points(why.points_of(found[name]) or 0.0, unit=False)
        lines.append(
            f'<div class="calm-source"><span>{label}</span><span>{drawn}</span><b>{points}</b></div>'
        )
    return "".join(lines) + STYLE
