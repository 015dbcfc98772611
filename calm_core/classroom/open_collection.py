"""Open a collection: a state, a folder of report files, or saved classes of the live classroom."""

from pathlib import Path

from calm_core.classroom.export import KIND, is_export, read_zip
from calm_core.collection.parts import KINDS as REPORTS
from calm_core.collection.parts import NONE, count_parts, list_report_files
from calm_core.collection.states import KINDS, MAX_BYTES, State, state_from_bytes
from calm_core.errors import DataError, InputError
from calm_core.io.atomic_files import read_file, resolve_below, strip_root, walk_folders
from calm_core.planning.plan_file import MAX_BYTES as MAX_PLAN_BYTES
from calm_core.planning.plan_file import plan_from_text

PLAN_FILE = "plan.json"
MAX_LISTED = 200
# Ends of names of states and of saved classes.
STATE_KINDS = (*KINDS, KIND)


def state_from_content(content: bytes, what: str = "the state") -> State:
    """Return the state in the content of a file: a state, or a saved class.

    Raises
    ------
    UserError
        If it is neither, or damaged.
    """
    if is_export(content):
        return read_zip(content, what).state
    return state_from_bytes(content, what)


def read_state(path: str | Path) -> State:
    """Return the state in a file, as `state_from_content` does."""
    what = f"the state ({str(path):.200})"
    return state_from_content(read_file(path, what=what, max_bytes=MAX_BYTES), what)


def list_collections(root: str | Path) -> list[str]:
    """Return the names of states, saved classes and folders of report files with a plan below a root.

    At most `MAX_LISTED`.
    """
    names = []
    for at, files in walk_folders(root):
        if PLAN_FILE in files and any(name.endswith(REPORTS) for name in files):
            names.append(str(at))
        states = (name for name in files if Path(name).suffix in STATE_KINDS)
        names += [str(at / name) for name in states if name != PLAN_FILE]
        if len(names) >= MAX_LISTED:
            break
    return names[:MAX_LISTED]


def collection_signature(root: str | Path, name: str) -> tuple:
    """Return names, sizes and times of the files of a collection, to see whether they change.

    Raises
    ------
    InputError
        If it is not below the root.
    """
    path = resolve_below(root, name)
    try:
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        stats = [(file.name, file.lstat()) for file in files]
    except OSError as error:
        raise InputError(
            f"the files of {name:.200} are just changing; open it once more"
        ) from error
    return tuple((called, about.st_size, about.st_mtime_ns) for called, about in stats)


def open_collection(root: str | Path, name: str) -> State:
    """Return the collection of this name below a root: a state, saved classes, or counted report files.

    Raises
    ------
    UserError
        If it is not below the root or is damaged, or one of its report files is refused.
    """
    home, path = Path(root).resolve(), resolve_below(root, name)
    if not path.is_dir():
        what = f"the state ({name:.200})"
        return state_from_content(read_file(path, what=what, max_bytes=MAX_BYTES), what)
    inside = [str(file.relative_to(home)) for file in list_report_files(path)]
    if not inside:
        raise InputError(f"the folder {name:.200} holds no {NONE}; choose another")
    files = [resolve_below(home, file) for file in inside]
    what = f"the plan ({name:.200}/{PLAN_FILE})"
    text = read_file(
        resolve_below(home, str(Path(name) / PLAN_FILE)), what=what, max_bytes=MAX_PLAN_BYTES
    )
    state, refused = count_parts(files, State(plan_from_text(text, what)), keep=lambda state: None)
    if refused:
        first = strip_root(refused[0], home)
        are = "were" if len(refused) > 1 else "was"
        raise DataError(f"{len(refused):,} of {len(files):,} report files {are} refused: {first}")
    return state
