"""The lesson told in three parts: what a phone sent, why nobody can tell, what the class learnt anyway."""

import streamlit as st

from calm_core.classroom.results import Results
from pages import words
from pages.panels.classroom import look
from pages.ui import escape, frame

SAID = words.classroom_results
PARTS = len(SAID.LESSON_TITLES)


def surest(found: Results) -> tuple[str, int, float, float, float] | None:
    """Question, choice, share and interval that lie clearest on one side of one half.

    Of more than two choices each has fewer than half, as a rule: only that one has more says something.
    """
    best = None
    for question in found.collected.survey.questions:
        table = found.share(question.name)
        if table is None:
            continue
        for at in look.choices_shown(question):
            low, high = float(table.low[at]), float(table.high[at])
            below = 0.5 - high if len(question.choices) == 2 else -0.5
            clear = max(low - 0.5, below)
            if best is None or clear > best[0]:
                best = clear, (question.name, at, float(table.values[at]), low, high)
    return None if best is None else best[1]


def texts(found: Results) -> list[str]:
    """The three parts as sentences about this very class."""
    plan, best = found.collected.plan, surest(found)
    told = [
        SAID.sent(_cells(found), [len(view) for view in plan.views], _kept(found)),
        SAID.nobody(plan.epsilon),
    ]
    if best is not None:
        name, at, share, low, high = best
        (question,) = [one for one in found.collected.survey.questions if one.name == name]
        raw = found.raw(name)
        assert raw is not None  # who has a share was asked
        told.append(
            SAID.learnt(
                float(raw.values[at]), share, low, high, question.text, question.choices[at]
            )
        )
    return told


def show(found: Results) -> None:
    """All three beside each other."""
    frame.title(SAID.VIEWS["lesson"])
    told = texts(found)
    for at, column in enumerate(st.columns(len(told), border=True)):
        with column:
            st.subheader(SAID.LESSON_TITLES[at], anchor=False)
            st.markdown(escape.sentence(told[at]))
            if at == 0:
                _hundred(found)
    if not frame.lecture():
        st.caption(SAID.HONEST)


def part(found: Results, at: int) -> None:
    """One of them for a back row."""
    told = texts(found)
    at = min(at, len(told) - 1)
    frame.title(SAID.LESSON_TITLES[at])
    with st.container(key="class_lesson"):
        st.markdown(escape.sentence(told[at]))
        if at == 0:
            _hundred(found)


def _cells(found: Results) -> list[int]:
    """How many numbers a phone of every group could send."""
    plan = found.collected.plan
    return [plan.domain.cells_of(view) for view in plan.views]


def _kept(found: Results) -> int:
    """Of 100 phones of this class, how many sent what was tapped."""
    held = found.collected
    return SAID.hundred(held.plan.epsilon, _cells(found), held.groups)


def _hundred(found: Results) -> None:
    """A hundred phones as dots: those that sent what was tapped are filled."""
    kept = _kept(found)
    dots = "".join("<i></i>" if at < kept else "<i class='else'></i>" for at in range(100))
    alt = SAID.HUNDRED.format(kept=kept)
    st.html(f'<div class="calm-hundred" role="img" aria-label="{alt}">{dots}</div>')
