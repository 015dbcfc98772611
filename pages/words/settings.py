"""What the controls, links and refusals of settings say."""

DESIGN_HELP = (
    "Which questions CALM+ asks; no other method changes. Everybody still reports once.\n\n"
    "- **CALM's views**: as Algorithm 1 chooses them.\n"
    "- **All pairs**, **all triples**: every two or three attributes, equally many people each.\n"
    "- **By predicted risk**: half of the people on all pairs, the others where formulas expect the "
    "largest errors.\n"
    "- **Two phases**: half of the people on all pairs; what they report decides what the others "
    "are asked.\n\n"
    "θ, l and m count for CALM's views only."
)
EDITED_ELSEWHERE = (
    "The columns were edited where this link was made: load their schema file on the Data page. Until "
    "then they are as detected."
)
D_HELP = "The first d usable columns; the Data page lets you choose and order them."
K_HELP = "Tables over any k attributes are to be released."
N_HELP = "Fewer rows are drawn at random, more are duplicated, as the papers do. Type any number."
THETA_HELP = "Algorithm 1 keeps noise and sampling error below θ where it can."
LINK_TITLE = "**Link to this page with these settings**"
LINK_WITHOUT_FILE = "An uploaded file is not part of the link: it stays with you."
SAME_COMMAND = "**Same numbers on the command line**"
SCHEMA_NEEDED = "schema.json: save it on the Data page."
HIDE = "Hide from those who open it"
HIDEABLE = {
    "source": "Data", "epsilon": "Privacy budget", "d": "Attributes d", "k": "k", "n": "Users n",
    "details": "Method and simulation", "theta": "Error threshold", "share": "Share and present",
}  # fmt: skip
WAY_BACK = "Back to the last settings that worked"
NOTHING_CHANGED = "Nothing was changed."
SCHEMA_MISSING = "the edited columns of this link are not here; load their schema file"


def awaited(file: str) -> str:
    """Said of a link whose file is not here."""
    return f"This link shows {file or 'a file'}, which stays with its owner: upload it on the Data page."


def file_missing(file: str) -> str:
    """Why there is no table."""
    return f"the file {file or 'of this link'} is not here; upload it on the Data page"


def attributes_gone(names: list[str]) -> str:
    """Said of a link that looks at attributes which are not used."""
    return (
        f"attrs in the link names {', '.join(names):.60}, not among the attributes used "
        "here: choose attributes on the Marginals page."
    )


def does_not_fit(error: object) -> str:
    """Said of a link whose settings its data refuses."""
    return f"The link does not fit its data: {error}. The sample is shown as usual."


def k_too_large(k: int, d: int) -> str:
    """Refusal of a marginal over more attributes than there are."""
    return (
        f"k ({k}) must be at most {d}, the number of attributes; "
        "choose a smaller k or more attributes"
    )


def too_few_attributes(names: tuple[str, ...]) -> str:
    """Refusal of a data set without a table over several attributes."""
    return (
        f"the attributes ({', '.join(names):.60}) must be at least 2; choose more columns "
        "on the Data page, or a table that has more than one to use"
    )


def chosen(d: int) -> str:
    """In place of the slider for d where attributes were chosen."""
    return f"{d} attributes chosen on the Data page"


def not_whole(name: str, text: object) -> str:
    """Refusal of what was typed for a whole number."""
    return f"{name} ({str(text):.40}) must be a whole number"


def not_a_number(name: str, text: str) -> str:
    """Refusal of what was typed for a number."""
    return f"{name} ({text:.40}) must be a number"
