"""private-pgm on CALM's reports; where its authors' library is installed (the extra `pgm`)."""

import numpy as np
import pytest

import calm_core as cc
from calm_core.errors import InfeasibleError
from calm_core.methods.private_pgm import IS_INSTALLED, PrivatePgm
from calm_core.planning.plan import make_plan

pytestmark = pytest.mark.skipif(
    not IS_INSTALLED, reason="mbi is not installed: pip install '.[pgm]'"
)


def people(d: int, n: int) -> cc.Dataset:
    """A chain: neighbors agree more often than not."""
    rng = np.random.default_rng(3)
    codes = np.cumsum(rng.random((n, d)) < 0.3, axis=1) % 2
    return cc.Dataset.from_codes(codes, cc.Domain(tuple(f"a{i}" for i in range(d)), (2,) * d))


def test_it_is_the_truth_where_hardly_anything_is_noise():
    data = people(5, 200_000)
    method = PrivatePgm(epsilon=16.0, k=2, l=2, m=10)
    answer = method.release(data, rng=np.random.default_rng(1))
    for query in (("a0", "a1"), ("a1", "a3"), ("a0", "a2", "a4"), ("a4",)):
        found = answer.marginal(query)
        assert found.values.min() >= 0 and found.values.sum() == pytest.approx(1)
        assert found.values == pytest.approx(data.marginal(query).values, abs=0.01)
    assert answer.covers(("a0", "a1")) and not answer.covers(data.domain.names)


def test_it_has_calms_reports_and_fits_them_as_nearly_as_any_table_of_people_can():
    import cvxpy

    data, plan = people(4, 5_000), {"epsilon": 0.5, "k": 2, "l": 2, "m": 6}
    answers = [
        cc.METHODS[name](**plan).release(data, rng=np.random.default_rng(1))
        for name in ("pgm", "calm")
    ]
    for mine, other in zip(*(answer.reports.views for answer in answers), strict=True):
        assert mine.support.tolist() == other.support.tolist()
    noisy, whole = answers[0].noisy, cvxpy.Variable(16, nonneg=True)
    summed = [
        np.array([cc.Marginal(data.domain, cell.reshape((2,) * 4)).project(view).values.ravel() for cell in np.eye(16)]).T
        for view in noisy.views
    ]  # fmt: skip
    distance = sum(
        cvxpy.sum_squares(matrix @ whole - table.values.ravel()) / variance
        for matrix, table, variance in zip(summed, noisy.tables, noisy.contrast_variances)
    )
    cvxpy.Problem(cvxpy.Minimize(distance), [cvxpy.sum(whole) == 1]).solve()
    for view, matrix in zip(noisy.views, summed):
        assert answers[0].marginal(view).values.ravel() == pytest.approx(
            matrix @ whole.value, abs=2e-3
        )


def test_a_model_that_cannot_be_held_is_refused_before_anybody_reports():
    domain = cc.Domain(tuple(f"a{i}" for i in range(24)), (2,) * 24)
    method = PrivatePgm(epsilon=1.0, k=3)
    with pytest.raises(InfeasibleError, match="model of 16,777,216 cells"):
        method.check(domain, 2**20)
    plan = make_plan(domain, 2**20, epsilon=1.0, k=3, theta=1e-3, rng=np.random.default_rng(1))
    assert "16,777,216 cells" in method.explain_unsupported(plan)
