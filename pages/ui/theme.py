"""The theme as Streamlit tells it to a browser, worked out once.

Streamlit sends it with every run of a script, and looks through all its options six times for that: more
than a third of what its own thread did for a change of epsilon. It depends on the configuration only.
"""

from typing import Any

from streamlit import config
from streamlit.runtime import app_session

_KEPT: dict[str, Any] = {}
_worked_out = app_session._populate_theme_msg


def keep() -> None:
    """Called once where the server starts; a configuration that is read anew is worked out anew."""
    app_session._populate_theme_msg = populate
    config.on_config_parsed(_KEPT.clear, force_connect=True)


def populate(message: Any, section: str = "theme") -> None:
    """Fill a message with one section of the theme, as Streamlit does it."""
    told = _KEPT.get(section)
    if told is None:
        told = type(message)()
        _worked_out(told, section)
        _KEPT[section] = told
    # An empty part would no longer be one that nobody has set.
    if told.ByteSize():
        message.MergeFrom(told)
