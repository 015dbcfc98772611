"""The list of known faults (tests/faults) fits the code as it is now, and its tests can fail."""

import os

import pytest

from tests.mutants import MUTANTS, ROOT, Project, verdict


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_fault_still_applies(mutant):
    text = (ROOT / mutant.path).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1
    compile(text.replace(mutant.old, mutant.new), mutant.path, "exec")
    assert all((ROOT / test.split("::")[0]).exists() for test in mutant.tests)


def test_there_are_at_least_a_dozen_faults():
    assert len({(mutant.path, mutant.old, mutant.new) for mutant in MUTANTS}) == len(MUTANTS) >= 12


@pytest.fixture(scope="module")
def project():
    """A copy of the project to put faults in, one for every worker of pytest."""
    with Project() as project:
        yield project


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("CI"), reason="in CI only; tests/mutants.py does the same")
@pytest.mark.parametrize("mutant", [m for m in MUTANTS if m.in_ci], ids=lambda m: m.name)
def test_a_test_notices_the_fault(project, mutant):
    assert verdict(project, mutant) == "killed"
