"""States merge in any order and count nothing twice; as files they are exact, or refused."""

import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calm_core as cc
from calm_core.collection import states
from calm_core.collection.report_files import REASONS
from calm_core.collection.states import (
    KINDS,
    State,
    load_state,
    merge_states,
    save_state,
    state_bytes,
    state_from_bytes,
)
from calm_core.collection.tally import Tally
from calm_core.errors import DataError, InputError
from calm_core.methods import METHODS

DOMAIN = cc.Domain(("a", "b", "c"), (2, 3, 2), labels=(("x", "y"), ("1", "2", "3"), ("n", "j")))
PLAN = METHODS["calm"](epsilon=1.0, k=2).plan(DOMAIN, 900, rng=np.random.default_rng(1))
CELLS = sum(oracle.size for oracle in PLAN.oracles)


def batch(name, sha="00"):
    """The tally of a batch, another one for every name."""
    rng = np.random.default_rng([ord(sign) for sign in name])
    people = rng.integers(50, 99, size=PLAN.m)
    refused = (1, 0, 2, *(0,) * (len(REASONS) - 3)) if name == "b" else (0,) * len(REASONS)
    return Tally(((name, sha),), rng.integers(50, size=CELLS), people, refused)


def state(names):
    return State(PLAN, tuple(batch(name) for name in names))


def are_equal(one, other):
    return (
        one.batches == other.batches
        and one.refused == other.refused
        and [v.support.tolist() for v in one.reports.views]
        == [v.support.tolist() for v in other.reports.views]
        and one.n == other.n
    )


names = st.lists(st.sampled_from("abcdef"), unique=True)


@pytest.mark.slow
@given(names, names, names)
def test_merging_is_commutative_associative_and_idempotent(one, two, three):
    a, b, c = state(one), state(two), state(three)
    assert are_equal(merge_states([a, b]), merge_states([b, a]))
    assert are_equal(
        merge_states([merge_states([a, b]), c]), merge_states([a, merge_states([b, c])])
    )
    assert are_equal(merge_states([a, a, b, a]), merge_states([b, a]))
    # The referee: the batches there are, each once.
    union = sorted({*one, *two, *three})
    assert are_equal(merge_states([a, b, c]), state(union))
    assert merge_states([c, b, a]).n == sum(batch(name).people.sum() for name in union)
    for kind in KINDS:
        assert state_bytes(merge_states([a, b, c]), kind) == state_bytes(
            merge_states([c, b, a]), kind
        )


def test_reports_add_up_view_by_view():
    found, first = state("abc").reports, 0
    for i, view in enumerate(found.views):
        part = slice(first, first + view.oracle.size)
        assert view.support.tolist() == sum(batch(n).support[part] for n in "abc").tolist()
        assert view.n == sum(batch(n).people[i] for n in "abc")
        first = part.stop
    assert state("abc").refused == {REASONS[0]: 1, REASONS[2]: 2}
    assert State(PLAN).n == 0 and State(PLAN).refused == {}


def test_batches_that_are_too_many_become_one_sum(monkeypatch):
    monkeypatch.setattr(states, "MAX_COUNTS", 3 * CELLS)
    apart, sums = state("abc"), state("abcd")
    assert len(apart.tallies) == 3 and len(sums.tallies) == 1
    assert sums.n == sum(batch(name).people.sum() for name in "abcd")
    assert are_equal(merge_states([sums, state("d"), state("ab"), sums]), sums)
    assert sorted(merge_states([sums, state("e")]).batches) == list("abcde")
    with pytest.raises(InputError, match="share 1 batches that can no longer be separated"):
        merge_states([sums, state("defg")])


def test_a_batch_with_two_contents_and_another_plan_are_refused():
    forged = State(PLAN, (batch("a", "ff"),))
    with pytest.raises(InputError, match="two contents"):
        merge_states([state("ab"), forged])
    with pytest.raises(InputError, match="one plan"):
        merge_states([state("a"), State(replace(PLAN, n=901))])
    with pytest.raises(InputError, match="at least one"):
        merge_states([])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("names", ["", "a", "abcdef"])
