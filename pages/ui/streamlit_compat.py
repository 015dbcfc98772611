"""All that the app knows about Streamlit beyond its public interface, and the versions it was tried with.

What style sheets need of it stands in `frame.css`. Every line has a test (`tests/app/test_streamlit_compat.py`,
its routes in `test_several_processes.py`, and for the browser `tests/browser/test_policy.py`): run them with a new
version, then add it to `TRIED_VERSIONS` and to pyproject.toml.
"""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import streamlit as st

TRIED_VERSIONS = ("1.67.0",)

# Routes that nobody here needs: numbers about the server, and driving the app without a browser.
CLOSED_ROUTES = re.compile(r"/_stcore/(metrics|agent)(/|$)")
# The route of an upload; its group is the name that Streamlit gives the session.
UPLOAD_ROUTE = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+$")
HEALTH_ROUTE = "/_stcore/health"
_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)

# Elements and attributes of the page that our scripts look at (`STREAMLIT` in common.js).
SELECTORS = {
    "app": "[data-testid=stApp]",
    "connection": "data-test-connection-state",
    "connected": "CONNECTED",
    "run": "data-test-script-state",
    "idle": "notRunning",
    "main": "[data-testid=stMain]",
    "block": "[data-testid=stMainBlockContainer]",
    "dropButton": "[data-testid=stFileUploaderDropzone] button",
}


def version_warning(version: str = st.__version__) -> str:
    """A sentence for a version of Streamlit that the app was not tried with; "" for the others.

    >>> version_warning("1.67.0"), "2.0.0" in version_warning("2.0.0")
    ('', True)
    """
    if version in TRIED_VERSIONS:
        return ""
    return (
        f"This app was tried with Streamlit {', '.join(TRIED_VERSIONS)}; with {version} its layout or its uploads "
        f"may break. Install streamlit=={TRIED_VERSIONS[-1]}."
    )


def inline_script_hashes() -> list[str]:
    """Hashes of the scripts written into Streamlit's page, as a content policy names them."""
    page = Path(st.__file__).with_name("static") / "index.html"
    scripts = _INLINE_SCRIPT.findall(page.read_text("utf-8"))
    return [f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in scripts]
