"""The steps of the image on this machine: its own system stands in for the base image, a chroot for the container.

Needs root and mounts of its own, which a machine for tests may not give.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml

from calm_core.cli.serving import _find_free_ports
from tests.app.conftest import ROOT
from tests.app.screen import run_coroutine
from tests.app.test_several_processes import UV, answers
from tests.benchmarks.visitors import Visitor

CONTAINER = ROOT / ".ci" / "container"
# What pip and apt have to know of this machine's network.
NETWORK = ("HOME", "PIP_", "UV_", "SSL_", "http", "HTTP", "no_proxy", "NO_PROXY")
PYTHON, PACKAGES = Path(sys.base_prefix), sysconfig.get_path("purelib")
# Instead of what pip would fetch for minutes, packages of this environment are linked, where they are compiled too.
LINKED = "RUN /opt/calm/bin/pip install --no-cache-dir -r /src/requirements.txt"
LINK = [sys.executable, str(ROOT / ".ci" / "wheel_needs.py")]
QUICKER = {
    "python -m venv": f"{UV} venv -q",
    "/opt/calm/bin/pip install --no-cache-dir": f"{UV} pip install -q --python /opt/calm/bin/python",
}


def steps(text: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile and what follows them."""
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line and line[0] != "#"]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def build(folder: Path) -> tuple[list[str], list[str], list[str], list[str]]:
    """Commands that make the image, what begins a command inside it, how it starts and how it is watched."""
    commands, stages, root = [], {}, folder
    passed = {name: value for name, value in os.environ.items() if name.startswith(NETWORK)}
    values, user, start, watch = {}, "root", [], []
    for name, rest in steps((CONTAINER / "Dockerfile").read_text()):
        if name == "FROM":
            base, _, stage = rest.partition(" AS ")
            assert base == f"python:3.{sys.version_info.minor}-slim", "tested with another Python"
            root = folder / f"stage{len(stages)}" / "root"
            stages[stage] = root
            upper, work = root.with_name("upper"), root.with_name("work")
            values = {
                "PATH": f"{PYTHON}/bin:/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
            }
            commands += [
                f"mkdir -p {root} {upper} {work}",
                f"mount -t overlay overlay -o lowerdir=/,upperdir={upper},workdir={work} {root}",
                f"mount --rbind /dev {root}/dev && mount --rbind /proc {root}/proc",
                # The interpreter and its packages may lie in a home that others cannot enter; the base image has no users.
                *(
                    f"chmod a+x {root}{above}"
                    for above in (*PYTHON.parents, *Path(PACKAGES).parents)
                ),
                f"sed -i /:1000:/d {root}/etc/passwd {root}/etc/group",
            ]
        elif UV and f"{name} {rest}" == LINKED:
            commands.append(shlex.join([*LINK, f"{root}/opt/calm", f"{ROOT}/requirements.txt"]))
        elif name == "RUN":
            given = [f"{key}={value}" for key, value in (passed | values).items()]
            for slow, quick in QUICKER.items() if UV else ():
                rest = rest.replace(slow, quick)
            commands.append(
                shlex.join(["chroot", str(root), "env", "-i", *given, "sh", "-c", rest])
            )
        elif name == "COPY":
            *sources, target = rest.split()
            source = ROOT
            if sources[0].startswith("--from="):
                source = stages[sources.pop(0).removeprefix("--from=")]
            for one in sources:
                # A folder's content goes into the target; what ends with a slash is a folder.
                tail = "/." if not target.endswith("/") else ""
                commands.append(
                    f"mkdir -p {root}{target} && cp -a {source}/{one.strip('/')}{tail} {root}{target}"
                )
        elif name == "ENV":
            pairs = (pair.partition("=") for pair in rest.split())
            values |= {key: value.replace("$PATH", values["PATH"]) for key, _, value in pairs}
        elif name == "USER":
            user = rest
        elif name == "HEALTHCHECK":
            watch = json.loads(rest.partition("CMD ")[2])
        elif name == "CMD":
            start = json.loads(rest)
        else:
            assert (name, rest) in {("WORKDIR", "/data"), ("VOLUME", "/data"), ("EXPOSE", "8501")}
    lab = yaml.safe_load((CONTAINER / "compose.yaml").read_text())["services"]["lab"]
    assert lab["command"][: len(start)] == start, "compose.yaml starts something else"
    # Only these can be written, and nobody gets more rights.
    assert lab["read_only"] and lab["volumes"] == ["lab:/data"] and lab["tmpfs"] == ["/tmp"]
    assert lab["cap_drop"] == ["ALL"] and lab["security_opt"] == ["no-new-privileges:true"]
    commands += [
        f"cp -a {root}/data {folder}/volume",
        f"mount --bind {folder}/volume {root}/data && mount -t tmpfs tmpfs {root}/tmp",
        # The packages are still where they were linked from.
        f"mkdir -p {root}{PACKAGES} && mount --bind {PACKAGES} {root}{PACKAGES}",
        f"mount -o remount,ro {root}",
    ]
    rights = [
        "--reuid",
        user,
        "--regid",
        user,
        "--clear-groups",
        "--no-new-privs",
        "--bounding-set=-all",
    ]
    inside = ["chroot", str(root), "setpriv", *rights, "env", "-i", "-C", "/data",
              *(f"{key}={value}" for key, value in values.items())]  # fmt: skip
    return commands, inside, start, watch


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_image_is_built_and_serves_a_page_as_a_user_who_can_write_its_volume_alone(tmp_path):
    mounts = ["unshare", "--mount", "sh", "-c"]
    able = sys.platform == "linux" and shutil.which("setpriv") and subprocess.run(
        [*mounts, f"cd {tmp_path} && mkdir a b c && mount -t overlay o -o lowerdir=/,upperdir=a,workdir=b c"],
        capture_output=True,
    ).returncode == 0  # fmt: skip
    if not able:
        pytest.skip("nobody may mount here")
    commands, inside, start, watch = build(tmp_path)
    (port,) = _find_free_ports(1)
    watch = [word.replace("8501", str(port)) for word in watch]
    script = [
        "set -e",
        *commands,
        f"{shlex.join([*inside, *start, '--port', str(port)])} &",
        f"for i in $(seq 120); do sleep 1; {shlex.join([*inside, *watch])} 2>/dev/null && break; done",
        f"{shlex.join([*inside, 'touch', '/var/tmp/written'])} 2>/dev/null && exit 9",
        "echo healthy",
        "read -r over",
        "kill %1; wait %1 || true",
    ]
    process = subprocess.Popen(
        ["unshare", "--mount", "bash", "-c", "\n".join(script)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        said = ""
        while "healthy" not in said:
            said = process.stdout.readline()
            assert said, process.wait()
        address = f"http://127.0.0.1:{port}"
        assert answers(address)

        async def visit() -> None:
            person = Visitor(address, "marginals", "n=1000")
            await person.open()
            assert person.component("settings_bar")
            await person.close()

        run_coroutine(visit())
        assert (tmp_path / "volume" / ".calm-lab" / "classroom.sqlite3").stat().st_uid == 1000
    finally:
        process.communicate("over\n", timeout=60)
        # Gigabytes, which pytest would keep.
        shutil.rmtree(tmp_path)
    assert process.returncode == 0
