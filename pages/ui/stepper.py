"""The stepper: the five steps of the Lab, each with its result."""

import streamlit as st

from pages import words
from pages.ui import cached_calls, escape, menu, state, view_state


def set_result(text: str, *, here: bool = False) -> None:
    """Set the result of the current step for the current settings; `here` only while it is shown."""
    key = state.current().results_key
    told = st.session_state.setdefault("rail", {})
    told[st.session_state["page"]] = key, text, here


def clear_result() -> None:
    """Remove the result that the current page has set."""
    st.session_state.setdefault("rail", {}).pop(st.session_state["page"], None)


def furthest_step() -> int:
    """Return the furthest step this session has visited, from 0."""
    return st.session_state.get("reached", 0)


def mark_reached(step: object) -> None:
    """Note that the Lab was visited up to this step, here or before a reload."""
    if isinstance(step, int) and 0 <= step < len(menu.LAB):
        st.session_state["reached"] = max(furthest_step(), step)


def step_results(page: str) -> dict[str, str]:
    """Return the known results of all steps as text; computes nothing."""
    settings = state.current()
    if page in menu.LAB:
        mark_reached(menu.LAB.index(page))
    far = menu.LAB[: furthest_step() + 1]
    n = settings.n or cached_calls.encoded_data(settings).dataset.n
    results = {"data": f"{words.numbers.amount(n)} people"}
    run = cached_calls.peek(settings)
    if "plan" in far:
        # Methods without a public plan have one only after their run.
        plan = (run and run.plan) or cached_calls.peek_plan(settings)
        if plan is not None:
            results["plan"] = words.common.views(plan.m, plan.l)
    if run is not None and "collect" in far:
        results["collect"] = words.common.reports(n)
        if "marginals" in far:
            results["marginals"] = words.numbers.points(run.points)
        if "errors" in far and (told := cached_calls.peek_result("worst", settings.results_key)):
            results["errors"] = told
    for step, (key, text, here) in st.session_state.get("rail", {}).items():
        if key == settings.results_key and (step == page or not here):
            results[step] = text
    return results


def step_position(page: str) -> dict:
    """Return name, text and position of the current step, for phones."""
    steps = _shown_steps()
    name = f"{menu.LAB.index(page) + 1} {words.common.PAGES[page][0]}"
    at, count = steps.index(page), len(steps)
    return {"name": name, "told": words.common.step(at + 1, count), "at": at, "count": count}


def _shown_steps() -> list[str]:
    return [step for step in menu.LAB if menu.is_shown(step)]


class Stepper:
    """The stepper of one run, updated after the page where results have changed."""

    def __init__(self, page: str):
        self._page, self._shown, self._links = page, {}, {}
        steps = _shown_steps()
        with st.container(key="stepper", horizontal=True, vertical_alignment="center", wrap=False):
            with st.container(
                key="steps", horizontal=True, vertical_alignment="center", wrap=False
            ):
                for step in steps:
                    key = f"step_{step}{'_here' if step == page else ''}"
                    self._links[step] = st.container(key=key)
            with st.container(key="ways", horizontal=True, gap="small", wrap=False):
                _show_buttons(page, steps)
        self.update()

    def update(self) -> None:
        """Write the results known now; unchanged links are left alone."""
        results = step_results(self._page)
        for step, slot in self._links.items():
            told = results.get(step, "")
            done = told and step != self._page
            number = ":blue[**✓**]" if done else f"**{menu.LAB.index(step) + 1}**"
            label = f"{number} {words.common.PAGES[step][0]}"
            label += f" :small[{escape.markdown(told)}]" if told else ""
            if self._shown.get(step) != label:
                self._shown[step] = label
                # Later updates replace the link in place.
                self._links[step] = view_state.page_link(step, label, slot)


def _show_buttons(page: str, steps: list[str]) -> None:
    here = steps.index(page)
    before = steps[here - 1] if here else menu.FIRST
    with st.container(key="way_back"):
        view_state.page_link(before, f"← :small[{words.common.PAGES[before][0]}]")
    last = here + 1 == len(steps)
    after = menu.section_page("compare") if last else steps[here + 1]
    if after:
        with st.container(key="way_on"):
            title = words.common.SECTIONS["compare"] if last else words.common.PAGES[after][0]
            view_state.page_link(after, f"**{title}** →")
