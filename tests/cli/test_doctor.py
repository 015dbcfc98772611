"""`calm-lab doctor`: what does not work is said with what to do, and only what is needed makes it fail."""

import json
import socket
from types import SimpleNamespace

import psutil
import pytest

from calm_core.cli import doctor
from calm_core.runtime import installation


def read_checks(call, *options) -> tuple[int, dict]:
    done = call("doctor", "--json", *options)
    found = json.loads(done.out)
    assert found["ok"] is (done.status == 0), done.err
    return done.status, {one["name"]: one for one in found["checks"]}


@pytest.fixture
def healthy(monkeypatch, tmp_path):
    """A machine on which nothing depends on where the tests run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CALM_CLASSROOM", str(tmp_path / "classroom.sqlite3"))
    monkeypatch.setattr(doctor, "has_screen", lambda: True)
    monkeypatch.setattr(doctor.webbrowser, "get", lambda: None)
    monkeypatch.setattr(doctor, "check_free", lambda *args: None)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=8 * doctor.GB))
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: SimpleNamespace(free=8e9))
    monkeypatch.setattr(doctor, "run_small_release", lambda: None)


def test_on_a_healthy_machine_all_ten_lines_are_ok(call, healthy):
    done = call("doctor")
    assert done.status == 0
    assert [line[:6] for line in done.out.splitlines()] == ["ok    "] * 10


def _fail(*args):
    raise OSError("broken code")


@pytest.mark.parametrize("name, module, attribute, value, status, said", [
    ("versions", installation, "version", lambda name: "0.1", "fail", "numpy"),
    ("memory", psutil, "virtual_memory", lambda: SimpleNamespace(available=1e8), "fail", "0.1 GB"),
    ("memory", psutil, "virtual_memory", lambda: SimpleNamespace(available=1e9), "note", "few columns"),
    ("temporary folder", doctor.shutil, "disk_usage", lambda path: SimpleNamespace(free=1), "note", "TMPDIR"),
    ("a release", doctor, "run_small_release", _fail, "fail", "OSError: broken code; install"),
    ("dashboard", installation, "version", lambda name: "0.1", "note", "calm-lab[app]"),
    ("browser", doctor, "has_screen", lambda: False, "note", "no screen"),
])  # fmt: skip
def test_what_is_broken_is_said_with_what_to_do(
    call, healthy, monkeypatch, name, module, attribute, value, status, said
):
    monkeypatch.setattr(module, attribute, value)
    code, checks = read_checks(call)
    assert (checks[name]["status"], code) == (status, code) and said in checks[name]["found"]
    assert code == any(check["status"] == "fail" for check in checks.values())


def test_a_taken_port_and_a_classroom_that_cannot_be_kept_are_notes(call, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("CALM_CLASSROOM", str(tmp_path / "file" / "classroom.sqlite3"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, checks = read_checks(call, "--port", taken.getsockname()[1])
    assert code == 0 and checks["a release"]["status"] == "ok"
    for name, said in (("port", "another --port"), ("classroom", "CALM_CLASSROOM")):
        assert checks[name]["status"] == "note" and said in checks[name]["found"]
