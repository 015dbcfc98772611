"""30 sessions move epsilon every 10 s or so for 30 s against a local server; prints how long reruns took.

Run with `python tests/benchmarks/load_test.py [sessions] [seconds] [pause]`; starts its own server on the
loopback. Each session is driven over HTTP by Streamlit's agent interface: the real app, no browser.
"""

import json
import random as order
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
EPSILONS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


def call(address: str, **body) -> dict:
    """One interaction; returns the snapshot."""
    request = urllib.request.Request(
        f"{address}/_stcore/agent/interact",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def visit(address: str, number: int, seconds: float, pause: float, took: list, wrong: list):
    """One session: open the app, then move epsilon every `pause` seconds or so until time is up."""
    pick = order.Random(number)
    try:
        session = call(address)["session_id"]
        until = time.monotonic() + seconds
        time.sleep(pick.uniform(0, pause))
        while time.monotonic() < until:
            began = time.monotonic()
            state = {"in_epsilon": f"{pick.choice(EPSILONS):g}"}
            found = call(address, session_id=session, widget_state=state)
            took.append(time.monotonic() - began)
            if found["status"] != "ready":
                wrong.append(found["status"])
            time.sleep(pause * pick.uniform(0.5, 1.5))
    except urllib.error.HTTPError as error:
        wrong.append(error.read().decode()[:300])
    except OSError as error:
        wrong.append(str(error))


def main(sessions: int = 30, seconds: float = 30.0, pause: float = 10.0) -> None:
    """Serve, load, report."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    command += [f"--server.port={port}", "--server.address=127.0.0.1"]
    command += ["--server.enableAgentApi=true", "--server.fileWatcherType=none"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    address, took, wrong = f"http://127.0.0.1:{port}", [], []
    try:
        while server.poll() is None:
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=2)
                break
            except OSError:
                time.sleep(0.2)
        call(address)
        before = psutil.Process(server.pid).memory_info().rss
        people = [
            threading.Thread(target=visit, args=(address, i, seconds, pause, took, wrong))
            for i in range(sessions)
        ]
        for person in people:
            person.start()
        for person in people:
            person.join()
        grown = psutil.Process(server.pid).memory_info().rss - before
    finally:
        server.terminate()
        server.wait(20)
    took.sort()
    print(
        f"{sessions} sessions, {seconds:g} s, pause {pause:g} s: {len(took)} reruns, {len(wrong)} errors {wrong[:1]}"
    )
    for share in (0.5, 0.95, 1.0):
        print(f"{share:.0%} of reruns within {took[max(0, int(share * len(took)) - 1)]:.2f} s")
    print(f"memory grew by {grown / 1e6:.0f} MB")


if __name__ == "__main__":
    given = [float(word) for word in sys.argv[1:]]
    main(*(int(given[0]), *given[1:]) if given else ())
