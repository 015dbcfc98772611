"""What is installed here: the dashboard's files, packages that are missing or too old, addresses on the network.

Also whose pages may show the dashboard in a frame, and what is known of the service that hosts it.
"""

import os
import re
import socket
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from ipaddress import ip_address
from pathlib import Path

from calm_core.errors import InputError

DISTRIBUTION = "calm-lab"
_ROOT = Path(__file__).resolve().parents[2]
# A wheel brings the dashboard in a folder of its own beside the library; in a checkout it is the top level.
_FOLDERS = [folder for folder in (_ROOT / "calm_lab_app", _ROOT) if (folder / "pages").is_dir()]
APP = (_FOLDERS or [_ROOT])[0] / "app.py"
# Reserved for documentation: nothing is sent there, the system only chooses the interface it would use.
ELSEWHERE = ("192.0.2.1", 9)


def list_unmet_requirements(extra: str = "") -> list[str]:
    """What this package asks for and does not find here, as pip would write it.

    Parameters
    ----------
    extra : str
        An extra whose packages are looked for, too.

    Examples
    --------
    >>> list_unmet_requirements()
    []
    """
    from packaging.requirements import Requirement

    def is_met(requirements: Requirement) -> bool:
        try:
            return requirements.specifier.contains(version(requirements.name), prereleases=True)
        except PackageNotFoundError:
            return False

    try:
        requirements = [Requirement(text) for text in requires(DISTRIBUTION) or ()]
    except PackageNotFoundError:  # a checkout that is not installed
        return []
    here = [
        one for one in requirements if one.marker is None or one.marker.evaluate({"extra": extra})
    ]
    return [f"{one.name}{one.specifier}" for one in here if not is_met(one)]


def list_private_addresses() -> list[str]:
    """The private IPv4 addresses of this machine, the one with the default route first."""
    import ifaddr

    addresses = {
        str(one.ip) for adapter in ifaddr.get_adapters() for one in adapter.ips
        if one.is_IPv4 and ip_address(str(one.ip)).is_private and not ip_address(str(one.ip)).is_loopback
    }  # fmt: skip
    first = _default_route_address()
    return sorted(addresses, key=lambda own: (own != first, ip_address(own)))


def _default_route_address() -> str | None:
    """The address by which this machine reaches other networks; None without a default route."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(ELSEWHERE)
        return probe.getsockname()[0]
    return None


# The variable that says it to the server's processes.
EMBED_IN = "CALM_EMBED_IN"
# Shows every Space in a frame; of Spaces see https://huggingface.co/docs/hub/spaces-overview.
HUGGING_FACE = "https://huggingface.co"
# As browsers and content policies write it: no path, no wildcard, no address of IPv6.
_ORIGIN = re.compile(r"https?://[a-z0-9-]+(\.[a-z0-9-]+)*(:[0-9]{1,5})?")


def check_origin(text: str) -> str:
    """Return an origin in lower case; InputError for anything else, such as an address with a path.

    Examples
    --------
    >>> check_origin("https://LMS.example.org")
    'https://lms.example.org'
    """
    origin = text.lower()
    if not _ORIGIN.fullmatch(origin):
        raise InputError(
            f"the dashboard cannot be embedded in {text!r}; give the start of the page's address alone, as in "
            "https://lms.example.org or http://localhost:8000"
        )
    return origin


def embedding_origins(named: Sequence[str] | None = None) -> list[str]:
    """Return the origins whose pages may show the dashboard in a frame.

    Parameters
    ----------
    named : sequence of str, optional
        The origins; by default those of the variable `CALM_EMBED_IN`, with spaces between them. A Space of
        Hugging Face is always shown in that site's frame.

    Examples
    --------
    >>> embedding_origins(["https://lms.example.org"])
    ['https://lms.example.org']
    """
    named = os.environ.get(EMBED_IN, "").split() if named is None else named
    origins = [*map(check_origin, named), *([HUGGING_FACE] if is_space() else [])]
    return list(dict.fromkeys(origins))


def is_space() -> bool:
    """Whether this is a Space of Hugging Face."""
    return "SPACE_ID" in os.environ
