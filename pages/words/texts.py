"""Texts that stand in a file of their own beside their module, where they are read and edited without code."""

import tomllib
from pathlib import Path
from typing import Any


def read_texts(name: str) -> dict[str, Any]:
    """Return the texts of NAME.toml by their keys."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))
