"""Reconstruction: a marginal that no view covers, from the projections of the views on it.

The answer of the papers is the table of largest entropy among those that agree with every view
(PriView section 4.3); the alternatives they compare it with are here as well.
"""

from calm_core.reconstruction.answers import (
    RECONSTRUCTION,
    TOLERANCE,
    Question,
    ReconstructionNote,
    answer_questions,
    check_question,
    reconstruct,
)
from calm_core.reconstruction.compiled import warm_up
from calm_core.reconstruction.patterns import ViewIndex

__all__ = [
    "RECONSTRUCTION",
    "TOLERANCE",
    "Question",
    "ReconstructionNote",
    "ViewIndex",
    "answer_questions",
    "check_question",
    "reconstruct",
    "warm_up",
]
