"""The command `doctor`: what works on this machine, and what to do about the rest."""

import importlib.metadata
import platform
import shutil
import tempfile
import webbrowser
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from calm_core.cli import options
from calm_core.cli.output import escape_controls, print_json
from calm_core.cli.serving import LOCAL, check_free, has_screen
from calm_core.errors import InputError, UserError, lacks_memory
from calm_core.io.atomic_files import prepare_folder
from calm_core.runtime.executors import count_usable_cores
from calm_core.runtime.installation import APP, list_unmet_requirements
from calm_core.runtime.temp_dirs import PrivateTempDir
from calm_core.version import __version__

GB = 1e9
# A small release took 0.3 GB, the dashboard with a sample and one visitor 0.4 GB.
MIN_MEMORY, ENOUGH_MEMORY, ENOUGH_DISK = 0.5 * GB, 2 * GB, 1 * GB
BROKEN = 1


class _Advice(Exception):
    """What was found does not stop anything, but there is something to do about it."""


@dataclass(frozen=True)
class Check:
    """One line: its status is "ok", "note" (something to know) or "fail" (something needed does not work)."""

    name: str
    status: str
    found: str


def doctor(port: options.Port = 8501, json: options.AsJson = False) -> int:
    """Say what works on this machine and what to do; exit status 1 if something needed does not."""
    checks = [
        _look("versions", True, _find_versions),
        _look("memory", True, _measure_memory),
        _look("cores", True, lambda: f"{count_usable_cores()} may be used; see --jobs"),
        _look("temporary folder", True, _try_temporary_folder),
        _look("this folder", False, _try_this_folder),
        _look("a release", True, _try_release),
        _look("dashboard", False, _find_dashboard),
        _look("browser", False, _find_browser),
        _look("classroom", False, _try_classroom),
        _look("port", False, lambda: _try_port(port)),
    ]
    works = not any(check.status == "fail" for check in checks)
    if json:
        print_json({"ok": works, "checks": [asdict(check) for check in checks]})
    else:
        for check in checks:
            print(f"{check.status:<6}{check.name:<18}{escape_controls(check.found)}")
    return 0 if works else BROKEN


def _look(name: str, needed: bool, find: Callable[[], str]) -> Check:
    """The line of one check; what it raises is what is wrong."""
    try:
        return Check(name, "ok", find())
    except _Advice as advice:
        return Check(name, "note", str(advice))
    except UserError as error:
        return Check(name, "fail" if needed else "note", str(error))


def _find_versions() -> str:
    if unmet := list_unmet_requirements():
        raise InputError(f"{', '.join(unmet)} is not installed; run pip install --upgrade calm-lab")
    numbers = ", ".join(
        f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "scipy", "pandas")
    )
    system = f"{platform.system()} {platform.machine()}"
    return f"CALM Lab {__version__}, Python {platform.python_version()}, {numbers}, {system}"


def _measure_memory() -> str:
    import psutil

    free = psutil.virtual_memory().available
    limit = Path("/sys/fs/cgroup/memory.max")
    if limit.exists() and (text := limit.read_text("ascii").strip()).isdecimal():
        free = min(free, int(text))
    said = f"{free / GB:.1f} GB free"
    if free < MIN_MEMORY:
        raise InputError(
            f"{said}; end other programs, or allow more (ulimit -v, the container's limit)"
        )
    if free < ENOUGH_MEMORY:
        raise _Advice(f"{said}; use few columns and people, or end other programs")
    return said


def _try_temporary_folder() -> str:
    with PrivateTempDir() as folder, folder.open("test", "w"):
        free = shutil.disk_usage(folder.path).free
    text = f"{tempfile.gettempdir()} can be written, {free / GB:.1f} GB free"
    if free < ENOUGH_DISK:
        raise _Advice(f"{text}; delete files, or set TMPDIR to a folder with more room")
    return text


def _try_this_folder() -> str:
    here = prepare_folder(Path.cwd(), "this folder")
    return f"{here} can be written"


def run_small_release() -> None:
    """Use compiled code, linear algebra and a sample."""
    from calm_core.evaluation.run import run
    from calm_core.ingest.samples import load_sample
    from calm_core.methods import make_method

    people = load_sample("survey", d=4).dataset
    run(people, make_method("calm", epsilon=1.0, k=2), seed=1, queries=1)


def _try_release() -> str:
    try:
        run_small_release()
    except Exception as error:
        # Whatever it is, the other lines are still worth reading.
        remedy = "free some memory" if lacks_memory(error) else "install calm-lab again"
        raise InputError(
            f"a small release ends with {type(error).__name__}: {error}; {remedy}"
        ) from error
    return "a sample was released and scored"


def _find_dashboard() -> str:
    if not APP.exists() or list_unmet_requirements("app"):
        raise _Advice("not installed; run pip install 'calm-lab[app]' for it")
    return f"calm-lab app starts it, with Streamlit {importlib.metadata.version('streamlit')}"


def _find_browser() -> str:
    elsewhere = "open the address that calm-lab app says by hand, or use --network"
    if not has_screen():
        raise _Advice(f"no screen here; {elsewhere}")
    try:
        webbrowser.get()
    except webbrowser.Error:
        raise _Advice(f"none was found; {elsewhere}") from None
    return "calm-lab app opens it"


def _try_classroom() -> str:
    from calm_core.classroom.database import check_file, default_path

    path = default_path()
    check_file(path)
    try:
        prepare_folder(path.parent, "the folder of the classroom's surveys")
    except InputError as error:
        raise _Advice(f"{error}; without, surveys end with the program (CALM_CLASSROOM)") from None
    return f"surveys are kept in {path}"


def _try_port(port: int) -> str:
    check_free(LOCAL, port, "start the app with another --port")
    return f"{port} is free"
