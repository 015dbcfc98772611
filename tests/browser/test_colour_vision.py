"""What carries meaning can be told apart without colours, and by eyes that do not see red from green."""

import io

import numpy as np
from PIL import Image

from tests.browser.conftest import settled

SEEN = ("none", "achromatopsia", "deuteranopia")
# Mean difference of pixels, of 255, from which small patches are told apart.
APART = 15


def picture(locator) -> np.ndarray:
    """Pixels of an element as grey levels, shape (height, width)."""
    shot = Image.open(io.BytesIO(locator.screenshot(animations="disabled")))
    return np.asarray(shot.convert("L"), dtype=float)


def apart(first: np.ndarray, second: np.ndarray) -> float:
    """Mean difference of two patches of about the same size."""
    high, wide = (min(a, b) for a, b in zip(first.shape, second.shape))
    return float(np.abs(first[:high, :wide] - second[:high, :wide]).mean())


def test_sources_of_error_and_bands_are_told_apart_without_colour(visit):
    page = visit("errors")
    swatches = page.locator("i.swatch")
    swatches.nth(2).wait_for()
    bands = page.locator(".band")
    bands.first.wait_for()
    assert all(band.strip()[0] in "●◐○" for band in bands.all_inner_texts())
    see = page.context.new_cdp_session(page)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        settled(page)
        for kind in SEEN:
            see.send("Emulation.setEmulatedVisionDeficiency", {"type": kind})
            patches = [picture(swatches.nth(i)) for i in range(3)]
            pairs = [apart(patches[a], patches[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
            assert min(pairs) > APART, (scheme, kind, pairs)
