"""What stands around every page: header with Share, stepper of the Lab, title, side and main column."""

from base64 import b64encode
from collections.abc import Generator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from calm_core.evaluation.metrics import Verdict
from calm_core.settings import Settings
from pages import words
from pages.ui import cached_calls, display, navigation, state
from pages.ui.components import mount


def _layout() -> str:
    place = navigation.current()
    return "lesson" if place.page == "learn" and place.lesson else place.page


def is_lecture() -> bool:
    """Return whether the page is shown in lecture mode: one title, one number, one chart."""
    return state.current().presenter


def make_frame() -> None:
    """Create the parts of the page and its title, as far as it is known; called by the shell.

    The same parts in the same order for every page, so that nothing is taken away on the way to the
    next; frame.css puts them side by side where the title stands above a narrow column.
    """
    kind, place = _layout(), navigation.current()
    known, text = st.session_state.setdefault("titles", {}).get(kind, (None, ""))
    if known != place:
        text = words.common.TITLES.get("survey" if place.survey else kind, "")
    with st.container(key=f"stage_{kind}"):
        # No empty slot first: the title of the previous page stays until then.
        slot = _draw_title(st, text)
        side, main = st.container(key="side"), st.container(key="main")
    st.session_state["frame"] = {
        "title": slot,
        "shown": text,
        "told": text,
        "side": side,
        "main": main,
    }


def _draw_title(slot, text: str):
    return slot.title(display.markdown(text, 200), anchor=False)


def set_title(text: str) -> None:
    """Set the title of the page: its question or finding, as plain text."""
    st.session_state["titles"][_layout()] = navigation.current(), text
    st.session_state["frame"]["told"] = text


def write_title() -> None:
    """Write the title if it has changed; called by the shell after the page.

    What a page writes itself, Streamlit takes away when another page is opened: a moment without a
    title. What the shell writes stays until it is written anew.
    """
    made = st.session_state["frame"]
    if made["told"] != made["shown"]:
        _draw_title(made["title"], made["told"])


def show_headline(wrong: float, verdict: Verdict) -> None:
    """In a lecture: show the one number with its verdict, beside the title."""
    if is_lecture():
        st.html(
            f'<div class="calm-headline"><b>{words.numbers.wrong(wrong)}</b> {words.common.WRONG} '
            f"{verdict_html(verdict)}</div>"
        )


def show_number(text: str) -> None:
    """Show the one number of a lecture beside the title: its first word in large type."""
    number, _, unit = text.partition(" ")
    if number:
        st.html(f'<div class="calm-headline"><b>{number}</b> {unit}</div>')


def verdict_html(verdict: Verdict) -> str:
    """Return a verdict as HTML."""
    sign, name = words.numbers.SIGNS[verdict], words.numbers.VERDICTS[verdict]
    return f'<span class="verdict {verdict.value}">{sign} {name}</span>'


def side():
    """Return the column under the title, where the page has one; else the first part of the page."""
    return st.session_state["frame"]["side"]


def main():
    """Return the main column."""
    return st.session_state["frame"]["main"]


@contextmanager
def drawer(label: str, *, key: str | None = None) -> Generator[None]:
    """Context manager for secondary material in an expander; hidden in a lecture.

    >>> with drawer("Details: SSE, L1, JS"):                  # doctest: +SKIP
    ...     results.error_metrics(truth, answer)
    """
    if is_lecture():
        with st.container(key=f"hidden_{key or 'drawer'}"):
            yield
    else:
        with st.expander(label, key=key):
            yield


def show_text(text: str, *, quiet: bool = False) -> None:
    """Show a text with its glossary links; without links in a lecture.

    Parameters
    ----------
    text : str
        Markdown; whatever a file put into it has been through `display.as_html`.
    quiet : bool
        Whether it is a caption.
    """
    draw = st.caption if quiet else st.markdown
    draw(
        display.without_links(text) if is_lecture() else display.with_links(text),
        unsafe_allow_html=True,
    )


def share_link(settings: Settings) -> str:
    """Return the address of the current page that restores the settings."""
    address = (st.context.url or "").split("?")[0]
    route = navigation.current().to_query() | navigation.language_query()
    query = urlencode(settings.to_query() | route)
    return f"{address}?{query}" if query else address or "/"


def show_share_popover(settings: Settings) -> None:
    """Show the link to this page, a link for a class, and the equivalent command."""
    with st.popover("Share", icon=":material/link:", key="share"):
        st.markdown(words.settings.LINK_TITLE)
        link_slot = st.container()
        shared = settings.with_changes(**_class_link_options())
        link_slot.code(share_link(shared), language=None, wrap_lines=True)
        if settings.is_upload:
            st.caption(words.settings.LINK_WITHOUT_FILE)
        if navigation.is_own_collection(navigation.current()):
            st.caption(words.settings.LINK_WITHOUT_COLLECTION)
        st.markdown(words.settings.SAME_COMMAND)
        st.code(settings.to_command(), language=None, wrap_lines=True)
        if settings.schema:
            st.caption(words.settings.SCHEMA_NEEDED)


def _class_link_options() -> dict[str, tuple[str, ...]]:
    """Show what a teacher's link hides; return hidden controls and shown pages."""
    hide = st.multiselect(
        words.settings.HIDE, list(words.settings.HIDEABLE), format_func=words.settings.HIDEABLE.get, key="share_hide",
        placeholder="nothing",
    )  # fmt: skip
    pages = st.multiselect(
        "Show only the pages", [name for name in words.common.PAGES if name != "start"],
        format_func=lambda name: words.common.PAGES[name][0], key="share_pages", placeholder="all",
    )  # fmt: skip
    return {"hide": tuple(hide), "pages": tuple(pages)}


