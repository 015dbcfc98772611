"""The teacher's sheet: timing, links with QR codes, expected answers of all lessons, on paper."""

from functools import lru_cache
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import segno
from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from calm_core.version import __version__
from pages import words
from pages.panels.learn import LESSONS
from pages.panels.learn.lesson import PREDICT, Lesson
from pages.ui import glossary_link

FILE = "calm-lab-teachers-sheet.html"
HERE = Path(__file__).parent
# What only the teacher's own computer can open.
OWN_HOSTS = ("localhost", "127.0.0.1", "::1", None)


def base(address: str) -> str:
    """The address of the page Learn without what follows it.

    >>> base("http://lab.school:8501/learn?lesson=coin#x")
    'http://lab.school:8501/learn'
    """
    return address.split("#")[0].split("?")[0] or "/learn"


def link(address: str, lesson: Lesson, at: int = 0) -> str:
    """The link of a lesson, or of one of its steps.

    >>> from pages.panels.learn import LESSONS
    >>> link("http://lab.school/learn", LESSONS[0], 2)
    'http://lab.school/learn?lesson=coin&at=2'
    """
    step = {"at": at} if at else {}
    return f"{address}?{urlencode({'lesson': lesson.key} | step)}"


def code(text: str) -> Markup:
    """A QR code as SVG that a printer scales without loss."""
    return Markup(segno.make(text, error="m", micro=False).svg_inline(scale=3, border=2))


@lru_cache(maxsize=8)
def page(address: str) -> str:
    """The sheet as one HTML page that opens and prints offline."""
    pages = Environment(loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True)
    lessons = [
        {
            "title": lesson.told.title, "idea": glossary_link.plain(lesson.told.idea), "question": lesson.told.question,
            "setup": lesson.told.setup.format(**lesson.facts()), "answer": lesson.expected(),
            "because": lesson.told.because, "keep": lesson.told.keep, "discuss": lesson.told.discuss,
            "link": link(address, lesson), "code": code(link(address, lesson)),
            "ask": link(address, lesson, PREDICT),
        }
        for lesson in LESSONS
    ]  # fmt: skip
    near = urlsplit(address).hostname in OWN_HOSTS
    return pages.get_template("sheet.html.j2").render(
        lessons=lessons, words=words.sheet.SHEET, near=near, version=__version__
    )
