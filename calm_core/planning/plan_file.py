"""The public plan as a file of canonical JSON, identified by its digest, and as the browser's randomizer reads it.

The digest is the sha256 of the canonical text (sorted keys, no spaces, ASCII, the shortest decimals that
give the same float), so two plans are equal if and only if their digests are.
"""

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

from calm_core._checks import check_choice
from calm_core.errors import DataError, UserError
from calm_core.io.atomic_files import read_file, write_atomically
from calm_core.io.json_types import build_fields, check_types
from calm_core.oracles import PLAN_ORACLES
from calm_core.oracles.base import WORD, to_hex
from calm_core.planning.plan import Plan
from calm_core.tables.domain import Domain

FORMAT = "calm-lab plan 1"
# Enough for as many views as a report file can number.
MAX_BYTES = 1 << 28


@dataclass(frozen=True)
class _Oracles:
    """The oracles of a plan file, each its name and its parameters."""

    oracles: tuple[dict, ...]


def canonical_json(plain: object) -> str:
    """The canonical JSON text of plain values.

    Examples
    --------
    >>> canonical_json({"n": 2, "epsilon": 1.0})
    '{"epsilon":1.0,"n":2}'
    """
    return json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)


def plan_text(plan: Plan) -> str:
    """The canonical JSON text of a plan, which `plan_from_text` reads back.

    Examples
    --------
    >>> from calm_core.planning.plan import make_plan
    >>> import numpy as np
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> plan = make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    >>> plan_from_text(plan_text(plan)) == plan, len(plan_digest(plan))
    (True, 64)
    """
    return canonical_json(
        {
            "format": FORMAT,
            "domain": _plain_domain(plan.domain),
            "n": plan.n,
            "epsilon": plan.epsilon,
            "k": plan.k,
            "theta": plan.theta,
            "views": plan.views,
            "oracles": [{"name": oracle.name, **asdict(oracle)} for oracle in plan.oracles],
            "choice": asdict(plan.choice),
            "weights": plan.weights,
        }
    )


def _plain_domain(domain: Domain) -> dict:
    """The fields of a domain that differ from their defaults."""
    silent = {
        "labels": None,
        "titles": domain.names,
        "shorts": ("",) * domain.d,
        "value_names": ((),) * domain.d,
    }
    return {name: value for name, value in asdict(domain).items() if silent.get(name, ...) != value}


def plan_digest(plan: Plan) -> str:
    """The sha256 of the canonical text as 64 hexadecimal digits, which identifies a plan."""
    return hashlib.sha256(plan_text(plan).encode()).hexdigest()


def plan_from_text(text: str | bytes, what: str = "the plan file") -> Plan:
    """Read a plan from JSON; refuses anything that is not a valid plan.

    Parameters
    ----------
    text : str or bytes
        JSON with keys in any order.
    what : str
        Name of the file in errors.

    Raises
    ------
    DataError
        If the text is not JSON, of another format, or not a valid plan.
    """
    try:
        return plan_from_json(json.loads(text), what)
    except (ValueError, RecursionError) as error:
        # A `UserError` is a ValueError too, and already has a message.
        if isinstance(error, UserError):
            raise
        raise DataError(
            f"{what} is not a plan: it is no valid JSON ({str(error)[:100]}); "
            "make it with plan --out"
        ) from error


def plan_from_json(plain: object, what: str = "the plan file") -> Plan:
    """Read a plan from parsed JSON, as `plan_from_text` does from text."""
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise DataError(f"{what} is not a plan of format {FORMAT!r}; make it with plan --out")
    values = {name: value for name, value in plain.items() if name != "format"}
    try:
        check_types(values, _Oracles, "plan")
        oracles = []
        for parameters in map(dict, values.pop("oracles")):
            name = check_choice("oracle", str(parameters.pop("name", None)), PLAN_ORACLES)
            oracles.append(PLAN_ORACLES[name](**parameters))
        return Plan(**build_fields(check_types(values, Plan, "plan"), Plan), oracles=tuple(oracles))
    except UserError as error:
        raise DataError(f"{what} is not a valid plan: {str(error)[:300]}") from error
    except (TypeError, KeyError) as error:
        named = " or ".join(re.findall(r"'\w+'", str(error)))
        raise DataError(
            f"{what} is not a valid plan: a field is missing, unknown or of another kind ({named}); "
            "make it with plan --out"
        ) from error


def load_plan(path: str | Path) -> Plan:
    """Read a plan from a file."""
    what = f"the plan ({str(path):.200})"
    return plan_from_text(read_file(path, what=what, max_bytes=MAX_BYTES), what)


def save_plan(path: str | Path, plan: Plan, *, what: str = "the plan") -> None:
    """Write a plan to a file atomically, after checking that it can be read back."""
    text = plan_text(plan)
    plan_from_text(text, what)
    write_atomically(path, text, what=what)


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
    domain, remaining, views = plan.domain, Fraction(1), []
    for attrs, oracle, share in zip(plan.views, plan.oracles, plan.shares):
        here = min(Fraction(share) / remaining, Fraction(1)) if remaining > 0 else Fraction(1)
        remaining -= Fraction(share)
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
