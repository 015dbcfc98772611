"""Wording of the page Plan."""

from pages.words import numbers

INTRO = (
    "Before anyone is asked, the collector decides how many attributes each group reports on (l) "
    "and how many groups there are (m). Larger views cost noise, more views cost people per group."
)
NOISE_CURVES = (
    "The paper's figure 3, for the numbers of people and attributes chosen. A view size can be "
    "used where its curve lies below θ."
)
TABLE_2 = (
    "Each cell shows l, m for θ = 0.001; darker means larger views. The outlined cell is the one "
    "nearest to the current ε and k."
)
INCIDENCE = "Each column is a view, that is the question one group is asked; filled means asked."
WHAT_IF = "No data needed: the prediction follows from the plan alone. Errors are SSE per table."
EXPECTED = (
    "This counts noise, sampling and an allowance for tables rebuilt from smaller pieces: θ for each, "
    "and a squared correlation of 0.1 for two attributes that nobody is asked about together. Answers "
    "that depend on each other more strongly err more; only data can tell."
)
THETA = (
    "θ is a rough guess of the error that rebuilding tables from smaller pieces causes. It can be "
    "measured on public or older data of the same kind: take every pair of attributes as known "
    "exactly, rebuild the larger tables, and read the SSE."
)
TABLE_2_TITLE = "Table 2 of the paper: the pair (l, m) chosen"
PAIRS_TITLE = "Views that hold both attributes of a pair"
PAIRS = "Number of views holding each pair"
WHAT_IF_TITLE = "What would a survey give?"
BY_EPSILON = "Predicted error falls as epsilon grows"
BY_USERS = "Predicted error falls as more people take part"
COST_TITLE = "What does an error cost?"
WANTED = "I need an SSE of at most"
THETA_TITLE = "Where does θ come from?"
MEASURE = "Measure the reconstruction error on the data shown"
STEPS = "Bars are logarithmic; the mark in the middle is θ = {theta:g}. m may be at most θ·n = {most:,}, so that the sampling error m/n stays within θ."


def noise_title(k: int) -> str:
    """Above the curves of the noise error."""
    return f"Noise error k·NE of one marginal, views of l attributes, k = {k}"


def noise(l: int) -> str:  # noqa: E741 - the paper's name
    """What the curves show."""
    return f"Noise error rises with the view size and falls with epsilon; now l = {l}"


def table_2(n: int, d: int) -> str:
    """What the table shows."""
    return f"Chosen view size and number of views for n = {n:,}, d = {d}"


def ready(comparisons: int) -> str:
    """Algorithm 1 before its first step."""
    return f"**Ready.** {comparisons} comparisons will choose the view size l and the number m."


def coverage(covered: int, everything: int, k: int, m: int) -> str:
    """How much of what may be asked lies inside a view."""
    share_covered = (
        "All" if covered == everything else f"{numbers.whole(100 * covered / everything)}% of the"
    )
    if not covered:
        share_covered = "None of the"
    return f"{share_covered} {k}-way tables lie inside one of the {m:,} views"


def cost(
    wanted: float, n: int, epsilon: float, by_epsilon: float | None, by_users: int | None
) -> str:
    """What a wanted error costs in privacy or in people."""
    one = (
        f"**ε = {numbers.digits(by_epsilon, 2)}** with {n:,} people"
        if by_epsilon is not None
        else f"no ε up to 10 is enough with {n:,} people"
    )
    two = (
        f"**{numbers.whole(numbers.two_digits(by_users))} people** at ε = {epsilon:g}"
        if by_users is not None
        else f"no number of people is enough at ε = {epsilon:g}"
    )
    return f"For an SSE of at most {wanted:g}: {one}, or {two}. {EXPECTED}"


def survey(plan, expected: float) -> str:
    """The plan of an imagined survey and the error expected of it."""
    return (
        f"**{plan.m:,} groups of about {plan.n // plan.m:,} people, {plan.l} attributes each. "
        f"Expected SSE {numbers.error(expected)}** per {plan.k}-way table. To use this plan, set l = "
        f"{plan.l}, m = {plan.m} and the oracle to contrast. {EXPECTED}"
    )


def measured(l: int, tables: int, k: int, error: float) -> str:  # noqa: E741 - the paper's name
    """The error of rebuilding tables from exact views, and what it means for theta."""
    return (
        f"From exact views of {l} attributes, {tables} tables over {k} "
        f"are rebuilt with a mean SSE of **{numbers.error(error)}**. A sensible θ is about that."
    )


def k_too_large(k: int, d: int) -> str:
    """Refusal of a marginal over more attributes than the survey has."""
    return f"k ({k}) must be at most {d}, the number of attributes"
