"""Whatever decides a result takes part in its key: every field, also those that come one day."""

from dataclasses import fields

import numpy as np
import pytest

import calm_core as cc
from calm_core.experiments import ExperimentSpec, MethodSpec
from calm_core.experiments.classification import ClassificationSpec
from calm_core.settings import LOOKS, Settings


def people(seed=5, names="abcd") -> cc.Dataset:
    codes = np.random.default_rng(seed).integers(0, 2, size=(60, 4))
    return cc.Dataset.from_codes(codes, cc.Domain(tuple(names), (2, 3, 2, 2)))


DATA = people()
# For every field another value; those of NO_MATTER give the same key, for the reason told there.
EXPERIMENT = {
    "data": people(6), "methods": ("ft",), "epsilons": (2.0,), "ks": (1,), "ds": (3,), "ns": (50,),
    "repetitions": 3, "queries": 5, "seed": 2, "query_kind": "consecutive", "name": "people",
}  # fmt: skip
CLASSIFICATION = {
    "data": people(6), "label": "b", "features": ("c",), "methods": ("ft",), "epsilons": (2.0,),
    "n": 50, "repetitions": 3, "seed": 2, "name": "people",
}  # fmt: skip
METHOD = {"name": "ft", "options": {"oracle": "oue"}, "label": "mine"}
SETTINGS = {
    "source": "browsing", "file": "people.csv", "read": ("header=no",), "schema": "f" * 64,
    "columns": ("sex", "age"), "d": 5, "max_values": 3, "n": 1000, "epsilon": 2.0, "k": 2,
    "theta": 0.01, "l": 2, "m": 7, "oracle": "oue", "nonnegativity": "simple", "rounds": 1,
    "reconstruction": "cln", "design": "pairs", "method": "ft", "seed": 2, "queries": 7,
    "attrs": ("sex",), "inside": ("sex=1",), "presenter": True, "hide": ("d",), "pages": ("plan",),
}  # fmt: skip
NO_MATTER = {
    "repetitions": "a repetition is the same, however many come after it",
    "attrs": "which table is looked at does not change what was collected",
    "inside": "which of its people are counted does neither",
    "presenter": "large type", "hide": "controls a teacher hid", "pages": "pages a teacher shows",
}  # fmt: skip


def keys(spec) -> set[str]:
    return {task.key for task in spec.tasks}


@pytest.mark.parametrize(
    ("kind", "others"),
    [(ExperimentSpec, EXPERIMENT), (ClassificationSpec, CLASSIFICATION), (MethodSpec, METHOD), (Settings, SETTINGS)],
)  # fmt: skip
def test_no_field_is_forgotten(kind, others):
    """A new field needs a value here: it changes the key, or a reason says why it need not."""
    assert set(others) == {field.name for field in fields(kind)}


@pytest.mark.parametrize("name", EXPERIMENT)
def test_every_field_of_an_experiment_changes_the_keys(name):
    base = {"data": DATA, "methods": ("calm", "uni"), "epsilons": (1.0,), "ks": (2,), "ns": (40,)}
    base |= {"repetitions": 2}
    before = keys(ExperimentSpec(**base))
    after = keys(ExperimentSpec(**base | {name: EXPERIMENT[name]}))
    assert len(before) == 4
    assert before < after if name in NO_MATTER else not before & after


@pytest.mark.parametrize("name", CLASSIFICATION)
def test_every_field_of_a_classification_changes_the_keys(name):
    base = {"data": DATA, "label": "d", "features": ("a",), "methods": ("calm",), "n": 40}
    base |= {"epsilons": (1.0,), "repetitions": 2}
    specs = (ClassificationSpec(**base), ClassificationSpec(**base | {name: CLASSIFICATION[name]}))
    before, after = map(keys, specs)
    assert len(before) == 6
    if name == "methods":
        # The baselines are the same whatever they are compared with.
        assert len(before & after) == 4
    else:
        assert before < after if name in NO_MATTER else not before & after


@pytest.mark.parametrize("name", METHOD)
def test_every_field_of_a_method_changes_the_keys(name):
    base = {"name": "fc", "options": {}, "label": "fc"}
    before, after = (
        keys(ExperimentSpec(DATA, (MethodSpec(**chosen),), (1.0,), ks=(2,)))
        for chosen in (base, base | {name: METHOD[name]})
    )
    assert not before & after


def test_keys_tell_names_and_sizes_of_attributes():
    wider = cc.Dataset.from_codes(DATA.codes, cc.Domain(tuple("abcd"), (2, 3, 2, 4)))
    specs = [ExperimentSpec(d, ("uni",), (1.0,)) for d in (DATA, people(names="abce"), wider)]
    assert len(set.union(*map(keys, specs))) == 3 * 20


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_changes_the_key_of_results(name):
    same = Settings(**{name: SETTINGS[name]}).results_key == Settings().results_key
    assert getattr(Settings(**{name: SETTINGS[name]}), name) != getattr(Settings(), name)
    assert same == (name in NO_MATTER) and (name in LOOKS) == (name in NO_MATTER)
