"""What is shown once is not lost by accident."""

from pages.ui.components import component


def ask() -> None:
    """Have the browser ask before the page is left, as long as this is part of it."""
    component("leaving", "<i class='root' hidden></i>\n")(key="calm_leaving", data={})