def test_a_state_is_read_back_as_it_was(kind, names, tmp_path):
    whole, path = state(names), tmp_path / f"state{kind}"
    save_state(path, whole)
    again = load_state(path)
    assert are_equal(again, whole) and again.plan == PLAN
    assert again.plan.domain.labels == DOMAIN.labels
    assert state_bytes(again, kind) == path.read_bytes()


def test_a_state_of_another_ending_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"must end in .json or .npz"):
        save_state(tmp_path / "state.csv", state("a"))


PLAIN = json.loads(state_bytes(state("ab"), ".json"))


def tally_with(**more):
    first, *others = PLAIN["tallies"]
    return PLAIN | {"tallies": [first | more, *others]}


def npz(**more):
    with np.load(io.BytesIO(state_bytes(state("ab"), ".npz"))) as found:
        parts = dict(found) | more
    sink = io.BytesIO()
    np.savez(sink, **parts)
    return sink.getvalue()


def make_encrypted():
    content = bytearray(state_bytes(state("ab"), ".npz"))
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


WRONG = {
    "nothing": (b"", "damaged, or no state"),
    "another file": (b"sex,age\nf,1\n", "damaged, or no state"),
    "deep": (b"[" * 100_000, "damaged, or no state"),
    "a plan": (PLAIN | {"format": "calm-lab plan 1"}, "no state of format"),
    "no plan": (PLAIN | {"plan": {}}, "not a plan"),
    "another digest": (PLAIN | {"plan_digest": "00"}, "not the one it names"),
    "no tallies": (PLAIN | {"tallies": 3}, "damaged"),
    "a fraction": (tally_with(people=[1.5] * PLAN.m), "whole numbers"),
    "truth": (tally_with(people=[True] * PLAN.m), "whole numbers"),
    "too large": (tally_with(people=[2**70] * PLAN.m), "damaged"),
    "negative": (tally_with(people=[-1] * PLAN.m), "from 0"),
    "half a batch": (tally_with(batches=[["b"]]), "not what they should"),
    "no reason": (tally_with(refused={"whim": 1}), "not what they should"),
    "an odd count": (tally_with(refused={REASONS[0]: "1"}), "refused"),
    "too few rows": (npz(people=np.zeros((1, PLAN.m), int)), "damaged"),
    "objects": (npz(people=np.array([None])), "damaged"),
    "floats": (npz(people=np.ones((2, PLAN.m))), "from 0"),
    "said to be encrypted": (make_encrypted(), "damaged, or no state"),
    "cut short": (state_bytes(state("ab"), ".npz")[:-30], "damaged"),
}


def test_what_is_no_state_is_refused_in_a_sentence():
    for name, (content, message) in WRONG.items():
        content = content if isinstance(content, bytes) else json.dumps(content).encode()
        with pytest.raises(DataError) as refused:
            state_from_bytes(content)
        said = str(refused.value)
        assert re.search(message, said), name
        assert "\n" not in said and len(said) < 600, name


def test_a_file_that_unpacks_to_too_much_is_refused_before_it_does(monkeypatch):
    monkeypatch.setattr("calm_core.collection.states.MAX_BYTES", 1 << 12)
    with pytest.raises(DataError, match="unpacks to more than"):
        state_from_bytes(npz(people=np.zeros((2, 1 << 12), int)))


@pytest.mark.parametrize("kind", KINDS)
def test_damage_anywhere_is_a_sentence_or_shows_in_no_number(kind):
    content = state_bytes(state("ab"), kind)
    rng = np.random.default_rng(1)
    for at in rng.integers(len(content), size=80):
        damaged = bytearray(content)
        damaged[at] ^= 1 << rng.integers(8)
        try:
            state_from_bytes(bytes(damaged))
        except DataError as error:
            assert "\n" not in str(error)
