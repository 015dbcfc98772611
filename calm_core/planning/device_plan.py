"""The public plan in the form that the randomizer in a browser reads."""

from fractions import Fraction
from importlib.resources import files

from calm_core.oracles.draws import WORD, to_hex
from calm_core.planning.plan import Plan
from calm_core.planning.plan_file import canonical_json, plan_digest

DEVICE, PLAN, VECTORS = "calm.js", "device.json", "vectors.json"


def make_device_plan(plan: Plan) -> dict:
    """The plan as `device.js` reads it: views, attributes, and 64-bit thresholds as hexadecimal digits.

    A device goes through the views and takes view i with probability `share` / 2^64.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.planning.plan import make_plan
    >>> from calm_core.tables.domain import Domain
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3), labels=(("f", "m"), ("young", "mid", "old")))
    >>> plan = make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> told = make_device_plan(plan)
    >>> told["views"][0]["attributes"][0], told["views"][0]["oracle"]
    ({'name': 'sex', 'title': 'sex', 'values': ['f', 'm']}, {'name': 'grr', 'size': 6, 'keep': '5a28f48ed5471207'})
    """
    domain, left, views = plan.domain, Fraction(1), []
    for attrs, oracle, share in zip(plan.views, plan.oracles, plan.shares):
        here = min(Fraction(share) / left, Fraction(1)) if left > 0 else Fraction(1)
        left -= Fraction(share)
        views.append(
            {
                "attributes": [
                    {
                        "name": name,
                        "title": domain.title_of(name),
                        "values": list(domain.value_names_of(name)),
                    }
                    for name in domain.canonical(attrs)
                ],
                "sizes": list(domain.shape_of(attrs)),
                "oracle": {"name": oracle.name, "size": oracle.size, **oracle.device},
                "share": to_hex(min(int(here * WORD), WORD - 1)),
            }
        )
    return {"plan": plan_digest(plan), "epsilon": plan.epsilon, "views": views}


def make_client_files(plan: Plan) -> dict[str, bytes]:
    """The files for a web form: the randomizer, its plan, and test vectors, by file name."""
    package = files("calm_core.oracles")
    return {
        DEVICE: (package / "device.js").read_bytes(),
        PLAN: canonical_json(make_device_plan(plan)).encode() + b"\n",
        VECTORS: (package / "vectors.json").read_bytes(),
    }
