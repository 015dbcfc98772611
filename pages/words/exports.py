"""Wording of exports: the report, and sentences for a slide."""

from calm_core.evaluation.run import Run
from calm_core.ingest.samples import SAMPLES
from calm_core.methods import METHODS, CalmPlus
from calm_core.settings import Settings
from calm_core.text import format_count
from pages.words import numbers
from pages.words.common import DESIGNS
from pages.words.settings import CENTRAL_GUARANTEE, CENTRAL_PRIVACY, yes_rates
from pages.words.texts import Texts

TEXTS = Texts("exports")
__getattr__ = TEXTS.__getattr__


def source_name(settings: Settings) -> str:
    """Return the data in words."""
    if settings.source in SAMPLES:
        return f"sample “{SAMPLES[settings.source].title}”"
    return f"file {settings.file}"


def rounds_text(nonnegativity: str, count: int | None) -> str:
    """Return how negative shares are removed, and in how many rounds."""
    if count is None or nonnegativity == "none":
        return nonnegativity
    return f"{nonnegativity}, {format_count(count, 'round')}"


def summary(settings: Settings, outcome: Run) -> str:
    """Return sentences for a slide or a methods section."""
    scores, plan = outcome.scores, outcome.plan
    domain, n = outcome.dataset.domain, outcome.dataset.n
    local = METHODS[settings.method].trust == "local"
    views = ""
    if plan is not None and local:
        views = (
            f" Each of {n:,} people sent one randomized report on "
            f"{f'one of {plan.m:,} views' if plan.m != 1 else 'the one view'} of up to "
            f"{format_count(plan.l, 'attribute')}."
        )
    trust = "local differential privacy" if local else CENTRAL_PRIVACY
    meaning = CENTRAL_GUARANTEE
    if local:
        yes, no = map(numbers.people, yes_rates(settings.epsilon))
        meaning = (
            f"Of 100 people whose true answer to a yes/no question is yes, {yes} reports "
            f"would say yes with this epsilon; of 100 whose answer is no, {no}."
        )
    plus = settings.method == CalmPlus.name
    design = f" (design: {DESIGNS[settings.design]})" if plus else ""
    measured, guess = scores["sse"].mean(), scores["uniform_sse"].mean()
    return (
        f"Marginals over {settings.k} of {domain.d} attributes were reconstructed from the "
        f"{source_name(settings)} (n = {n:,}) under {trust} with "
        f"epsilon = {settings.epsilon:g}, by the method {settings.method}{design}.{views}\n\n"
        f"Over {format_count(len(scores), 'marginal')} the mean sum of squared errors (SSE, squared shares) was "
        f"{numbers.digits(measured)}; the uniform guess has {numbers.digits(guess)}.\n\n"
        f"{meaning} "
        f"The run was simulated with seed {settings.seed}."
    )
