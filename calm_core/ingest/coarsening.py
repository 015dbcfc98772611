"""Fewer values for one column: regions of codes, fewer bins, the rarest merged."""

from calm_core._checks import check_count
from calm_core.ingest.column import ColumnSchema
from calm_core.ingest.editing import bin_numbers, group_values
from calm_core.ingest.merging import merge_column
from calm_core.ingest.values.prefixes import by_prefix


def coarser(column: ColumnSchema, most: int) -> tuple[ColumnSchema, str]:
    """The column with at most `most` values, and what was done, in a few words.

    Examples
    --------
    >>> zips = tuple(f"{region}{i}" for region in (101, 200, 506) for i in range(20))
    >>> column = ColumnSchema("zip", "category", labels=zips, values=zips, counts=(1,) * 60,
    ...                       groups=tuple(range(60)))
    >>> fewer, how = coarser(column, 8)
    >>> fewer.labels, how
    (('1...', '2...', '5...'), '60 values to 3 that start alike')
    """
    check_count("most", most, low=2)
    size = column.size
    if column.is_number:
        extra = size - len(column.edges or ()) - 1
        if column.binning == "calendar" and most > extra:
            fewer = bin_numbers(column, "calendar", bins=most - extra)
            if fewer.size <= most:
                return fewer, f"{size:,} bands to {fewer.size:,}, each a {fewer.bin_unit}"
        fewer = merge_column(column, most)
        return fewer, f"{size:,} bands to {fewer.size:,}"
    extra = (column.missing_code is not None) + (column.other is not None)
    if most > extra and (fewer := regions(column, most - extra)) is not None:
        return fewer, f"{size:,} values to {fewer.size:,} that start alike"
    fewer = merge_column(column, most)
    return fewer, f"{size:,} values to the {fewer.size - 1:,} most frequent and the rest"


def regions(column: ColumnSchema, most: int) -> ColumnSchema | None:
    """The column with its codes grouped by what they start with; None where they do not start alike."""
    if column.kind not in ("category", "id-like") or not column.values:
        return None
    starts = by_prefix(column.values, most)
    if starts is None:
        return None
    return group_values(
        column, [f"{start}..." for start in starts], order=sorted(f"{s}..." for s in set(starts))
    )
