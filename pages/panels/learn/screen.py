"""One screen of a lesson: question and text on the left, one picture on the right."""

from functools import partial

import streamlit as st

from calm_core.settings import Settings
from pages import words
from pages.panels.learn import LESSONS
from pages.panels.learn.lesson import IDEA, PLAY, PREDICT, REVEAL, STEP_COUNT, Control, Lesson
from pages.ui import frame, glossary_link, lecture, refusals, remedies, state, view_state
from pages.ui.components import mount

SAID = words.learn
MAX_SEEDS = 2**32


def show_screen(lesson: Lesson, at: int) -> None:
    """Draw the screen; `at` is one of its steps."""
    guess = current_guess(lesson)
    waits = at == PREDICT and guess is None and not frame.is_lecture()
    # Keys wait for the guess as the button does.
    lecture.set_step_count(PREDICT + 1 if waits else STEP_COUNT)
    frame.set_title(screen_title(lesson, at))
    values = _show_controls(lesson) if at == PLAY else {}
    with frame.side():
        if not frame.is_lecture():
            with st.container(key="lesson_top"):
                mount("lesson_bar", bar_data(lesson, at), triggers={"all": leave_lesson})
        press = count_presses(lesson)
        shown = {
            IDEA: lesson.idea, PREDICT: lesson.predict,
            REVEAL: lambda: lesson.reveal(press), PLAY: lambda: lesson.play(values, press),
        }[at]()  # fmt: skip
        drawn, said = shown if at == PLAY else (shown, "")
        with st.container(key="lesson_text"):
            told = screen_paragraphs(lesson, at, guess, press, said)
            for text in (
                (lecture_sentence(lesson, at, guess, press),) if frame.is_lecture() else told
            ):
                glossary_link.show_text(text)
        if not frame.is_lecture():
            with st.container(key="lesson_ways"):
                _show_buttons(lesson, at, waits, values)
    mount(
        "lesson_picture", picture_data(lesson, at, drawn, guess),
        on={"guess": partial(on_guess, lesson)},
    )  # fmt: skip


def screen_title(lesson: Lesson, at: int) -> str:
    """Return the question of the screen, or the lesson's name on the first."""
    told = lesson.text
    return {IDEA: told.title, PLAY: told.play}.get(at, told.question)


def screen_paragraphs(
    lesson: Lesson, at: int, guess: float | None, press: int, said: str
) -> tuple[str, ...]:
    """Return the Markdown below the question; the answer is quoted."""
    told = lesson.text
    if at == IDEA:
        return (told.idea,)
    if at == PLAY:
        return said, f"> **{SAID.KEEP}** {told.keep}"
    setup = told.setup.format(**lesson.facts())
    if at == PREDICT:
        return (setup,)
    answer = lesson.guess.answer_text(lesson.truth(press), guess)
    return setup, f"> **{answer}**\n>\n> {told.because}"


def lecture_sentence(lesson: Lesson, at: int, guess: float | None, press: int) -> str:
    """Return the one sentence of a lecture's screen."""
    if at == PLAY:
        return lesson.text.keep
    if at == REVEAL:
        return f"**{lesson.guess.answer_text(lesson.truth(press), guess)}**"
    return screen_paragraphs(lesson, at, guess, press, "")[0]


def bar_data(lesson: Lesson, at: int) -> dict:
    """Return the data of the line above the lesson."""
    number = f"{LESSONS.index(lesson) + 1} of {len(LESSONS)}"
    return {
        "lesson": lesson.key, "number": number, "title": lesson.text.title, "at": at,
        "steps": STEP_COUNT, "step": SAID.STEP.format(at=at + 1, steps=STEP_COUNT), "words": SAID.BAR,
    }  # fmt: skip


def picture_data(lesson: Lesson, at: int, drawn, guess: float | None) -> dict:
    """Return the data of the picture; it holds the guess on two steps and the truth on one."""
    press = count_presses(lesson)
    asks = at in (PREDICT, REVEAL)
    truth = lesson.truth(press) if at == REVEAL else None
    if truth is not None:
        truth = lesson.guess.parse_guess(lesson.guess.round_to_step(truth))
    answer = lesson.guess.answer_text(lesson.truth(press), guess) if at == REVEAL else ""
    label = SAID.GUESS_AND_ANSWER if at == REVEAL else SAID.YOUR_GUESS
    return {
        "lesson": lesson.key, "lecture": frame.is_lecture(), "open": at == PREDICT,
        "begins": at == IDEA, "wanted": at >= PREDICT and guess is None,
        "picture": {
            "kind": drawn.kind, "alt": drawn.alt, "title": drawn.title,
            "legend": [list(item) for item in drawn.legend], "data": dict(drawn.data),
        },
        "guess": lesson.guess.to_dict() if asks else None, "value": guess, "truth": truth,
        "words": SAID.PICTURE | {"label": label, "answer": lesson.text.answer, "says": answer},
    }  # fmt: skip


