"""Privacy amplification: what local reports guarantee once they have been shuffled."""

from calm_core.amplification.shuffling import (
    Shuffled,
    ShuffledPlan,
    shuffle,
    shuffle_plan,
    shuffle_table,
    shuffled_epsilon,
)

__all__ = [
    "Shuffled",
    "ShuffledPlan",
    "shuffle",
    "shuffle_plan",
    "shuffle_table",
    "shuffled_epsilon",
]
