"""Learn: eight short lessons, each a guess before an answer."""

import streamlit as st

from pages import words
from pages.panels.learn import BY_KEY, landing, screen
from pages.panels.learn.lesson import steps
from pages.ui import places

place = places.current()
if place.lesson in BY_KEY:
    lesson = BY_KEY[place.lesson]
    screen.show(lesson, min(place.at, steps(lesson) - 1))
else:
    if place.lesson:
        st.info(words.learn.NOT_A_LESSON)
    landing.show()
