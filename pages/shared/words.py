"""Wording in one place, so that it can be edited or translated."""

import math

APP = "CALM Lab"
SIMULATION = "The true column is shown because this is a simulation. A real collector never has it."
BOUNDARY = "From here on only randomised reports are used."
SSE = (
    "SSE is the sum, over the cells of a table, of (released share − true share)². "
    "0 is perfect; shares are fractions of all people."
)
PAGES = {
    "start": ("Start", ":material/home:", "What this is, and the current run in one picture."),
    "data": ("Data", ":material/table_chart:", "Choose a sample or upload a table."),
    "plan": ("Plan", ":material/grid_view:", "Algorithm 1, step by step, before any data is seen."),
    "collect": (
        "Collect",
        ":material/groups:",
        "Who reports what, and what one report gives away.",
    ),
    "marginals": ("Marginals", ":material/bar_chart:", "Released tables beside the true ones."),
    "errors": ("Errors", ":material/query_stats:", "How far off, where, and why."),
    "compare": ("Compare", ":material/compare_arrows:", "CALM against its ancestors and rivals."),
    "learn": ("Learn", ":material/school:", "Six short lessons."),
    "about": ("About", ":material/info:", "Methods, sources, limits."),
}
# How privacy is named, by the largest epsilon the name is used for.
STRENGTHS = (
    (0.5, "very strong privacy"),
    (1.0, "strong privacy"),
    (2.0, "moderate privacy"),
    (4.0, "weak privacy"),
    (math.inf, "hardly any privacy"),
)


def strength(epsilon: float) -> str:
    """A name for the strength of privacy."""
    return next(name for top, name in STRENGTHS if epsilon <= top)


def yes_rates(epsilon: float) -> tuple[float, float]:
    """Of 100 people: reports saying yes where the true answer is yes, and where it is no."""
    told = 100 / (1 + math.exp(-epsilon))
    return told, 100 - told


def _people(share: float) -> str:
    """A number of people out of 100, with decimals only where rounding would claim certainty."""
    if 1 <= share <= 99:
        return f"{share:.0f}"
    return f"{share:.1f}" if 0.1 <= share <= 99.9 else ("over 99.9" if share > 50 else "under 0.1")


def epsilon_in_words(epsilon: float) -> str:
    """What one yes-or-no report reveals."""
    yes, no = yes_rates(epsilon)
    return (
        f"Of 100 people whose true answer is yes, about {_people(yes)} reports say yes; "
        f"of 100 whose answer is no, about {_people(no)}."
    )


def odds(epsilon: float) -> str:
    """The guarantee as odds."""
    factor = math.exp(epsilon)
    number = (
        f"{factor:.2f}" if factor < 1.95 else f"{factor:,.1f}" if factor < 100 else f"{factor:,.0f}"
    )
    return f"A report can shift the odds between any two answers by at most {number} to 1."


def share(value: float) -> str:
    """A fraction of people as a percentage."""
    return f"{100 * value:.1f}%" if abs(value) >= 0.001 or value == 0 else f"{100 * value:.2g}%"


def error(value: float) -> str:
    """An SSE, short."""
    return f"{value:.2g}" if value < 0.001 else f"{value:.4f}" if value < 0.1 else f"{value:.3f}"


def combinations(d: int, k: int) -> str:
    """How many k-way marginals there are."""
    number = math.comb(d, k)
    return f"{number:,}" if number < 10_000_000 else f"{number:.1e}"


def verdict(measured: float, guess: float) -> str:
    """The result in a headline."""
    if measured >= guess:
        return "Worse than guessing"
    times = guess / max(measured, 1e-12)
    rounded = f"{times:,.0f}" if times >= 3 else f"{times:.1f}"
    return f"{rounded} times less error than guessing"


def verdict_detail(count: int, k: int, measured: float, guess: float) -> str:
    """The numbers behind the headline."""
    return (
        f"Mean over {count:,} random {k}-way tables: **SSE {error(measured)}**. Calling all cells "
        f"equally likely would give {error(guess)}."
    )
