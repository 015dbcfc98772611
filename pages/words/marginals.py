"""Wording of the page Marginals."""

from collections.abc import Mapping

from pages.words import numbers

# Name, unit and meaning of each error.
METRICS = {
    "sse": (
        "SSE",
        "squared shares",
        "Sum over the cells of (released share − true share)². 0 is perfect; the uniform guess, "
        "all cells equal, is what knowing nothing costs.",
    ),
    "l1": (
        "L1",
        "shares of people",
        "Sum over the cells of the absolute errors. Half of it is the share of people that "
        "would have to move to another cell.",
    ),
    "l2": ("L2", "shares of people", "Square root of the SSE."),
    "jensen_shannon": (
        "Jensen-Shannon",
        "nats",
        "How well one could tell the released from the true table by drawing people: "
        "0 for equal tables, at most 0.69.",
    ),
}
LEAD = (
    "Choose any attributes: the table over them was never collected as such, but can be asked for "
    "as often as you like, at no further cost in privacy."
)
UNIFORM = "The uniform guess, all cells equal, would have an SSE of {guess}."
COVERED = "**From a view.** {views} {hold} all of these attributes: its cells are summed."
REBUILT = (
    "**Rebuilt.** No view holds all of these attributes. The table is the one with the most entropy "
    "that agrees with the views on {constraints}."
)
INTERVALS = (
    "95% intervals from the reports alone ({where}): {inside} of {cells} "
    "true shares lie inside theirs."
)
STAGES = {
    "raw": "Raw view",
    "consistent": "After consistency",
    "non-negative": "After non-negativity",
    "final": "Final",
    "plus": "CALM+",
}
STAGES_LEAD = (
    "The same view at four moments. Raw estimates are unbiased but may fall below zero, and views "
    "contradict each other. Consistency makes overlapping views agree; non-negativity repairs cells "
    "below zero; a few rounds of both give the final table."
)
PLAYS_LEAD = (
    "The same people, asked again in {times} independent collections with the same epsilon. "
    "The grey line is true and stays; whatever moves is privacy noise and the dealing into groups."
)
GUESS_LEAD = (
    "Before you look: what do you think the shares are? Set a slider for each cell, then reveal. "
    "Your guess is scored like the collection."
)
STAGE_HELP = "Views that share most with the chosen attributes come first."
TABLE = "Cells with their true and reconstructed shares"
RANKING = "All marginals with their errors, largest SSE first"
RANKING_HINT = "Click a heading to sort, tick a row to look at it."
# After revealing: who was closest, the visitor, the collection or the uniform guess.
CLOSER_THAN_REPORTS = (
    "Your guess is closer than the collection. With this epsilon, knowing helps more."
)
UNIFORM_GUESSED = "No better than all cells equal. The randomised reports know more than you do."
BETTER_THAN_NOTHING = (
    "Better than knowing nothing, but the randomised reports know more than you do."
)
WORSE_THAN_NOTHING = "The uniform guess would have been closer, and the collection closer still."
NOTHING_WINS = "The uniform guess would have been closer than either, you or the collection."


def uniform(guess: float) -> str:
    """The error of knowing nothing."""
    return UNIFORM.format(guess=numbers.error(guess))


def derived(covered: bool) -> str:
    """Where a table of a method without views comes from."""
    return f"This table was {'measured directly' if covered else 'derived from other answers'}."


def gap(violation: float) -> str:
    """Said of views with which no table agrees."""
    return f"They could not be met exactly; the largest gap is {numbers.error(violation)}."


def largest(title: str, cell: str, share: float) -> str:
    """The cell that stands out in a heatmap."""
    return f"{title}: largest at {cell}, {numbers.percent(share)}."


def stages(below: int, cells: int, errors: Mapping[str, float]) -> str:
    """What the stages of one view show; `errors` by their names."""
    listed = "; ".join(f"{name.lower()} {numbers.digits(sse, 2)}" for name, sse in errors.items())
    return (
        f"{below} of {cells} raw cells are below zero. SSE of this view: {listed}. "
        "The grey marks are the true shares."
    )


def too_many_to_guess(most: int, cells: int) -> str:
    """Where there would be a slider too many."""
    return f"Choose attributes with at most {most} cells together; these have {cells}."


def too_many_to_watch(most: int) -> str:
    """Where there would be a bar too many."""
    return f"Choose attributes with at most {most} cells together to watch single bars."


def scaled(total: int) -> str:
    """Guesses that do not add up."""
    return f"Your sliders add up to {total}%; they were scaled to 100%."


def plays(times: int, width: float, inside: int, cells: int) -> str:
    """How much the collections differ."""
    return (
        f"{times} independent collections: in 9 of 10 of them a cell stays within a band that is "
        f"{numbers.percent(width)} of all people wide on average; the true share lies inside it for "
        f"{inside} of {cells} cells."
    )


def how_many(shown: int, there: int, k: int) -> str:
    """Which marginals a table of scores holds."""
    chosen = "All" if shown == there else f"{shown} random ones of all"
    return f"{chosen} {there:,} marginals over {k} attributes."
