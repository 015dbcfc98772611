"""The list of known faults (tests/faults) fits the code as it is now, and its tests can fail."""

import os
from importlib import import_module
from pkgutil import iter_modules

import pytest

from tests import faults
from tests.mutants import MUTANTS, ROOT, Project, verdict


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_fault_still_applies(mutant):
    text = (ROOT / mutant.path).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1
    if mutant.path.endswith(".py"):
        compile(text.replace(mutant.old, mutant.new), mutant.path, "exec")
    for test in mutant.tests:
        file, _, name = test.partition("::")
        # Of a test that is gone nothing could be noticed.
        assert f"def {name.partition('[')[0]}" in (ROOT / file).read_text(encoding="utf-8"), test


def test_there_are_at_least_a_dozen_faults():
    assert len({(mutant.path, mutant.old, mutant.new) for mutant in MUTANTS}) == len(MUTANTS) >= 12


def test_ci_tries_few_faults_from_every_area():
    """Each costs CI about a second; the others are for the script."""
    areas = [import_module(f"tests.faults.{area.name}") for area in iter_modules(faults.__path__)]
    tried = [sum(m.in_ci for m in area.MUTANTS) for area in areas if hasattr(area, "MUTANTS")]
    assert len(tried) >= 14 and min(tried) >= 1 and sum(tried) <= 45, tried


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
