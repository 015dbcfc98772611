"""Wording of the pages under Compare, Three worlds and Methods."""

import math
from collections.abc import Sequence

from calm_core.amplification import ShuffledPlan
from calm_core.evaluation.run import Price
from pages.words import common, numbers
from pages.words.texts import Texts, template

TEXTS = Texts("compare")
__getattr__ = TEXTS.__getattr__
# How bounds are named on screen.
BOUNDS = {"blanket": "privacy blanket", "clones": "clones", "local": "as without shuffling"}


def progress(done: int, total: int, seconds: float | None) -> str:
    """Return the progress, and the time left where it is known."""
    return f"{done} of {total} collections, {common.time_left(seconds)}"


def measured_note(at: str, wanted_value: str, repeats: int) -> str:
    """Return for which ε or number of people the rows are measured.

    >>> measured_note("ε = 1", "ε = 0.9", 20)
    'People of 100 in the wrong cell at ε = 1, the nearest to ε = 0.9 that was measured: mean of 20 repeats.'
    """
    near = "" if at == wanted_value else f", the nearest to {wanted_value} that was measured"
    mean = "one repeat" if repeats == 1 else f"mean of {repeats} repeats"
    return f"People of 100 in the wrong cell at {at}{near}: {mean}."


def best_title(ranking: Sequence[tuple[str, float]], at: str, repeats: int) -> str:
    """Return the best method and those that may be as good, with their people in the wrong cell.

    >>> best_title([("CALM+", 0.038)], "n = 60,000", 20)
    'At n = 60,000, CALM+ puts the fewest people into the wrong cell: 3.8 of 100'
    >>> best_title([("CALM+", 0.038), ("CALM", 0.04)], "ε = 1", 20)
    'At ε = 1, 20 repeats show no difference between CALM+ (3.8 of 100) and CALM (4.0)'
    """
    (best, wrong), *alike = ranking
    if not alike:
        return f"At {at}, {best} puts the fewest people into the wrong cell: {numbers.share_of_100(wrong)} of 100"
    *some, last = [f"{name} ({numbers.share_of_100(share)})" for name, share in alike]
    first = ", ".join([f"{best} ({numbers.share_of_100(wrong)} of 100)", *some])
    many = f"{repeats} repeats show" if repeats > 1 else "one repeat shows"
    return f"At {at}, {many} no difference between {first} and {last}"


def _guarantee(epsilon: float) -> str:
    """Two digits, rounded up: a guarantee must not look stronger than it is."""
    if not epsilon:
        return "0"
    unit = 10 ** (math.floor(math.log10(epsilon)) - 1)
    return numbers.digits(math.ceil(epsilon / unit - 1e-9) * unit, 2)


def promise_text(name: str, epsilon: float, shuffled: float) -> str:
    """Return what one of the cards promises, and on what condition.

    >>> promise_text("shuffled", 1.0, 0.0752)
    'ε = 0.076 to readers, 1 to the shuffler'
    """
    return template(TEXTS.PROMISES[name])(epsilon=epsilon, shuffled=_guarantee(shuffled))


def shuffled_title(title: str, epsilon: float) -> str:
    """Return the title of a card with its epsilon."""
    return f"{title}: ε = {_guarantee(epsilon)}"


def shuffling_details(plan: ShuffledPlan, epsilon: float) -> str:
    """Return the guarantee of shuffled reports, that of the view with the weakest.

    >>> from calm_core.amplification import Shuffled
    >>> views = tuple(Shuffled(epsilon, 1e-6, 2340, "blanket") for epsilon in (0.06, 0.08))
    >>> shuffling_details(ShuffledPlan(views, 1e-6), 1.0)[:110]
    'The reports of each view are mixed by themselves: at least 2,340 in each of 2 views. Instead of ε = 1, readers'
    """
    bounds = sorted({BOUNDS[view.bound] for view in plan.views})
    return TEXTS.shuffled(
        least=min(view.n for view in plan.views), views=len(plan.views), epsilon=epsilon,
        readers=_guarantee(plan.epsilon), chance=round(1 / plan.delta), bounds=", ".join(bounds),
    )  # fmt: skip


def people_needed_text(price: Price) -> str:
    """Return how many people trusting nobody needs, in short."""
    if price.people is None:
        return "1 trillion people and more"
    return f"{numbers.round_to_words(price.people)} people"


def price_text(price: Price, n: int, real: float | None) -> str:
    """Return what trusting nobody costs in people, and what difference the people there are enough for.

    >>> from calm_core.evaluation.run import MeanWrong
    >>> found = Price(MeanWrong(0.000505, 0.00001, 200), MeanWrong(0.0313, 0.0009, 200), 231_000_000, None)
    >>> print(price_text(found, 60_000, 0.078))
    To be as close as the curator (0.05 of 100), trusting nobody needs about **230 million people**.
    For telling a difference of **8 points**, these 60,000 are enough.
    """
    some = price.people is not None
    people = f"about **{numbers.round_to_words(price.people)}" if some else "**more than a trillion"
    text = (
        f"To be as close as the curator ({numbers.wrong(price.curator.mean)} of 100), trusting nobody needs "
        f"{people} people**."
    )
    if real is None:
        return text
    return f"{text}\nFor telling a difference of **{numbers.real_points(real)} points**, these {numbers.amount(n)} are enough."


def price_details(price: Price, n: int) -> str:
    """Return how the price is computed, with its numbers not rounded."""
    curator, local = price.curator, price.local
    ratio = local.mean / max(curator.mean, 1e-300)
    text = TEXTS.price_computed(
        curators=curator.repeats, curator=100 * curator.mean, locals=local.repeats, local=100 * local.mean, ratio=ratio,
        n=n, needed=n * ratio**2,
    )  # fmt: skip
    if price.people is None or price.reached is None:
        return f"{text} {TEXTS.TOO_MANY}"
    return f"{text} {TEXTS.price_tried(people=price.people, reached=100 * price.reached.mean)}"
