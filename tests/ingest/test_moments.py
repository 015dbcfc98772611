"""Times of typed files are read like the same times in a text file."""

import numpy as np
import pyarrow as pa
import pytest

from calm_core.ingest.detect import detect_schema
from calm_core.ingest.encode import encode_table
from calm_core.ingest.reading import read_table
from tests.bad_files.make import parquet_of

STARTS = np.datetime64("2013-05-01T06:00:00", "s") + 1733 * np.arange(45)
ARRIVED = pa.array(STARTS)


def read(content: bytes, name: str = "t.parquet"):
    return read_table(content, name=name, isolate=False)


def time_of_day(moments: np.ndarray) -> pa.Array:
    return pa.array((moments - moments.astype("datetime64[D]")).astype(np.int64), pa.int32())


def as_csv(texts) -> bytes:
    return "\n".join(["at", *texts]).encode()


@pytest.mark.parametrize(
    ("typed", "texts"),
    [
        (ARRIVED, [str(at).replace("T", " ") for at in STARTS]),
        (ARRIVED.cast(pa.timestamp("ns")), [str(at) for at in STARTS]),
        (time_of_day(STARTS).cast(pa.time32("s")), [str(at)[11:] for at in STARTS]),
        (time_of_day(STARTS).cast(pa.time32("s")).cast(pa.time64("us")), [str(at)[11:] for at in STARTS]),
    ],
    ids=["moments", "nanoseconds", "times", "times in microseconds"],
)  # fmt: skip
def test_times_are_binned_as_the_same_texts_are(typed, texts):
    found, written = read(parquet_of(at=typed)), read(as_csv(texts), "t.csv")
    assert not [note for note in found.notes if "'at'" in note]
    column, other = detect_schema(found).column("at"), detect_schema(written).column("at")
    assert column.kind == other.kind == "date" and column.bin_unit.endswith(("hour", "hours"))
    assert (column.labels, column.edges) == (other.labels, other.edges)
    one, two = (encode_table(table, schema=detect_schema(table)) for table in (found, written))
    np.testing.assert_array_equal(one.dataset.codes, two.dataset.codes)


def test_times_with_a_zone_are_local():
    noon = pa.array([np.datetime64("2013-05-01T10:00:00", "ms")]).cast(pa.timestamp("ms", "UTC"))
    table = read(parquet_of(at=noon.cast(pa.timestamp("ms", "Europe/Berlin"))))
    assert table.texts("at").to_pylist() == ["2013-05-01 12:00:00"]


def test_fractions_of_a_second_are_dropped_with_a_note():
    at = pa.array([-1500, 0, 1500], pa.timestamp("ms"))
    table = read(parquet_of(at=at))
    assert table.texts("at").to_pylist() == [
        "1969-12-31 23:59:58",
        "1970-01-01",
        "1970-01-01 00:00:01",
    ]
    assert any("'at' holds fractions of a second" in note for note in table.notes)


def test_durations_are_seconds():
    table = read(parquet_of(took=pa.array([60_000, 1500, None], pa.duration("ms"))))
    assert table.texts("took").to_pylist() == ["60", "1.5", None]
    assert any("read as seconds" in note for note in table.notes)
