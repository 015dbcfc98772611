"""What several pages say: their names, what SSE is, where the line of privacy lies."""

APP = "CALM Lab"
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
SSE = (
    "SSE is the sum, over the cells of a table, of (released share − true share)². "
    "0 is perfect; shares are fractions of all people."
)
BOUNDARY = "From here on only randomised reports are used."
SIMULATION = "The true column is shown because this is a simulation. A real collector never has it."
DESIGNS = {
    "algorithm1": "CALM's views",
    "pairs": "all pairs",
    "triples": "all triples",
    "risk": "by predicted risk",
    "two_phase": "two phases",
}
ONLY_CALM = (
    "This needs a collection in views, as CALM makes it. Choose the method CALM in the sidebar."
)
