"""Consistency: the closed form against the procedure of the papers."""

import itertools
from weakref import ref

import numpy as np
import pytest

from calm_core.collection.aggregation import NoisyMarginals
from calm_core.errors import InputError
from calm_core.inference import consistency
from calm_core.inference.consistency import consistency_stages, make_consistent
from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal, is_distribution
from tests.reference.agreement import is_consistent
from tests.reference.topological import topological_consistency


def noisy_views(domain, views, rng, *, noise=0.05, equal=False) -> NoisyMarginals:
    """Views of a random population with unequal noise on every cell."""
    truth = rng.dirichlet(np.full(domain.cells_of(domain.names), 0.3)).reshape(domain.sizes)
    spread = [noise * (1 if equal else rng.uniform(0.3, 3)) for _ in views]
    tables = []
    for view, sigma in zip(views, spread):
        exact = Marginal(domain, truth).project(view)
        tables.append(
            Marginal(exact.domain, exact.values + sigma * rng.normal(size=exact.values.shape))
        )
    return NoisyMarginals(domain, tuple(tables), tuple(s**2 for s in spread), (100,) * len(views))


def letters(count: int) -> tuple[str, ...]:
    return tuple("abcdefghijkl"[:count])


CASES = {
    "binary pairs": ((2,) * 5, tuple(itertools.combinations(letters(5), 2))),
    "binary mixed sizes": (
        (2,) * 6,
        (("a", "b", "c"), ("c", "d"), ("b", "c", "d", "e"), ("f",), ("a", "f", "e")),
    ),
    "categorical": ((3, 2, 4, 2), (("a", "b", "c"), ("b", "c", "d"), ("a", "d"), ("c",))),
    "one value": ((3, 1, 2, 5), (("a", "b"), ("b", "c", "d"), ("a", "d"))),
    "many values": ((100, 3, 2), (("a", "b"), ("a", "c"), ("b", "c"))),
    "same view twice": ((2, 3, 2), (("a", "b"), ("a", "b"), ("b", "c"))),
}


@pytest.mark.parametrize("weights", ["precision", "equal"])
@pytest.mark.parametrize("case", CASES)
def test_closed_form_equals_topological_procedure(case, weights, rng):
    sizes, views = CASES[case]
    noisy = noisy_views(Domain(letters(len(sizes)), sizes), views, rng)
    ours = make_consistent(noisy, nonnegativity="none", weights=weights).tables
    theirs = topological_consistency(noisy, weights=weights)
    for one, other in zip(ours, theirs):
        np.testing.assert_allclose(one.values, other.values, rtol=0, atol=1e-12)
    assert is_consistent(ours, 1e-12)


def test_more_attributes_than_bits(rng):
    names = tuple(f"x{i}" for i in range(100))
    domain = Domain(names, (2,) * 98 + (3, 5))
    views = [tuple(names[i] for i in sorted(rng.choice(100, 3, replace=False))) for _ in range(60)]
    views += [("x0", "x98", "x99"), ("x1", "x98", "x99")]
    tables = []
    for view in views:
        values = rng.normal(size=domain.shape_of(view))
        tables.append(Marginal(domain.project(view), values + (1 - values.sum()) / values.size))
    noisy = NoisyMarginals(domain, tuple(tables), tuple(rng.uniform(1, 9, 62)), (1,) * 62)
    ours = make_consistent(noisy, nonnegativity="none").tables
    for one, other in zip(ours, topological_consistency(noisy)):
        np.testing.assert_allclose(one.values, other.values, rtol=0, atol=1e-12)
    assert is_consistent(ours, 1e-12)


@pytest.mark.parametrize("nonnegativity", NONNEGATIVITY)
@pytest.mark.parametrize("case", CASES)
def test_the_result_says_how_well_its_views_agree(case, nonnegativity, rng):
    sizes, views = CASES[case]
    noisy = noisy_views(Domain(letters(len(sizes)), sizes), views, rng)
    result = make_consistent(noisy, nonnegativity=nonnegativity)
    assert result.report.converged and result.report.residual <= 1e-12
    lowest = min(table.values.min() for table in result.tables)
    assert result.report.most_negative == min(0.0, lowest)
    assert result.report.rounds == (0 if nonnegativity == "none" else 3)
    if nonnegativity != "none":
        plain = make_consistent(noisy, nonnegativity="none").report.most_negative
        assert result.report.most_negative >= plain


def test_precise_views_count_more():
    domain = Domain(("a", "b", "c"), (2, 3, 2))
    wide = Marginal(domain.project(("a", "b")), [[0.2, 0.2, 0.2], [0.1, 0.1, 0.2]])
    narrow = Marginal(domain.project(("a", "c")), [[0.1, 0.3], [0.3, 0.3]])
    noisy = NoisyMarginals(domain, (wide, narrow), (0.01, 0.02), (9, 9))
    # On {a}: variances 0.01 * 3 and 0.02 * 2, so weights 4/7 and 3/7 for 0.6 and 0.4.
    result = make_consistent(noisy, rounds=0)
    np.testing.assert_allclose(result.marginal(("a",)).values[0], (4 * 0.6 + 3 * 0.4) / 7)
    equal = make_consistent(noisy, rounds=0, weights="equal")
    np.testing.assert_allclose(equal.marginal(("a",)).values[0], 0.5)


