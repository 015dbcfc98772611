"""Wording of the page Plan."""

from pages.words import numbers

VIEWS = {
    "steps": "Two forces",
    "views": "Views and who is in them",
    "choices": "All choices (Table 2)",
    "survey": "Design a survey",
}
NOISE_CURVES = (
    "The paper's figure 3, for the numbers of people and attributes of now. A view size can be used "
    "where its curve lies below θ."
)
TABLE_2 = (
    "Each cell shows ℓ, m: answers each and groups, for θ = 0.001. Darker means larger views. The "
    "outlined cell is the one nearest to the ε and k of now."
)
DETAILS = "Details: Algorithm 1 step by step, how exact its errors are, SSE"
EXACT = (
    "**How exact are the two errors?** Both follow from formulas, before anybody is asked, and decide "
    "between view sizes; neither is the error of one particular table. *Noise* is k·NE (CALM equation "
    "7): NE is what randomising adds to one attribute, and k times that stands for a table of k. "
    "*Sampling* is m/n (equation 8), a bound on m/n·Σ share·(1 − share), nearly reached where every "
    "cell is small. *Rebuilding* has no formula: θ stands for it. Numbers of groups are those of the "
    "smallest coverings in this program. All three are sums of squared errors (SSE) over a table of k; "
    "in points they are 100·√(SSE / cells)."
)
MIXED = (
    "Attributes here have different numbers of values: Algorithm 1 takes their geometric mean for all "
    "of them, so cells, and with them noise and points, are those of a typical view and table."
)
BOUND = "m may be at most θ·n = {most:,} (θ = {theta:g}), so that the sampling error m/n stays within θ."
SIZES_COLUMNS = [
    "view size ℓ",
    "cells L",
    "views m that hold every table",
    "noise k·NE",
    "sampling m/n",
]
INCIDENCE = (
    "Each column is a view: the attributes one group is asked about together; filled means asked."
)
WHAT_IF = (
    "No data needed: the prediction follows from the plan alone, with the ε and θ of the strip. Errors "
    "are those of a typical table of k, in points."
)
EXPECTED = (
    "This counts noise, sampling and an allowance for tables rebuilt from smaller pieces: θ for each, "
    "and a squared correlation of 0.1 for two attributes that nobody is asked about together. Answers "
    "that depend on each other more strongly err more; only data can tell."
)
THETA = (
    "θ is a rough guess of the error that rebuilding tables from smaller pieces causes. It can be "
    "measured on public or older data of the same kind: take every pair of attributes as known "
    "exactly, rebuild the larger tables, and see how far off they are."
)
TABLE_2_TITLE = "Table 2 of the paper: the pair (ℓ, m) chosen"
PAIRS_TITLE = "Views that hold both attributes of a pair"
PAIRS = "Number of views that hold each pair of attributes"
WHAT_IF_TITLE = "What would a survey give?"
BY_EPSILON = "Predicted error in points falls as ε grows."
BY_USERS = "Predicted error in points falls as more people take part."
COST_TITLE = "What does an error cost?"
WANTED = "Typical error wanted"
THETA_TITLE = "Where does θ come from?"
MEASURE = "Measure rebuilding on the data shown"


def noise_title(k: int) -> str:
    """Above the curves of the noise error."""
    return f"Noise of a table of {k}, for views of each size, in points"


def noise(l: int) -> str:  # noqa: E741 - the paper's name
    """What the curves show."""
    return f"Noise rises with the view size and falls as ε grows; now views of {l}"


def table_2(n: int, d: int) -> str:
    """What the table shows."""
    return f"View size ℓ and number of views m chosen for n = {numbers.amount(n)}, d = {d}"


def coverage(covered: int, everything: int, k: int, m: int) -> str:
    """How much of what may be asked lies inside a view."""
    share_covered = (
        "All" if covered == everything else f"{numbers.whole(100 * covered / everything)}% of the"
    )
    if not covered:
        share_covered = "None of the"
    tables = "table" if everything == 1 else "tables"
    return f"{share_covered} {tables} of {k} lie inside one of the {m:,} views"


def cost(
    wanted: float, n: int, epsilon: float, by_epsilon: float | None, by_users: int | None
) -> str:
    """What a wanted error costs in privacy or in people."""
    one = (
        f"**ε = {numbers.digits(by_epsilon, 2)}** with {numbers.amount(n)} people"
        if by_epsilon is not None
        else f"no ε up to 10 is enough with {numbers.amount(n)} people"
    )
    two = (
        f"**{numbers.whole(numbers.two_digits(by_users))} people** at ε = {epsilon:g}"
        if by_users is not None
        else f"no number of people is enough at ε = {epsilon:g}"
    )
    return f"For a typical error of {numbers.points(wanted)}: {one}, or {two}. {EXPECTED}"


def survey(plan, points: float) -> str:
    """The plan of an imagined survey and the typical error expected of it."""
    return (
        f"**{plan.m:,} groups of about {plan.n // plan.m:,} people, {plan.l} answers each: expect "
        f"{numbers.points(points)}** in a typical table of {plan.k}. To use this plan, set ℓ = "
        f"{plan.l}, m = {plan.m} and the oracle to contrast under More settings. {EXPECTED}"
    )


def views(m: int, d: int) -> str:
    """What the picture of the views shows."""
    return f"{m} views of {d} attributes"


def theta(error: float, cells: float) -> str:
    """A threshold in points, with its value.

    >>> theta(0.001, 8)
    'θ = ±1.1 points (0.001)'
    """
    return f"θ = {numbers.points(100 * (error / cells) ** 0.5)} ({numbers.digits(error, 2)})"


def measured(l: int, tables: int, k: int, theta: str) -> str:  # noqa: E741 - the paper's name
    """The error of rebuilding tables from exact views, and what it means for theta."""
    return (
        f"From exact views of {l} attributes {tables} tables of {k} were rebuilt. What they are off by "
        f"on average is a sensible **{theta}**."
    )
