"""The trade-off of the view size: people expected in the wrong cell by cause, for every epsilon that the browser can show."""

from collections.abc import Callable, Mapping

from calm_core.errors import UserError
from calm_core.evaluation.prediction import SizeForecast, predict_view_sizes
from calm_core.planning.algorithm1 import mean_cells, view_sizes
from calm_core.planning.plan import Plan
from calm_core.settings import Settings
from pages import words
from pages.ui import cached_calls, readings
from pages.ui.components import as_plain, mount
from pages.ui.widgets import epsilons_around

MAX_BARS = 8
# Errors expected so alike are not told apart.
ALIKE = 1.02


def forecast_sizes(plan: Plan) -> list[SizeForecast]:
    """Return what is expected of each number of questions, that of the plan among them.

    One question each is left out, as in Algorithm 1: what is lost then depends on the data alone.
    """
    candidates = list(view_sizes(plan.n, plan.domain.sizes, plan.epsilon, plan.k))
    shown = candidates[:MAX_BARS]
    own = {plan.l, plan.choice.l} - {size.l for size in shown}
    shown[len(shown) - len(own) :] = [size for size in candidates if size.l in own]
    return predict_view_sizes(plan, shown)


def get_tradeoff(settings: Settings) -> dict:
    """Return the data of the chart at every epsilon, cached; `by_l` has the forecasts at the current one."""
    offered = epsilons_around(settings.epsilon)
    guess = cached_calls.guess_wrong(settings)

    def make() -> dict:
        found = [_at_epsilon(settings.with_changes(epsilon=e), guess) for e in offered]
        index = offered.index(settings.epsilon)
        return {"epsilons": [data for data, _ in found], "index": index, "by_l": found[index][1]}

    return cached_calls.get_result("tradeoff", (cached_calls.plan_key(settings), guess), make)


def _at_epsilon(settings: Settings, guess: float) -> tuple[dict, dict[int, SizeForecast]]:
    """Return the bars, the reading of the chosen one, title and note at one epsilon; or why there is no plan."""
    try:
        plan = cached_calls.plan(settings)
        by_l = {size.l: size for size in forecast_sizes(plan)}
    except UserError as error:
        return {"refused": str(error), "bars": []}, {}
    alike = len(set(map(len, plan.views))) == 1
    chosen = by_l.get(plan.l if alike else plan.choice.l)
    lowest = min(by_l.values(), key=lambda size: size.wrong.total)
    if chosen is not None and chosen.wrong.total < ALIKE * lowest.wrong.total:
        lowest = chosen
    cells = round(mean_cells(plan.domain.sizes, plan.k))
    reading = None if chosen is None else as_plain(
        readings.make_reading(readings.expected_wrong(chosen.wrong.total, cells), guess)
    )  # fmt: skip
    return {
        "bars": [_bar(size) for size in by_l.values()],
        "chosen": None if chosen is None else chosen.l,
        "lowest": lowest.l,
        "reading": reading,
        "note": words.plan.lower_note(chosen, lowest) if chosen else "",
        "alt": words.plan.tradeoff_text(by_l.values(), chosen),
    }, by_l  # fmt: skip


def _bar(size: SizeForecast) -> dict:
    return {
        "l": size.l,
        "parts": {name: round(100 * share, 4) for name, share in size.wrong._asdict().items()},
        "text": words.numbers.share_of_100(size.wrong.total),
        "groups": words.plan.groups(size.m),
        "spoken": words.plan.size_text(size),
    }


def mount_tradeoff(
    data: dict, part: str, *, measured: Mapping[int, float], lecture: bool, on_use: Callable[[int], None]
) -> None:  # fmt: skip
    """Draw the "chart" or the words at the "side"; `measured` are shares in the wrong cell by number of questions."""
    told = {
        str(size): [100 * share, words.numbers.share_of_100(share)]
        for size, share in measured.items()
    }
    mount(
        "tradeoff",
        {
            "part": part, "epsilons": data["epsilons"], "index": data["index"], "measured": told,
            "lecture": lecture, "words": words.plan.TRADEOFF | words.marginals.TABLE_TEXTS,
        },
        key=f"tradeoff_{part}", on={"use": on_use},
    )  # fmt: skip
