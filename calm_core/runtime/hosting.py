"""Whose pages may show the dashboard in a frame, and what is known of the service that hosts it."""

import os
import re
from collections.abc import Sequence

from calm_core.errors import InputError

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
    found = [*map(check_origin, named), *([HUGGING_FACE] if is_space() else [])]
    return list(dict.fromkeys(found))


def is_space() -> bool:
    """Whether this is a Space of Hugging Face."""
    return "SPACE_ID" in os.environ
