"""Wording of the page Tables."""

from collections.abc import Collection, Sequence

from calm_core.text import format_count
from pages.words import numbers
from pages.words.texts import read_texts

TEXTS = read_texts("marginals")
# Name, unit and meaning of each error.
METRICS = TEXTS["metrics"]
VIEWS = TEXTS["views"]
RANKED = "Ranked"
DETAILS = "Details: SSE, L1, JS"
SEE_STAGES = "See stages"
INTERVALS = TEXTS["intervals"]
STAGES = TEXTS["stages"]
STAGES_LEAD = TEXTS["stages_lead"]
PLAYS_LEAD = TEXTS["plays_lead"]
GUESS_LEAD = (
    "Before you look: what do you think the shares are? Set a slider for each cell, then reveal. "
    "Your guess is scored like the collection."
)
STAGE_VIEW = "View"
STAGE_HELP = "Views that share most with the chosen attributes come first."
TABLE = "Cells with their true and released shares"
RANKING = "All tables with their errors, largest error first"
RANKING_HINT = "Click a heading to sort, tick a row to look at it."
# Headings of the list of all tables: what it is, where it comes from, its error, how much guessing is off.
RANKING_COLUMNS = TEXTS["ranking_columns"]
# A guess revealed: its typical error, that of the collection, that of equal shares.
GUESSED = ("Your guess", "This collection", "Equal shares")
# After revealing: who was closest, the visitor, the collection or the equal-shares guess.
CLOSER_THAN_REPORTS = "Your guess is closer than the collection. With this ε, knowing helps more."
UNIFORM_GUESSED = "No better than equal shares. The noisy reports know more than you do."
BETTER_THAN_NOTHING = "Better than knowing nothing, but the noisy reports know more than you do."
WORSE_THAN_NOTHING = "Equal shares would have been closer, and the collection closer still."
NOTHING_WINS = "Equal shares would have been closer than either, you or the collection."


def lead_text(k: int, tables: int) -> str:
    """Return which tables are released, with the papers' word for them."""
    return (
        f"[[released|Released]] [[table|tables]] (in the papers: marginal tables) over {format_count(k, 'attribute')}"
        f"{f', all {numbers.count(tables)} at once: choose any' if tables != 1 else ', of which there is one: look at it'}, "
        "as often as you like, at no further cost in privacy."
    )


def question_title(names: Sequence[str], written: Collection[str] = ()) -> str:
    """Return the question of a table; names in `written` keep their case.

    >>> question_title(("sex", "drank", "smoked")), question_title(("drank", "smoked")), question_title(("age",))
    ('Drank and smoked, by sex?', 'Drank and smoked?', 'Age?')
    >>> question_title(("smoked?", "how do you come…")), question_title(("a", "bread", "c"), {"bread"})
    ('Smoked and how do you come…?', 'bread and c, by a?')
    """
    first, *others = (name.removesuffix("?") for name in names)
    asked = others if len(names) > 2 else [first, *others]
    text = asked[0] if len(asked) == 1 else f"{', '.join(asked[:-1])} and {asked[-1]}"
    if names[len(names) > 2] not in written:
        text = f"{text[:1].upper()}{text[1:]}"
    text = f"{text}, by {first}" if len(names) > 2 else text
    return f"{text}?"


def all_tables_label(count: int) -> str:
    """Return the label of the view of all tables."""
    return f"All {numbers.count(count)} tables" if count > 1 else "The only table"


def list_label(cells: int) -> str:
    """Return the label of the list of all cells."""
    return f"All {cells:,} as a list"


def furthest_text(cell: str, true: float, released: float) -> str:
    """Return the cell with the largest error."""
    shares = numbers.distinct_digits(true, released, numbers.whole_percent)
    if shares[0] == shares[1]:
        return "No cell is off by a thousandth of a point."
    return f"Furthest off: {cell}. {shares[0]} true, {shares[1]} released."


