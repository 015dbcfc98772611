"""The command line as a user calls it: one line and status 2 for what can be mended."""

import io
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import calm_core as cc
from calm_core.evaluation.prediction import predict_wrong
from calm_core.experiments.reproduce import FIGURES
from calm_core.ingest.encode import load_dataset
from calm_core.methods import make_method
from calm_core.runtime.temp_dirs import OWNER, PREFIX
from calm_core.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("parse_in_process")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(5)
    rows = rng.integers(0, [2, 3, 4, 2, 2], size=(3000, 5))
    file = tmp_path / "people.csv"
    lines = ["sex,age,vote,smokes,drinks", *(",".join(f"v{x}" for x in row) for row in rows)]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_plan_as_json(call):
    args = "--n 65536 --sizes 2,2,2,2,2,2,2,2 --epsilon 2 --k 3 --theta 0.001 --json".split()
    found = json.loads(call("plan", *args).out)
    assert (found["l"], found["m"]) == (4, 14)
    assert found["trace"][0]["phase"] == "noise"
    domain, rng = cc.Domain(tuple("abcdefgh"), (2,) * 8), cc.stream(1, "plan")
    wrong = predict_wrong(make_method("calm", epsilon=2.0, k=3, theta=1e-3), domain, 65536, rng=rng)
    assert found["expected_wrong_cell_share"] == pytest.approx(100 * wrong)


def test_the_command_of_the_settings_gives_their_numbers(call, tmp_path):
    rng = np.random.default_rng(6)
    file = tmp_path / "odd names.csv"
    rows = [",".join(map(str, row)) for row in rng.integers(0, 2, size=(2000, 4))]
    file.write_text("\n".join(['"a,b",c d,=e,f', *rows]), encoding="utf-8")
    settings = Settings(
        columns=("c d", "a,b", "f"), epsilon=2.0, k=2, theta=0.01, l=2, m=3, oracle="oue", seed=5,
        nonnegativity="norm_sub", rounds=2, reconstruction="cln", n=1500, queries=3,
    )  # fmt: skip
    words = shlex.split(settings.to_command(str(file)))
    assert words[:4] == ["python", "-m", "calm_core", "release"]
    done = call(*words[3:], "--json")
    assert done.status == 0, done.err
    dataset = load_dataset(file, columns=settings.columns).dataset
    method = cc.make_method("calm", **settings.method_settings)
    outcome = cc.run(dataset, method, seed=5, n=1500, queries=3)
    found = json.loads(done.out)
    assert found["sse_mean"] == pytest.approx(outcome.scores.sse.mean())
    moved = [np.abs(a.values - b.values).sum() / 2 for a, b in zip(outcome.truths, outcome.answers)]
    assert found["wrong_cell_share"] == pytest.approx(100 * np.mean(moved))
    equal = [np.abs(a.values - 1 / a.values.size).sum() / 2 for a in outcome.truths]
    assert found["uniform_wrong_cell_share"] == pytest.approx(100 * np.mean(equal))


def test_release_refuses_options_without_effect_beside_the_rest(call, table):
    words = ["release", table, "--k", 2, "--d", 3, "--queries", 2, "--json"]
    for chosen, idle, why in (
        ("--l 2 --m 3", "--theta 0.01", "theta (0.01)"),
        ("--rounds 0", "--nonnegativity ripple", "(ripple)"),
        ("--method calm_plus --design pairs", "--theta 0.01", "theta (0.01)"),
    ):
        assert call(*words, *idle.split()).status == call(*words, *chosen.split()).status == 0
        done = call(*words, *chosen.split(), *idle.split())
        assert done.status == 2 and why in done.err and "leave it out" in done.err, chosen


def test_one_column_is_refused_in_one_true_sentence(call, tmp_path):
    file = tmp_path / "one.csv"
    file.write_text("a\n" + "yes\nno\n" * 100)
    out = ("--out", tmp_path / "out.csv")
    for words, least in (("release", 3), ("compare --k 2", 2)):
        command, *options = words.split()
        done = call(command, file, *options, *(out if command == "compare" else ()))
        last = done.err.splitlines()[-1]
        assert done.status == 2 and last.startswith("there is only 1 attribute, and "), words
        assert last.endswith(f"at least {least}; add or choose more columns"), words


def test_the_help_of_reproduce_lists_every_figure(call):
    shown = "".join(call("reproduce", "--help").out.split())
    assert [name for name in FIGURES if name not in shown] == []


def test_the_command_line_removes_stale_folders_at_its_start(call, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left = tmp_path / f"{PREFIX}dead"
    left.mkdir(mode=0o700)
    (left / OWNER).touch()  # nobody holds its lock: the owner is dead
    assert call("plan", "--n", 900, "--sizes", "2,2,3", "--epsilon", 1, "--k", 2).status == 0
    assert not list(tmp_path.iterdir())


def test_a_name_is_escaped_where_the_terminal_cannot_write_it(call, tmp_path, monkeypatch):
    file = tmp_path / "names.csv"
    file.write_text("größe,名前\n" + "ä,x\nb,y\nä,y\n" * 50, encoding="utf-8")
    written = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", written)
    done = call("release", file, "--k", 2)
    assert done.status == 0, done.err
    written.flush()
    assert r"größe x \u540d\u524d" in written.buffer.getvalue().decode("cp1252")


@pytest.mark.slow
def test_a_wrong_call_from_outside():
    words = "plan --n 9 --sizes 2,2 --epsilon 0 --k 2".split()
    done = subprocess.run(
        [sys.executable, "-m", "calm_core", *words], capture_output=True, cwd=ROOT
    )
    assert done.returncode == 2 and not done.stdout
    assert done.stderr.count(b"\n") == 1
    assert b"epsilon (0) must be from 0.000001 (strong privacy) to 16 (weak)" in done.stderr
