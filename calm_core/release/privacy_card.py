"""The privacy card of a release: what is protected, how strongly, from whom, and what is not; printed and as JSON."""

import json
import tomllib
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from calm_core.methods.base import Answer, CollectedAnswer, Method
from calm_core.methods.calm_binary import CalmBinaryAnswer
from calm_core.methods.central.base import REPLACE, CentralMethod
from calm_core.planning.plan import Plan
from calm_core.text import format_count
from calm_core.version import __version__

OPEN = "open"
# What the card says of every release; the template beside it says how it looks.
TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
REPLACED = "Two tables that differ in all answers of one person (replaced, not removed), where the number of people is public."
# Where nobody sends a report they mean nothing.
LOCAL_FIELDS = {"epsilon_per_report", "reports_per_person"}


@dataclass(frozen=True)
class Field:
    """One line of the card.

    Attributes
    ----------
    key, title : str
        Its name in JSON and on the page.
    value : str or float
        What is so; "open" where it is not known.
    nist, registry : str
        What NIST SP 800-226 calls it, and its field in the registry of deployments; "open" where neither is sure.
    """

    key: str
    title: str
    value: str | float
    nist: str = OPEN
    registry: str = OPEN

    @property
    def text(self) -> str:
        """The value for the page."""
        return self.value if isinstance(self.value, str) else f"{self.value:,.12g}"


@dataclass(frozen=True)
class PrivacyCard:
    """What a release protects, how strongly, from whom, and what it does not.

    Attributes
    ----------
    title : str
        What the card is about.
    fields : tuple of Field
        Its lines.
    limits : tuple of str
        Known limits, a sentence each.
    """

    title: str
    fields: tuple[Field, ...]
    limits: tuple[str, ...]

    def __getitem__(self, key: str) -> str | float:
        """The value of the field with this key."""
        return next(field.value for field in self.fields if field.key == key)

    def to_json(self) -> str:
        """Return the card as a JSON object, with the names that two standards have for each field."""
        about = {"title": self.title, "version": __version__, "standards": TEXTS["standards"]}
        fields = [asdict(field) for field in self.fields]
        return json.dumps(about | {"fields": fields, "limits": list(self.limits)}, indent=1)

    def to_html(self) -> str:
        """Return the card as one page that prints, without links to other servers."""
        from jinja2 import Environment, PackageLoader

        templates = Environment(
            loader=PackageLoader("calm_core.release"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        return templates.get_template("privacy_card.html.j2").render(
            card=self, open=OPEN, standards=TEXTS["standards"], version=__version__
        )


def privacy_card(answer: Answer, method: Method | None = None) -> PrivacyCard:
    """Return the privacy card of a release.

    Parameters
    ----------
    answer : Answer
        What a method released, from a simulation, a state or a class.
    method : Method, optional
        The method, for answers that do not carry their plan: its budget and title are not known otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from calm_core.methods.calm import Calm
    >>> from calm_core.tables.dataset import Dataset
    >>> from calm_core.tables.domain import Domain
    >>> rng = np.random.default_rng(1)
    >>> people = Dataset(rng.integers(0, 2, size=(5000, 2)), Domain(("sex", "smokes"), (2, 2)))
    >>> card = privacy_card(Calm(epsilon=2.0, k=2).release(people, rng=rng))
    >>> card["model"], card["epsilon_per_person"], card["mechanism"]
    ('Local', 2.0, 'Randomized response (GRR) on 1 view of 2 attributes')
    """
    plan = answer.plan if isinstance(answer, CollectedAnswer | CalmBinaryAnswer) else None
    values = _find_values(answer, plan, method)
    fields = tuple(
        Field(key=key, value=values.get(key, OPEN), **names)
        for key, names in TEXTS["fields"].items()
        if answer.trust == "local" or key not in LOCAL_FIELDS
    )
    configured = plan or method
    size = f"up to {format_count(configured.k, 'attribute')}" if configured else "few attributes"
    size_limit = f"Tables are meant for {size}; the error is large in small groups."
    limits = *TEXTS["limits"]["all"], *TEXTS["limits"][answer.trust], size_limit
    title = f"Privacy of a release about {format_count(answer.domain.d, 'attribute')}"
    return PrivacyCard(title, fields, limits)


def _find_values(
    answer: Answer, plan: Plan | None, method: Method | None
) -> dict[str, str | float]:
    """What is known of a release, by key."""
    trust = answer.trust
    values: dict[str, str | float] = TEXTS["by_trust"][trust] | {
        "unit": "A person, with all answers",
        "model": trust.capitalize(),
        "variant": "Pure differential privacy (delta = 0)",
        "attributes": ", ".join(answer.domain.names),
        "software": f"calm_core {__version__}",
    }
    if method:
        values |= {
            "epsilon_per_person": method.epsilon,
            "mechanism": f"{method.title}: {method.summary}",
        }
    if isinstance(method, CentralMethod) and method.neighbors == REPLACE:
        values["neighbors"] = REPLACED
    if plan:
        values |= {
            "epsilon_per_person": plan.epsilon,
            "epsilon_per_report": max(oracle.epsilon for oracle in plan.oracles),
            "reports_per_person": 1,
            "people": answer.reports.n if isinstance(answer, CollectedAnswer) else plan.n,
            "mechanism": _describe_oracles(plan),
            "composition": "Each person reports once, so nothing adds up.",
            "post_processing": "Tables are made from reports alone, which costs no privacy.",
        }
    if isinstance(method, CentralMethod) and method.noise == "none":
        nothing = "None: noise is switched off, so nothing is protected."
        values |= {"epsilon_per_person": nothing, "variant": nothing}
    return values


def _describe_oracles(plan: Plan) -> str:
    """The oracles of a plan with their numbers and sizes of views."""
    kinds = Counter((oracle.title, len(view)) for view, oracle in zip(plan.views, plan.oracles))
    return "; ".join(
        f"{title} on {format_count(count, 'view')} of {format_count(size, 'attribute')}"
        for (title, size), count in kinds.items()
    )
