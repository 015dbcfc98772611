"""The privacy card of a release: what is protected, how strongly, from whom, and what is not; printed and as JSON."""

import json
from collections import Counter
from dataclasses import asdict, dataclass

from calm_core.methods.base import Answer, CollectedAnswer, Method
from calm_core.methods.calm_binary import CalmBinaryAnswer
from calm_core.methods.central.base import REPLACE, CentralMethod
from calm_core.planning.plan import Plan
from calm_core.text import format_count
from calm_core.version import __version__

OPEN = "open"
STANDARDS = {
    "nist": "NIST SP 800-226, Guidelines for Evaluating Differential Privacy Guarantees (2025)",
    "registry": "Fields of the Differential Privacy Deployments Registry (arXiv 2509.13509; opendp/deployments-registry-data)",
}
WHO = {
    "local": (
        "The device of each person sees the true answers and sends one randomized report. The collector sees that "
        "report, the group it belongs to, and when and from where it came unless the transport hides it. Readers see "
        "counts of reports and the tables computed from them."
    ),
    "central": (
        "A trusted curator sees the true answers of everybody and adds the noise. Readers see the noisy tables."
    ),
}
PUBLISHED = {
    "local": "The plan, the number of reports of every group, counts of reports, and all tables computed from them.",
    "central": "The number of people and the noisy tables.",
}
UNPROTECTED = {
    "local": "Who takes part, in which group, and how many report.",
    "central": "How many people take part.",
}
NEIGHBORS = {
    "local": "Two sets of answers that differ in all answers of one person (replaced, not removed).",
    "central": "Two tables that differ by one person, added or removed, where the number of people is public; replacing a person costs twice epsilon.",
}
REPLACED = "Two tables that differ in all answers of one person (replaced, not removed), where the number of people is public."
LIMITS = (
    "What is true of many people may be learned, and may be guessed of a person from a group they belong to.",
    "Answers of several people that depend on each other, as in a household, are protected less: budgets add up.",
    "A person who answers another survey, or this one again with new noise, spends the budget once more.",
)
TRUST_LIMITS = {
    "local": (
        "The guarantee needs devices that run the published randomizer with secure random numbers. A simulation on "
        "true answers protects nobody from whoever runs it.",
        "Timing, network addresses and logs are outside of the guarantee.",
    ),
    "central": (
        "The curator, and whoever breaks into their computer, sees everything.",
        "Noise of a simulation is drawn as ordinary numbers; a real release needs the option discrete.",
    ),
}
# Title, name in NIST SP 800-226, and place in the registry of every field.
LOSS, VARIANT = "deployment.privacy_loss", "deployment.dp_variant"
FIELDS = {
    "unit": ("Unit of privacy", "Unit of privacy", f"{LOSS}.privacy_unit"),
    "model": ("Model", "Trust model", "deployment.deployment_model.model_name"),
    "variant": ("Guarantee", OPEN, f"{VARIANT}.variant_name"),
    "epsilon_per_person": (
        "Epsilon per person", "Privacy parameter epsilon", f"{LOSS}.privacy_parameters.epsilon",
    ),
    "epsilon_per_report": ("Epsilon per report", OPEN, OPEN),
    "reports_per_person": ("Reports per person", OPEN, OPEN),
    "neighbors": ("Neighbors: what may differ unnoticed", OPEN, f"{LOSS}.privacy_unit_details"),
    "people": ("Number of people", OPEN, OPEN),
    "who": ("Who sees what", OPEN, "deployment.deployment_model.actors"),
    "published": ("What is published", OPEN, OPEN),
    "unprotected": ("What is not protected", OPEN, f"{VARIANT}.unprotected_quantities"),
    "attributes": ("Attributes", OPEN, f"{VARIANT}.data_domain"),
    "mechanism": ("Mechanism", OPEN, "deployment.implementation.mechanisms"),
    "software": ("Software", OPEN, OPEN),
    "composition": ("Composition", OPEN, "deployment.accounting.composition"),
    "post_processing": ("What is done afterwards", OPEN, "deployment.accounting.post_processing"),
    "curator": ("Who collects", OPEN, "deployment.basic.data_curators"),
    "use": ("What for", OPEN, "deployment.basic.intended_use"),
    "date": ("Date of publication", OPEN, "deployment.basic.publication_date"),
    "exposure": ("How answers are kept before they are randomized", "Data collection exposure", OPEN),
    "review": ("Questions of the W3C draft note on reviewing such systems", OPEN, OPEN),
}  # fmt: skip
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
    nist: str
    registry: str

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
        about = {"title": self.title, "version": __version__, "standards": STANDARDS}
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
            card=self, open=OPEN, standards=STANDARDS, version=__version__
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
        Field(key, title, values.get(key, OPEN), nist, registry)
        for key, (title, nist, registry) in FIELDS.items()
        if answer.trust == "local" or key not in LOCAL_FIELDS
    )
    configured = plan or method
    size = f"up to {format_count(configured.k, 'attribute')}" if configured else "few attributes"
    limits = f"Tables are meant for {size}; the error is large in small groups."
    title = f"Privacy of a release about {format_count(answer.domain.d, 'attribute')}"
    return PrivacyCard(title, fields, (*LIMITS, *TRUST_LIMITS[answer.trust], limits))


def _find_values(
    answer: Answer, plan: Plan | None, method: Method | None
) -> dict[str, str | float]:
    """What is known of a release, by key."""
    trust = answer.trust
    values: dict[str, str | float] = {
        "unit": "A person, with all answers",
        "model": trust.capitalize(),
        "variant": "Pure differential privacy (delta = 0)",
        "neighbors": NEIGHBORS[trust],
        "who": WHO[trust],
        "published": PUBLISHED[trust],
        "unprotected": UNPROTECTED[trust],
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
