"""Tidy tables drawn as Plotly figures; the only part of the library that needs Plotly."""

from importlib.util import find_spec

from calm_core.errors import InputError

if find_spec("plotly") is None:
    raise InputError(
        "figures need the package plotly, which is not installed; install it: pip install 'calm-lab[app]'"
    )
