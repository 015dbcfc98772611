"""Answers from report files have the law of a release; thresholds as in `test_oracle_noise`."""

from dataclasses import replace

import numpy as np

import calm_core as cc
from calm_core.collection.parts import report_part
from calm_core.collection.states import State, merge_states
from calm_core.collection.tally import tally_file
from calm_core.methods import METHODS
from calm_core.oracles import ORACLES
from tests.reference.chi_square import same_law_pvalue
from tests.reference.exact_collection import report_each

TIMES = 200
# Every oracle has an attribute, and 30 people who report it; a fifth to a third of all have its second value.
DOMAIN = cc.Domain(tuple(ORACLES), (2,) * len(ORACLES))
N = 30 * DOMAIN.d
CODES = (np.arange(N)[:, None] * (1, 7, 11, 13, 17)[: DOMAIN.d] % 30 < np.arange(DOMAIN.d) + 6) * 1


def test_report_files_have_the_law_of_a_release(tmp_path):
    """Chi-square of two samples: what is supported, cell by cell, in so many collections of each kind."""
    data, method = cc.Dataset(CODES, DOMAIN), METHODS["calm"](epsilon=1.0, k=1, l=1)
    plan = method.plan(DOMAIN, N, rng=np.random.default_rng(1))
    oracles = tuple(ORACLES[view[0]](1.0, 2) for view in plan.views)
    plan = replace(plan, oracles=oracles)
    assert {oracle.name for oracle in oracles} == {*ORACLES}
    halves = [data.select_users(slice(start, None, 2)) for start in range(2)]
    found, path = [], tmp_path / "x.parquet"
    for seed in range(TIMES):
        states = []
        for part, people in enumerate(halves):
            path.write_bytes(report_part(people, plan, seed=seed, part=part))
            states.append(State(plan, (tally_file(path, plan),)))
        state = merge_states(states)
        assert state.n == N
        answer = method.answer(plan, state.reports)
        found.append(np.concatenate([table.values for table in answer.noisy.tables]))
    released = []
    rng = np.random.default_rng(2)
    for _ in range(TIMES):
        reports = report_each(data, plan, rng)
        answer = method.answer(plan, reports)
        released.append(np.concatenate([table.values for table in answer.noisy.tables]))
    for one, other in zip(np.transpose(found), np.transpose(released)):
        edges = np.unique(np.quantile(np.concatenate([one, other]), np.linspace(0, 1, 7)))
        edges[0], edges[-1] = -np.inf, np.inf
        table = [np.histogram(sample, edges)[0] for sample in (one, other)]
        table = np.array(table)[:, np.sum(table, axis=0) > 0]
        assert same_law_pvalue(table) > 1e-6
