"""Stand-in until the phone's side is merged."""

from urllib.parse import urlsplit


def choices(url: str) -> list[str]:
    where = urlsplit(url)
    return [f"{where.scheme or 'http'}://192.168.1.20:{where.port or 8501}", "http://10.0.0.7:8501"]


def own_only(host) -> bool:
    return host in ("localhost", "127.0.0.1", "::1")


def visited(code: str) -> bool:
    return False
