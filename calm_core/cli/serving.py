"""The command `serve`: the dashboard, by one process or by several behind Caddy."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from calm_core.classroom.database import Database, default_path
from calm_core.cli import options
from calm_core.cli.output import print_notes
from calm_core.errors import InputError
from calm_core.runtime.child_process import build_command
from calm_core.runtime.processes import StopRequested, defer_signals
from calm_core.runtime.temp_dirs import PrivateTempDir

APP = Path(__file__).resolve().parents[2] / "app.py"
# Seconds between two looks at the processes; a process that ends sooner than QUICK after its start, and then again
# as often as MAX_QUICK, will not run.
LOOK, QUICK, MAX_QUICK = 0.5, 10.0, 3
# Every visitor stays with the process that served the first page: its session is there. Where that one has died,
# another takes over.
CADDYFILE = """{{
	admin off
	auto_https off
	log {{
		level ERROR
	}}
}}
http://:{port} {{
	bind {address}
	reverse_proxy {upstreams} {{
		lb_policy cookie calm_process {secret}
		lb_try_duration 10s
		fail_duration 2s
		health_uri /_stcore/health
		health_interval 1s
		health_timeout 3s
	}}
}}
"""


def serve(
    processes: options.Processes = 1,
    address: options.Address = "127.0.0.1",
    port: options.Port = 8501,
    data_root: options.DataRoot = None,
) -> None:
    """Serve the dashboard, until the command is stopped."""
    if processes < 1:
        raise InputError(f"processes ({processes}) must be at least 1")
    if not APP.exists():
        raise InputError(
            f"the dashboard ({APP}) is not here; run this in a checkout of the project"
        )
    if data_root is not None and not data_root.is_dir():
        raise InputError(f"the data root ({data_root}) must be a folder")
    _check_free(address, port)
    shown = "127.0.0.1" if address in ("0.0.0.0", "::") else address
    note = f"Open http://{shown}:{port} in a browser; Ctrl-C ends the server."
    if processes == 1:
        _run([_Process("the server", _streamlit(address, port, data_root), {})], note)
        return
    caddy = shutil.which("caddy")
    if caddy is None:
        raise InputError(
            "several processes need Caddy, which is not installed; see https://caddyserver.com/docs/install, or "
            "use --processes 1"
        )
    _check_classroom_file()
    ports = _find_free_ports(processes)
    # A visitor whose process has died goes on at another, with the same tokens.
    shared = {
        "STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32),
        "CALM_PUBLIC_ADDRESS": address,
    }
    with PrivateTempDir() as folder:
        upstreams = " ".join(f"127.0.0.1:{one}" for one in ports)
        with folder.open("Caddyfile", "w") as file:
            file.write(CADDYFILE.format(
                port=port, address=address, upstreams=upstreams, secret=secrets.token_hex(16)
            ))  # fmt: skip
        config = str(folder.path / "Caddyfile")
        own = {"XDG_CONFIG_HOME": str(folder.path), "XDG_DATA_HOME": str(folder.path)}
        proxy = build_command(caddy, "run", "--config", config, "--adapter", "caddyfile")
        servers = [
            _Process(f"server {number}", _streamlit("127.0.0.1", one, data_root), shared)
            for number, one in enumerate(ports, 1)
        ]
        _run([*servers, _Process("Caddy", proxy, own)], note)


def _streamlit(address: str, port: int, data_root: Path | None) -> list[str]:
    words = [f"--server.address={address}", f"--server.port={port}", "--server.headless=true"]
    more = [] if data_root is None else ["--", "--data-root", str(data_root.resolve())]
    return build_command("streamlit", "run", str(APP), *words, *more)


@dataclass(eq=False)
class _Process:
    """A child process that is started again when it ends."""

    name: str
    command: list[str]
    environment: dict[str, str]
    quick: int = 0
    started: float = 0.0
    child: subprocess.Popen | None = None

    def start(self) -> None:
        self.started = time.monotonic()
        # Not a group of its own: Ctrl-C reaches it, too.
        self.child = subprocess.Popen(
            self.command, cwd=APP.parent,
            env=os.environ | {"PYTHONPATH": str(APP.parent)} | self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=sys.stderr,
        )  # fmt: skip

    def look(self) -> None:
        """Start it again if it has ended; InputError where it ends again and again."""
        status = None if self.child is None else self.child.poll()
        if status is None:
            return
        self.quick = self.quick + 1 if time.monotonic() - self.started < QUICK else 0
        if self.quick >= MAX_QUICK:
            raise InputError(
                f"{self.name} ends as soon as it starts (status {status}); see its messages above"
            )
        print_notes([f"{self.name} has ended (status {status}) and is started again"])
        self.start()

    def stop(self) -> None:
        if self.child is not None and self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.child.kill()


def _run(processes: list[_Process], note: str) -> None:
    """Keep the processes running until this one is stopped."""
    try:
        for process in processes:
            process.start()
        print_notes([note])
        while True:
            time.sleep(LOOK)
            for process in processes:
                process.look()
    except StopRequested as stop:
        stop.outcome = "the server has ended"
        raise
    finally:
        with defer_signals():
            for process in reversed(processes):
                process.stop()


def _check_classroom_file() -> None:
    """Refuse a file that cannot be written: each process would keep surveys of its own."""
    database = Database()
    database.stop()
    if database.temporary:
        raise InputError(
            f"the file of the classroom's surveys ({default_path()}) cannot be written, and all processes must share "
            "it; set CALM_CLASSROOM to a file that can be, or use --processes 1"
        )


def _check_free(address: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            raise InputError(
                f"nothing can listen at {address}:{port} ({error.strerror}); choose another --port or --address"
            ) from error


def _find_free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()
