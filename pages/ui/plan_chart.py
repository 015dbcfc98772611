"""The charts of the page Plan, for every theta and epsilon that the browser can show: Algorithm 1, and the trade-off of the view size."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import streamlit as st

from calm_core.errors import UserError
from calm_core.evaluation.metrics import wrong_of_sse
from calm_core.evaluation.prediction import SizeForecast, predict_view_sizes
from calm_core.figures.plan import incidence
from calm_core.planning.algorithm1 import (
    RejectionReason,
    ViewSize,
    choose_views,
    group_rejections,
    mean_cells,
    select_view_sizes,
    view_sizes,
)
from calm_core.planning.plan import Plan
from calm_core.settings import THETAS, Settings
from pages import words
from pages.ui import cached_calls, frame, results
from pages.ui.components import last_handled_time, mount
from pages.ui.widgets import epsilons_around

# Values of theta that the fence can be moved to, besides those offered in lists.
STEPS = tuple(float(f"{digits}e-{power}") for power in (4, 3, 2) for digits in
              (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8))  # fmt: skip
# Ends of the scale, in people of 100; theta is at about half of it.
ENDS = (0.2, 0.5, 1, 2, 3, 5, 10, 20, 30, 50, 100)
ROOM = 1.6
MAX_ROWS = 8
# Rejected only because another size is better.
REJECTED_FOR_BETTER = (
    RejectionReason.SAMPLING,
    RejectionReason.BALANCE,
    RejectionReason.SMALLER,
    RejectionReason.MORE_GROUPS,
)


@dataclass(frozen=True)
class Question:
    """The input of Algorithm 1 without theta and epsilon."""

    n: int
    sizes: tuple[int, ...]
    k: int

    def wrong(self, error: float) -> float:
        """Return an error of a table of k as a share of people in the wrong cell."""
        return wrong_of_sse(error, mean_cells(self.sizes, self.k))

    def text(self, error: float) -> str:
        """Return the same as text."""
        return f"{words.numbers.share_of_100(self.wrong(error))} of 100"

    def bar(self, error: float) -> list:
        """Return length and label of a bar, in people of 100."""
        wrong = self.wrong(error)
        return [round(100 * wrong, 4), words.numbers.share_of_100(wrong).replace("under ", "<")]


def fence_thetas(now: float) -> list[float]:
    """Return every theta the fence can be moved to, ascending, with the current one.

    >>> fence_thetas(0.0011)[10:13], len(fence_thetas(1e-3))
    ([0.001, 0.0011, 0.0012], 31)
    """
    return sorted({*STEPS, *THETAS, now})


def get_chart_data(plan: Plan) -> tuple[dict, dict]:
    """Return the data of the chart for a plan, cached, and what holds for its theta."""
    question = Question(plan.n, plan.domain.sizes, plan.k)
    key = (question, plan.epsilon, plan.theta)
    data = cached_calls.get_result(
        "scales", key, lambda: chart_data(question, plan.epsilon, plan.theta)
    )
    return data, data["thetas"][data["theta"]]


def chart_data(question: Question, epsilon: float, theta: float) -> dict:
    """Return the data of the chart: bars, and the outcome for every theta and every epsilon."""
    sizes = view_sizes(question.n, question.sizes, epsilon, question.k)
    offered = fence_thetas(theta)
    return {
        "bars": {size.l: _row(question, size) for size in sizes},
        "thetas": [
            _fence(question, value) | choice_state(question, epsilon, value, sizes)
            for value in offered
        ],
        "theta": offered.index(theta),
        "epsilons": [_at_epsilon(question, value, theta) for value in epsilons_around(epsilon)],
    }


def _row(question: Question, size: ViewSize) -> dict:
    return {
        "noise": question.bar(size.noise_error), "sampling": question.bar(size.sampling_error),
        "groups": words.plan.groups(m=size.covering),
        "questions": "questions" if size.l != 1 else "question",
    }  # fmt: skip


def _fence(question: Question, theta: float) -> dict:
    wrong = 100 * question.wrong(theta)
    end = next((end for end in ENDS if end >= ROOM * wrong), ROOM * wrong)
    return {"value": theta, "wrong": round(wrong, 4), "text": question.text(theta), "end": end}


def _at_epsilon(question: Question, epsilon: float, theta: float) -> dict:
    sizes = view_sizes(question.n, question.sizes, epsilon, question.k)
    noise = {size.l: question.bar(size.noise_error) for size in sizes}
    return {"noise": noise} | choice_state(question, epsilon, theta, sizes)


def choice_state(
    question: Question, epsilon: float, theta: float, sizes: Sequence[ViewSize]
) -> dict:
    """Return the rows shown, the reasons in order, and the result, or why there is none.

    Examples
    --------
    >>> question = Question(60_000, (2,) * 8, 3)
    >>> told = choice_state(question, 2.0, 1e-3, view_sizes(60_000, (2,) * 8, 2.0, 3))
    >>> told["rows"], told["result"]["title"]
    ([2, 3, 4, 5], '4 questions each, in 14 groups')
    >>> told["reasons"][0]
    {'rows': [5], 'head': '5 fell:', 'text': '32 cells to tell apart. Noise 4.9 of 100 is outside the fence.', 'weak': False}
    """
    try:
        choice = choose_views(question.n, question.sizes, epsilon, question.k, theta)
    except UserError as error:
        return {"rows": [size.l for size in sizes[:4]], "reasons": [], "refused": str(error)}
    shown_sizes = select_view_sizes(choice, sizes)
    by_l = {size.l: size for size in shown_sizes}
    planned = by_l[choice.l]
    sampling = choice.m / question.n
    best = replace(planned, covering=choice.m, sampling_error=sampling)
    reasons = [
        _reason(fate, [by_l[l] for l in group], best, question)  # noqa: E741
        for fate, group in group_rejections(choice, shown_sizes, question.k)
    ]
    rows = [size.l for size in shown_sizes[-MAX_ROWS:]]
    if choice.l not in rows:
        rows = [choice.l, *rows[1:]]
    why = words.plan.reason_text(
        choice, best, planned.covering, question.k, theta, question.text
    )  # fmt: skip
    return {
        "rows": rows,
        "reasons": reasons,
        "result": {
            "l": choice.l, "title": words.plan.choice_text(l=choice.l, m=choice.m), "why": why,
            "sampling": question.bar(sampling),
            "groups": words.plan.groups(m=choice.m),
        },
    }  # fmt: skip


def _reason(
    fate: RejectionReason, group: list[ViewSize], best: ViewSize, question: Question
) -> dict:
    head, text = words.plan.rejection_text(fate, group, best, question.k, question.text)
    return {
        "rows": [size.l for size in group],
        "head": head,
        "text": text,
        "weak": fate in REJECTED_FOR_BETTER,
    }


def mount_chart(
    plan: Plan, at: int, *, fixed: bool, by_hand: bool, on_move: Callable[[float, int], None]
) -> None:
    """Draw the chart of a plan; `on_move(theta, at)` is called for every step and every move of the fence.

    Parameters
    ----------
    at : int
        The step.
    fixed : bool
        Whether the fence cannot be moved.
    by_hand : bool
        Whether Algorithm 1 would choose another plan.
    """
    data, now = get_chart_data(plan)
    # None where Algorithm 1 refuses, as it may for a plan made by hand.
    result = now.get("result") if at > len(now["reasons"]) else None
    fields = {
        "part": "scales", "at": at, "told": result["title"] if result else "", "fixed": fixed,
        "hand": plan.l if by_hand else None, "lecture": frame.is_lecture(), "words": words.plan.LABELS,
        # The script compares it with the time of its last move, which Python may not know yet.
        "heard": last_handled_time("plan_chart", "move"),
    }  # fmt: skip
    mount("plan_chart", data | fields, on={"move": lambda move: on_move(move["theta"], move["at"])})


def mount_side() -> None:
    """Draw the words beside the chart: what to look for, reasons, buttons."""
    data = {"part": "side", "words": words.plan.LABELS, "lead": list(words.plan.LEAD)}
    mount("plan_chart", data, key="plan_side")


def show_views(plan: Plan, key: Hashable) -> None:
    """Draw the views of a plan as columns; `key` decides the plan."""
    frame.set_title(words.common.views(m=plan.m, l=plan.l))
    with frame.side():
        st.markdown(words.plan.INCIDENCE)
    text = words.plan.views_text(plan.domain.names, plan.views)
    results.show_bare_figure("incidence", key, text, incidence, plan)


# ---------------------------------------------------------------- the trade-off

MAX_BARS = 8
# Errors expected so alike are not told apart.
ALIKE = 1.02


def forecast_sizes(plan: Plan) -> list[SizeForecast]:
    """Return what is expected of each number of questions, that of the plan among them.

    One question each is left out, as in Algorithm 1: what is lost then depends on the data alone.
    """
    candidates = list(view_sizes(plan.n, plan.domain.sizes, plan.epsilon, plan.k))
    sizes = candidates[:MAX_BARS]
    own = {plan.l, plan.choice.l} - {size.l for size in sizes}
    sizes[len(sizes) - len(own) :] = [size for size in candidates if size.l in own]
    return predict_view_sizes(plan, sizes)


def get_tradeoff(settings: Settings) -> dict:
    """Return the data of the chart at every epsilon, cached; `by_l` has the forecasts at the current one."""
    offered = epsilons_around(settings.epsilon)
    guess = cached_calls.guess_wrong(settings)

    def make() -> dict:
        pairs = [_bars_at_epsilon(settings.with_changes(epsilon=e), guess) for e in offered]
        index = offered.index(settings.epsilon)
        return {"epsilons": [data for data, _ in pairs], "index": index, "by_l": pairs[index][1]}

    return cached_calls.get_result("tradeoff", (cached_calls.plan_key(settings), guess), make)


def _bars_at_epsilon(settings: Settings, guess: float) -> tuple[dict, dict[int, SizeForecast]]:
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
    reading = None if chosen is None else asdict(
        results.make_reading(results.expected_wrong(chosen.wrong.total, cells), guess)
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
        "groups": words.plan.groups(m=size.m),
        "spoken": words.plan.size_text(size),
    }


def mount_tradeoff(
    data: dict, part: str, *, measured: Mapping[int, float], lecture: bool, on_use: Callable[[int], None]
) -> None:  # fmt: skip
    """Draw the "chart" or the words at the "side"; `measured` are shares in the wrong cell by number of questions."""
    marks = {
        str(size): [100 * share, words.numbers.share_of_100(share)]
        for size, share in measured.items()
    }
    mount(
        "tradeoff",
        {
            "part": part, "epsilons": data["epsilons"], "index": data["index"], "measured": marks,
            "lecture": lecture, "words": words.plan.TRADEOFF | words.marginals.TABLE_TEXTS,
        },
        key=f"tradeoff_{part}", on={"use": on_use},
    )  # fmt: skip
