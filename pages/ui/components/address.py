"""The address bar: always the settings and the place of now."""

from pages.ui import state
from pages.ui.components import component


def show(page: str, query: str, pages: list[str]) -> None:
    """Let the address say `query`, if `page` is still the one shown.

    Parameters
    ----------
    page : str
        Name of the page, as in its path.
    query : str
        The part of the address after the question mark.
    pages : list of str
        All pages there are: any other path is the first page's.
    """
    first = pages[0]
    component("address", "<i class='root' hidden></i>\n")(
        key="calm_address",
        data={
            "page": "" if page == first else page, "query": query, "pages": pages[1:],
            "lecture": state.current().presenter,
        },
    )  # fmt: skip
