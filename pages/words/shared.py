"""Wording in one place, so that it can be edited or translated."""

import math
from collections.abc import Sequence

from calm_core.figures.theme import number

APP = "CALM Lab"
WHAT_IT_IS = (
    "Each person randomises her own answer before it leaves her device, so nobody ever holds the "
    "true data: that is local differential privacy. CALM asks each person about only a few "
    "attributes and puts the pieces together again. From that, any table over any few attributes "
    "can be released, and here you see how good it is."
)
PLAN_INTRO = (
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
COLLECT_INTRO = (
    "Everybody is dealt to one group at random and reports once, on that group's view, with the "
    "whole privacy budget."
)
PERSON_INTRO = (
    "Choose somebody. Only her randomised report leaves her device; everything above the dashed "
    "line stays there."
)
ONCE = "She sends one report only. Pressing again shows what she might have sent instead."
REPEATS = (
    "If she answered again and again with fresh noise, the average would give her away. That is "
    "why a real client remembers its report and repeats it."
)
ORACLES = (
    "Lower is better. Randomised response is best for few cells, unary encoding for many; subset "
    "selection is at least as good as both. The dashed line is the paper's switch."
)
ESTIMATES = (
    "Noise adds reports to every cell in equal measure, so it can be taken off: "
    "estimate = (reports / n − q) / (p − q). What is left is unbiased and may be below zero; "
    "nothing is hidden at this stage."
)
CENTRAL_GUARANTEE = (
    "With a trusted curator, epsilon is guaranteed for adding or removing one person's record, with "
    "the number of people taken as public; for replacing one person's record by another, which is "
    "what can differ once that number is known, 2 epsilon is guaranteed. Local methods guarantee "
    "epsilon for replacing a record."
)
CURATOR = (
    "**Central method: a curator is trusted.** {method} takes everybody's true answers and adds noise "
    "to what it publishes. Nobody randomises her own answer; views and groups of Plan and Collect are "
    f"CALM's. {CENTRAL_GUARANTEE}"
)
OTHER_METHOD = (
    "The picture shows CALM's collection. The errors named here are those of the method chosen, "
    "{method}, which works differently."
)
DESIGNS = {
    "algorithm1": "CALM's views",
    "pairs": "all pairs",
    "triples": "all triples",
    "risk": "by predicted risk",
    "two_phase": "two phases",
}
DESIGN_HELP = (
    "Which questions CALM+ asks; no other method changes. Everybody still reports once.\n\n"
    "- **CALM's views**: as Algorithm 1 chooses them.\n"
    "- **All pairs**, **all triples**: every two or three attributes, equally many people each.\n"
    "- **By predicted risk**: half of the people on all pairs, the others where formulas expect the "
    "largest errors.\n"
    "- **Two phases**: half of the people on all pairs; what they report decides what the others "
    "are asked.\n\n"
    "θ, l and m count for CALM's views only."
)
OWN_DESIGN = (
    "**CALM+ collects reports of its own** (design: {design}): {m:,} groups of people, asked about up "
    "to {l} attributes each. Plan and Collect show CALM's collection."
)
CALMS_COLLECTION = (
    "Shown here is CALM's collection. CALM+ with the design “{design}” makes one of its own; its "
    "results are on the pages Marginals and Errors."
)
COMPARED_DESIGN = (
    "CALM+ chose its own questions (design: {design}), CALM those of Algorithm 1: what sets the two "
    "apart is questions and inference together."
)
CENTRAL_PRIVACY = "central differential privacy, with a curator who saw all true answers,"
EDITED_ELSEWHERE = (
    "The columns were edited where this link was made: load their schema file on the Data page. Until "
    "then they are as detected."
)
OTHER_FILE = (
    "{file} differs from the file of that name that the link was made with, so the link's own "
    "settings were not used."
)
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
    "worlds": ("Three worlds", ":material/balance:", "What does not trusting anyone cost?"),
    "learn": ("Learn", ":material/school:", "Seven short lessons."),
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
        return f"about {share:.0f}"
    if 0.1 <= share <= 99.9:
        return f"about {share:.1f}"
    return "over 99.9" if share > 50 else "under 0.1"


def epsilon_in_words(epsilon: float) -> str:
    """What one yes-or-no report reveals."""
    yes, no = yes_rates(epsilon)
    return (
        f"Of 100 people whose true answer is yes, {_people(yes)} reports say yes; "
        f"of 100 whose answer is no, {_people(no)}."
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
    if value < 0.001:
        return number(value)
    return f"{value:.4f}" if value < 0.1 else f"{value:.3f}" if value < 10 else f"{value:,.0f}"


def combinations(d: int, k: int) -> str:
    """How many k-way marginals there are."""
    tables = math.comb(d, k)
    return f"{tables:,}" if tables < 10_000_000 else number(tables)


def groups(users: int, shares: Sequence[float], l: int) -> str:  # noqa: E741 - the paper's name
    """How large the groups are, and how many questions each person is asked."""
    least, most = round(users * min(shares)), round(users * max(shares))
    if most - least <= 1:
        return f"about {most:,} people, {l} questions each"
    return f"{least:,} to {most:,} people, up to {l} questions each"


def verdict(measured: float, guess: float) -> str:
    """The result in a headline."""
    if measured >= guess:
        return "No better than guessing"
    times = guess / max(measured, 1e-12)
    rounded = f"{times:,.0f}" if times >= 3 else f"{times:.1f}"
    return f"{rounded} times less error than guessing"


def verdict_detail(count: int, k: int, measured: float, guess: float) -> str:
    """The numbers behind the headline."""
    return (
        f"Mean over {count:,} random {k}-way tables: **SSE {error(measured)}**. Calling all cells "
        f"equally likely would give {error(guess)}."
    )


def coverage(covered: int, everything: int, k: int, m: int) -> str:
    """How much of what may be asked lies inside a view."""
    share_covered = "All" if covered == everything else f"{100 * covered / everything:.0f}% of the"
    if not covered:
        share_covered = "None of the"
    return f"{share_covered} {k}-way tables lie inside one of the {m:,} views"


def cost(
    wanted: float, n: int, epsilon: float, by_epsilon: float | None, by_users: int | None
) -> str:
    """What a wanted error costs in privacy or in people."""
    one = (
        f"**ε = {by_epsilon:.2g}** with {n:,} people"
        if by_epsilon is not None
        else f"no ε up to 10 is enough with {n:,} people"
    )
    two = (
        f"**{float(f'{by_users:.2g}'):,.0f} people** at ε = {epsilon:g}"
        if by_users is not None
        else f"no number of people is enough at ε = {epsilon:g}"
    )
    return f"For an SSE of at most {wanted:g}: {one}, or {two}. {EXPECTED}"


def survey(plan, expected: float) -> str:
    """The plan of an imagined survey and the error expected of it."""
    return (
        f"**{plan.m:,} groups of about {plan.n // plan.m:,} people, {plan.l} attributes each. "
        f"Expected SSE {error(expected)}** per {plan.k}-way table. To use this plan, set l = "
        f"{plan.l}, m = {plan.m} and the oracle to contrast. {EXPECTED}"
    )


def belief(before: float, yes: float, no: float) -> str:
    """What one report lets the server conclude."""
    return (
        f"The server believed {share(before)} before. A report that contains her cell raises this "
        f"to **{share(yes)}**, one that does not lowers it to **{share(no)}**."
    )
