"""Under which addresses phones reach this machine, and whether one of them did."""

import os
import socket
from collections import OrderedDict
from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st

from calm_core.classroom.phones import CODE_FORM

# An address that is nobody's: nothing is sent to it, the system only says by which of its own it would.
ELSEWHERE = ("192.0.2.1", 9)
MAX_SEEN = 1_000


def base_path() -> str:
    """Below which path everything is served: empty, or like "/lab"."""
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""


def choices(url: str) -> list[str]:
    """What phones may open, the likeliest first, up to "/r/" and the code of the survey.

    `CALM_JOIN_URL` where it is set; else the host that the teacher's browser shows; where that is this
    machine itself, its private addresses, first the one that leads to other networks.

    Parameters
    ----------
    url : str
        What the teacher's browser shows.

    Examples
    --------
    >>> choices("https://lab.example.org/classroom?wall=1")
    ['https://lab.example.org']
    """
    fixed = os.environ.get("CALM_JOIN_URL", "").strip().rstrip("/")
    if fixed:
        return [fixed]
    shown = urlsplit(url)
    scheme, port = shown.scheme or "http", f":{shown.port}" if shown.port else ""
    hosts = _own_addresses() if own_only(shown.hostname) else []
    return [
        f"{scheme}://{host}{base_path()}"
        for host in [f"{own}{port}" for own in hosts] or [shown.netloc]
    ]


def own_only(host: str | None) -> bool:
    """Whether a host is this machine for itself, where no phone can reach it.

    Examples
    --------
    >>> own_only("localhost"), own_only("127.0.0.1"), own_only("192.168.1.20"), own_only("lab.example.org")
    (True, True, False, False)
    """
    if not host or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def holds(link: str, url: str) -> bool:
    """Whether a link that leads to an address of this machine still does: networks change, and so do ports.

    Parameters
    ----------
    link : str
        What was chosen among `choices`, maybe days ago.
    url : str
        What the browser shows.
    """
    parts, seen, ours = urlsplit(link), urlsplit(url), _own_addresses()
    if os.environ.get("CALM_JOIN_URL", "").strip() or parts.hostname not in ours:
        return False
    # Who looks through a proxy sees another port.
    here = own_only(seen.hostname) or seen.hostname in ours
    return not here or parts.port == seen.port


def nobody_else(url: str) -> bool:
    """Whether the server listens to its own machine alone, and nothing before it is known to hand on to it.

    Parameters
    ----------
    url : str
        What the teacher's browser shows.
    """
    bound = st.get_option("server.address")
    known = own_only(urlsplit(url).hostname) and not os.environ.get("CALM_JOIN_URL", "").strip()
    return known and bool(bound) and own_only(bound)


def _own_addresses() -> list[str]:
    """Private IPv4 addresses of this machine, the one with the default route first."""
    import ifaddr

    found = {
        str(one.ip) for adapter in ifaddr.get_adapters() for one in adapter.ips
        if one.is_IPv4 and ip_address(str(one.ip)).is_private and not own_only(str(one.ip))
    }  # fmt: skip
    first = _towards_others()
    return sorted(found, key=lambda own: (own != first, ip_address(own)))


def _towards_others() -> str | None:
    """The address by which this machine reaches other networks; none without a default route."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(ELSEWHERE)
        except OSError:
            return None
        return asked.getsockname()[0]


class Visits:
    """Of which surveys the page was fetched from another machine; in memory, and no address with it.

    Examples
    --------
    >>> visits = Visits()
    >>> visits.note("abc234", client="127.0.0.1", server="127.0.0.1")
    >>> visits.note("bcd345", client="192.168.1.7", server="192.168.1.2")
    >>> "ABC234" in visits, "BCD345" in visits
    (False, True)
    """

    def __init__(self):
        self._codes: OrderedDict[str, None] = OrderedDict()

    def note(self, code: str, *, client: str, server: str) -> None:
        """The page of a survey was fetched: from where, and by which address of this machine."""
        if CODE_FORM.fullmatch(code.upper()) and client != server and not own_only(client):
            self._codes[code.upper()] = None
            if len(self._codes) > MAX_SEEN:
                self._codes.popitem(last=False)

    def __contains__(self, code: str) -> bool:
        return code.upper() in self._codes


VISITS = Visits()


def visited(code: str) -> bool:
    """Whether the page of a survey was fetched from another machine since the server started."""
    return code in VISITS
