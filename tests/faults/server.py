"""Runs tests of a copy of the project again and again: what is slow to import is imported once.

    python -m tests.faults.server      in the copy; a JSON list of tests a line in, a status a line out

Each list is run by pytest in a fork of this process, which has not imported anything of the project,
so that every run sees the files as they are then.
"""

import gc
import json
import os
import sys


def prepare() -> None:
    """Import what the tests need from elsewhere."""
    # ruff: noqa: F401 - imported to be there
    import hypothesis
    import numba
    import pandas
    import plotly.graph_objects
    import pyarrow.compute
    import pyarrow.parquet
    import pytest
    import scipy.optimize
    import scipy.special
    import sklearn.svm
    import streamlit.testing.v1

    # All this is there to stay: no run looks through it again for what could be freed.
    gc.collect()
    gc.freeze()


def run(tests: list[str]) -> int:
    """pytest's exit status for these tests, stopping at the first that fails."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    import pytest

    with open(os.devnull, "r+b") as nothing:
        for stream in (0, 1, 2):
            os.dup2(nothing.fileno(), stream)
    # Nothing of the parent is to be flushed or cleared up here.
    # anyio's plugin, which none of our tests uses, imports every event loop there is.
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:anyio"]
    os._exit(int(pytest.main([*options, *tests])))


def main() -> None:
    """Answer one line after the other."""
    prepare()
    for line in sys.stdin:
        print(run(json.loads(line)), flush=True)


if __name__ == "__main__":
    main()
