"""The golden vectors of device.js, by the library's own randomizers; test_device.py of the browser runs the file."""

import json
from importlib.resources import files

import pytest

from calm_core.oracles import ORACLES, PLAN_ORACLES, Parity
from tests.oracles.scripted_draws import Scripted, write_report

VECTORS = json.loads((files("calm_core.oracles") / "vectors.json").read_text("utf-8"))
# The specification of the classroom, section 8.
KEEPS = {
    (1, 4): "79b1a4eec500ab94", (2, 2): "e17bead453ce5156", (2, 4): "b6137869fdc8da20",
    (2, 8): "8375fdfb4419679c", (3, 8): "bdd6d7b9ca832eb0", (4, 16): "c8d37c946a3afdf2",
}  # fmt: skip


def build_oracle(vector):
    """The oracle of a vector; of parities a bit for every attribute, the first highest."""
    name, told = vector["oracle"]["name"], vector["oracle"]
    places = range(told["size"].bit_length() - 1)
    more = (
        [[tuple(i for i in places if mask >> places[-1] - i & 1) for mask in told["parities"]]]
        if name == Parity.name
        else []
    )
    return PLAN_ORACLES[name](vector["epsilon"], told["size"], *map(tuple, more))


@pytest.mark.parametrize("name", PLAN_ORACLES)
def test_the_golden_vectors_are_what_the_library_draws(name):
    vectors = [vector for vector in VECTORS if vector["oracle"]["name"] == name]
    if not vectors:
        pytest.fail(
            f"vectors.json has no draws of {name}; see CONTRIBUTING, A frequency oracle, step 3"
        )
    assert len({vector["oracle"]["size"] for vector in vectors}) >= 4
    for vector in vectors:
        oracle = build_oracle(vector)
        assert vector["oracle"] == {"name": name, "size": oracle.size, **oracle.device}
        words = [int(word, 16) for word in vector["words"].split()]
        draws = Scripted(words)
        assert write_report(oracle, vector["cell"], draws) == vector["sent"], vector
        assert draws.drawn == len(words)


def test_how_often_a_phone_keeps_its_answer_is_the_specifications_number():
    for (epsilon, size), keep in KEEPS.items():
        assert ORACLES["grr"](epsilon, size).device == {"keep": keep}


@pytest.mark.parametrize("name", PLAN_ORACLES)
def test_as_many_words_are_drawn_whatever_the_cell(name):
    """How long a device takes says nothing of the answer."""
    oracle = Parity(1.0, 8, ((0, 1),)) if name == Parity.name else ORACLES[name](1.0, 6)
    drawn = []
    for cell in range(oracle.size):
        draws = Scripted([7] * 100)
        write_report(oracle, cell, draws)
        drawn.append(draws.drawn)
    assert len(set(drawn)) == 1
