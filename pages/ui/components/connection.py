"""What the page says where the server is away: nothing of Python's would come there any more."""

from pages import words
from pages.ui.components import component


def watch(*, lecture: bool) -> None:
    """Mount what watches the connection and says where it is lost."""
    component("connection", "<p class='root' role='alert' hidden></p>\n")(
        key="calm_connection", data={"away": words.shared.AWAY, "lecture": lecture}
    )
