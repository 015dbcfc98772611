"""How phones get in: the address as text and as a QR code, with the card's ticket where there is one."""

import io
from base64 import b64encode
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from pages import words
from pages.panels.classroom import address as addresses
from pages.panels.classroom.held import Held

# The white border of four modules belongs to the code: it is there in the dark too.
BORDER = 4


def host() -> str:
    """Where phones are sent, as "http://192.168.1.20:8501/base": what was chosen, else the best guess."""
    chosen = st.session_state.get("class_address")
    return complete(chosen) if chosen else addresses.choices(st.context.url or "")[0]


def complete(typed: str) -> str:
    """What somebody typed as the beginning of an address.

    >>> complete("192.168.1.20:8501/"), complete("https://lab.example.org/calm")
    ('http://192.168.1.20:8501', 'https://lab.example.org/calm')
    """
    typed = "".join(typed.split()).rstrip("/")
    return typed if "://" in typed else f"http://{typed}"


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
    chosen, offers = st.session_state.get("class_address"), addresses.choices(st.context.url or "")
    if chosen and chosen not in offers:
        offers = [*offers, chosen]
    st.selectbox(
        said.ADDRESS, offers, key="class_address", accept_new_options=True, help=said.ADDRESS_HELP,
        persist_state="session",
    )  # fmt: skip
    if addresses.own_only(urlsplit(link(shown.code)).hostname):
        st.warning(said.OWN_ONLY, icon=":material/warning:")


def visited(survey: str) -> bool:
    """Whether the page of this survey was opened on another machine."""
    return addresses.visited(survey)
