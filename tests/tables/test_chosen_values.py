"""Values chosen of attributes: as words, as ranges, and which cells they are."""

import numpy as np
import pytest

import calm_core as cc
from calm_core.errors import InputError
from calm_core.tables.ranges import (
    ChosenValues,
    check_chosen_words,
    choice_to_ranges,
    default_choice,
    parse_choice,
    range_mask,
    range_shares,
)

DOMAIN = cc.Domain(("sex", "age", "city"), (2, 9, 5), ordered=(2, 8, 0))


@pytest.mark.parametrize(
    "word", ["age", "=3", "age=", "age=x", "age=1-2-3", "age=-1", "age=²", "age=1+", "age=12345678"]
)
def test_what_names_no_values_is_refused(word):
    with pytest.raises(InputError, match="an attribute and its codes, such as age=0"):
        ChosenValues.from_word(word)


def test_a_word_comes_back_whatever_the_attribute_is_called():
    for attr in ("a=b", "a,b", " ", "0-1", "*x*"):
        chosen = ChosenValues.from_codes(attr, (5, 0, 1, 3))
        assert chosen.codes == (0, 1, 3, 5) and ChosenValues.from_word(chosen.word) == chosen
    with pytest.raises(InputError, match="'age' are chosen twice"):
        check_chosen_words(("age=1", "sex=0", "age=2"))


def test_words_that_do_not_fit_leave_what_is_usual():
    usual = default_choice(DOMAIN)
    assert [chosen.word for chosen in usual] == ["sex=0-1", "age=2-5", "city=0-4"]
    assert parse_choice(DOMAIN, ("age=8-9", "job=1", "city=5")) == usual
    assert parse_choice(DOMAIN, ("age=8",))[1].codes == (8,)


def test_the_ranges_of_a_choice_hold_its_people_once():
    rng = np.random.default_rng(1)
    data = cc.Dataset.from_codes(rng.integers(0, DOMAIN.sizes, size=(3000, 3)), DOMAIN)
    choice = parse_choice(DOMAIN, ("sex=0-1", "age=0+2-4+8", "city=1+3"))
    asked = choice_to_ranges(DOMAIN, choice)
    inside = np.isin(data.codes[:, 1], (0, 2, 3, 4, 8)) & np.isin(data.codes[:, 2], (1, 3))
    assert len(asked) == 6 and all(set(query) == {"age", "city"} for query in asked)
    assert range_shares(data.marginals, asked).sum() == pytest.approx(inside.mean(), abs=1e-12)
    cells = range_mask(DOMAIN, asked)
    assert data.marginal(DOMAIN.names).values[cells].sum() == pytest.approx(inside.mean())
    with pytest.raises(InputError, match="2,500 separate ranges together, more than 1,000"):
        domain = cc.Domain(("a", "b"), (100, 100))
        choice_to_ranges(
            domain, [ChosenValues.from_codes(name, range(0, 100, 2)) for name in domain.names]
        )
    everybody = choice_to_ranges(DOMAIN, parse_choice(DOMAIN, ("sex=0-1", "age=0-8", "city=0-4")))
    assert range_mask(DOMAIN, everybody).all() and len(everybody) == 1
