"""Long measurements in small steps, which can be stopped and continued."""

from collections.abc import Callable, Iterator

import pandas as pd
import streamlit as st

from pages import words
from pages.ui.progress import Pace, Progress

MAX_KEPT = 8


def measure_in_steps(
    name: str, key: tuple, total: int, steps: Callable[[int], Iterator[dict]], what: str
) -> pd.DataFrame:
    """The rows so far of a measurement that one button starts and another stops.

    Parameters
    ----------
    name : str
        Distinguishes the measurements of a page.
    key : tuple
        Plain values that decide the result.
    total : int
        Number of steps in all.
    steps : callable
        Given how many steps are done, yields the rows of the others.
    what : str
        Said beside the progress bar.
    """
    kept = st.session_state.setdefault("measured", {})
    rows = kept.setdefault((name, key), [])
    while len(kept) > MAX_KEPT:
        kept.pop(next(iter(kept)))
    if len(rows) >= total:
        return pd.DataFrame(rows)
    at_work = st.session_state.get("measuring") == (name, key)
    if not at_work:
        text = "Measure" if not rows else f"Continue ({len(rows)} of {total} done)"
        st.button(
            text, key=f"measure_{name}", icon=":material/play_arrow:", type="primary",
            on_click=_set, args=((name, key),),
        )  # fmt: skip
        return pd.DataFrame(rows)
    slot = st.empty()
    with slot.container(horizontal=True, vertical_alignment="center"):
        progress, pace = Progress(what), Pace()
        pace.reach(len(rows), total)
        progress.show(len(rows), total)
        # A click reruns the page, which ends the loop below at its next step.
        st.button(
            words.common.STOP,
            key=f"stop_{name}",
            icon=":material/stop:",
            on_click=_set,
            args=(None,),
        )
    for row in steps(len(rows)):
        rows.append(row)
        pace.reach(len(rows), total)
        left = words.common.time_left(pace.left)
        progress.show(len(rows), total, f"{what}: {len(rows)} of {total}, {left}")
    slot.empty()
    _set(None)
    return pd.DataFrame(rows)


def _set(measuring) -> None:
    st.session_state["measuring"] = measuring