@lru_cache(maxsize=1)
def _logo() -> str:
    picture = Path(__file__).with_name("icon.svg").read_bytes()
    return f"data:image/svg+xml;base64,{b64encode(picture).decode()}"


def show_header(page: str, step: dict | None) -> None:
    """Show logo, sections, Share and Lecture mode; `step` is as `step_position` returns it."""
    here = navigation.section_of(page)
    with st.container(key="header", horizontal=True, vertical_alignment="center", wrap=False):
        st.html(f'<span class="calm-logo"><img src="{_logo()}" alt="">{words.common.APP}</span>')
        mount("menu", {"step": step, "words": {"menu": words.common.MENU}})
        with st.container(key="sections", horizontal=True, gap=None, wrap=False):
            for section, title in words.common.SECTIONS.items():
                target = navigation.section_page(section)
                if target is None:
                    continue
                with st.container(key=f"section_{section}{'_here' if section == here else ''}"):
                    # On Learn and Attack the link leads back to their first pages.
                    anew = section == here and section in ("learn", "attack")
                    navigation.page_link(
                        target, title, place=navigation.Route(target) if anew else None
                    )
        with st.container(key="tools", horizontal=True, horizontal_alignment="right", wrap=False):
            if navigation.has_work():
                navigation.page_link("assignment", words.assignment.BACK)
            if not state.is_hidden("share"):
                show_share_popover(state.settings_for_url())
                st.button(
                    words.common.LECTURE, icon=":material/slideshow:", key="present",
                    on_click=state.set_field, args=("presenter", True), help=words.common.LECTURE_HELP,
                )  # fmt: skip


def show_compare_switch(lead: str) -> None:
    """Show one sentence, and the switch between Three worlds and Methods where both are shown."""
    here = navigation.current().page
    offered = [page for page in words.compare.SWITCH if navigation.is_shown(page)]
    with st.container(key="compare_lead", horizontal=True, vertical_alignment="center"):
        with st.container(width="stretch"):
            show_text(lead)
        if len(offered) > 1:
            # After a change of page the widget still holds the previous page.
            st.session_state["compare_switch"] = here
            st.segmented_control(
                "Compare", offered, default=here, format_func=words.compare.SWITCH.__getitem__, key="compare_switch",
                required=True, label_visibility="collapsed", width="content", on_change=lambda: navigation.go(st.session_state["compare_switch"]),
            )  # fmt: skip


def furthest_step() -> int:
    """Return the furthest step this session has visited, from 0."""
    return st.session_state.get("reached", 0)


def mark_reached(step: object) -> None:
    """Note that the Lab was visited up to this step, here or before a reload."""
    if isinstance(step, int) and 0 <= step < len(navigation.LAB):
        st.session_state["reached"] = max(furthest_step(), step)


def step_results(page: str) -> dict[str, str]:
    """Return the known results of all steps as text; computes nothing."""
    settings = state.current()
    if page in navigation.LAB:
        mark_reached(navigation.LAB.index(page))
    far = navigation.LAB[: furthest_step() + 1]
    n = settings.n or cached_calls.encoded_data(settings).dataset.n
    results = {"data": f"{words.numbers.amount(n)} people"}
    run = cached_calls.peek(settings)
    if "plan" in far:
        # Methods without a public plan have one only after their run.
        plan = (run.plan if run else None) or cached_calls.peek_plan(settings)
        if plan is not None:
            results["plan"] = words.common.views(m=plan.m, l=plan.l)
    if run is not None and "collect" in far:
        results["collect"] = words.common.reports(n=n)
        if "marginals" in far:
            results["marginals"] = words.common.wrong_result(wrong=run.wrong)
        if "errors" in far and (told := cached_calls.peek_result("worst", settings.results_key)):
            results["errors"] = told
    return results


def step_position(page: str) -> dict:
    """Return name, text and position of the current step, for phones."""
    steps = _shown_steps()
    name = f"{navigation.LAB.index(page) + 1} {words.common.PAGES[page][0]}"
    at, count = steps.index(page), len(steps)
    text = words.common.step(number=at + 1, count=count)
    return {"name": name, "told": text, "at": at, "count": count}


def _shown_steps() -> list[str]:
    return [step for step in navigation.LAB if navigation.is_shown(step)]


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
            number = ":blue[**✓**]" if done else f"**{navigation.LAB.index(step) + 1}**"
            label = f"{number} {words.common.PAGES[step][0]}"
            label += f" :small[{display.markdown(told)}]" if told else ""
            if self._shown.get(step) != label:
                self._shown[step] = label
                # Later updates replace the link in place.
                self._links[step] = navigation.page_link(step, label, slot)


def _show_buttons(page: str, steps: list[str]) -> None:
    here = steps.index(page)
    before = steps[here - 1] if here else navigation.FIRST
    with st.container(key="way_back"):
        navigation.page_link(before, f"← :small[{words.common.PAGES[before][0]}]")
    last = here + 1 == len(steps)
    after = navigation.section_page("compare") if last else steps[here + 1]
    if after:
        with st.container(key="way_on"):
            title = words.common.SECTIONS["compare"] if last else words.common.PAGES[after][0]
            navigation.page_link(after, f"**{title}** →")


def set_step_count(count: int) -> None:
    """Set the number of steps of the current page, for keys outside of the lecture's screens."""
    st.session_state["steps"] = navigation.current().page, count


def step_count() -> int | None:
    """Return the number of steps of the current page; None where it has not set one."""
    page, count = st.session_state.get("steps", ("", None))
    return count if page == navigation.current().page else None
