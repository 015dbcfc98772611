"""Experiments: streams, sharing, failures, resuming, cancelling, clusters."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pytest

import calm_core as cc
from calm_core.errors import InputError
from calm_core.evaluation.metrics import summarize
from calm_core.experiments.spec import (
    ExperimentSpec,
    MethodSpec,
    Parts,
    compare,
    events,
    parse_methods,
)
from calm_core.runtime.executors import run_tasks

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("parse_in_process")


def people(n=3000, d=5) -> cc.Dataset:
    rng = np.random.default_rng(5)
    sizes = (2, 3, 4, 2, 2, 2, 2, 2)[:d]
    names = tuple("abcdefgh"[:d])
    return cc.Dataset.from_codes(rng.integers(0, sizes, size=(n, d)), cc.Domain(names, sizes))


def spec(methods=("calm", "ft", "uni"), **changes) -> ExperimentSpec:
    settings = {
        "epsilons": (0.5, 2.0), "ks": (2,), "ns": (2000,), "repetitions": 3, "queries": 4, "seed": 7,
    }  # fmt: skip
    return ExperimentSpec(people(), methods, **settings | changes)


def are_equal(a: pd.DataFrame, b: pd.DataFrame) -> bool:
    pd.testing.assert_frame_equal(a.reset_index(drop=True), b.reset_index(drop=True))
    return True


def test_repetition_zero_is_a_release():
    table = compare(spec())
    for name in ("calm", "ft", "uni"):
        outcome = cc.run(
            people(), cc.make_method(name, epsilon=2.0, k=2), seed=7, n=2000, queries=4
        )
        rows = table[(table.method == name) & (table.epsilon == 2) & (table.repetition == 0)]
        assert rows.sse.tolist() == outcome.scores.sse.tolist()
        assert rows.attributes.tolist() == ["|".join(query) for query in outcome.queries]


def test_adding_a_method_changes_no_other_number():
    few, many = compare(spec()), compare(spec(("am", "calm", "fc", "ft", "uni")))
    kept = many[many.method.isin(["calm", "ft", "uni"])].reset_index(drop=True)
    assert are_equal(few, kept.astype(few.dtypes))


def test_more_repetitions_and_other_epsilons_leave_the_rest_alone():
    few = compare(spec(("ft",), epsilons=(2.0,)))
    many = compare(spec(("ft",), repetitions=4))
    kept = many[(many.epsilon == 2) & (many.repetition < 3)].reset_index(drop=True)
    assert are_equal(few, kept)


def test_all_methods_of_a_repetition_meet_the_same_rows_and_queries():
    table = compare(spec(("calm", "fc", "uni")))
    wide = table.pivot(index=["epsilon", "repetition", "query"], columns="method")
    for column in ("attributes", "uniform_sse"):
        assert (wide[column].nunique(axis=1) == 1).all()
    uniform = table[table.method == "uni"]
    assert np.allclose(uniform.sse, uniform.uniform_sse)
    assert np.allclose(uniform.sse, uniform.analytical_sse.astype(float))
    # Rows are drawn anew in every repetition.
    assert uniform.groupby("query").uniform_sse.nunique().min() == 3


def test_one_row_with_a_reason_where_a_method_cannot_run():
    table = compare(spec(("am", "uni"), ns=(9,), epsilons=(1.0,), repetitions=1))
    failed = table[table.method == "am"]
    assert len(failed) == 1 and failed.sse.isna().all() and failed["query"].isna().all()
    assert "fewer than one for each" in failed.reason.iloc[0]
    assert len(table[table.method == "uni"]) == 4
    kept = summarize(table).set_index("method")[["queries", "failed", "repetitions"]]
    assert kept.T.to_dict("list") == {"am": [0, 1, 1], "uni": [4, 0, 1]}


def test_grid_of_settings():
    table = compare(spec(("uni",), ds=(2, 4), ks=(2, 3), ns=(500, 2000), repetitions=1))
    found = set(table[["d", "k", "n"]].itertuples(index=False, name=None))
    assert found == {
        (2, 2, 500),
        (2, 2, 2000),
        (4, 2, 500),
        (4, 2, 2000),
        (4, 3, 500),
        (4, 3, 2000),
    }
    assert (table.trust == "local").all()


def test_neighbors_are_asked_in_order():
    asked = spec(query_kind="consecutive", queries=50, ks=(3,))
    assert asked.choose_queries(asked.points[0], 0) == [tuple("abc"), tuple("bcd"), tuple("cde")]
    assert len(spec(query_kind="consecutive", queries=2).choose_queries(asked.points[0], 0)) == 2


def test_k_is_at_most_the_largest_d_and_there_is_a_worker():
    with pytest.raises(InputError, match=r"k \(5\) must be a whole number from 1 to 4"):
        spec(ks=(3, 5), ds=(4, 3))
    with pytest.raises(InputError, match="jobs"):
        compare(spec(), jobs=0)


def test_method_options_by_text():
    methods = parse_methods("calm:l=2:m=10, calm:oracle=oue,uni", theta=0.01)
    assert [m.label for m in methods] == ["calm(l=2 m=10)", "calm(oracle=oue)", "uni"]
    assert methods[0].make(1.0, 2).theta == 0.01
    for text, message in [
        ("calm:pace=3", "option of calm"),
        ("calm:l", "option=value"),
        ("", "at least"),
        (
            "uni,calm_plus:design=pairs:theta=0.1",
            "option theta, which is not used by the design pairs",
        ),
        ("calm,calm:theta=7", r"theta \(7\)"),
        ("direct:noise=loud", "noise"),
        ("calm:nonnegativity=none:rounds=2", "option rounds, which"),
    ]:
        with pytest.raises(InputError, match=message):
            parse_methods(text)


def test_shared_settings_leave_rivals_as_published():
    methods = parse_methods("calm,ft,ft:nonnegativity=norm_sub", nonnegativity="simple", rounds=1)
    made = [method.make(1.0, 2).nonnegativity for method in methods]
    assert made == ["simple", "none", "norm_sub"]


def test_variants_of_a_method_share_its_stream():
    table = compare(spec((MethodSpec("calm"), MethodSpec("calm", {"rounds": 3}, "again"))))
    a, b = (table[table.method == name].sse.tolist() for name in ("calm", "again"))
    assert a == b


# ---------------------------------------------------------------- on disk


def test_file_equals_memory_and_parts_are_gone(tmp_path):
    out = tmp_path / "scores.csv"
    table = compare(spec(), out=out)
    assert list(tmp_path.iterdir()) == [out]
    memory = compare(spec())
    assert table.sse.tolist() == memory.sse.tolist()
    assert table.columns.tolist()[:9] == [
        "method", "trust", "d", "k", "n", "epsilon", "repetition", "query", "sse",
    ]  # fmt: skip


def test_stopped_runs_go_on_without_computing_anything_twice(tmp_path):
    out, whole = tmp_path / "scores.csv", tmp_path / "whole.csv"
    compare(spec(), out=whole)
    with closing(events(spec(), out=out)) as running:
        first = [next(running) for _ in range(4)]
    assert not out.exists()
    (Parts(out).folder / "deadbeef.csv.1.partial").write_text("half a ro")
    rest = list(events(spec(), out=out))
    assert [event.resumed for event in rest] == [True] * 4 + [False] * 5
    assert [event.done for event in rest] == list(range(1, 10))
    assert {event.task.key for event in first} == {e.task.key for e in rest if e.resumed}
    assert out.read_bytes() == whole.read_bytes()


def test_an_experiment_that_grew_reuses_what_is_there(tmp_path):
    out = tmp_path / "scores.csv"
    with closing(events(spec(("ft", "uni")), out=out)) as running:
        for _ in range(6 - 1):
            next(running)
    grown = list(events(spec(("ft", "uni", "fc"), repetitions=4), out=out))
    assert sum(event.resumed for event in grown) == 5
    other = [MethodSpec("ft", {"nonnegativity": "norm_sub"}, "ft")]
    assert spec(other).tasks[0].key != spec(("ft",)).tasks[0].key


# ---------------------------------------------------------------- command line


def test_release_equals_repetition_zero_of_compare_on_the_command_line(tmp_path, call):
    data, out = tmp_path / "people.csv", tmp_path / "scores.csv"
    rows = people(500).codes
    pd.DataFrame(rows, columns=list("abcde")).map(lambda v: f"v{v}").to_csv(data, index=False)
    names = ("calm", "fc", "am", "ft", "em", "uni", "calm_binary", "priview", "direct")
    shared = ["--k", "2", "--n", "400", "--queries", "3", "--seed", "4"]
    code, _, errors = call(
        "compare", data, "--methods", ",".join(names), "--epsilon", "0.5",
        "--repeats", "1", "--jobs", "1", "--out", out, *shared,
    )  # fmt: skip
    assert code == 0, errors
    means = pd.read_csv(out).groupby("method").sse.mean()
    for name in names:
        code, printed, errors = call(
        "release", data, "--method", name, "--epsilon", "0.5", "--json",
            *shared,
        )  # fmt: skip
        assert code == 0, errors
        assert json.loads(printed)["sse_mean"] == pytest.approx(means[name], rel=1e-12), name


# ---------------------------------------------------------------- workers


def workers() -> list[psutil.Process]:
    children = psutil.Process().children(recursive=True)
    return [child for child in children if "spawn_main" in " ".join(child.cmdline())]


def test_two_processes_give_the_same_table_beside_a_run_that_is_cancelled():
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(compare, spec(), jobs=2)
        # Its workers import nothing: they are there in no time, and have minutes to go.
        tasks = [partial(abs, 1), *[partial(time.sleep, 300)] * 3]
        with closing(run_tasks(tasks, jobs=2)) as running:
            next(running)
            while len(workers()) < 4:
                assert not other.done()
                time.sleep(0.01)
        assert are_equal(other.result(), compare(spec()))


def test_an_error_in_a_worker_is_raised_with_its_traceback():
    with pytest.raises(ZeroDivisionError) as raised:
        list(run_tasks([partial(divmod, 1, 0)] * 2, jobs=2))
    assert "In a worker process" in raised.value.__notes__[0]


def test_cancelling_ends_the_workers():
    # Nobody waits for the end of ten million rounds: this test ends only if the cancel ends them.
    endless = MethodSpec("mwem", {"turns": 10_000_000})
    running = events(spec(("uni", endless), repetitions=1), jobs=2)
    next(running)
    busy = workers()
    assert busy
    running.close()
    psutil.wait_procs(busy)


def test_a_dask_cluster_gives_the_same_table():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(processes=False, **options) as cluster:
        table = compare(spec(), scheduler=cluster.scheduler_address)
    assert are_equal(table, compare(spec()))


@pytest.mark.parametrize("address", ["nowhere", "tcp://here", "far://here:1", "tcp://here:65536"])
def test_a_scheduler_that_is_not_there_is_said(address, monkeypatch):
    distributed = pytest.importorskip("distributed")
    # A client made for such an address would end 40 s later, and with a traceback.
    monkeypatch.setattr(distributed, "Client", None)
    with pytest.raises(InputError, match=rf"scheduler \({address}\)"):
        compare(spec(), scheduler=address)


# ---------------------------------------------------------------- summary


def test_summary_by_hand():
    table = pd.DataFrame(
        {"method": "m", "repetition": [0, 0, 1, 1, 2, 2], "sse": [1, 2, 3, 4, 5, None]}
    )
    row = summarize(table, by=["method"]).iloc[0]
    assert row["mean"] == 3 and row.queries == 5
    assert row.sd == pytest.approx(np.std([1.5, 3.5, 5], ddof=1))
    assert (row.p25, row.p50, row.p75, row.p95) == (2, 3, 4, 4.8)
