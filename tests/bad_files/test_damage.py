"""Randomly damaged files are read or refused, never a traceback, a hang or a crash."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COUNT = 300


@pytest.mark.timeout(3600)
def test_damaged_files_end_in_a_table_or_a_sentence():
    # In its own process: a crash of a parser would otherwise end the test run.
    command = [sys.executable, "-m", "tests.bad_files.damage", str(COUNT)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"after file {len(said) - 1}: {done.stderr[-3000:]}"
    assert len(said) == COUNT and not any("\n" in line for line in said)
    # The damage is real, and much of it is survived.
    assert 0.2 * COUNT < sum(line.startswith("refused") for line in said) < 0.8 * COUNT
