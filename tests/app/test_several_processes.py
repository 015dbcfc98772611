"""`calm-lab serve --processes 2`: visitors stay with their process, and a process that dies takes nothing with it."""

import asyncio
import json
import shutil
import signal
import subprocess
import sys
import urllib.request
from contextlib import contextmanager

import psutil
import pytest

from calm_core.cli import serving
from calm_core.errors import InputError
from tests.app.conftest import ROOT
from tests.app.screen import run_coroutine, until
from tests.benchmarks.visitors import Failed, Visitor, fetch_cookies


@contextmanager
def serve(folder, *options, port):
    """The command with its messages in a file; gives its process and address."""
    address = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5) as answer:
                return answer.read() == b"ok"
        except OSError:
            return False

    with (folder / "log").open("w") as log:
        command = [sys.executable, "-m", "calm_core", "serve", "--port", str(port), *options]
        process = subprocess.Popen(command, cwd=ROOT, stderr=log)
    try:
        assert until(answers), (folder / "log").read_text()
        yield process, address
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def servers(process) -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process(process.pid).children(recursive=True)
        if "streamlit" in child.cmdline()
    ]


def has_ended(process: psutil.Process) -> bool:
    """Whether it has; nobody may have collected its status yet."""
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("caddy") is None, reason="needs Caddy")
def test_visitors_stay_with_their_process_and_go_on_where_it_dies(tmp_path):
    (port,) = serving._find_free_ports(1)

    async def visit(process, address) -> None:
        # One visitor of each process; who comes is sent to either by chance.
        found = {fetch_cookies(address) for _ in range(40)}
        assert len(found) == 2
        people = [
            Visitor(address, "marginals", f"seed={100 + i}&n=1000", cookies=cookies)
            for i, cookies in enumerate(found)
        ]
        for person in people:
            await person.open()
            # A connection that is lost comes back to the same session.
            before = person.session
            await person.lose()
            await person.open()
            assert person.session == before
            await person.choose("settings_bar", "k", 2)
        killed, other = servers(process)
        killed.kill()
        for person in people:
            for _ in range(20):
                try:
                    await person.choose("settings_bar", "epsilon", "2")
                    break
                except Exception:
                    # As a browser does: it connects again, to whoever answers, with the address it shows.
                    person.query = json.loads(person.component("calm_address").json)["query"]
                    await asyncio.sleep(0.5)
                    try:
                        await person.open()
                    except (Failed, OSError):
                        continue
            await person.confirm()
            query = json.loads(person.component("calm_address").json)["query"]
            assert "epsilon=2.0" in query and "k=2" in query
            await person.close()
        assert other.is_running() and until(lambda: len(servers(process)) == 2), (
            "it is started again"
        )

    with serve(tmp_path, "--processes", "2", port=port) as (process, address):
        run_coroutine(visit(process, address))
        children = psutil.Process(process.pid).children(recursive=True)
    assert not [child for child in children if child.is_running()], "they end with the command"
    assert "is started again" in (tmp_path / "log").read_text()


@pytest.mark.slow
def test_one_process_needs_no_proxy_and_ends_with_a_command_that_is_killed(tmp_path):
    (port,) = serving._find_free_ports(1)
    with serve(tmp_path, port=port) as (process, _):
        (server,) = servers(process)
        process.kill()
        if sys.platform == "linux":
            assert until(lambda: has_ended(server))


def test_what_cannot_be_served_is_refused_in_one_sentence(monkeypatch, tmp_path):
    (port,) = serving._find_free_ports(1)
    monkeypatch.setattr(serving.shutil, "which", lambda name: None)
    (tmp_path / "file").touch()
    usual = {"processes": 1, "address": "127.0.0.1", "port": port, "data_root": None}
    for options, said in (
        ({"processes": 0}, "at least 1"),
        ({"processes": 2}, "Caddy, which is not installed"),
        ({"data_root": tmp_path / "nothing"}, "must be a folder"),
        ({"address": "192.0.2.1"}, "choose another"),
    ):
        with pytest.raises(InputError, match=said):
            serving.serve(**usual | options)
    monkeypatch.setattr(serving.shutil, "which", lambda name: "caddy")
    monkeypatch.setenv("CALM_CLASSROOM", str(tmp_path / "file" / "classroom.sqlite3"))
    with pytest.raises(InputError, match="set CALM_CLASSROOM"):
        serving.serve(**usual | {"processes": 2})
