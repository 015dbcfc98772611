"""What is installed here: the dashboard's files, packages that are missing or too old, addresses on the network."""

import socket
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from ipaddress import ip_address
from pathlib import Path

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

    def is_met(wanted: Requirement) -> bool:
        try:
            return wanted.specifier.contains(version(wanted.name), prereleases=True)
        except PackageNotFoundError:
            return False

    try:
        wanted = [Requirement(text) for text in requires(DISTRIBUTION) or ()]
    except PackageNotFoundError:  # a checkout that is not installed
        return []
    here = [one for one in wanted if one.marker is None or one.marker.evaluate({"extra": extra})]
    return [f"{one.name}{one.specifier}" for one in here if not is_met(one)]


def list_private_addresses() -> list[str]:
    """The private IPv4 addresses of this machine, the one with the default route first."""
    import ifaddr

    found = {
        str(one.ip) for adapter in ifaddr.get_adapters() for one in adapter.ips
        if one.is_IPv4 and ip_address(str(one.ip)).is_private and not ip_address(str(one.ip)).is_loopback
    }  # fmt: skip
    first = _default_route_address()
    return sorted(found, key=lambda own: (own != first, ip_address(own)))


def _default_route_address() -> str | None:
    """The address by which this machine reaches other networks; None without a default route."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(ELSEWHERE)
        return probe.getsockname()[0]
    return None
