"""The preamble of loky's workers, which loky starts as `python -m MODULE ...`: see `workers`."""

import os
import runpy
import sys

if __name__ == "__main__":
    sys.argv[:1] = [
        os.path.join(os.path.dirname(__file__), "preamble.py"),
        os.environ.pop("CALM_LAB_PARENT"),
        "loky.backend.popen_loky_posix",
    ]
    runpy.run_path(sys.argv[0], run_name="__main__")
