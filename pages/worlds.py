"""Three worlds: what does not trusting anyone cost?"""

import streamlit as st

from calm_core.evaluation.price_of_trust import error_table, three_worlds
from calm_core.figures.worlds import (
    describe_lines,
    describe_marginal,
    error_lines,
    marginal_bars,
)
from calm_core.planning.remedies import users_needed
from calm_core.reports import csv_text
from pages import words
from pages.ui import cached, pictures, state, widgets
from pages.ui.guard import guarded

EPSILONS, SIZES = (0.2, 0.5, 1.0, 2.0, 4.0), (4_000, 16_000, 64_000, 256_000)
QUERIES, REPETITIONS = 20, 3

st.title(words.shared.PAGES["worlds"][0])
st.markdown(words.worlds.LEAD)
settings = state.current()
asked = {"epsilon": settings.epsilon, "k": settings.k, "theta": settings.theta}
seeded = {"seed": settings.seed, "queries": settings.queries}
key = (*cached.data_key(settings), settings.n, *asked.values(), *seeded.values())

with guarded():
    dataset = cached.encoded(settings).dataset
    worlds = cached.kept(
        "worlds", key, lambda: three_worlds(dataset, n=settings.n, **asked, **seeded)
    )
    curator, local = worlds.curator.scores.sse.mean(), worlds.local.scores.sse.mean()
    with st.grid(3, min_column_width=240):
        for name, error in (("truth", 0.0), ("curator", curator), ("local", local)):
            title, trusted, text = words.worlds.CARDS[name]
            with st.container(border=True, height="stretch"):
                st.markdown(f"**{title}**  \n{trusted}")
                st.metric(words.worlds.ERROR, words.numbers.error(error))
                st.caption(text)
    st.caption(words.privacy.CENTRAL_GUARANTEE)
    n = worlds.local.dataset.n
    needed = users_needed(dataset.domain, curator, n=n, **asked)
    st.markdown(words.worlds.price(worlds.price, n, needed, settings.epsilon))

    domain = dataset.domain
    attrs = widgets.table_attributes(domain)
    tables = (
        worlds.local.dataset.marginal(attrs),
        worlds.curator.answer.marginal(attrs),
        worlds.local.answer.marginal(attrs),
    )
    pictures.show(marginal_bars(*tables), describe_marginal(*tables), "worlds_marginal")

    st.subheader(words.worlds.CURVES)
    over = st.segmented_control(
        "Error over", ("epsilon", "n"), default="epsilon", required=True, key="worlds_over",
        persist_state="session", format_func={"epsilon": "epsilon", "n": "number of people"}.get,
    )  # fmt: skip
    grid = (EPSILONS, (n,)) if over == "epsilon" else ((settings.epsilon,), SIZES)

    def measure():
        with st.spinner("Measuring both worlds"):
            return error_table(
                dataset, epsilons=grid[0], ns=grid[1], k=settings.k, theta=settings.theta,
                seed=settings.seed, queries=QUERIES, repetitions=REPETITIONS,
            )  # fmt: skip

    rows = cached.kept(f"worlds {over}", key, measure)
    pictures.show(error_lines(rows, over), describe_lines(rows, over), f"worlds_{over}")
    st.download_button(
        "Download CSV", csv_text(rows), f"three-worlds-over-{over}.csv", "text/csv",
        icon=":material/download:", on_click="ignore", key="worlds_csv",
    )  # fmt: skip
