"""Learn: short lessons, each a guess before an answer."""

import streamlit as st

from pages import words
from pages.panels.learn import lessons, screen
from pages.panels.learn.lesson import STEP_COUNT
from pages.ui import navigation

place, known = navigation.current(), lessons()
if place.lesson and place.lesson not in known:
    # All around the page is that of a lesson: once more, without.
    navigation.change(lesson="", at=0)
    st.session_state["not_a_lesson"] = True
    st.rerun()
if place.lesson:
    lesson = known[place.lesson]
    at = min(place.at, STEP_COUNT - 1)
    navigation.change(at=at)
    screen.show_screen(lesson, at)
else:
    if st.session_state.pop("not_a_lesson", False):
        st.info(words.learn.NOT_A_LESSON)
    screen.show_landing()
