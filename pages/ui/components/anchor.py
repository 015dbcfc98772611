"""Links to a part of a page that computes for a while."""

from pages.ui.components import component


def follow() -> None:
    """Scroll to what the address names; last on its page."""
    component("anchor", "<i class='root' hidden></i>\n")(key="calm_anchor", data={})
