"""Covering designs: the sets of attributes of the views (CALM section 4.3)."""

from calm_core.designs.covering import covering_size, find_covering, is_covering
from calm_core.designs.mixed_covering import (
    choose_mixed_blocks,
    find_mixed_covering,
    mixed_covering_size,
)
from calm_core.designs.partial_covering import choose_blocks

__all__ = [
    "choose_blocks",
    "choose_mixed_blocks",
    "covering_size",
    "find_covering",
    "find_mixed_covering",
    "is_covering",
    "mixed_covering_size",
]
