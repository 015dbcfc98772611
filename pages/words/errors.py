"""Wording of the page Errors."""

LEAD = "How far the released tables are from the true ones, where it is worst, and what causes it."
SPLIT_LEAD = (
    "The same plan and the same groups, run again with one source of error taken away each time. "
    "What a rerun no longer has is what that source had cost. “Full coverage” asks each marginal "
    "directly of one group, so that nothing has to be rebuilt, but nothing is shared either."
)
VIEWS_LEAD = (
    "Every square is the mean of three runs with l attributes per view and m views. Algorithm 1 chooses its pair "
    "from formulas, before any data is seen; here you see whether measuring would have chosen another. "
    "The runs are noisy: neighbours with nearly equal errors change places from seed to seed."
)
CURVE_LEAD = (
    "Each point is the mean of {repetitions} runs; the band reaches from the least to the largest. "
    "The prediction adds noise and sampling error from formulas; rebuilding and the repairs that "
    "follow are not in it."
)
NO_PAIRS = "Pairs need at least two attributes; choose more on the Data page."
PAIRS_HINT = "Click a cell to open its marginal."
UNIFORM_HELP = "Mean SSE of all cells equal, in squared shares."
PREDICTED_HELP = "Noise and sampling error from formulas, before any data is seen."
# What each source is, and what makes it smaller.
SOURCES = {
    "noise": "Randomised reports. Smaller with a larger epsilon, more users, smaller views.",
    "sampling": "Each group is only some of the users. Smaller with fewer views or more users.",
    "reconstruction": "No view holds the marginal. Smaller with larger or more views.",
}


def refused(pairs: int, reason: str) -> str:
    """View sizes that cannot run."""
    return f"{pairs} pairs cannot run, for instance: {reason}."
