"""Take it with you: report, notebook, tables, the command that does the same."""

from collections.abc import Callable

import streamlit as st

from calm_core.evaluation.repeated_runs import pair_scores
from calm_core.evaluation.run import Run
from calm_core.figures.errors import (
    describe_distribution,
    describe_pairs,
    error_distribution,
    pair_heatmap,
)
from calm_core.figures.marginals import compare_cells, describe_bars, marginal_bars, named
from calm_core.ingest.samples import SAMPLES
from calm_core.methods import METHODS, CalmPlus
from calm_core.reports import Section, csv_text, html_report, notebook
from calm_core.settings import Settings
from pages.ui import state
from pages.words import shared as words

PICTURES = (
    "Every figure can be saved by the camera in its corner, as the kind of picture chosen here."
)


def source_name(settings: Settings) -> str:
    """The data in words."""
    if settings.source in SAMPLES:
        return f"sample “{SAMPLES[settings.source].title}”"
    return f"file {settings.file}"


def in_words(settings: Settings, outcome: Run) -> str:
    """Sentences for a slide or a methods section."""
    scores, plan = outcome.scores, outcome.plan
    domain, n = outcome.dataset.domain, outcome.dataset.n
    yes, no = words.yes_rates(settings.epsilon)
    local = METHODS[settings.method].trust == "local"
    views = ""
    if plan is not None and local:
        views = (
            f" Each of {n:,} users sent one randomised report on one of {plan.m} views of up to "
            f"{plan.l} attributes."
        )
    privacy = "local differential privacy" if local else words.CENTRAL_PRIVACY
    meaning = words.CENTRAL_GUARANTEE
    if local:
        meaning = (
            f"Of 100 people whose true answer to a yes/no question is yes, about {yes:.0f} reports "
            f"would say yes with this epsilon; of 100 whose answer is no, about {no:.0f}."
        )
    plus = settings.method == CalmPlus.name
    design = f" (design: {words.DESIGNS[settings.design]})" if plus else ""
    return (
        f"Marginals over {settings.k} of {domain.d} attributes were released from the "
        f"{source_name(settings)} (n = {n:,}) under {privacy} with "
        f"epsilon = {settings.epsilon:g}, by the method {settings.method}{design}.{views}\n\n"
        f"Over {len(scores)} marginals the mean sum of squared errors (SSE, squared shares) was "
        f"{scores['sse'].mean():.3g}; the uniform guess has {scores['uniform_sse'].mean():.3g}.\n\n"
        f"{meaning} "
        f"The run was simulated with seed {settings.seed}."
    )


def settings_table(settings: Settings, outcome: Run) -> dict[str, object]:
    """Names and values of all settings that decide the result."""
    found = {
        "data": source_name(settings), "attributes": ", ".join(outcome.dataset.domain.names),
        "n, users": f"{outcome.dataset.n:,}", "epsilon": f"{settings.epsilon:g}", "k": settings.k,
        "theta": f"{settings.theta:g}", "method": settings.method, "oracle": settings.oracle,
        "non-negativity": f"{settings.nonnegativity}, {settings.rounds} rounds",
        "reconstruction": settings.reconstruction, "seed": settings.seed,
    }  # fmt: skip
    if settings.method == CalmPlus.name:
        found["design"] = words.DESIGNS[settings.design]
    plan = outcome.plan
    if plan is not None:
        found |= {"l, attributes per view": plan.l, "m, views": plan.m}
    return found


def report(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> str:
    """The report as one HTML page that opens offline."""
    table = compare_cells(outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs))
    sections = [
        Section(
            " × ".join(attrs), "True shares beside the released ones.",
            ((marginal_bars(table, attrs), describe_bars(table, attrs)),), named(table, attrs),
        )
    ]  # fmt: skip
    if outcome.dataset.domain.d > 1:
        pairs = pair_scores(outcome.dataset, outcome.answer)
        figure = pair_heatmap(pairs, outcome.dataset.domain.names, "sse")
        sections.append(
            Section("Errors of all pairs", words.SSE, ((figure, describe_pairs(pairs, "sse")),))
        )
    scores = outcome.scores
    sections.append(
        Section(
            f"Errors of {len(scores)} marginals over {settings.k} attributes", "",
            ((error_distribution(scores), describe_distribution(scores)),), scores.drop(columns="query"),
        )
    )  # fmt: skip
    title = f"{words.APP}: {source_name(settings)}, epsilon = {settings.epsilon:g}"
    return html_report(
        title, settings_table(settings, outcome), sections,
        summary=in_words(settings, outcome), command=settings.to_command(),
    )  # fmt: skip


def notebook_of(settings: Settings, outcome: Run) -> str:
    """The notebook that reruns this very result."""
    sample = settings.source in SAMPLES
    chosen = {"columns": settings.columns} if settings.columns else {"d": settings.d}
    return notebook(
        f"sample:{settings.source}" if sample else settings.file,
        method=settings.method,
        method_settings=settings.method_settings,
        load_settings=chosen | {"max_values": settings.max_values},
        run_settings={"seed": settings.seed, "n": settings.n, "queries": settings.queries},
        expected_sse=float(outcome.scores["sse"].mean()),
        schema="schema.json" if settings.schema else None,
        read=settings.read if settings.uploaded else (),
    )


def bar(settings: Settings, outcome: Run, attrs: tuple[str, ...]) -> None:
    """The closing panel of the result pages."""
    if state.hidden("exports"):
        return
    panel = st.expander(
        "Take it with you", icon=":material/ios_share:", on_change="rerun", key="exports"
    )
    if not panel.open:
        return
    with panel:
        with st.container(horizontal=True):
            _download(
                "Report", "calm-report.html", "text/html", lambda: report(settings, outcome, attrs)
            )
            _download(
                "Notebook", "calm-result.ipynb", "application/x-ipynb+json",
                lambda: notebook_of(settings, outcome),
            )  # fmt: skip
            _download("Errors as CSV", "errors.csv", "text/csv", lambda: csv_text(outcome.scores))
        st.caption(
            "The report opens without internet, with figures that still move. The notebook reruns the "
            "result with calm_core and checks that it is the same."
        )
        st.markdown("**The same on the command line**")
        st.code(settings.to_command(), language="bash", wrap_lines=True)
        st.markdown("**To paste into a slide or a methods section**")
        st.code(in_words(settings, outcome), language=None, wrap_lines=True)
        st.segmented_control(
            "Pictures", ("svg", "png"), default="svg", key="picture_kind", required=True,
            persist_state="session", help=PICTURES, format_func=str.upper,
        )  # fmt: skip


def _download(label: str, file: str, kind: str, make: Callable[[], str]) -> None:
    """A button whose file is made when it is pressed."""
    st.download_button(
        label, make, file, kind, icon=":material/download:", on_click="ignore", key=f"take_{file}"
    )
