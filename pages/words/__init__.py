"""Everything the app says, by page: `from pages import words`, then `words.plan.THETA`."""

from pages.words import (
    about,
    collect,
    compare,
    data,
    errors,
    exports,
    learn,
    marginals,
    numbers,
    plan,
    privacy,
    settings,
    shared,
    start,
    warnings,
    worlds,
)

__all__ = [
    "about",
    "collect",
    "compare",
    "data",
    "errors",
    "exports",
    "learn",
    "marginals",
    "numbers",
    "plan",
    "privacy",
    "settings",
    "shared",
    "start",
    "warnings",
    "worlds",
]
