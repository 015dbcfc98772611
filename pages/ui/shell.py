"""The script of every run: header, stepper, title and settings bar around the chosen page."""

from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from pages import words
from pages.ui import (
    downloads,
    error_boundary,
    frame,
    jobs,
    lecture,
    navigation,
    settings_bar,
    state,
    warnings,
)
from pages.ui.components import mount, mount_style

with jobs.render_slot():
    settings = state.ensure_settings()
    st.set_page_config(
        words.common.APP,
        # A file of our own: the browser would fetch a named icon from the internet.
        str(Path(__file__).with_name("icon.svg")),
        layout="wide",
        initial_sidebar_state="collapsed",
    )
    pages = navigation.list_pages()
    page = st.navigation(list(pages.values()), position="hidden")
    name = next((name for name, offered in pages.items() if offered == page), navigation.FIRST)
    # It asks which page was the last one, which entering a page changes.
    downloads.forget_other_page(name)
    navigation.enter_page(name)
    in_lab = name in navigation.LAB
    # What is shown comes from data that are there, true column and all.
    played = navigation.section_of(name) in ("lab", "compare", "attack")
    played &= name not in settings_bar.WITHOUT_SETTINGS

    # Everything around the page comes before it: it is there while the page still computes.
    with st.container(key="chrome"):
        mount_style()
        connection = {"away": words.common.AWAY, "lecture": settings.presenter}
        mount("connection", connection, key="calm_connection", triggers={"back": lambda: None})
        lecture.mount_keys()
        # What hears keys is there before a change of page: a key pressed meanwhile is not lost.
        navigation.turn_page()
        navigation.remember_page(name)
        # Without its data there are no results to tell and no settings to try.
        here = state.awaited_settings() is None
        steps = None
        if not settings.presenter:
            with st.container(key="top"):
                frame.show_header(name, frame.step_position(name) if in_lab and here else None)
                steps = frame.Stepper(name) if in_lab and here else None
        error_boundary.mount_tab_memory()
        if here and (played or settings.presenter):
            settings_bar.show_settings_bar(name, lecture.screen_counter())
        first, *others = pages
        address = {
            "page": "" if name == first else name, "pages": others, "lecture": state.current().presenter,
            "language": navigation.page_language(),
            "query": urlencode(navigation.address_query(navigation.current(), lecture.replaced_settings())),
        }  # fmt: skip
        mount("address", address)
    frame.make_frame()
    with frame.side():
        error_boundary.show_pending()
        if name not in settings_bar.WITHOUT_SETTINGS:
            warnings.show_unusual_epsilon()
            warnings.show_invented_banner()
    try:
        with frame.main(), jobs.work_area(state.stop):
            if error_boundary.is_waiting_for(name):
                error_boundary.show_missing_file()
            else:
                page.run()
    except error_boundary.PageEnded:
        pass
    finally:
        # Also where a page has failed.
        if sentence := lecture.screen_sentence():
            frame.set_title(sentence)
        frame.write_title()
        if steps is not None:
            steps.update()
        warnings.show_toast()
        with st.container(key="last"):
            st.caption(words.common.LAST.get(name, words.common.SIMULATION))
            if played and navigation.collection_route().open:
                st.caption(words.collection.ELSEWHERE)
