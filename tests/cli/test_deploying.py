"""collect, aggregate, merge, answer: the same whoever does the work, and nothing lost by a kill."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pytest

import calm_core as cc
from calm_core.collection import parts
from calm_core.collection.parts import report_part
from calm_core.collection.states import State, load_state
from calm_core.errors import InfeasibleError
from calm_core.ingest.encode import load_dataset
from calm_core.planning.plan_file import load_plan, plan_digest, save_plan
from calm_core.runtime.executors import run_tasks
from tests.collection.test_states import are_equal

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("parse_in_process")
SIZES = (2, 3, 4, 2)


def command(*words):
    return [sys.executable, "-m", "calm_core", *map(str, words)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table, the plan of its collection, and the reports in five parts."""
    folder = tmp_path_factory.mktemp("deployed")
    rows = np.random.default_rng(5).integers(0, SIZES, size=(3000, 4))
    lines = ["sex,age,vote,smokes", *(",".join(f"v{x}" for x in row) for row in rows)]
    (folder / "people.csv").write_text("\n".join(lines), encoding="utf-8")
    data = load_dataset(folder / "people.csv").dataset
    plan = cc.make_plan(data.domain, 3000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    save_plan(folder / "plan.json", plan)
    (folder / "parts").mkdir()
    for part in range(5):
        people = data.select_users(slice(600 * part, 600 * (part + 1)))
        content = report_part(people, plan, seed=3, part=part)
        (folder / "parts" / f"part-{part:05}.parquet").write_bytes(content)
    return folder


@pytest.fixture(scope="module")
def count(folder):
    """What is in all parts, counted by this process."""
    plan = load_plan(folder / "plan.json")
    kept = []
    paths = sorted((folder / "parts").iterdir())
    state, refused = parts.count_parts(paths, State(plan), keep=kept.append)
    assert not refused and are_equal(kept[-1], state)
    return state


def contents(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


# ---------------------------------------------------------------- the commands


@pytest.mark.slow
def test_from_a_table_to_an_answer(call, folder, tmp_path):
    plan, state = tmp_path / "plan.json", tmp_path / "state.npz"
    table = folder / "people.csv"
    asked = ("--n", 3000, "--data", table, "--epsilon", 1, "--k", 2)
    done = call("plan", *asked, "--out", plan)
    assert done.status == 0, done.err
    assert plan_digest(load_plan(plan)) in done.err and "l = 2" in done.out
    asked = ("--plan", plan, "--out", tmp_path / "parts", "--partitions", 3)
    done = call("collect", table, *asked)
    assert done.status == 0, done.err
    assert "3,000 rows read" in done.err and "3 report files written" in done.err
    done = call("aggregate", tmp_path / "parts", "--plan", plan, "--out", state)
    assert done.status == 0, done.err
    assert "holds 3,000 reports of 3 batches" in done.err
    for method, columns in (("calm", []), ("calm_plus", ["low", "high"])):
        done = call("answer", state, "--attrs", "age,sex", "--method", method, "--json")
        assert done.status == 0, done.err
        found = json.loads(done.out)
        assert (found["n"], found["attributes"]) == (3000, ["sex", "age"])
        assert list(found["cells"][0]) == ["sex", "age", "fraction", *columns]
        assert sum(cell["fraction"] for cell in found["cells"]) == pytest.approx(1)
        # The numbers are those of the library from the same reports.
        plan_, counts = load_state(state).plan, load_state(state).reports
        answer = cc.METHODS[method](epsilon=1.0, k=2).answer(plan_, counts)
        values = answer.marginal(("sex", "age")).values.ravel()
        assert [cell["fraction"] for cell in found["cells"]] == values.tolist()
    done = call("answer", state, "--attrs", "vote", "--csv")
    assert done.out.splitlines()[0] == "vote,fraction" and len(done.out.splitlines()) == 5
    assert "fraction" in call("answer", state, "--attrs", "vote").out


def test_a_plan_with_a_pair_of_its_own_says_so_and_is_not_written_over(call, tmp_path):
    out = tmp_path / "plan.json"
    asked = ("plan", "--n", 900, "--sizes", "2,2,2,2", "--epsilon", 1, "--k", 2, "--out", out)
    done = call(*asked, "--l", 3, "--m", 2)
    assert done.status == 0 and "up to 3 attributes; Algorithm 1 would choose" in done.err
    written = out.read_bytes()
    # The same once more is no other plan.
    assert call(*asked, "--l", 3, "--m", 2).status == 0
    done = call(*asked)
    assert done.status == 2 and "there already, with another content" in done.err
    assert out.read_bytes() == written
    out.unlink()
    assert "would choose" not in call(*asked).err


def test_an_optimal_design_has_parities_and_a_certificate(call, tmp_path):
    out = tmp_path / "plan.json"
    asked = ("plan", "--n", 4000, "--sizes", "2,2,2,2", "--epsilon", 1, "--k", 2, "--out", out)
    done = call(*asked, "--method", "calm_plus", "--design", "optimal")
    assert done.status == 0 and "any private reports at all" in done.err, done.err
    assert {oracle.name for oracle in load_plan(out).oracles} == {"grr", "parity"}


def test_nobody_reports_the_same_twice_without_a_seed(call, folder, tmp_path):
    for name in ("a", "b"):
        out = ("--plan", folder / "plan.json", "--out", tmp_path / name)
        assert call("collect", folder / "people.csv", *out).status == 0
    one, other = contents(tmp_path / "a"), contents(tmp_path / "b")
    assert one.keys() == other.keys() and one != other


@pytest.mark.parametrize("partitions", [5, 7])
def test_partitions_hold_everybody_once(call, folder, tmp_path, partitions):
    asked = ("--plan", folder / "plan.json", "--out", tmp_path, "--partitions", partitions)
    assert call("collect", folder / "people.csv", *asked, "--seed", 3).status == 0
    found = contents(tmp_path)
    assert len(found) == partitions
    if partitions == 5:
        assert found == contents(folder / "parts")


def test_chunks_are_cut_to_parts(rng):
    domain = cc.Domain(("a", "b"), (9, 9))
    codes = rng.integers(9, size=(100, 2))
    for cuts in ([100], [1] * 100, [30, 30, 40], [99, 1]):
        chunks = [cc.Dataset(part, domain) for part in np.split(codes, np.cumsum(cuts)[:-1])]
        for sizes in ([100], [50, 50], [34, 33, 33], parts.part_sizes(100, 7)):
            found = list(parts.regroup(chunks, sizes))
            assert [part.n for part in found] == sizes
            assert (np.concatenate([part.codes for part in found]) == codes).all()
        assert [part.n for part in parts.regroup(chunks, [64] * 9)] == [64, 36]
    assert parts.part_sizes(100, 7) == [15, 15, 14, 14, 14, 14, 14]


@pytest.mark.slow
def test_a_format_that_cannot_be_streamed_is_read_whole(call, folder, tmp_path):
    pd.read_csv(folder / "people.csv").to_excel(tmp_path / "people.xlsx", index=False)
    asked = ("--plan", folder / "plan.json", "--partitions", 5, "--seed", 3)
    assert call("collect", tmp_path / "people.xlsx", *asked, "--out", tmp_path / "p").status == 0
    assert contents(tmp_path / "p") == contents(folder / "parts")


def test_a_state_is_extended_and_merged(call, folder, tmp_path, count):
    files = sorted((folder / "parts").iterdir())
    plan = ("--plan", folder / "plan.json")
    for name, some in (("a.json", files[:3]), ("b.npz", files[2:])):
        assert call("aggregate", *some, *plan, "--out", tmp_path / name).status == 0
    done = call("merge", tmp_path / "a.json", tmp_path / "b.npz", "--out", tmp_path / "all.json")
    assert done.status == 0 and "3,000 reports of 5 batches" in done.err
    assert are_equal(load_state(tmp_path / "all.json"), count)
    # What is there already is not lost to others that do not hold it.
    done = call("merge", tmp_path / "a.json", "--out", tmp_path / "b.npz")
    assert done.status == 2 and "which none of these does" in done.err
    done = call("merge", tmp_path / "a.json", "--out", tmp_path / "all.json")
    assert done.status == 2 and are_equal(load_state(tmp_path / "all.json"), count)
    done = call("aggregate", folder / "parts", *plan, "--out", tmp_path / "a.json")
    assert "2 of 5 files counted now, 3 hold what is counted already; " in done.err
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "all.json").read_bytes()


def test_refused_files_do_not_keep_the_others_from_being_counted(call, folder, tmp_path, count):
    good = sorted((folder / "parts").iterdir())
    (tmp_path / "short.parquet").write_bytes(good[0].read_bytes()[:-9])
    other = replace(load_plan(folder / "plan.json"), n=2999)
    data = load_dataset(folder / "people.csv").dataset
    (tmp_path / "other.parquet").write_bytes(report_part(data, other, seed=3, part=0))
    # The same seed and part, so the same name; other people.
    again = report_part(
        data.select_users(slice(9, 99)), load_plan(folder / "plan.json"), seed=3, part=1
    )
    (tmp_path / "again.parquet").write_bytes(again)
    paths = [tmp_path / "short.parquet", *good]
    paths += [tmp_path / "other.parquet", tmp_path / "again.parquet"]
    plan = ("--plan", folder / "plan.json", "--out", tmp_path / "s.json")
    done = call("aggregate", *paths, *plan)
    assert done.status == 2 and "Traceback" not in done.err
    for told in ("cut short", "another plan", "two contents|another content", "3 of 8 files were"):
        assert len(re.findall(told, done.err)) == 1, told
    assert are_equal(load_state(tmp_path / "s.json"), count)


def test_a_wrong_plan_leaves_no_state(call, folder, tmp_path, count):
    wrong, out = tmp_path / "wrong.json", tmp_path / "s.json"
    save_plan(wrong, replace(count.plan, n=2999))
    done = call("aggregate", folder / "parts", "--plan", wrong, "--out", out)
    assert done.status == 2 and "5 of 5 files were refused" in done.err and not out.exists()
    done = call("aggregate", folder / "parts", "--plan", folder / "plan.json", "--out", out)
    assert done.status == 0 and are_equal(load_state(out), count)


@pytest.mark.skipif(sys.platform == "win32", reason="no such names there")
def test_a_name_breaks_no_line(call, folder, tmp_path):
    name = tmp_path / "two\nlines\x1b[2J.parquet"
    name.write_bytes(b"")
    plan = ("--plan", folder / "plan.json", "--out", tmp_path / "s.json")
    done = call("aggregate", name, *plan)
    assert len(done.err.splitlines()) == 3 and "two\\nlines\\x1b[2J" in done.err
    done = call("aggregate", name.with_suffix(".gone"), *plan)
    assert len(done.err.splitlines()) == 1 and "\x1b" not in done.err


def test_too_little_memory_is_one_line(call, folder, monkeypatch):
    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr("calm_core.io.atomic_files.open", full, raising=False)
    done = call("answer", folder / "plan.json", "--attrs", "sex")
    assert done.status == 2 and "more memory than there is" in done.err


PLAN = "plan --n 9 --sizes 2,2 --epsilon 1 --k 2"
WRONG_CALLS = {
    "": "command", "nonsense": "nonsense", "plan": "--n",
    "plan --n 9 --sizes 2,a --epsilon 1 --k 2": "sizes",
    "plan --n 9 --sizes 2,2 --epsilon x --k 2": "--epsilon",
    "plan --n 9 --epsilon 1 --k 2": "--sizes .with --names., or --schema or --data",
    f"{PLAN} --data TABLE": "--sizes",
    "plan --n 99 --sizes 2,2,3 --epsilon 1 --k 2 --method uni --out NEW": "no public plan.*choose one of calm,",
    "plan --n 2 --sizes 2,2,3 --epsilon 1 --k 2 --method am --out NEW": "AM has 3 tables",
    f"{PLAN} --names a --out NEW": "names .1. and sizes .2.",
    f"{PLAN} --out NEW/x": "no such file or directory",
    f"{PLAN} --out PLAN": "there already, with another content",
    f"{PLAN} --l 2": "^--l .* with --out",
    f"{PLAN} --columns a": "--columns .a. is for --schema or --data",
    f"{PLAN} --read header=no": "--read .header=no. is for",
    "plan --n 9 --data TABLE --epsilon 1 --k 2 --names a --out NEW": "--names .a. is for --sizes",
    "plan --n 9 --schema PLAN --data TABLE --epsilon 1 --k 2": "not used with --schema",
    f"{PLAN} --out NEW --method calm_plus --design pairs --m 2": "views of its own",
    "release TABLE --k 2 --read sheet=A": "sheet=A. is not for CSV files",
    "compare TABLE --epsilon 1,.5,1.0 --out NEW.csv": "--epsilon .1,.5,1.0. contains 1 more than once",
    "reproduce table2 --k 3,3 --out NEW": "--k .3,3. contains 3 more than once",
    "reproduce fig4 --data /no/file.csv --out NEW": "no such file",
    "reproduce fig3 --queries 7 --out NEW": "queries must be left out: the figure .Noise error",
    "reproduce table2 --max-values 3 --out NEW": "--max-values .3. needs --data",
    "collect TABLE --plan TABLE --out NEW": "not a plan",
    "collect TABLE --plan PLAN --out PARTS": "holds reports already",
    "collect TABLE --plan PLAN --out TABLE": "must be a folder",
    "collect TABLE --plan PLAN --out NEW --partitions 3001": "partitions .3001.",
    "collect TABLE --plan PLAN --out NEW --max-values 2": "must be those of the plan",
    "aggregate PARTS --plan PLAN --out NEW": "must end in",
    "aggregate NEW --plan PLAN --out s.json": "does not exist",
    "merge PLAN --out s.json": "no state",
    "answer PLAN --attrs sex": "no state",
    "answer STATE --attrs ,": "at least one attribute",
    "answer STATE --attrs sex --level .9": "--level .0.9. is for intervals, which CALM",
    "answer STATE --attrs sex --method em": "cannot answer from these reports: .*choose one of calm",
    "answer STATE --attrs sex --json --csv": "exclude each other",
}  # fmt: skip


@pytest.mark.slow
def test_every_wrong_call_is_one_line_and_writes_nothing(call, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    state = tmp_path / "state.json"
    call("aggregate", folder / "parts", "--plan", folder / "plan.json", "--out", state)
    places = {
        "TABLE": folder / "people.csv", "PLAN": folder / "plan.json", "PARTS": folder / "parts",
        "STATE": state, "NEW": tmp_path / "new",
    }  # fmt: skip
    for words, message in WRONG_CALLS.items():
        filled = re.sub("[A-Z]{3,}", lambda found: str(places[found[0]]), words)
        done = call(*filled.split())
        assert done.status == 2 and not done.out, words
        lines = [line for line in done.err.splitlines() if re.search(message, line)]
        assert len(lines) == 1 and "Traceback" not in done.err, (words, done.err)
        assert not places["NEW"].exists(), words


def test_an_empty_state_has_no_answer(call, folder, tmp_path):
    from calm_core.collection.states import save_state

    save_state(tmp_path / "s.json", State(load_plan(folder / "plan.json")))
    done = call("answer", tmp_path / "s.json", "--attrs", "sex")
    assert done.status == 2 and "no report yet" in done.err


# ---------------------------------------------------------------- whoever does the work


@pytest.mark.slow
def test_a_worker_that_is_killed_is_a_sentence():
    with pytest.raises(InfeasibleError, match="worker process was killed.* use fewer of them"):
        list(run_tasks([partial(os._exit, 9)], jobs=2))


@pytest.mark.slow
def test_a_cluster_that_goes_away_is_a_sentence(monkeypatch):
    distributed = pytest.importorskip("distributed")
    gone = Future()
    gone.cancel()
    work, client = MagicMock(), MagicMock()
    work.count.side_effect, work.__next__.side_effect = [0, 1], [gone]
    client.__enter__.return_value.nthreads.return_value = {"worker": 1}
    monkeypatch.setattr(distributed, "as_completed", lambda *_, **__: work)
    monkeypatch.setattr("calm_core.runtime.executors._connect", lambda _: client)
    with pytest.raises(InfeasibleError, match=r"cluster \(tcp://here:1\) was lost during the work"):
        list(run_tasks([partial(abs, 1)], scheduler="tcp://here:1"))


# ---------------------------------------------------------------- the documented clusters


def block(word, kind="py"):
    """The code block of the documentation that holds the word."""
    text = (ROOT / "docs" / "how-to" / "cluster.md").read_text(encoding="utf-8")
    (found,) = [b for b in re.findall(rf"```{kind}\n(.*?)```", text, re.DOTALL) if word in b]
    return found


# The program calls the command line without two more processes, which take seconds to import it.
WITHIN = """
import sys
from contextlib import suppress
def run(words, check):
    from calm_core.cli import main
    sys.argv[:] = words[2:]
    with suppress(SystemExit):
        main()
"""


@pytest.mark.slow
def test_the_local_cluster_of_the_readme_does_it_in_two_processes(folder, tmp_path, count):
    pytest.importorskip("distributed")
    code = block("LocalCluster").replace('"--partitions"', '"--seed", "3", "--partitions"')
    assert code.count("subprocess.run([sys.executable, ") == 1
    (tmp_path / "cluster.py").write_text(WITHIN + code.replace("subprocess.run(", "run("))
    for name in ("people.csv", "plan.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    words = [sys.executable, "cluster.py"]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, timeout=280)
    assert done.returncode == 0, done.stderr.decode()
    assert "n_workers=2" in code and contents(tmp_path / "parts") == contents(folder / "parts")
    assert are_equal(load_state(tmp_path / "state.npz"), count)


def test_the_readmes_ssh_cluster_is_one(monkeypatch):
    """Nobody is called: the library makes its specification of the schedulers and workers."""
    distributed = pytest.importorskip("distributed")
    made = []

    class Address:
        scheduler_address = "tcp://north:8786"

    def dry(hosts, **options):
        async def specify():
            return ssh(hosts, asynchronous=True, **options)

        # In a thread of its own: Playwright keeps a loop running in this one.
        with ThreadPoolExecutor(1) as thread:
            spec = thread.submit(asyncio.run, specify()).result()
        made.append((spec.scheduler_spec, spec.worker_spec))
        return Address

    ssh = distributed.SSHCluster
    monkeypatch.setattr(distributed, "SSHCluster", dry)
    exec(compile(block("SSHCluster"), "cluster.md", "exec"), {})
    ((scheduler, workers),) = made
    assert scheduler["options"]["address"] == "north"
    assert scheduler["options"]["kwargs"] == {"port": 8786}
    assert [worker["options"]["address"] for worker in workers.values()] == ["north", "south"]
    options = [worker["options"]["kwargs"] for worker in workers.values()]
    assert all(x == {"n_workers": 8, "nthreads": 1, "memory_limit": "512MiB"} for x in options)


def test_the_readmes_slurm_cluster_is_one(monkeypatch):
    """Nothing is submitted: the library writes the job script from the documented settings."""
    jobqueue = pytest.importorskip("dask_jobqueue")
    from dask_jobqueue.slurm import SLURMJob

    made = []

    class Cluster:
        scheduler_address = "tcp://here:8786"

        def __init__(self, **options):
            made.append(
                SLURMJob(scheduler=self.scheduler_address, name="calm", **options).job_script()
            )

        def scale(self, jobs):
            assert jobs == 4

    monkeypatch.setattr(jobqueue, "SLURMCluster", Cluster)
    exec(compile(block("SLURMCluster"), "cluster.md", "exec"), {})
    (script,) = made
    for line in ("#SBATCH -p normal", "--cpus-per-task=8", "#SBATCH -t 01:00:00", "--nworkers 8"):
        assert line in script
    assert "distributed.cli.dask_worker tcp://here:8786" in script


def test_the_readmes_kubernetes_cluster_is_read():
    """Read as YAML; what the operator asks of a DaskCluster is there, and what belongs together agrees."""
    yaml = pytest.importorskip("yaml")
    found = yaml.safe_load(block("DaskCluster", "yaml"))
    assert (found["apiVersion"], found["kind"]) == ("kubernetes.dask.org/v1", "DaskCluster")
    scheduler, worker = found["spec"]["scheduler"], found["spec"]["worker"]
    assert worker["replicas"] == 8 and worker["spec"]["containers"][0]["args"][0] == "dask-worker"
    ports = {port["name"] for port in scheduler["spec"]["containers"][0]["ports"]}
    assert {port["targetPort"] for port in scheduler["service"]["ports"]} <= ports
    name = found["metadata"]["name"]
    assert scheduler["service"]["selector"]["dask.org/cluster-name"] == name
    assert f"service/{name}-scheduler" in (ROOT / "docs" / "how-to" / "cluster.md").read_text(
        encoding="utf-8"
    )


# A child that counts the parts again and again into the state beside it, saved after every part, and
# says each time what it has saved: what it has said is acknowledged.
CHILD = """
import os, sys, time
from pathlib import Path
from calm_core.collection import parts
from calm_core.collection.states import load_state, save_state
from calm_core.collection.states import State
from calm_core.planning.plan_file import load_plan
parts.SAVE_SECONDS = parts.SAVE_SHARE = 0
folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
plan, files = load_plan(folder / "plan.json"), sorted(Path(sys.argv[3]).iterdir())
def keep(state):
    save_state(path, state)
    print(path.name, len(state.batches), flush=True)
parts.count_parts(files[:1], State(plan), keep=lambda state: None)  # compiled before the clock starts
print("ready 0", flush=True)
for number in range(rounds):
    path = folder / f"{number}.json"
    parts.count_parts(files, load_state(path) if path.exists() else State(plan), keep=keep)
"""


def _prefixes(source, counted):
    """What is counted after so many of the parts, in their order."""
    plan, files = counted.plan, sorted((source / "parts").iterdir())
    for number in range(len(files) + 1):
        yield parts.count_parts(files[:number], State(plan), keep=lambda state: None)[0]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="nobody is killed like that there")
@pytest.mark.parametrize("seconds", [0.05, 0.2])
def test_a_kill_at_any_moment_loses_nothing_and_doubles_nothing(folder, tmp_path, count, seconds):
    """Nothing acknowledged is lost, nothing doubled, and the same call ends with everything, once."""
    tmp_path.joinpath("plan.json").write_bytes(folder.joinpath("plan.json").read_bytes())
    sums = {len(s.batches): s for s in _prefixes(folder, count)}
    words = [sys.executable, "-c", CHILD, tmp_path, "500", folder / "parts"]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready 0\n"
    time.sleep(seconds)
    child.send_signal(signal.SIGKILL)
    said = child.stdout.read().split("\n")
    child.wait()
    child.stdout.close()
    acknowledged = dict(line.split() for line in said[:-1])
    for name, batches in acknowledged.items():
        state = load_state(tmp_path / name)
        assert len(state.batches) >= int(batches) and are_equal(state, sums[len(state.batches)])
    for path in sorted(tmp_path.glob("[0-9]*.json"))[-1:]:
        files = sorted((folder / "parts").iterdir())
        whole, _ = parts.count_parts(files, load_state(path), keep=lambda state: None)
        assert are_equal(whole, count)
