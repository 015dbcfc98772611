"""Randomly damaged files are read or refused, never a traceback, a hang or a crash.

600 of them, parsed in one process of their own; with CALM_DAMAGED_DOOR=1 there are 2,000, and each goes
through the whole door instead, in a child process of its own (about 15 minutes).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOOR = bool(os.environ.get("CALM_DAMAGED_DOOR"))
COUNT = 2000 if DOOR else 600


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_damaged_files_end_in_a_table_or_a_sentence():
    command = [sys.executable, "-m", "tests.bad_files.damage", "--count", str(COUNT)]
    if DOOR:
        command.append("--door")
    # In a process of its own: a crash of a parser would otherwise end the test run.
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"after file {len(lines) - 1}: {done.stderr[-3000:]}"
    assert len(lines) == COUNT
    refused = sum(line["said"].startswith("refused") for line in lines)
    # The damage is real, and much of it is survived.
    assert 0.2 * COUNT < refused < 0.8 * COUNT
    assert all("\n" not in line["said"] for line in lines)
