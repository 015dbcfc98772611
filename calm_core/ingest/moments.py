"""Dates, times and lengths of time of typed files, as a person would write them into a text file."""

import pyarrow as pa

from calm_core.ingest.kernels import pc

MIDNIGHT = " 00:00:00"
TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}  # in a second


def is_moment(kind: pa.DataType) -> bool:
    """Whether a type holds points in time: days, days with a time, or times of the day."""
    return pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_time(kind)


def moments_as_texts(column, name: str, notes: list[str]):
    """Points in time as ISO texts: "2013-05-01" at midnight, else "2013-05-01 14:30:00" or "14:30:00".

    Every cell is written by itself, so that a file read in parts gives the texts of the whole. Times
    with a zone are those of its clocks.

    Examples
    --------
    >>> moments_as_texts(pa.array([0, 86399], pa.timestamp("s")), "t", []).to_pylist()
    ['1970-01-01', '1970-01-01 23:59:59']
    """
    if pa.types.is_date(column.type):
        return column.cast(pa.date32(), safe=False).cast(pa.string())
    if pa.types.is_time(column.type):
        whole = column.cast(pa.time32("s"), safe=False)
        _note_fractions(column, whole, name, notes)
        return whole.cast(pa.string())
    if column.type.tz is not None:
        column = _local(column, name, notes)
    whole = pc.floor_temporal(column, unit="second").cast(pa.timestamp("s"))
    _note_fractions(column, whole, name, notes)
    texts = whole.cast(pa.string())
    return pc.if_else(
        pc.ends_with(texts, MIDNIGHT), pc.utf8_slice_codeunits(texts, 0, -len(MIDNIGHT)), texts
    )


def _local(column, name: str, notes: list[str]):
    """What the clocks of the column's time zone show; of an unknown zone, those of Greenwich."""
    try:
        return pc.local_timestamp(column)
    except pa.ArrowInvalid:
        notes.append(
            f"Column {name!r:.60} has a time zone that is not known ({column.type.tz!r:.40}); its "
            "times are read as UTC."
        )
        return column.cast(pa.timestamp(column.type.unit))


def _note_fractions(column, whole, name: str, notes: list[str]) -> None:
    back = whole.cast(column.type)
    if pc.any(pc.not_equal(back, column)).as_py():
        notes.append(f"Column {name!r:.60} holds fractions of a second, which are left away.")


def lengths_as_seconds(column, name: str, notes: list[str]):
    """Lengths of time as numbers, in seconds.

    Examples
    --------
    >>> lengths_as_seconds(pa.array([1500, None], pa.duration("ms")), "t", []).to_pylist()
    [1.5, None]
    """
    notes.append(f"Column {name!r:.60} holds lengths of time; they are read as seconds.")
    ticks = column.cast(pa.int64()).cast(pa.float64(), safe=False)
    return pc.divide(ticks, float(TICKS[column.type.unit]))