def uniform_text(guess: float) -> str:
    """Return the error of the equal-shares guess."""
    return f"The equal-shares guess would have an SSE of {numbers.error(guess)}."


def _all(count: int) -> str:
    names = {1: "it", 2: "both", 3: "all three", 4: "all four", 5: "all five", 6: "all six"}
    return names.get(count, f"all {count}")


def covered_text(attributes: int, views: int) -> tuple[str, str]:
    """Return finding and origin of a table inside a view."""
    groups = "One group was" if views == 1 else f"{views:,} groups were"
    return f"{groups} asked {_all(attributes)}.", "Its cells are sums of theirs."


def rebuilt_text(attributes: int, parts: int, sizes: Collection[int]) -> tuple[str, str]:
    """Return finding and origin of a table that no view holds.

    >>> rebuilt_text(3, 3, {2})
    ('No group was asked all three.', 'Rebuilt from 3 tables of 2.')
    """
    size = f" of {min(sizes)}" if len(sizes) == 1 else ""
    tables = "table" if parts == 1 else "tables"
    return f"No group was asked {_all(attributes)}.", f"Rebuilt from {parts:,} {tables}{size}."


def agreement_text(named: Sequence[str], count: int) -> str:
    """Return the smaller tables that a rebuilt one agrees with."""
    more = f" and {count - len(named)} more" if count > len(named) else ""
    return (
        "Rebuilt (in the papers: reconstructed by maximum entropy, unless another rule is chosen): of "
        f"all tables that agree with {', '.join(named)}{more} it is the one that supposes nothing else."
    )


def derived_text(covered: bool) -> tuple[str, str]:
    """Return the origin of a table of a method without views."""
    return f"This table was {'measured directly' if covered else 'derived from other answers'}.", ""


def gap_text(violation: float) -> str:
    """Return the largest gap where no table agrees with the views."""
    return f"They could not be met exactly; the largest gap is {numbers.points(100 * violation)}."


def curator_text(method: str) -> str:
    """Return that a curator had to be trusted, in short."""
    return (
        f"A curator is trusted: {method} sees all true answers and adds noise to what it publishes."
    )


def own_design_text(design: str, views: int) -> str:
    """Return that CALM+ used views of its own."""
    return f"CALM+ collects reports of its own ({design}, {views:,} views). Plan and Collect show CALM's."


def stages_text(below: int, cells: int) -> str:
    """Return how many raw cells are negative."""
    return f"{below or 'None'} of {cells} raw cells {'is' if below == 1 else 'are'} below zero."


def first_cells(shown: int, cells: int) -> str:
    """Return that only the first cells are listed.

    >>> first_cells(20_000, 1_000_000)
    'The first 20,000 of 1,000,000 cells; the CSV has all of them.'
    """
    return f"The first {shown:,} of {cells:,} cells; the CSV has all of them."


def too_many_to_guess(most: int, cells: int) -> str:
    """Return that there are too many cells to guess."""
    return f"Choose attributes with at most {most} cells together; these have {cells}."


def too_many_to_watch(most: int) -> str:
    """Return that collections are not repeated for so many cells."""
    return f"Choose attributes with at most {most} cells together to see other collections."


def scaled_text(total: int) -> str:
    """Return that guesses were scaled to 100%."""
    return f"Your sliders add up to {total}%; they were scaled to 100%."


def repeated_text(times: int, width: float, inside: int, cells: int) -> str:
    """Return how much the collections differ."""
    return (
        f"{times} independent collections: in 9 of 10 of them a cell stays within a band "
        f"{numbers.points(100 * width).replace('±', '')} wide on average; the true share lies inside it "
        f"for {inside} of {cells} cells."
    )


def scores_text(shown: int, there: int, k: int) -> str:
    """Return which tables a list of scores holds."""
    over = f"over {format_count(k, 'attribute')}"
    if there == 1:
        return f"The only table {over}."
    chosen = "All" if shown == there else f"{shown} random ones of all"
    return f"{chosen} {there:,} tables {over}."