def test_a_view_without_reports_takes_what_others_know():
    domain = Domain(("a", "b", "c"), (2, 3, 2))
    known = Marginal(domain.project(("a", "b")), [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
    empty = Marginal(domain.project(("b", "c")), np.full((3, 2), 7.0))
    noisy = NoisyMarginals(domain, (known, empty), (1e-4, np.inf), (100, 0))
    for weights in ("precision", "equal"):
        result = make_consistent(noisy, weights=weights)
        np.testing.assert_allclose(result.tables[0].values, known.values, atol=1e-15)
        expected = np.array([[0.4, 0.4, 0.2]]).T / 2 * np.ones(2)
        np.testing.assert_allclose(result.tables[1].values, expected, atol=1e-15)
    nothing = NoisyMarginals(domain, (known, empty), (np.inf, np.inf), (0, 0))
    for table in make_consistent(nothing).tables:
        np.testing.assert_allclose(table.values, 1 / 6, atol=1e-15)


def test_a_view_without_noise_is_left_as_it_is(rng):
    domain = Domain(("a", "b", "c"), (2, 3, 2))
    noisy = noisy_views(domain, (("a", "b"), ("b", "c")), rng)
    exact = Marginal(domain.project(("a", "b")), [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
    mixed = NoisyMarginals(domain, (exact, noisy.tables[1]), (0.0, 1e-3), (1, 1))
    first = make_consistent(mixed, rounds=0).tables[0]
    np.testing.assert_allclose(first.values, exact.values, atol=1e-14)


def test_stages_lead_to_the_result(rng):
    noisy = noisy_views(Domain(letters(4), (2, 3, 2, 2)), (("a", "b"), ("b", "c", "d")), rng)
    names, tables = zip(*consistency_stages(noisy, rounds=2))
    rounds = [f"{step} {i}" for i in (1, 2) for step in ("non-negative", "consistent")]
    assert names == ("raw", "consistent", *rounds)
    assert tables[0] == noisy.tables
    final = make_consistent(noisy, rounds=2).tables
    for one, other in zip(tables[-1], final):
        np.testing.assert_array_equal(one.values, other.values)
    lowest = min(table.values.min() for table in tables[4])
    assert lowest > -1e-3


def test_many_answers_are_those_of_each(rng):
    domain = Domain(letters(5), (2, 3, 2, 2, 3))
    views = (("a", "b"), ("b", "c", "d"), ("d", "e"), ("a", "e"))
    result = make_consistent(noisy_views(domain, views, rng), nonnegativity="none")
    queries = [q for k in (1, 2, 3) for q in itertools.combinations(domain.names, k)]
    together = result.marginals(queries)
    for query, table in zip(queries, together):
        assert table.attrs == query
        alone, note = result.marginal(query), result.explain(query)
        np.testing.assert_allclose(table.values, alone.values, rtol=0, atol=1e-12)
        assert note.covered == result.covers(query) == noisy_covers(views, query)


def noisy_covers(views, query) -> bool:
    return any(set(query) <= set(view) for view in views)


def test_explain_names_views_and_constraints():
    domain = Domain(letters(4), (2, 3, 2, 2))
    exact = Marginal(domain, np.full(domain.sizes, 1 / 24))
    tables = tuple(exact.project(view) for view in (("a", "b"), ("b", "c"), ("c", "d")))
    result = make_consistent(NoisyMarginals(domain, tables, (1e-4,) * 3, (9,) * 3))
    note = result.explain(("a", "b", "c"))
    assert not note.covered and note.converged and note.method == "maxent"
    assert set(note.constraints) == {("a", "b"), ("b", "c")}
    assert set(note.views) == {("a", "b"), ("b", "c")}
    assert result.explain(("b",)).views == (("a", "b"), ("b", "c"))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["lp", "clp", "cln"])
def test_other_reconstructions_give_distributions(method, rng):
    domain = Domain(letters(4), (2, 3, 2, 2))
    noisy = noisy_views(domain, (("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")), rng)
    result = make_consistent(noisy, reconstruction=method)
    for query in (("a", "b"), ("a", "b", "c"), domain.names):
        assert is_distribution(result.marginal(query), tol=1e-9)
        assert result.explain(query).method in (method, "sum")
    # LP listens to the raw views even where one covers the question.
    assert (result.explain(("a",)).violation > 1e-3) == (method == "lp")


def test_wrong_questions_are_refused(rng):
    noisy = noisy_views(Domain(letters(2), (2, 3)), (("a", "b"), ("a",)), rng)
    with pytest.raises(InputError, match="not in the data"):
        make_consistent(noisy).marginal(("z",))
    with pytest.raises(InputError, match="at least one"):
        make_consistent(noisy).marginal(())


@pytest.mark.parametrize(("kept_cells", "kept"), [(8, [True, True]), (7, [False, True])])
def test_of_views_with_many_cells_only_the_last_are_remembered(monkeypatch, kept_cells, kept):
    monkeypatch.setattr(consistency, "CACHED_CELLS", kept_cells)
    plans = [((0, 1), (1, 2)), ((0, 1), (0, 2))]
    made = [ref(consistency._structure((2, 2, 2), views)) for views in plans]
    assert [found() is not None for found in made] == kept
    consistency._small.cache_clear(), consistency._large.cache_clear()
