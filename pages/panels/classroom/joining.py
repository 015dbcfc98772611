"""How phones get in: the address as text and as a QR code, with the card's ticket where there is one."""

import io
from base64 import b64encode
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from calm_core.classroom.desk import Desk
from calm_core.classroom.survey import MOST_PHONES
from calm_core.classroom.wall import Progress
from calm_core.errors import UserError
from pages import words
from pages.panels.classroom import address as addresses
from pages.panels.classroom.held import Held
from pages.ui import notices

# The white border of four modules belongs to the code: it is there in the dark too.
BORDER = 4
# Letters of an address: a QR code of more is too fine for a projector.
LONGEST = 200


def host() -> str:
    """Where phones are sent, as "http://192.168.1.20:8501/base": what was chosen, else the best guess."""
    chosen = complete(st.session_state.get("class_address") or "")
    return chosen or addresses.choices(st.context.url or "")[0]


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


def link(code: str, ticket: str = "") -> str:
    """What a phone opens; the ticket of a card reaches no server and no log."""
    return f"{host()}/r/{code}{f'#t={ticket}' if ticket else ''}"


def wall_link(code: str, key: str) -> str:
    """What the projector's own computer opens."""
    return f"{host()}/classroom?{urlencode({'survey': code, 'wall': key})}"


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


def code(survey: str) -> None:
    """The QR code of a survey."""
    svg = b64encode(picture(link(survey)).encode()).decode()
    alt = words.classroom.qr_alt(survey)
    st.html(f'<img class="calm-qr" alt="{alt}" src="data:image/svg+xml;base64,{svg}">')


def address(shown: Held) -> None:
    """Code and address, to type."""
    said, where = words.classroom, urlsplit(link(shown.code))
    plain = f"{where.netloc}{where.path}"
    st.html(
        f'<p class="calm-survey-code">{said.code(shown.code)}</p><p class="calm-survey-address">{plain}</p>'
    )


def choose(shown: Held) -> None:
    """Which of this computer's addresses phones are sent to, or another."""
    said = words.classroom
    shows = st.context.url or ""
    chosen, offers = st.session_state.get("class_address"), addresses.choices(shows)
    typed = chosen and chosen not in offers
    if typed:
        offers = [*offers, chosen]
    st.selectbox(
        said.ADDRESS, offers, key="class_address", accept_new_options=True, help=said.ADDRESS_HELP,
        persist_state="session",
    )  # fmt: skip
    if chosen and not complete(chosen):
        st.warning(notices.as_sentence(said.no_address(chosen)), icon=":material/warning:")
    elif addresses.own_only(urlsplit(link(shown.code)).hostname) or (
        not typed and addresses.nobody_else(shows)
    ):
        st.warning(said.OWN_ONLY, icon=":material/warning:")


def capacity(desk: Desk, progress: Progress) -> None:
    """How many phones are let in at most: raised where the room is full, lowered to shut the door."""
    said = words.classroom
    st.session_state["class_capacity"] = progress.capacity
    st.number_input(
        said.MOST, 1, MOST_PHONES, key="class_capacity", on_change=_allow, args=(desk,), help=said.MOST_HELP
    )  # fmt: skip


def _allow(desk: Desk) -> None:
    try:
        desk.allow(st.session_state["class_capacity"])
    except UserError as error:
        notices.refuse(error)


def visited(survey: str) -> bool:
    """Whether the page of this survey was opened on another machine."""
    return addresses.visited(survey)
