"""Values chosen of attributes: as words, as ranges, and which cells they are."""

import numpy as np
import pytest

import calm_core as cc
from calm_core.errors import InputError
from calm_core.tables.chosen import Chosen, as_ranges, checked_words, choice_of, usual_choice
from calm_core.tables.ranges import cells_inside, range_shares

DOMAIN = cc.Domain(("sex", "age", "city"), (2, 9, 5), ordered=(2, 8, 0))


@pytest.mark.parametrize(
    "word", ["age", "=3", "age=", "age=x", "age=1-2-3", "age=-1", "age=²", "age=1+", "age=12345678"]
)
def test_what_names_no_values_is_refused(word):
    with pytest.raises(InputError, match="an attribute and its codes, such as age=0"):
        Chosen.from_word(word)


def test_a_word_comes_back_whatever_the_attribute_is_called():
    for attr in ("a=b", "a,b", " ", "0-1", "*x*"):
        chosen = Chosen.of_codes(attr, (5, 0, 1, 3))
        assert chosen.codes == (0, 1, 3, 5) and Chosen.from_word(chosen.word) == chosen
    with pytest.raises(InputError, match="'age' are chosen twice"):
        checked_words(("age=1", "sex=0", "age=2"))


def test_words_that_do_not_fit_leave_what_is_usual():
    usual = usual_choice(DOMAIN)
    assert [chosen.word for chosen in usual] == ["sex=0-1", "age=2-5", "city=0-4"]
    assert choice_of(DOMAIN, ("age=8-9", "job=1", "city=5")) == usual
    assert choice_of(DOMAIN, ("age=8",))[1].codes == (8,)


def test_the_ranges_of_a_choice_hold_its_people_once():
    rng = np.random.default_rng(1)
    data = cc.Dataset.from_codes(rng.integers(0, DOMAIN.sizes, size=(3000, 3)), DOMAIN)
    choice = choice_of(DOMAIN, ("sex=0-1", "age=0+2-4+8", "city=1+3"))
    asked = as_ranges(DOMAIN, choice)
    inside = np.isin(data.codes[:, 1], (0, 2, 3, 4, 8)) & np.isin(data.codes[:, 2], (1, 3))
    assert len(asked) == 6 and all(set(query) == {"age", "city"} for query in asked)
    assert range_shares(data.marginals, asked).sum() == pytest.approx(inside.mean(), abs=1e-12)
    cells = cells_inside(DOMAIN, asked)
    assert data.marginal(DOMAIN.names).values[cells].sum() == pytest.approx(inside.mean())
    with pytest.raises(InputError, match="2,500 separate ranges together, more than 1,000"):
        domain = cc.Domain(("a", "b"), (100, 100))
        as_ranges(domain, [Chosen.of_codes(name, range(0, 100, 2)) for name in domain.names])
    everybody = as_ranges(DOMAIN, choice_of(DOMAIN, ("sex=0-1", "age=0-8", "city=0-4")))
    assert cells_inside(DOMAIN, everybody).all() and len(everybody) == 1
