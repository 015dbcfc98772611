"""What an answer of CALM+ is made of, in words."""

from dataclasses import dataclass

from calm_core.inference.shrinkage.interactions import Interactions, Subset, subsets_within
from calm_core.inference.shrinkage.local import RegionFit


@dataclass(frozen=True)
class PlusNote:
    """How one marginal was found.

    Attributes
    ----------
    method : str
        "shrunken", or "calm" where CALM's answer was given instead: where the fit did not converge, adds
        nothing to a view that holds the marginal, or hardly a report was changed.
    measured, unmeasured : tuple of tuple of str
        Pairs of the marginal that some view holds, and pairs that none does.
    neighbours : tuple of str
        Other attributes that were fitted together with those of the marginal, if the fit counts.
    text : str
        The same in one sentence.
    """

    method: str
    measured: tuple[tuple[str, ...], ...]
    unmeasured: tuple[tuple[str, ...], ...]
    neighbours: tuple[str, ...]
    text: str


def describe_answer(
    interactions: Interactions, query: Subset, fit: RegionFit, trust: float, counted: bool
) -> PlusNote:
    """How the answer to a query came about, of which the fit has a share (`trust`).

    Where reports of everybody count people (`counted`) it has none.
    """
    every = interactions.domain.names
    pairs = [s for s in subsets_within(query, 2) if len(s) == 2]
    names = {s: tuple(every[i] for i in s) for s in pairs}
    measured = tuple(names[s] for s in pairs if s in interactions.index)
    unmeasured = tuple(names[s] for s in pairs if s not in interactions.index)
    neighbours = tuple(every[i] for i in fit.region if trust and i not in query)
    text = f"{len(measured)} of {len(pairs)} pairs were measured."
    if not fit.converged:
        text += " The fit did not converge, so CALM's answer is given."
    elif counted:
        text += " Hardly a report was changed: they count people, as CALM's answer does."
    elif trust < 1:
        how = "partly CALM's" if trust else "CALM's"
        text += f" What holds of most data helps little here, so the answer is {how}."
    elif neighbours:
        others = "other attribute" if len(neighbours) == 1 else "other attributes"
        text += f" {len(neighbours)} {others} helped: all were fitted together."
    if unasked := sorted(interactions.unknown(query)):
        nobody = ", ".join(every[i] for i in unasked)
        text = f"Nobody reported on {nobody:.200}, so nothing is known of that. {text}"
    return PlusNote("shrunken" if trust else "calm", measured, unmeasured, neighbours, text)
