"""The privacy card says what is known of every release, and that the rest is open."""

import json
import re

import numpy as np
import pytest

import calm_core as cc
from calm_core.collection.states import State
from calm_core.collection.tally import Tally
from calm_core.evaluation.prediction import answer_state
from calm_core.release.privacy_card import OPEN, TEXTS


def make_people(d=4, n=2000) -> cc.Dataset:
    codes = np.random.default_rng(1).integers(0, 2, size=(n, d))
    return cc.Dataset.from_codes(codes, cc.Domain(tuple("abcd"[:d]), (2,) * d))


@pytest.mark.parametrize("method", cc.METHODS)
def test_every_release_has_a_card_with_the_trust_of_its_method(method, rng):
    configured = cc.METHODS[method](epsilon=1.0, k=2)
    answer = configured.release(make_people(), rng=rng)
    card = cc.release.privacy_card(answer)
    assert answer.trust == configured.trust
    assert (
        card["model"].lower() == configured.trust
        and card["who"] == TEXTS["by_trust"][configured.trust]["who"]
    )
    assert card["epsilon_per_person"] in (1.0, OPEN)
    # With the method, its budget and what it does are known.
    known = cc.release.privacy_card(answer, configured)
    assert known["epsilon_per_person"] == 1.0 and known["mechanism"] != OPEN


def test_a_collection_by_a_plan_is_described_by_it(rng):
    answer = cc.METHODS["calm"](epsilon=1.5, k=2, l=2, m=3, oracle="olh").release(
        make_people(), rng=rng
    )
    card = cc.release.privacy_card(answer)
    assert (card["epsilon_per_person"], card["epsilon_per_report"], card["people"]) == (
        1.5,
        1.5,
        2000,
    )
    assert card["mechanism"] == "Local hashing (OLH) on 3 views of 2 attributes"
    assert card["attributes"] == "a, b, c, d" and card["reports_per_person"] == 1
    assert any("up to 2 attributes" in limit for limit in card.limits)


def test_without_noise_nothing_is_said_to_be_protected(rng):
    method = cc.METHODS["direct"](epsilon=1.0, k=2, noise="none")
    card = cc.release.privacy_card(method.release(make_people(), rng=rng), method)
    assert "nothing is protected" in card["epsilon_per_person"]
    assert "nothing is protected" in card["variant"]


def test_json_names_the_field_of_each_standard_or_says_that_it_is_open(rng):
    answer = cc.METHODS["calm"](epsilon=1.0, k=2).release(make_people(), rng=rng)
    found = json.loads(cc.release.privacy_card(answer).to_json())
    fields = {field["key"]: field for field in found["fields"]}
    assert fields["epsilon_per_person"]["registry"].endswith("privacy_parameters.epsilon")
    assert fields["unit"]["nist"] == "Unit of privacy"
    assert fields["curator"]["value"] == fields["published"]["registry"] == OPEN
    assert all(field["nist"] and field["registry"] for field in found["fields"])
    assert found["version"] == cc.__version__ and "2509.13509" in found["standards"]["registry"]


def test_the_page_shows_every_field_escapes_names_and_loads_nothing(rng):
    domain = cc.Domain(("<b>x", "y & z"), (2, 2))
    people = cc.Dataset.from_codes(rng.integers(0, 2, size=(500, 2)), domain)
    card = cc.release.privacy_card(cc.METHODS["calm"](epsilon=1.0, k=2).release(people, rng=rng))
    page = card.to_html()
    for field in card.fields:
        assert field.title in page
    assert "<dd>1</dd>" in page
    assert "&lt;b&gt;x, y &amp; z" in page and "<b>x" not in page
    assert not re.search(r"src=|href=|url\(|<script", page)


def test_a_state_has_a_card(rng):
    people = make_people()
    plan = cc.make_plan(people.domain, people.n, epsilon=1.0, k=2, rng=rng)
    reports = cc.collect(people, plan, rng=rng)
    support = np.concatenate([view.support for view in reports.views])
    tally = Tally((("a", "0f"),), support, [view.n for view in reports.views])
    card = cc.release.privacy_card(answer_state(State(plan, (tally,))))
    assert (card["people"], card["model"]) == (2000, "Local")
