"""The list of known faults (tests/mutants.py) fits the code as it is now."""

import pytest

from tests.mutants import MUTANTS, ROOT


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_fault_still_applies(mutant):
    text = (ROOT / mutant.path).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1
    compile(text.replace(mutant.old, mutant.new), mutant.path, "exec")
    assert any((ROOT / test.split("::")[0]).exists() for test in mutant.tests)


def test_there_are_at_least_a_dozen_faults():
    assert len({(mutant.path, mutant.new) for mutant in MUTANTS}) == len(MUTANTS) >= 12
