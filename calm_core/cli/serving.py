"""The commands `app` and `serve`: the dashboard for oneself, or by several processes behind Caddy."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import typer

from calm_core.classroom.database import Database, default_path
from calm_core.cli import options
from calm_core.cli.output import print_notes
from calm_core.errors import InputError
from calm_core.runtime.child_process import build_command
from calm_core.runtime.installation import (
    APP,
    EMBED_IN,
    embedding_origins,
    list_private_addresses,
    list_unmet_requirements,
)
from calm_core.runtime.processes import StopRequested, defer_signals
from calm_core.runtime.temp_dirs import PrivateTempDir

LOCAL, EVERYWHERE = "127.0.0.1", "0.0.0.0"
# Seconds between two looks at the processes; a process that ends sooner than QUICK after its start, and then again
# as often as MAX_QUICK, will not run.
LOOK, QUICK, MAX_QUICK = 0.5, 10.0, 3
# Every visitor stays with the process that served the first page: its session is there. Where that one has died,
# another takes over. Frames of other sites keep no cookie: there visitors are told apart by their addresses.
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
		lb_policy {policy}
		lb_try_duration 10s
		fail_duration 2s
		health_uri /_stcore/health
		health_interval 1s
		health_timeout 3s
	}}
}}
"""


def start_app(
    port: options.Port = 8501,
    network: options.Network = False,
    browser: options.Browser = True,
    data_root: options.DataRoot = None,
    embed_in: options.EmbedIn = None,
) -> None:
    """Start the dashboard and open it in a browser."""
    address = EVERYWHERE if network else LOCAL
    origins = embedding_origins(embed_in or None)
    _check_can_serve(address, port, data_root, "choose another --port")
    url = f"http://{LOCAL}:{port}"
    notes = [f"Open {url} in a browser; Ctrl-C ends the dashboard."]
    if network:
        links = " or ".join(f"http://{own}:{port}" for own in list_private_addresses())
        notes += [
            f"Phones and other computers of this network open {links}."
            if links
            else "This machine is in no network; connect it and start again."
        ]
    server = _make_server("the dashboard", address, port, data_root, origins)
    _run([server], (LOCAL, port), notes, url if browser and has_screen() else None)


def has_screen() -> bool:
    """Whether a browser can open a window here: text browsers would take over the terminal."""
    return sys.platform in ("win32", "darwin") or bool(
        {"DISPLAY", "WAYLAND_DISPLAY"} & {*os.environ}
    )


def serve(
    processes: options.Processes = 1,
    address: options.Address = LOCAL,
    port: options.Port = 8501,
    data_root: options.DataRoot = None,
    embed_in: options.EmbedIn = None,
) -> None:
    """Serve the dashboard, until the command is stopped."""
    if processes < 1:
        raise InputError(f"processes ({processes}) must be at least 1")
    origins = embedding_origins(embed_in or None)
    _check_can_serve(address, port, data_root, "choose another --port or --address")
    host = LOCAL if address in (EVERYWHERE, "::") else address
    notes = [f"Open http://{host}:{port} in a browser; Ctrl-C ends the server."]
    if processes == 1:
        _run([_make_server("the server", address, port, data_root, origins)], (host, port), notes)
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
        policy = "ip_hash" if origins else f"cookie calm_process {secrets.token_hex(16)}"
        with folder.open("Caddyfile", "w") as file:
            file.write(CADDYFILE.format(
                port=port, address=address, upstreams=upstreams, policy=policy
            ))  # fmt: skip
        config = str(folder.path / "Caddyfile")
        own = {"XDG_CONFIG_HOME": str(folder.path), "XDG_DATA_HOME": str(folder.path)}
        proxy = build_command(caddy, "run", "--config", config, "--adapter", "caddyfile")
        servers = [
            _make_server(f"server {number}", LOCAL, one, data_root, origins, shared)
            for number, one in enumerate(ports, 1)
        ]
        _run([*servers, _Process("Caddy", proxy, own)], (host, port), notes)


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
            self.command,
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


def _make_server(
    name: str,
    address: str,
    port: int,
    data_root: Path | None,
    origins: list[str],
    environment: dict[str, str] | None = None,
) -> _Process:
    # For its welcome Streamlit would ask the internet for this machine's address.
    words = [f"--server.address={address}", f"--server.port={port}", "--server.headless=true",
             "--logger.hideWelcomeMessage=true"]  # fmt: skip
    if origins:
        # An upload would be known by a cookie, which browsers do not keep in a frame of another site. The
        # middleware refuses what other origins send anyway.
        words.append("--server.enableXsrfProtection=false")
    app_words = [] if data_root is None else ["--", "--data-root", str(data_root.resolve())]
    command = build_command("streamlit", "run", str(APP), *words, *app_words)
    return _Process(name, command, {EMBED_IN: " ".join(origins)} | (environment or {}))


def _run(
    processes: list[_Process], place: tuple[str, int], notes: list[str], url: str | None = None
) -> None:
    """Keep the processes running until this one is stopped; once they answer, say the notes and open the URL."""
    ready = False
    print_notes(["The dashboard starts, which takes some seconds."])
    try:
        for process in processes:
            process.start()
        while True:
            time.sleep(LOOK)
            for process in processes:
                process.look()
            if not ready and (ready := _answers(place)):
                print_notes(notes)
                if url is not None:
                    typer.launch(url)
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


def _answers(place: tuple[str, int]) -> bool:
    try:
        socket.create_connection(place, timeout=LOOK).close()
    except OSError:
        return False
    return True


def _check_can_serve(address: str, port: int, data_root: Path | None, remedy: str) -> None:
    """Refuse what the dashboard cannot start with."""
    if not APP.exists():
        raise InputError(
            f"the dashboard ({APP}) is not here; install calm-lab again, from its wheel"
        )
    if unmet := list_unmet_requirements("app"):
        raise InputError(
            f"the dashboard needs {', '.join(unmet)}, which is not installed; install it: pip install 'calm-lab[app]'"
        )
    if data_root is not None and not data_root.is_dir():
        raise InputError(f"the data root ({data_root}) must be a folder")
    check_free(address, port, remedy)


def check_free(address: str, port: int, remedy: str) -> None:
    """Refuse an address at which nothing can listen, with what to do about it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except (OSError, OverflowError) as error:
            reason = error.strerror if isinstance(error, OSError) else "no port"
            raise InputError(
                f"nothing can listen at {address}:{port} ({reason}); {remedy}"
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