def current_guess(lesson: Lesson) -> float | None:
    """Return the guess for a lesson, or None."""
    return st.session_state.get("guesses", {}).get(lesson.key)


def on_guess(lesson: Lesson, value: object) -> None:
    """Keep a valid guess of this lesson."""
    guess = lesson.guess.parse_guess(value)
    if guess is not None:
        st.session_state.setdefault("guesses", {})[lesson.key] = guess


def count_presses(lesson: Lesson) -> int:
    """Return how often everybody was asked again, by the lesson's button or the key for new noise."""
    asked = st.session_state.get("presses", {}).get(lesson.key, 0)
    # The default seed counts as 0; the difference must not be negative.
    return asked + (state.current().seed - Settings.seed) % MAX_SEEDS


def _ask_again(lesson: Lesson) -> None:
    asked = st.session_state.setdefault("presses", {})
    asked[lesson.key] = asked.get(lesson.key, 0) + 1


def leave_lesson() -> None:
    """Go back to all lessons."""
    view_state.change(lesson="", at=0)


def open_lesson(key: str, at: int) -> None:
    """Open a lesson at a step; its first step forgets the guess."""
    if at == IDEA:
        st.session_state.get("guesses", {}).pop(key, None)
    view_state.change(lesson=key, at=at)


def open_in_lab(lesson: Lesson, values: dict) -> None:
    """Continue in the Lab with the lesson's settings; a toast offers to undo the change."""
    taken, now = lesson.take(values), state.current()
    if "k" in taken:
        taken |= {"k": min(taken["k"], now.d)}
    changes = remedies.with_consequences(now, taken)
    if not changes:
        view_state.go(lesson.page)
    elif refusals.change_settings(changes):
        view_state.go_with_undo(lesson.page)


def _show_controls(lesson: Lesson) -> dict:
    """Show the controls and return their values; a lecture keeps them as they are."""
    found: dict = {}
    with st.container(key="lesson_controls", horizontal=True):
        for control in lesson.controls:
            if control.is_shown(found):
                key = f"lesson_{lesson.key}_{control.key}"
                drawn = not frame.is_lecture()
                found[control.key] = (
                    _draw_control(control, key) if drawn else st.session_state.get(key)
                )
                # A hidden or invalid value must not decide which other controls are shown.
                found = lesson.control_values(found)
    return lesson.control_values(found)


def _draw_control(control: Control, key: str) -> object:
    common = {"format_func": control.form, "key": key, "persist_state": "session"}
    if isinstance(control.default, str):
        return st.segmented_control(
            control.label,
            control.options,
            default=control.default,
            required=True,
            width="content",
            **common,
        )
    return st.select_slider(control.label, control.options, control.default, width=280, **common)


def _show_buttons(lesson: Lesson, at: int, waits: bool, values: dict) -> None:
    """Show the buttons: back, ask again, open in the Lab, next."""
    forward = {IDEA: SAID.TO_PREDICT, PREDICT: SAID.TO_REVEAL, REVEAL: lesson.text.onward}
    if at < PLAY:
        label, on = forward[at], partial(open_lesson, lesson.key, at + 1)
    elif lesson is LESSONS[-1]:
        label, on = SAID.ALL, leave_lesson
    else:
        after = LESSONS[LESSONS.index(lesson) + 1]
        label, on = f"Next: {after.text.title}", partial(open_lesson, after.key, IDEA)
    by_chance = lesson.by_chance(values) if at == PLAY else at == REVEAL and lesson.chance
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            SAID.BACK, icon=":material/arrow_back:", key="lesson_back",
            on_click=leave_lesson if at == IDEA else open_lesson,
            args=() if at == IDEA else (lesson.key, at - 1),
        )  # fmt: skip
        if lesson.again and by_chance:
            st.button(
                lesson.again, icon=":material/refresh:", key="lesson_again",
                on_click=_ask_again, args=(lesson,),
            )  # fmt: skip
        if at == PLAY:
            st.button(
                SAID.OPEN_IN_LAB, icon=":material/open_in_new:", key="lesson_open",
                on_click=open_in_lab, args=(lesson, values), help=SAID.TAKE_ALONG,
            )  # fmt: skip
        st.button(
            label, key="lesson_next", type="primary",
            icon=":material/arrow_forward:", icon_position="right", disabled=waits, on_click=on,
        )  # fmt: skip
