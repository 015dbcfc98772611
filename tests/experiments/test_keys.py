"""Whatever decides a result takes part in its key: every field, also those that come one day."""

from dataclasses import fields

import numpy as np

import calm_core as cc
from calm_core.experiments.classification import ClassificationSpec
from calm_core.experiments.spec import ExperimentSpec, MethodSpec
from calm_core.settings import LOOKS, Settings


def people(seed=5, names="abcd") -> cc.Dataset:
    codes = np.random.default_rng(seed).integers(0, 2, size=(60, 4))
    return cc.Dataset.from_codes(codes, cc.Domain(tuple(names), (2, 3, 2, 2)))


DATA = people()
# For every field another value; those of NO_MATTER give the same key, for the reason given there.
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
    "attrs": ("sex",), "presenter": True, "hide": ("d",), "pages": ("plan",),
}  # fmt: skip
NO_MATTER = {
    "repetitions": "a repetition is the same, however many come after it",
    "attrs": "which table is looked at does not change what was collected",
    "presenter": "large type", "hide": "controls a teacher hid", "pages": "pages a teacher shows",
}  # fmt: skip


def keys(spec) -> set[str]:
    return {task.key for task in spec.tasks}


def test_no_field_is_forgotten():
    """A new field needs a value here: it changes the key, or a reason says why it need not."""
    for kind, others in (
        (ExperimentSpec, EXPERIMENT), (ClassificationSpec, CLASSIFICATION),
        (MethodSpec, METHOD), (Settings, SETTINGS),
    ):  # fmt: skip
        assert set(others) == {field.name for field in fields(kind)}, kind


def test_every_field_of_a_spec_changes_the_keys_of_its_tasks():
    shared = {"data": DATA, "epsilons": (1.0,), "repetitions": 2}
    experiment = shared | {"methods": ("calm", "uni"), "ks": (2,), "ns": (40,)}
    classification = shared | {"label": "d", "features": ("a",), "methods": ("calm",), "n": 40}
    for kind, base, others in (
        (ExperimentSpec, experiment, EXPERIMENT),
        (ClassificationSpec, classification, CLASSIFICATION),
    ):
        before = keys(kind(**base))
        for name, value in others.items():
            after = keys(kind(**base | {name: value}))
            if name in NO_MATTER:
                assert before < after, name
            elif (kind, name) == (ClassificationSpec, "methods"):
                # The baselines are the same whatever they are compared with.
                assert len(before & after) == 4
            else:
                assert not before & after, (kind, name)


def test_every_field_of_a_method_changes_the_keys():
    base = {"name": "fc", "options": {}, "label": "fc"}
    specs = [
        ExperimentSpec(DATA, (MethodSpec(**base | {name: METHOD[name]} if name else base),), (1.0,), ks=(2,))
        for name in (None, *METHOD)
    ]  # fmt: skip
    assert len(set.union(*map(keys, specs))) == sum(len(keys(spec)) for spec in specs)


def test_names_and_sizes_of_attributes_change_the_keys():
    wider = cc.Dataset.from_codes(DATA.codes, cc.Domain(tuple("abcd"), (2, 3, 2, 4)))
    specs = [ExperimentSpec(d, ("uni",), (1.0,)) for d in (DATA, people(names="abce"), wider)]
    assert len(set.union(*map(keys, specs))) == 3 * 20


def test_every_setting_changes_the_key_of_results():
    for name, value in SETTINGS.items():
        other = Settings(**{name: value})
        assert getattr(other, name) != getattr(Settings(), name)
        same = other.results_key == Settings().results_key
        assert same == (name in NO_MATTER) and (name in LOOKS) == (name in NO_MATTER), name
