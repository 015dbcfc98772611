"""What fails stays visible: a query, a repetition, a method, a whole comparison that was stopped."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import calm_core as cc
from calm_core.errors import InputError
from calm_core.evaluation.metrics import describe_failures, summarize, summarize_wrong
from calm_core.evaluation.run import use_rows
from calm_core.experiments.figure import Settings
from calm_core.experiments.reproduce import reproduce
from calm_core.experiments.spec import ExperimentSpec, Parts, compare
from calm_core.figures.errors import describe_methods, method_curves
from calm_core.figures.experiments import candlesticks, lines_over_epsilon
from calm_core.methods.uniform import Uniform
from calm_core.runtime.processes import StopRequested, defer_signals, interruptible

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("parse_in_process")
BAD = ("a", "b")
LOST = "the total (-0.1) must be above 0; ask for fewer attributes"


def people(n=400) -> cc.Dataset:
    codes = np.random.default_rng(2).integers(0, (2, 3, 2, 2), size=(n, 4))
    return cc.Dataset.from_codes(codes, cc.Domain(tuple("abcd"), (2, 3, 2, 2)))


def spec(methods=("uni",), **changes) -> ExperimentSpec:
    chosen = {"epsilons": (1.0,), "ks": (2,), "ns": (300,), "repetitions": 4, "queries": 6}
    return ExperimentSpec(people(), methods, **chosen | changes)


def total(dataset: cc.Dataset) -> float:
    """A number that tells the rows of one repetition from another's."""
    return float((dataset.codes @ [1.0, 2.3, 4.1, 7.7]).sum())


@pytest.fixture
def fragile(monkeypatch):
    """FC answers like the uniform guess, and fails for one query in all repetitions but the least."""
    totals = {n: [total(use_rows(people(), n, 1, r)) for r in range(4)] for n in (3, 300)}

    def release(self, dataset, *, rng, notify=None):
        answer = Uniform(self.epsilon, self.k).release(dataset, rng=rng)
        whole = answer.marginal
        broken = total(dataset) > min(totals[dataset.n])

        def marginal(attrs):
            if broken and tuple(attrs) == BAD:
                raise InputError(LOST)
            return whole(attrs)

        object.__setattr__(answer, "marginal", marginal)
        return answer

    monkeypatch.setattr(cc.METHODS["fc"], "release", release)
    monkeypatch.setattr(cc.METHODS["fc"], "analytical_sse", lambda *_, **__: None)
    return [found > min(totals[300]) for found in totals[300]]


def test_a_query_that_fails_leaves_the_others_of_its_repetition(fragile):
    table = compare(spec(("fc", "uni")))
    rows = table[table.method == "fc"]
    assert len(rows) == 24 and rows["query"].tolist() == list(range(6)) * 4
    lost = rows[rows.sse.isna()]
    assert lost.attributes.tolist() == ["a|b"] * sum(fragile)
    assert lost.reason.tolist() == [LOST] * sum(fragile)
    assert lost.repetition.tolist() == [r for r, broken in enumerate(fragile) if broken]
    others = rows.dropna(subset=["sse"])
    assert others.reason.isna().all()
    both = others.merge(table[table.method == "uni"], on=["repetition", "query"])
    assert len(both) == len(others) and both.sse_x.tolist() == both.sse_y.tolist()


def test_failures_are_counted_and_reported(fragile):
    table = compare(spec(("fc", "uni"), epsilons=(0.5, 1.0)))
    found = summarize(table).set_index(["method", "epsilon"])[["queries", "repetitions", "failed"]]
    lost = sum(fragile)
    for epsilon in (0.5, 1.0):
        assert found.loc[("fc", epsilon)].tolist() == [24 - lost, 4, lost]
        assert found.loc[("uni", epsilon)].tolist() == [24, 4, 0]
    count = "1 query" if lost == 1 else f"{lost} queries"
    [sentence] = describe_failures(table, {"fc": "FC"})
    assert sentence == f"{count} in {lost} of 4 repetitions of FC failed: {LOST}"


def test_repetitions_that_fail_are_counted_by_setting_and_reason():
    table = compare(spec(("am", "uni"), ns=(3, 300), epsilons=(0.5, 1.0)))
    [sentence] = describe_failures(table)
    assert sentence.startswith("4 of 4 repetitions of am failed at n 3: ")
    row = summarize(table).set_index(["method", "n", "epsilon"]).loc[("am", 3, 1.0)]
    assert (row.failed, row.repetitions, row.queries) == (4, 4, 0) and np.isnan(row["mean"])
    table.loc[(table.epsilon == 0.5), "reason"] = None
    [sentence] = describe_failures(table)
    assert sentence.startswith("4 of 4 repetitions of am failed at n 3, epsilon 1: ")


def test_a_method_refused_at_one_epsilon_is_a_row_and_no_end(monkeypatch):
    made = cc.METHODS["uni"].__post_init__

    def choosy(self):
        made(self)
        if self.epsilon == 2.0:
            raise InputError("epsilon (2) must be below 2; choose less")

    monkeypatch.setattr(cc.METHODS["uni"], "__post_init__", choosy)
    table = compare(spec(epsilons=(1.0, 2.0), repetitions=2))
    assert table[table.epsilon == 1.0].sse.notna().all()
    refused = table[table.epsilon == 2.0]
    assert refused.reason.tolist() == ["epsilon (2) must be below 2; choose less"] * 2


