"""How phones get in: the address as text and as a QR code, with the card's ticket where there is one."""

import io
from base64 import b64encode
from html import escape
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from calm_core.classroom.projector import Progress, ProjectorView
from calm_core.classroom.survey import MAX_PHONES
from calm_core.classroom.survey_metadata import LINK, OWN_LINK
from calm_core.classroom.teacher import TeacherControls
from calm_core.errors import InputError
from pages import words
from pages.panels.classroom import address as addresses
from pages.panels.classroom import held
from pages.panels.classroom.held import Held

# The white border of four modules belongs to the code: it is there in the dark too.
BORDER = 4
# Letters of an address: a QR code of more is too fine for a projector.
LONGEST = 200


def host(wall: ProjectorView) -> str:
    """Where phones are sent, as "http://192.168.1.20:8501/base": what was chosen, else the best guess."""
    notes, shows = wall.notes, st.context.url or ""
    own = notes.get(OWN_LINK, "")
    kept = own if own and addresses.holds(own, shows) else ""
    return notes.get(LINK) or kept or addresses.choices(shows)[0]


def settle(desk: TeacherControls) -> None:
    """What the teacher's browser guesses is so for every wall and on all paper, while this machine has the address."""
    if not desk.notes.get(LINK) and addresses.holds(guess := host(desk), st.context.url or ""):
        if desk.notes.get(OWN_LINK) != guess:
            desk.reach(guess, own=True)


def chosen(wall: ProjectorView) -> tuple[str | None, ...]:
    """What changes where another address is chosen."""
    notes = wall.notes
    return notes.get(LINK), notes.get(OWN_LINK)


def complete(typed: str) -> str:
    """What somebody typed as the beginning of an address; "" where it is none.

    >>> complete("192.168.1.20:8501/"), complete("https://lab.example.org/calm"), complete("[::1")
    ('http://192.168.1.20:8501', 'https://lab.example.org/calm', '')
    """
    typed = "".join(typed.split()).rstrip("/")
    whole = typed if "://" in typed else f"http://{typed}"
    try:
        parts = urlsplit(whole)
        fits = (
            parts.scheme in ("http", "https")
            and parts.hostname
            and not parts.netloc.endswith(":")
            and (parts.port or 1)
        )
    except ValueError:
        return ""
    if not fits or len(whole) > LONGEST or parts.query or parts.fragment:
        return ""
    return whole if parts.path else f"{whole}{addresses.base_path()}"


def link(wall: ProjectorView, ticket: str = "") -> str:
    """What a phone opens; the ticket of a card reaches no server and no log."""
    return f"{host(wall)}/r/{wall.code}{f'#t={ticket}' if ticket else ''}"


def wall_link(wall: ProjectorView, key: str) -> str:
    """What the projector's own computer opens."""
    return f"{host(wall)}/classroom?{urlencode({'survey': wall.code, 'wall': key})}"


def picture(text: str) -> str:
    """A QR code as an SVG, black on white."""
    drawn = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        drawn,
        kind="svg",
        scale=4,
        border=BORDER,
        dark="#000",
        light="#fff",
        xmldecl=False,
        omitsize=True,
    )
    return drawn.getvalue().decode()


def code(wall: ProjectorView) -> None:
    """The QR code of a survey."""
    svg = b64encode(picture(link(wall)).encode()).decode()
    alt = words.classroom.qr_alt(wall.code)
    st.html(f'<img class="calm-qr" alt="{alt}" src="data:image/svg+xml;base64,{svg}">')


def address(shown: Held) -> None:
    """Code and address, to type; where a code can be typed, the address is shorter."""
    said, where = words.classroom, urlsplit(link(shown.wall))
    whole = f"{where.netloc}{where.path}"
    short = said.or_type(whole.rpartition("/")[0], shown.code)
    st.html(
        f'<p class="calm-survey-code">{said.code(shown.code)}</p><p class="calm-survey-address">{escape(whole)}</p>'
        f'<p class="calm-survey-short">{escape(short)}</p>'
    )


def choose(desk: TeacherControls) -> None:
    """Which of this computer's addresses phones are sent to, or another: on every wall and all paper."""
    said, shows = words.classroom, st.context.url or ""
    now, offers = host(desk), addresses.choices(shows)
    st.session_state["class_address"] = now
    st.selectbox(
        said.ADDRESS, offers if now in offers else [*offers, now], key="class_address", accept_new_options=True,
        help=said.ADDRESS_HELP, on_change=_reach, args=(desk,),
    )  # fmt: skip
    warn_own(desk, said.OR_TYPE)


def warn_own(wall: ProjectorView, remedy: str = "") -> None:
    """Say so where the address is this computer's own, and nobody else can open it; and what else is a `remedy`."""
    shows, typed = st.context.url or "", bool(wall.notes.get(LINK))
    if addresses.own_only(urlsplit(host(wall)).hostname) or (
        not typed and addresses.nobody_else(shows)
    ):
        st.warning(f"{words.classroom.OWN_ONLY}{remedy}.", icon=":material/warning:")


def _reach(desk: TeacherControls) -> None:
    typed = st.session_state["class_address"] or ""
    with held.wished():
        if not complete(typed):
            raise InputError(words.classroom.no_address(typed))
        desk.reach(complete(typed), own=addresses.holds(complete(typed), st.context.url or ""))


def capacity(desk: TeacherControls, progress: Progress) -> None:
    """How many phones are let in at most: raised where the room is full, lowered to shut the door."""
    said = words.classroom
    st.session_state["class_capacity"] = progress.capacity
    st.number_input(
        said.MAX_PHONES_LABEL, 1, MAX_PHONES, key="class_capacity", on_change=_allow, args=(desk,), help=said.MAX_PHONES_HELP,
        width=200,
    )  # fmt: skip


def _allow(desk: TeacherControls) -> None:
    most = st.session_state["class_capacity"]
    with held.wished():
        now = desk.progress()
        # What the field held may be told after the press that closed the class: that is nobody's wish any more.
        if now.state != "closed" and most != now.capacity:
            desk.allow(most)


def visited(survey: str) -> bool:
    """Whether the page of this survey was opened on another machine."""
    return addresses.visited(survey)
