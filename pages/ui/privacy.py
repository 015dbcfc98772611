"""Epsilon: the values offered, and what it is in words, odds and colour."""

import math

import streamlit as st

from calm_core.figures.theme import PRIVACY
from calm_core.settings import EPSILONS
from pages import words


def epsilons_around(epsilon: float) -> tuple[float, ...]:
    """The values that widgets offer, and the one there is.

    Examples
    --------
    >>> epsilons_around(0.25)[1:5], epsilons_around(0.2) == EPSILONS
    ((0.1, 0.2, 0.25, 0.3), True)
    """
    # Two that are written alike would be one place of a slider.
    others = (offered for offered in EPSILONS if f"{offered:g}" != f"{epsilon:g}")
    return tuple(sorted((*others, epsilon)))


def scale(epsilon: float) -> str:
    """A bar from strong to weak privacy with a mark at epsilon, as HTML; logarithmic, 0.05 to 10."""
    place = (math.log(epsilon) - math.log(0.05)) / (math.log(10) - math.log(0.05))
    place = 100 * min(1.0, max(0.0, place))
    ground = ", ".join(PRIVACY)
    text = f"epsilon {epsilon:g}: {words.privacy.strength(epsilon)}"
    return (
        f'<div role="img" aria-label="{text}" style="margin:0 0 .2rem">'
        f'<div style="position:relative;height:.5rem;border-radius:.25rem;'
        f'background:linear-gradient(90deg,{ground})">'
        f'<div style="position:absolute;left:calc({round(place, 1)}% - .2rem);top:-.2rem;width:.4rem;'
        "height:.9rem;border-radius:.2rem;background:currentColor;"
        'box-shadow:0 0 0 2px rgba(255,255,255,.75)"></div></div>'
        '<div style="display:flex;justify-content:space-between;font-size:.75rem;opacity:.75;'
        'margin-top:.3rem"><span>strong privacy</span><span>weak</span></div></div>'
    )


def show(epsilon: float) -> None:
    """Colour scale and words; belongs under every epsilon."""
    st.html(scale(epsilon))
    st.caption(f"{words.privacy.epsilon_in_words(epsilon)} {words.privacy.odds_text(epsilon)}")