def test_pictures_mark_means_of_survivors(fragile):
    table = compare(spec(("fc", "am", "uni"), epsilons=(0.5, 1.0)))
    table.loc[table.method == "am", ["sse", "l1"]] = None
    lost = sum(fragile)
    summary = summarize_wrong(table)
    drawn = method_curves(summary, {"fc": "FC"}, note="unfinished: 1 of 8 runs")
    names = [trace.name for trace in drawn.data if trace.mode == "lines+markers"]
    assert f"FC ({lost} of 4 repetitions failed)" in names
    assert "am (4 of 4 repetitions failed)" in names and "uni" in names
    assert [a.text for a in drawn.layout.annotations] == ["unfinished: 1 of 8 runs"]
    assert "uni" in describe_methods(summary, {}) or "fc" in describe_methods(summary, {})
    for draw in (lines_over_epsilon, candlesticks):
        assert {trace.name for trace in draw(table).data} == {"fc", "uni"}


def test_a_reproduction_says_what_failed(fragile, tmp_path):
    chosen = Settings(
        people(), "people", (1.0,), ks=(2,), ns=(300,), methods="fc,uni", repetitions=4, queries=6
    )
    done = reproduce("fig4", chosen, tmp_path)
    words = done.text.read_text()
    assert f"{sum(fragile)} of 4 repetitions of fc failed: {LOST}" in words
    assert "means are of what was answered" in done.html.read_text()
    summary = pd.read_csv(tmp_path / "fig4-summary.csv").set_index("method")
    assert summary.failed.to_dict() == {"fc": sum(fragile), "uni": 0}


# ---------------------------------------------------------------- command line


@pytest.fixture
def table(tmp_path) -> Path:
    file = tmp_path / "people.csv"
    frame = pd.DataFrame(people().codes, columns=list("abcd")).map(lambda value: f"v{value}")
    frame.to_csv(file, index=False)
    return file


def test_the_command_line_says_what_failed(fragile, table, call):
    code, printed, errors = call(
        "compare", table, "--methods", "fc,am,uni", "--epsilon", 1, "--k", 2,
        "--n", 3, "--repeats", 4, "--jobs", 1, "--out", table.with_name("s.csv"),
    )  # fmt: skip
    assert code == 0
    assert "4 of 4 repetitions of am failed: " in errors
    lost = [
        line for line in errors.splitlines() if f"of 4 repetitions of fc failed: {LOST}" in line
    ]
    lines = printed.splitlines()
    assert len(lost) == 1 and "no result: every repetition failed" in lines[1]
    assert "of what was answered" in lines[0] and "of what" not in lines[2]


def test_options_that_a_method_does_not_have_are_refused_or_ignored_aloud(table, call):
    done = call("release", table, "--method", "priview", "--l", 3, "--k", 2)
    assert done.status == 2 and not done.out
    assert "--l (3) is not an option of PriView; leave it out" in done.err
    words = ("compare", table, "--methods", "calm,fc,uni", "--epsilon", 1, "--k", 2, "--repeats", 1)
    words += ("--jobs", 1, "--out", table.with_name("s.csv"))
    done = call(*words, "--theta", 0.01)
    assert done.status == 0
    assert "theta is not an option of FC, Uniform and was ignored there" in done.err
    assert "ignored" not in call(*words).err


SIGNALS = pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)


@SIGNALS
def test_a_signal_waits_for_work_that_must_not_be_left_half_done(number, status):
    done = []
    with pytest.raises(StopRequested) as stop, interruptible():
        with defer_signals():
            with defer_signals():
                os.kill(os.getpid(), number)
            done.append("within")
        done.append("afterwards")
    assert done == ["within"] and stop.value.status == status


def test_an_interrupted_comparison_of_workers_says_what_is_kept(table):
    """A real process: Ctrl-C reaches its workers too. Ten million rounds of MWEM do not end by themselves."""
    out = table.with_name("s.csv")
    words = f"compare {table} --methods uni,mwem:turns=10000000 --epsilon 1 --k 2 --repeats 5 --jobs 2 --out {out}"
    running = subprocess.Popen(
        [sys.executable, "-m", "calm_core", *words.split()],
        env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    folder = Parts(out).folder
    while not list(folder.glob("*.csv")):
        assert running.poll() is None
        time.sleep(0.05)
    # As Ctrl-C does it: the whole group of processes, workers too.
    os.killpg(running.pid, signal.SIGINT)
    printed, errors = running.communicate(timeout=60)
    assert running.returncode == 130 and not printed
    last, kept = errors.splitlines()[-1], len(list(folder.glob("*.csv")))
    assert 1 <= kept <= 5 and "the same command continues from there" in last
    assert (
        last.startswith("interrupted; ") and f"of 10 tasks are done and kept in {out}.parts" in last
    )
    assert kept - 2 <= int(last.split()[1]) <= kept
    assert "Traceback" not in errors and not out.exists()
    assert {path.name for path in table.parent.iterdir()} == {"people.csv", "s.csv.parts"}
