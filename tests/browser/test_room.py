"""In a lecture pictures take the room that is left, whatever is written above them, and when."""

import pytest

from tests.browser.conftest import box_of, eventually

# A line that comes late, as an alert does, above all that the page shows.
LATER = """() => document.querySelector("[class*='st-key-stage_']").prepend(
    Object.assign(document.createElement("div"), { id: "later", style: "height: 90px" }))"""


@pytest.mark.parametrize("path, picture", [("collect", ".plot svg"), ("errors", ".box table")])
def test_what_comes_late_does_not_push_a_picture_under_the_strip(visit, path, picture):
    page = visit(f"{path}?presenter=1")
    stands_above(page, picture)
    page.evaluate(LATER)
    eventually(lambda: stands_above(page, picture))


def stands_above(page, picture: str) -> None:
    strip = box_of(page.locator(".st-key-settings_bar .settings-bar"))
    boxes = [box_of(one) for one in page.locator(f"[data-testid=stMain] {picture}").all()]
    assert boxes and all(box["y"] + box["height"] <= strip["y"] + 1 for box in boxes)
