"""Wording of the pages Marginals, Errors and Compare."""

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
UNIFORM = "The uniform guess, all cells equal, would have an SSE of {guess}."
MARGINALS_LEAD = (
    "Choose any attributes: the table over them was never collected as such, but can be asked for "
    "as often as you like, at no further cost in privacy."
)
COVERED = "**From a view.** {views} {hold} all of these attributes: its cells are summed."
REBUILT = (
    "**Rebuilt.** No view holds all of these attributes. The table is the one with the most entropy "
    "that agrees with the views on {constraints}."
)
INTERVALS = (
    "95% intervals from the reports alone ({where}): {inside} of {cells} "
    "true shares lie inside theirs."
)
ONLY_CALM = (
    "This needs a collection in views, as CALM makes it. Choose the method CALM in the sidebar."
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
ERRORS_LEAD = (
    "How far the released tables are from the true ones, where it is worst, and what causes it."
)
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
MEASURED = "Mean SSE, squared shares"
BY_FORMULA = (
    "Mean SSE that a formula predicts, in squared shares, before negative cells are mended; empty "
    "where there is no formula"
)
SURVIVORS = (
    "Repetitions in which the method failed, wholly or for some queries. Its errors are means of "
    "what was answered, which may be the easier part."
)
COMPARE_LEAD = (
    "The same people, the same queries, different methods. The comparison runs beside the app, "
    "so that nobody waits for it; it ends when you cancel it or close the page."
)
