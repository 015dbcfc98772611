"""The child process that parses files: environment, limits, and checks of its result."""

import io
import json
import os
import subprocess
import sys
from dataclasses import asdict, replace

import pyarrow as pa
import pytest
from pyarrow import parquet

from calm_core.errors import DataError
from calm_core.ingest import limits
from calm_core.ingest.limits import LIMITS
from calm_core.ingest.reading import read_table
from calm_core.ingest.table import ReadOptions, make_table

LIMITED = replace(LIMITS, memory_bytes=3_000_000_000, seconds=50, file_seconds=70)
# Answers with what it sees instead of a table.
WITNESS = """
import json, os, resource, sys
from pathlib import Path
seen = {"environment": dict(os.environ), "isolated": sys.flags.isolated, "path": sys.path,
        "folder": os.getcwd(), "input": sys.stdin.read()}
Path(sys.argv[1], "error.json").write_text(
    json.dumps({"kind": "DataError", "sentence": json.dumps(seen)})
)
"""


@pytest.fixture
def child(monkeypatch, tmp_path) -> dict:
    """What the child sees while the parent holds a secret."""
    monkeypatch.setenv("CALM_SECRET_TOKEN", "swordfish")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("LANG", "C.UTF-8")
    (tmp_path / "witness.py").write_text(WITNESS)
    monkeypatch.setattr(limits, "WORKER", tmp_path / "witness.py")
    with pytest.raises(DataError) as caught:
        read_table(b"a,b\n1,2\n", name="t.csv", limits=LIMITED)
    return json.loads(str(caught.value))


def test_no_secret_of_the_parent_reaches_the_child(child):
    known = child["environment"]
    assert "swordfish" not in json.dumps(child) and known["LANG"] == "C.UTF-8"
    # The system itself may add LC_CTYPE to a process without a locale.
    assert set(known) <= {*limits.INHERITED_VARIABLES, *limits.CHILD_VARIABLES, "LC_CTYPE"}
    assert "HOME" in os.environ and "HOME" not in known


def test_the_child_is_isolated(child, tmp_path):
    assert child["isolated"] == 1 and child["input"] == ""
    assert str(tmp_path) not in child["path"] and child["folder"] not in child["path"]
    assert child["folder"] != os.getcwd() and not os.path.exists(child["folder"])


def test_a_crash_after_parsing_is_not_blamed_on_the_file(monkeypatch, tmp_path):
    # As libraries with threads of their own do now and then where the machine is busy.
    dying = "import atexit, os, runpy\natexit.register(os.abort)\n"
    dying += f"runpy.run_path({str(limits.WORKER)!r}, run_name='__main__')\n"
    (tmp_path / "dying.py").write_text(dying)
    monkeypatch.setattr(limits, "WORKER", tmp_path / "dying.py")
    assert read_table(b"a,b\n1,2\n3,4\n", name="t.csv", limits=LIMITED).data.num_rows == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
def test_the_child_is_limited_before_it_parses(tmp_path):
    import resource

    (tmp_path / "input").write_bytes(b"a,b\n1,2\n")
    job = {
        "parent": os.getpid(), "path": str(tmp_path / "input"), "name": "t.csv",
        "options": asdict(ReadOptions()), "limits": vars(LIMITED), "seconds": 70,
    }  # fmt: skip
    (tmp_path / "job.json").write_text(json.dumps(job))
    script = (
        "import os, resource, runpy, sys; from pathlib import Path\n"
        f"worker = runpy.run_path({str(limits.WORKER)!r})\n"
        "worker['enter_packages']()\n"
        "import calm_core.ingest.reading as reading\n"
        "def parse(*arguments):\n"
        "    names = ('RLIMIT_AS', 'RLIMIT_CPU', 'RLIMIT_FSIZE', 'RLIMIT_CORE')\n"
        "    print({'nice': os.nice(0)} | {name: resource.getrlimit(getattr(resource, name)) for name in names})\n"
        "    raise SystemExit\n"
        "reading.parse_buffer = parse\n"
        f"worker['run'](Path({str(tmp_path)!r}))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = eval(done.stdout)
    assert found["nice"] >= min(19, os.nice(0) + 10)

    def at_most(name: str, amount: int, later: int = 0) -> tuple[int, int]:
        hard = resource.getrlimit(getattr(resource, name))[1]
        free = hard == resource.RLIM_INFINITY
        return (amount, amount + later) if free else (min(amount, hard), min(amount + later, hard))

    memory = at_most("RLIMIT_AS", LIMITED.memory_bytes)
    assert found["RLIMIT_AS"] == memory
    assert found["RLIMIT_FSIZE"] == at_most("RLIMIT_FSIZE", LIMITED.memory_bytes)
    assert found["RLIMIT_CPU"] == at_most("RLIMIT_CPU", 70, later=1)
    assert found["RLIMIT_CORE"] == (0, 0)


def load_from_child(folder, column: pa.Array, cut: int | None = None):
    """The table that the parent loads if the child wrote this column, or only a part of the file."""
    limits.write_table(make_table({"a": ["x", "y"]}), folder)
    data, path = pa.table({"a": column}), folder / "table.arrow"
    with pa.OSFile(str(path), "wb") as sink:
        with pa.ipc.new_file(sink, data.schema) as writer:
            writer.write_table(data)
    path.write_bytes(path.read_bytes()[:cut])
    return limits.load_table(folder, "t.csv")


def dictionary_array(indices: list[int], texts: pa.Array) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), texts, safe=False)


def texts_of(offsets: list[int], content: bytes) -> pa.Array:
    ends = pa.py_buffer(pa.array(offsets, pa.int32()).buffers()[1])
    return pa.StringArray.from_buffers(2, ends, pa.py_buffer(content))


WORDS = pa.array(["x", "y", None]).dictionary_encode()


def test_a_table_of_the_child_is_loaded(tmp_path):
    assert load_from_child(tmp_path, WORDS).texts("a").to_pylist() == ["x", "y", None]


@pytest.mark.parametrize(
    ("column", "cut"),
    [
        *(
            (dictionary_array([0, 1, index], pa.array(["x", "y"])), None)
            for index in (2, -1, 1_000_000)
        ),
        (dictionary_array([0, 1], texts_of([0, 500_000, 2], b"xy")), None),
        (dictionary_array([0, 1], texts_of([0, 1, 2], b"x\xff")), None),
        (WORDS, -20),
    ],
    ids="index_2 index_-1 index_1000000 text_beyond_its_buffer not_UTF-8 cut_short".split(),
)
def test_a_damaged_table_of_the_child_is_refused(tmp_path, column, cut):
    with pytest.raises(DataError, match="it is damaged"):
        load_from_child(tmp_path, column, cut)


@pytest.mark.parametrize("names", [("a",), ("a", "a")])
def test_indices_of_a_parquet_file_are_checked(monkeypatch, names):
    sink = io.BytesIO()
    parquet.write_table(pa.table([["x", "y"]] * len(names), names=names), sink)
    wrong = pa.table([dictionary_array([0, 2], pa.array(["x", "y"]))] * len(names), names=names)
    monkeypatch.setattr(parquet.ParquetFile, "read", lambda file, **asked: wrong)
    with pytest.raises(DataError, match="Parquet file is damaged"):
        read_table(sink.getvalue(), name="t.parquet", isolate=False)
