"""Columns that hold several options in one cell, and their options."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import combinations

from calm_core.ingest.counting import ValueCounts
from calm_core.ingest.steps import MAX_OPTIONS, SplitOptions, Splitter
from calm_core.ingest.table import EMPTY_LIST

SEPARATORS = ("\x1f", "\n", ";", "|", ",", " ")
# More distinct cells than this are no list of options.
MAX_CELLS = 20_000
# Least rows and share of rows with several options, and least share of options that are used again.
ROWS, SEVERAL, REUSED = 3, 0.01, 0.9
# Pairs of options expected in so many rows must occur together, most of them at least.
EXPECTED, TOGETHER = 3, 0.6
# So often two options of their own follow each other by chance.
CHANCE = 2
# A larger share of empty cells means that not everybody was asked.
NOT_ASKED = 0.5
_CODE = re.compile(r"[a-z0-9_\-.]+", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?\d+")
Atoms = tuple[str, ...]


def find_options(cells: ValueCounts) -> SplitOptions | None:
    """The step that splits a column into one yes/no column an option; None if its cells hold one option each.

    Examples
    --------
    >>> from calm_core.ingest.counting import count_column
    >>> from calm_core.ingest.table import make_table
    >>> cells = ["Bus, Car", "Bus", "Car", "Bus, Bicycle, own or rented", "Bicycle, own or rented, Car"] * 5
    >>> find_options(count_column(make_table({"by": cells}), "by")).options
    ('Bus', 'Bicycle, own or rented', 'Car')
    >>> find_options(count_column(make_table({"city": ["Reno, NV", "Bend, OR", "Reno, NV"] * 9}), "city")) is None
    True
    """
    if cells.unlisted or not 1 < len(cells.texts) <= MAX_CELLS:
        return None
    rows_of = dict(zip(cells.texts.to_pylist(), cells.counts.tolist()))
    for separator in SEPARATORS:
        # A cell that holds an empty list answers for the whole column.
        if not any(separator in cell for cell in rows_of):
            continue
        if options := _find_tight(rows_of, separator) or _find(rows_of, separator):
            are_asked = cells.missing <= NOT_ASKED * (cells.rows + cells.missing)
            empty = "no" if are_asked and EMPTY_LIST not in rows_of else "missing"
            more = len(options) > MAX_OPTIONS
            kept = tuple(options[: MAX_OPTIONS - more])
            return SplitOptions(cells.name, separator, kept, empty, other=more)
    return None


def _find(cells: Mapping[str, int], separator: str) -> list[str]:
    """The options in their order, by frequency where there are too many; [] where cells are no lists."""
    splitter = Splitter(separator)
    lists = _add_up((splitter.atoms(cell), rows) for cell, rows in cells.items())
    lists.pop((), None)
    if not (_are_listed(lists) and _are_codes(lists, separator)):
        return []
    options = [_spell(group, cells, splitter) for group in _join_atoms(lists)]
    return _check(options, cells, separator)


def _find_tight(cells: Mapping[str, int], separator: str) -> list[str]:
    """The options where nothing but a separator without a blank after it stands between two, else []."""
    between = re.compile(re.escape(separator) + r"(?=\S)")
    if separator.isspace() or not any(f"{separator} " in cell for cell in cells):
        return []
    parts = (part.strip() for cell in cells for part in between.split(cell))
    return _check([*dict.fromkeys(parts)], cells, separator)


def _add_up(pairs: Iterable[tuple[Hashable, int]]) -> Counter:
    """How many rows each thing has in all."""
    totals = Counter()
    for thing, rows in pairs:
        totals[thing] += rows
    return totals


def _count_parts(lists: Mapping[Atoms, int]) -> Counter:
    """How many rows hold each part."""
    return _add_up((part, rows) for parts, rows in lists.items() for part in parts)


def _check(options: list[str], cells: Mapping[str, int], separator: str) -> list[str]:
    """The options in their order, or [] if they do not explain the cells."""
    splitter = Splitter(separator, options)
    split = _add_up((tuple(splitter.split(cell)), rows) for cell, rows in cells.items())
    split.pop((), None)
    return _order(split) if _are_options(split) else []


def _are_listed(lists: Mapping[Atoms, int]) -> bool:
    """Whether enough cells hold several parts: as many in every cell are a form of its own, such as "Last, First"."""
    several = sum(rows for atoms, rows in lists.items() if len(atoms) > 1)
    return several >= max(ROWS, SEVERAL * sum(lists.values())) and len({*map(len, lists)}) > 1


def _are_codes(lists: Mapping[Atoms, int], separator: str) -> bool:
    """Whether parts between blanks, and numbers, are codes of options: no words of a text, no decimals."""
    atoms, longest = {atom for cell in lists for atom in cell}, max(map(len, lists))
    numbers = all(map(_NUMBER.fullmatch, atoms))
    if separator == " ":
        varied = len(lists) > len(atoms) + 2 and longest > 2
        codes = all(map(_CODE.fullmatch, atoms)) and not (numbers and max(map(len, atoms)) > 2)
        return len(atoms) <= MAX_OPTIONS and codes and varied and _mix(lists) is True
    return not numbers or (longest > 2 and len(atoms) <= MAX_OPTIONS)


def _mix(lists: Mapping[Atoms, int]) -> bool | None:
    """Whether atoms that are frequent enough occur together, as answers do and words of a phrase do not; None if none are."""
    rows, times = sum(lists.values()), _count_parts(lists)
    together = {pair for cell in lists for pair in combinations(sorted(cell), 2)}
    likely = [
        pair
        for pair in combinations(sorted(times), 2)
        if times[pair[0]] * times[pair[1]] >= EXPECTED * rows
    ]
    if not likely:
        return None
    return sum(pair in together for pair in likely) >= TOGETHER * len(likely)


def _are_options(split: Mapping[Atoms, int]) -> bool:
    """Whether the options found explain the cells: several in some, few in all, each in several cells."""
    times = _count_parts(split)
    answers = sum(times.values())
    again = sum(count for count in times.values() if count > 1)
    if not _are_listed(split) or again < REUSED * answers or _mix(split) is False:
        return False
    # Most of the texts that stand beside others are chosen often.
    common = sorted(times.values(), reverse=True)[:MAX_OPTIONS]
    return sum(common) >= REUSED * answers and len(times) < max(12, len(split))


def _join_atoms(lists: Mapping[Atoms, int]) -> list[Atoms]:
    """Atoms joined where they are one option that holds the separator: they always follow each other."""
    current = dict(lists)
    parts: dict[str, Atoms] = {atom: (atom,) for cell in lists for atom in cell}
    while merges := _find_merges(current):
        merged: Counter = Counter()
        for cell, rows in current.items():
            out: list[str] = []
            for atom in cell:
                if out and (out[-1], atom) in merges:
                    first = out.pop()
                    name = f"{first}\0{atom}"
                    parts[name] = (*parts[first], *parts[atom])
                    out.append(name)
                else:
                    out.append(atom)
            merged[tuple(out)] += rows
        current = dict(merged)
    return [parts[atom] for atom in dict.fromkeys(atom for cell in current for atom in cell)]


def _find_merges(lists: Mapping[Atoms, int]) -> set[tuple[str, str]]:
    """Pairs of neighbors that are one option."""
    times = _count_parts(lists)
    pairs = _add_up((pair, rows) for cell, rows in lists.items() for pair in zip(cell, cell[1:]))
    capital = sum(atom[0].isupper() for atom in times)
    titled = 2 * capital > len(times)
    merges = set()
    followers: dict[str, list[str]] = {}
    leaders: dict[str, list[str]] = {}
    for first, second in pairs:
        followers.setdefault(first, []).append(second)
        leaders.setdefault(second, []).append(first)
    for (first, second), rows in pairs.items():
        # A part of an option begins small where options begin with a capital letter.
        part = titled and second[0].islower()
        bound = rows == times[second]
        common, family = first, {}
        if bound and ((part and rows > CHANCE) or (rows == times[first] and (part or rows > 1))):
            merges.add((first, second))
        elif bound and len(followers[first]) > 1:
            family = {end: pairs[first, end] for end in followers[first]}
        elif rows == times[first] and len(leaders[second]) > 1:
            common, family = second, {start: pairs[start, second] for start in leaders[second]}
        # One part is shared by options that hold nothing else.
        if (
            family
            and times[common] == sum(family.values())
            and all(together == times[member] for member, together in family.items())
        ):
            merges.add((first, second))
    return merges


def _spell(group: Atoms, cells: Mapping[str, int], splitter: Splitter) -> str:
    """An option as the cells write it."""
    if len(group) == 1:
        return group[0]
    between = r"\s*" + (re.escape(splitter.separator) if splitter.separator else "") + r"\s*"
    pattern = re.compile(between.join(map(re.escape, group)))
    return next(match[0] for cell in cells if (match := pattern.search(cell)))


def _order(split: Mapping[Atoms, int]) -> list[str]:
    """Options in the order in which cells list them; the most frequent ones first if there are too many or no order."""
    frequent = [option for option, _ in _count_parts(split).most_common()]
    if len(frequent) > MAX_OPTIONS:
        return frequent
    before = _add_up((pair, rows) for cell, rows in split.items() for pair in combinations(cell, 2))
    # Lists: sets of texts have another order in every process.
    graph: dict[str, list[str]] = {option: [] for option in frequent}
    for (first, second), rows in before.items():
        if rows > before[second, first]:
            graph[second].append(first)
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError:
        return frequent
