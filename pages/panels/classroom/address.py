"""The address under which phones reach a survey: candidates, the teacher's choice, text and QR code."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from html import escape
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from calm_core.classroom.database import LINK
from calm_core.classroom.survey import MAX_PHONES
from calm_core.classroom.teacher import Progress, ProjectorView, TeacherControls
from calm_core.errors import InputError
from calm_core.runtime.installation import list_private_addresses
from pages import words
from pages.panels.classroom import open_survey
from pages.panels.classroom.open_survey import OpenSurvey
from pages.ui import navigation
from pages.ui.serving import base_path

SAID = words.classroom

# The white border of four modules belongs to the QR code, in dark mode too.
LOOK: dict[str, Any] = {"scale": 4, "border": 4, "dark": "#000", "light": "#fff", "omitsize": True}
# A QR code of more characters is too fine for a projector.
MAX_LINK = 200


def list_addresses(url: str) -> list[str]:
    """Return the addresses that phones may open, the likeliest first, without "/r/" and the code.

    `CALM_JOIN_URL` if it is set, else the host in the teacher's browser. If that is a loopback address, the
    private addresses of this machine, first the one that leads to other networks.

    Parameters
    ----------
    url : str
        The address in the teacher's browser.

    Examples
    --------
    >>> list_addresses("https://lab.example.org/classroom?wall=1")
    ['https://lab.example.org']
    """
    if fixed := _configured_address():
        return [fixed]
    parts = urlsplit(url)
    scheme, port = parts.scheme or "http", f":{parts.port}" if parts.port else ""
    addresses = list_private_addresses() if is_loopback(parts.hostname) else []
    hosts = [f"{address}{port}" for address in addresses] or [parts.netloc]
    return [f"{scheme}://{host}{base_path()}" for host in hosts]


def _configured_address() -> str:
    return os.environ.get("CALM_JOIN_URL", "").strip().rstrip("/")


def is_loopback(host: str | None) -> bool:
    """Whether a host is a loopback address, which no phone can reach.

    Examples
    --------
    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("192.168.1.20")
    (True, True, False)
    """
    if not host or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def is_local_only(url: str) -> bool:
    """Whether this server accepts connections of its own machine only, and no other address is set.

    Parameters
    ----------
    url : str
        The address in the teacher's browser.
    """
    # Behind the proxy of `calm-lab serve` that one's.
    bound = os.environ.get("CALM_PUBLIC_ADDRESS") or st.get_option("server.address")
    unset = is_loopback(urlsplit(url).hostname) and not _configured_address()
    return unset and bool(bound) and is_loopback(bound)


def is_visit(client: str, server: str) -> bool:
    """Whether a request came from another machine.

    >>> own = "192.168.1.2"
    >>> [is_visit(client, own) for client in ("192.168.1.7", "192.168.1.2", "127.0.0.1")]
    [True, False, False]
    """
    return client != server and not is_loopback(client)


def join_address(wall: ProjectorView) -> str:
    """Return the address that phones open, as "http://192.168.1.20:8501/base": the chosen one, else a guess."""
    return wall.notes.get(LINK) or list_addresses(st.context.url or "")[0]


def complete_address(typed: str) -> str:
    """Complete a typed address; "" if it is none.

    >>> complete_address("192.168.1.20:8501/"), complete_address("[::1")
    ('http://192.168.1.20:8501', '')
    """
    typed = "".join(typed.split()).rstrip("/")
    address = typed if "://" in typed else f"http://{typed}"
    try:
        parts = urlsplit(address)
        # Reading the port checks it.
        fits = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        return ""
    extra = parts.netloc.endswith(":") or parts.query or parts.fragment
    if not fits or extra or len(address) > MAX_LINK:
        return ""
    return address if parts.path else f"{address}{base_path()}"


def join_link(wall: ProjectorView, ticket: str = "") -> str:
    """Return what a phone opens. The ticket of a card is in the fragment, which reaches no server and no log."""
    return f"{join_address(wall)}/r/{wall.code}{f'#t={ticket}' if ticket else ''}"


def wall_link(wall: ProjectorView, key: str) -> str:
    """Return the address of the wall for another computer."""
    query = {"survey": wall.code, "wall": key} | navigation.language_query()
    return f"{join_address(wall)}/classroom?{urlencode(query)}"


def qr_svg(text: str) -> str:
    """Return a QR code as SVG for a page, black on white."""
    return segno.make(text, error="m", micro=False).svg_inline(**LOOK)


def show_qr_code(wall: ProjectorView) -> None:
    """Show the QR code of a survey."""
    picture = segno.make(join_link(wall), error="m", micro=False).svg_data_uri(**LOOK)
    alt = SAID.qr_code(code=SAID.code(wall.code))
    st.html(f'<img class="calm-qr" alt="{alt}" src="{picture}">')


def show_address(survey: OpenSurvey) -> None:
    """Show code and address to type, and the shorter address where the code can be typed."""
    where = urlsplit(join_link(survey.view))
    address = f"{where.netloc}{where.path}"
    short = SAID.or_open(address=address.rpartition("/")[0], code=SAID.code(survey.code))
    st.html(
        f'<p class="calm-survey-code">{SAID.code(survey.code)}</p><p class="calm-survey-address">{escape(address)}</p>'
        f'<p class="calm-survey-short">{escape(short)}</p>'
    )


@contextmanager
def beside_code(survey: OpenSurvey) -> Generator[None]:
    """Context manager for what stands below the address, beside the QR code."""
    with st.container(key="class_lobby"):
        with st.container(key="class_code"):
            show_qr_code(survey.view)
        with st.container(key="class_words"):
            show_address(survey)
            yield


def choose_address(teacher: TeacherControls) -> None:
    """Let the teacher choose or type the address that phones open."""
    now, offers = join_address(teacher), list_addresses(st.context.url or "")
    st.session_state["class_address"] = now
    st.selectbox(
        SAID.ADDRESS, offers if now in offers else [*offers, now], key="class_address", accept_new_options=True,
        help=SAID.ADDRESS_HELP, on_change=_set_address, args=(teacher,),
    )  # fmt: skip
    warn_if_local(teacher, SAID.OR_TYPE)


def warn_if_local(wall: ProjectorView, remedy: str = "") -> None:
    """Warn if only this computer can open the address; `remedy` says what else to do."""
    # Behind a proxy other machines may reach the proxy.
    unknown = LINK in wall.notes or "X-Forwarded-For" in st.context.headers
    local_only = not unknown and is_local_only(st.context.url or "")
    if is_loopback(urlsplit(join_address(wall)).hostname) or local_only:
        st.warning(f"{SAID.OWN_ONLY}{remedy}.", icon=":material/warning:")


def _set_address(teacher: TeacherControls) -> None:
    typed = st.session_state["class_address"] or ""
    with open_survey.teacher_action():
        link = complete_address(typed)
        if not link:
            raise InputError(SAID.no_address(typed=typed))
        # The guess of this browser stays one: networks change.
        teacher.set_link("" if link == list_addresses(st.context.url or "")[0] else link)


def edit_capacity(teacher: TeacherControls, progress: Progress) -> None:
    """Let the teacher change the maximum number of phones."""
    st.session_state["class_capacity"] = progress.capacity
    st.number_input(
        SAID.MAX_PHONES_LABEL, 1, MAX_PHONES, key="class_capacity", on_change=_set_capacity, args=(teacher,), help=SAID.MAX_PHONES_HELP,
        width=200,
    )  # fmt: skip


def _set_capacity(teacher: TeacherControls) -> None:
    capacity = st.session_state["class_capacity"]
    with open_survey.teacher_action():
        now = teacher.progress()
        # The browser may send the field after the press that closed the survey.
        if now.state != "closed" and capacity != now.capacity:
            teacher.set_capacity(capacity)
