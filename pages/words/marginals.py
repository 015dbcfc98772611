"""Wording of the page Marginals, of the table component, and of questions about ranges."""

from collections.abc import Collection, Sequence

from calm_core.text import format_count
from pages.words import common, glossary, numbers
from pages.words.texts import Texts, read_texts

TEXTS = Texts("marginals")
__getattr__ = TEXTS.__getattr__


def question_title(names: Sequence[str], as_written: Collection[str] = ()) -> str:
    """Return the question of a table; names in `as_written` keep their case.

    >>> question_title(("sex", "drank", "smoked")), question_title(("drank", "smoked")), question_title(("age",))
    ('Drank and smoked, by sex?', 'Drank and smoked?', 'Age?')
    >>> question_title(("smoked?", "how do you come…")), question_title(("a", "bread", "c"), {"bread"})
    ('Smoked and how do you come…?', 'bread and c, by a?')
    """
    first, *other_names = (name.removesuffix("?") for name in names)
    asked = other_names if len(names) > 2 else [first, *other_names]
    text = asked[0] if len(asked) == 1 else f"{', '.join(asked[:-1])} and {asked[-1]}"
    if names[len(names) > 2] not in as_written:
        text = f"{text[:1].upper()}{text[1:]}"
    text = f"{text}, by {first}" if len(names) > 2 else text
    return f"{text}?"


def source_text(repeats: int) -> str:
    """Return what a number of people in the wrong cell is of.

    >>> source_text(0), source_text(1), source_text(20)
    ('expected', 'this collection', 'mean of 20 repeats')
    """
    if not repeats:
        return TEXTS.EXPECTED
    return TEXTS.THIS if repeats == 1 else f"mean of {repeats} repeats"


def furthest_text(cell: str, true: float, reconstructed: float) -> str:
    """Return the cell with the largest error."""
    texts = numbers.share(true), numbers.share(reconstructed)
    if texts[0] == texts[1]:
        return TEXTS.NONE_OFF
    return f"Furthest off: {cell}. Reconstructed {texts[1]}, true {texts[0]}."


def rebuilt_text(parts: int, sizes: Collection[int]) -> str:
    """Return what a table that no view holds was made of.

    >>> rebuilt_text(3, {2}), rebuilt_text(1, {2, 3})
    ('Rebuilt from 3 tables of 2.', 'Rebuilt from 1 table.')
    """
    size = f" of {min(sizes)}" if len(sizes) == 1 else ""
    return f"Rebuilt from {format_count(parts, 'table')}{size}."


def agreement_text(named: Sequence[str], count: int) -> str:
    """Return the smaller tables that a rebuilt one agrees with."""
    more = f" and {count - len(named)} more" if count > len(named) else ""
    return (
        "Rebuilt by maximum entropy, unless another rule is chosen: of all tables that agree with "
        f"{', '.join(named)}{more} it is the one that assumes nothing else."
    )


def scores_text(number: int, there: int, k: int) -> str:
    """Return which tables a list of scores holds."""
    which = common.tables_text(number, there)
    chosen = "" if number == there else ", chosen at random"
    return f"{which[0].upper()}{which[1:]} over {format_count(k, 'attribute')}{chosen}."


TABLE_TEXTS = read_texts("table") | {
    f"says_{name}": glossary.WORDS[name].says for name in ("wrong", "verdict")
}
# On Collect they come from as many people who reported.
OTHER_COLLECTIONS = TABLE_TEXTS | {"ghosts": "20 repeats", "ghosts_short": "20 repeats"}
# Cells of which nothing, or everything, is true, by the number of attributes.
NONE_TRUE = {1: "no", 2: "neither"}
ALL_TRUE = {1: "yes", 2: "both", 3: "all three"}


def yes_text(names: Sequence[str], count: int) -> str:
    """Return a cell of yes-or-no attributes by those that are yes.

    >>> yes_text((), 2), yes_text(("drank",), 2), yes_text(("drank", "smoked"), 3)
    ('neither', 'drank', 'drank, smoked')
    """
    if not names:
        return NONE_TRUE.get(count, "none of these")
    if len(names) == count:
        return ALL_TRUE.get(count, f"all {count}")
    return ", ".join(names)


def rest_texts(count: int, true: float | None, reconstructed: float | None) -> tuple[str, ...]:
    """Return the number and shares of the cells that are not drawn.

    >>> rest_texts(9, 0.004, 0.0)
    ('9 more', 'true under 1%', 'reconstructed 0%')
    """
    known = (("true", true), ("reconstructed", reconstructed))
    sums = (f"{name} {numbers.whole_percent(held)}" for name, held in known if held is not None)
    return f"{count:,} more", *sums


def finding_text(cells: int, worst: str, true: float, reconstructed: float) -> str:
    """Return the picture in one sentence, for screen readers.

    >>> finding_text(4, "both", 0.16, 0.16)
    'True and reconstructed shares of 4 cells. No cell is off by a tenth of a point.'
    """
    of = f"True and reconstructed shares of {format_count(cells, 'cell')}."
    texts = numbers.share(true), numbers.share(reconstructed)
    if texts[0] == texts[1]:
        return f"{of} {TEXTS.NONE_OFF}"
    return f"{of} They differ most at {worst}: {texts[0]} true, {texts[1]} reconstructed."


def shares_text(cells: int, reconstructed: bool) -> str:
    """Return the same where true or reconstructed shares are missing."""
    return (
        f"{'Reconstructed' if reconstructed else 'True'} shares of {format_count(cells, 'cell')}."
    )
