"""Fixtures shared by all tests."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

# The same examples in every run; HYPOTHESIS_PROFILE=default looks for new ones. How long an example
# takes says how busy the machine is, not whether it is right.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("default", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def rng() -> np.random.Generator:
    """A generator with a fixed seed: every test must pass on any seed, and repeats exactly."""
    return np.random.default_rng(20181015)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("CALM_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data not found in {folder}")
    return folder
