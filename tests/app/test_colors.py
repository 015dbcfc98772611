"""Contrast of the colors of the screen, also without color vision or without red and green."""

import tomllib
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from calm_core.figures.theme import SERIES
from pages.panels.errors import COLORS, PATTERNS
from pages.words import numbers

THEMES = tomllib.loads((Path(__file__).parents[2] / ".streamlit/config.toml").read_text())["theme"]
# Of linear red, green and blue. Gray has the luminance of the color (Rec. 709); deuteranopia after
# Machado, Oliveira and Fernandes (2009), severity 1.
SEEN = {
    "all colors": np.eye(3),
    "gray": np.tile([0.2126, 0.7152, 0.0722], (3, 1)),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
}  # fmt: skip
MARKS = {"reconstructed": "blueColor", "sampling": "orangeColor", "rebuilding": "violetColor",
         "private": "greenColor"}  # fmt: skip
# Text of a verdict on its ground.
BANDS = ("green", "yellow", "orange")


def linear(color: str) -> np.ndarray:
    """#rrggbb as linear red, green, blue."""
    parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(first: str, second: str, how: np.ndarray) -> float:
    """WCAG's contrast of two colors as they are seen."""
    seen = [np.clip(how @ linear(color), 0, 1) for color in (first, second)]
    light, dark = sorted((0.05 + SEEN["gray"][0] @ color for color in seen), reverse=True)
    return float(light / dark)


@pytest.fixture(params=["light", "dark"])
def theme(request):
    return THEMES[request.param]


@pytest.mark.parametrize("eyes", SEEN)
def test_every_mark_and_series_stands_out_from_the_ground(theme, eyes):
    marks = [theme[name] for name in MARKS.values()]
    for color in (*marks, *SERIES, *theme["chartCategoricalColors"]):
        assert contrast(color, theme["backgroundColor"], SEEN[eyes]) >= 3, color


@pytest.mark.parametrize("eyes", SEEN)
def test_the_line_of_the_truth_stands_out_from_the_bar_it_crosses(theme, eyes):
    # The line has a seam of the ground's color besides, see the test above.
    assert contrast(theme["textColor"], theme["blueColor"], SEEN[eyes]) >= 2


@pytest.mark.parametrize("eyes", SEEN)
def test_marks_side_by_side_differ_in_lightness_or_pattern(theme, eyes):
    for first, second in combinations(COLORS, 2):
        fills = [theme[MARKS[COLORS[name]]] for name in (first, second)]
        alike = PATTERNS[first] == PATTERNS[second]
        assert not alike or contrast(*fills, SEEN[eyes]) >= 3, (first, second)


@pytest.mark.parametrize("eyes", SEEN)
def test_verdicts_are_distinguished_by_sign_and_word(theme, eyes):
    assert len({*numbers.SIGNS.values()}) == len({*numbers.VERDICTS.values()}) == 3
    for color in BANDS:
        pair = theme[f"{color}TextColor"], theme[f"{color}BackgroundColor"]
        assert contrast(*pair, SEEN[eyes]) >= 4.5, color
