"""The public plan as a file: exact for every plan there is, one text for one plan, all else refused."""

import json

import numpy as np
import pytest

import calm_core as cc
from calm_core.errors import DataError, InputError
from calm_core.methods import METHODS
from calm_core.methods.calm_plus import DESIGNS
from calm_core.oracles import ORACLE_RULES
from calm_core.planning.plan_file import (
    canonical_json,
    load_plan,
    plan_digest,
    plan_from_text,
    plan_text,
    save_plan,
)

SIZES = (2, 3, 4, 2, 5, 2)
LABELS = tuple(tuple(f"v{code}" for code in range(size)) for size in SIZES)
DOMAIN = cc.Domain(tuple("abcdef"), SIZES, labels=LABELS, titles=("Ä", *"bcdef"))


def methods():
    """Every rule, every design, a view set by hand."""
    for rule in ORACLE_RULES:
        yield f"calm {rule}", METHODS["calm"](epsilon=0.7, k=2, oracle=rule, l=3)
    yield "by cells", METHODS["calm"](epsilon=1 / 3, k=3, design="cells")
    for design in DESIGNS:
        yield design, METHODS["calm_plus"](epsilon=1.0, k=2, design=design)


@pytest.mark.parametrize("name, method", list(methods()), ids=lambda part: str(part)[:12])
def test_a_plan_is_read_back_as_it_was(name, method, rng):
    plan = method.plan(DOMAIN, 10_000, rng=rng)
    again = plan_from_text(plan_text(plan))
    assert again == plan and again.shares == plan.shares
    for part in ("labels", "titles", "shorts", "value_names"):
        assert getattr(again.domain, part) == getattr(plan.domain, part)
    assert plan_text(again) == plan_text(plan)


@pytest.fixture(scope="module")
def plan():
    return METHODS["calm"](epsilon=1.0, k=2).plan(DOMAIN, 9_000, rng=np.random.default_rng(1))


def test_the_digest_is_that_of_what_is_said_not_of_how(plan):
    spread = json.dumps(dict(reversed(json.loads(plan_text(plan)).items())), indent=3)
    assert spread != plan_text(plan)
    assert plan_digest(plan_from_text(spread)) == plan_digest(plan)
    assert canonical_json(json.loads(spread)) == plan_text(plan)


def test_the_digest_changes_with_every_field(plan):
    plain = json.loads(plan_text(plan))
    for changes in (
        {"epsilon": 1.1}, {"n": 9001}, {"domain": plain["domain"] | {"labels": (("x", "y"), *LABELS[1:])}},
        {"views": plain["views"][::-1], "oracles": plain["oracles"][::-1]},
    ):  # fmt: skip
        assert plan_digest(plan_from_text(json.dumps(plain | changes))) != plan_digest(plan), (
            changes
        )


DAMAGE = (
        (lambda plain: "", "no valid JSON"),
        (lambda plain: "[1, 2]", "no plan|not a plan"),
        (lambda plain: "[" * 100_000, "not a plan"),
        (lambda plain: plain | {"format": "calm-lab plan 2"}, "not a plan of format"),
        (lambda plain: plain | {"epsilon": 99}, r"epsilon \(99\)"),
        (lambda plain: plain | {"epsilon": "1"}, "epsilon must be number"),
        (lambda plain: plain | {"n": True}, "n must be whole number"),
        (lambda plain: plain | {"views": plain["views"][1:]}, "equally many"),
        (lambda plain: plain | {"views": [["b", "a"]] * len(plain["views"])}, "order of the domain"),
        (lambda plain: plain | {"oracles": [{"name": "best"}] * len(plain["views"])}, "oracle"),
        (lambda plain: plain | {"oracles": [{"name": "grr"}] * len(plain["views"])}, "not a valid"),
        (lambda plain: plain | {"seed": 1}, r"field is missing, unknown or of another kind .'seed'."),
        (lambda plain: plain | {"weights": [-1.0] * len(plain["views"])}, "negative"),
        (lambda plain: plain | {"domain": {"names": ["a"]}}, "sizes"),
        (lambda plain: plain | {"domain": {"names": [1], "sizes": [2]}}, "domain must be"),
        (lambda plain: plain | {"choice": {}}, "not a valid plan"),
)  # fmt: skip


def test_what_is_no_plan_is_refused_in_a_sentence(plan):
    for damage, message in DAMAGE:
        text = damage(json.loads(plan_text(plan)))
        with pytest.raises(DataError, match=message) as refused:
            plan_from_text(text if isinstance(text, str) else json.dumps(text))
        assert "\n" not in str(refused.value) and len(str(refused.value)) < 600, message


def test_a_plan_goes_through_a_file(plan, tmp_path):
    save_plan(tmp_path / "plan.json", plan)
    assert load_plan(tmp_path / "plan.json") == plan
    with pytest.raises(InputError, match="no such file"):
        load_plan(tmp_path / "other.json")
    with pytest.raises(InputError, match="ordinary file"):
        load_plan(tmp_path)


def test_a_plan_that_could_not_be_read_is_not_written(tmp_path):
    domain = cc.Domain(("a\ud800", "b"), (2, 2))
    plan = METHODS["calm"](epsilon=1.0, k=2).plan(domain, 900, rng=np.random.default_rng(1))
    with pytest.raises(DataError, match="domain must be"):
        save_plan(tmp_path / "plan.json", plan)
    assert not list(tmp_path.iterdir())
