"""What is printed for a lesson, as HTML that opens offline: one-time cards, and the sheet with the QR code."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from calm_core.classroom.survey import Survey
from calm_core.version import __version__
from pages import words
from pages.panels.classroom import joining

HERE = Path(__file__).parent


def _render(name: str, **data) -> str:
    pages = Environment(loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True)
    said, advice = words.classroom_sheet, words.classroom_advice
    return pages.get_template(name).render(version=__version__, said=said, advice=advice, **data)


def _drawn(link: str) -> Markup:
    return Markup(joining.picture(link))


def cards(survey: Survey, code: str, links: list[str]) -> str:
    """One card for every link, in the order given: that is already shuffled."""
    return _render(
        "cards.html.j2",
        title=survey.title,
        code=words.classroom.code(code),
        cards=[_drawn(link) for link in links],
        language=survey.language,
    )


def sheet(language: str, title: str = "", link: str = "") -> str:
    """The teacher's sheet; with the link of a survey its first page is the QR code for the class."""
    plain, code = link.partition("://")[2], link.rpartition("/")[2]
    return _render(
        "before.html.j2", title=title, code=words.classroom.code(code) if link else "", link=plain,
        short=plain.rpartition("/")[0], drawn=_drawn(link) if link else "", language=language,
    )  # fmt: skip
