"""Learn: eight short lessons, each a guess before an answer."""

import streamlit as st

from pages import words
from pages.panels.learn import BY_KEY, landing, screen
from pages.panels.learn.lesson import steps
from pages.ui import places

place = places.current()
if place.lesson and place.lesson not in BY_KEY:
    # All around the page is that of a lesson: once more, without.
    places.change(lesson="", at=0)
    st.session_state["not_a_lesson"] = True
    st.rerun()
if place.lesson:
    lesson = BY_KEY[place.lesson]
    at = min(place.at, steps(lesson) - 1)
    places.change(at=at)
    screen.show(lesson, at)
else:
    if st.session_state.pop("not_a_lesson", False):
        st.info(words.learn.NOT_A_LESSON)
    landing.show()
