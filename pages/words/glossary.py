"""The glossary: one term per thing, its meaning here, and the papers' term."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Word:
    """One term of the screen.

    Attributes
    ----------
    word : str
        As it stands in headings.
    says : str
        What it means, in one sentence of plain text.
    papers : str
        What papers call it; "" where they say the same.
    """

    word: str
    says: str
    papers: str = ""


TITLE = "Glossary"
LEAD = "One word for one thing everywhere in this app. In italics: what papers call it."

# By anchor: /about#ghost. In the order in which they build on each other.
WORDS = {
    "epsilon": Word(
        "Privacy ε", "How far one report may shift the odds between two answers, at most e^ε to 1.",
        "privacy budget, epsilon",
    ),
    "local-privacy": Word(
        "Local privacy", "Each person adds noise before anything leaves her device.",
        "local differential privacy, LDP",
    ),
    "report": Word("Report", "The one noisy value a person sends.", "perturbed or randomised value"),
    "collector": Word(
        "Collector", "Who receives reports and never sees a true answer.", "server, aggregator",
    ),
    "curator": Word(
        "Curator", "A trusted party who sees all true answers and adds noise to results.",
        "curator, aggregator of central differential privacy",
    ),
    "attribute": Word(
        "Attribute", "One thing asked of everybody, such as “smoked last month”.",
        "attribute, dimension, variable",
    ),
    "cell": Word("Cell", "One combination of values, such as “women who smoke”.", "entry, v"),
    "table": Word(
        "Table", "Shares of people in all cells over k attributes.",
        "marginal, marginal table, contingency table",
    ),
    "k": Word("k", "Number of attributes in the tables wanted.", "k-way marginal"),
    "d": Word("d", "Number of attributes asked about in all.", "dimension of the data"),
    "n": Word("People, n", "Number of people who report.", "users, population n"),
    "view": Word("View", "The few attributes one group is asked about together.", "view, marginal in the set S"),
    "group": Word("Group", "The people dealt to one view.", "group of users, partition"),
    "l": Word("ℓ", "Attributes in a view.", "size of a view, ℓ"),
    "m": Word("m", "Number of views.", "m; with ℓ and k a covering design"),
    "theta": Word(
        "Threshold θ",
        "The error Algorithm 1 allows noise and sampling before it chooses other views.",
        "threshold θ",
    ),
    "collection": Word(
        "Collection", "One time everybody reports; new noise, new numbers.", "run, trial, repetition",
    ),
    "released": Word(
        "Released", "A share computed from reports only.",
        "estimate, reconstructed marginal, published or noisy marginal",
    ),
    "true": Word(
        "True", "The real share, known here because this is a simulation.", "ground truth, true frequency",
    ),
    "point": Word(
        "Point", "One percentage point; from 12% to 14% are two points.",
        "0.01 in fractions of all people",
    ),
    "typical": Word(
        "Typical error", "The root mean square of the errors of all cells, in points.",
        "100 · √(SSE / cells); RMSE",
    ),
    "band": Word(
        "Band", "What a table with this typical error is good for: to the point, trend only, or no better than noise.",
        "no word of the papers: it compares the RMSE with 1 point and with the equal-shares guess",
    ),
    "ghost": Word(
        "Ghost", "What another collection would have released; imagined where only the spread is known.",
        "draw from the sampling distribution",
    ),
    "noise": Word("Noise", "Error from randomising.", "noise error, NE"),
    "sampling": Word(
        "Sampling", "Error from asking each view of a part of the people only.", "sampling error, SE",
    ),
    "rebuilding": Word(
        "Rebuilding", "Error from joining views when none holds the whole table.",
        "reconstruction error, RE; reconstructed by maximum entropy",
    ),
    "consistent": Word(
        "Consistent", "Views that agree on everything they share.",
        "consistency, constrained inference, post-processing",
    ),
    "oracle": Word(
        "Oracle", "The rule by which a device randomises.",
        "frequency oracle, FO: GRR, OUE",
    ),
    "equal-shares": Word(
        "Equal-shares guess", "Every cell the same; what one knows without asking.",
        "uniform baseline, Uni",
    ),
    "sse": Word("SSE", "Sum of squared errors of a table's cells.", "SSE, squared L2 error"),
}  # fmt: skip
