"""What is printed for a lesson, as HTML that opens offline: one-time cards, and the sheet with the QR code."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from calm_core.version import __version__
from pages import words
from pages.panels.classroom import joining

HERE = Path(__file__).parent


def _render(name: str, **data) -> str:
    pages = Environment(loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True)
    return pages.get_template(name).render(version=__version__, said=words.classroom_sheet, **data)


def _drawn(link: str) -> Markup:
    return Markup(joining.picture(link))


def cards(title: str, code: str, links: list[str], language: str) -> str:
    """One card for every link, in the order given: that is already shuffled."""
    return _render(
        "cards.html.j2",
        title=title,
        code=words.classroom.code(code),
        cards=[_drawn(link) for link in links],
        language=language,
    )


def sheet(title: str = "", code: str = "", language: str = "en") -> str:
    """The teacher's sheet; with a survey its first page is the QR code for the class."""
    link = joining.link(code) if code else ""
    return _render(
        "before.html.j2", title=title, code=words.classroom.code(code) if code else "",
        link=link.partition("://")[2], drawn=_drawn(link) if code else "", language=language,
    )  # fmt: skip
