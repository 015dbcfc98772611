"""Files are written whole or not at all; what is in the way is left alone and said in a sentence."""

import errno
import os
import stat
import subprocess
import sys
import tracemalloc
from pathlib import Path
from unittest.mock import Mock

import pytest

from calm_core.errors import InputError
from calm_core.experiments import spec
from calm_core.io import atomic_files
from calm_core.io.atomic_files import (
    check_writable,
    output_folder,
    prepare_folder,
    read_file,
    write_atomically,
    write_lock,
)

ROOT = Path(__file__).resolve().parents[2]


def device_in(folder: Path) -> Path:
    """A device of the test's own: a fault that a test should notice must not cost a real one."""
    folder.mkdir(exist_ok=True)
    path = folder / "scores.csv"
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 7))
    except PermissionError:
        pytest.skip("only the administrator can make a device")
    return path


def make_refusing(number: int):
    def refuse(*_, **__):
        raise OSError(number, os.strerror(number))

    return refuse


@pytest.mark.parametrize(
    "act", [lambda path: write_atomically(path, "new"), lambda p: check_writable(p, "x")]
)
@pytest.mark.parametrize(
    "kind", ["device", "pipe", "folder", "link to a device", "link in a circle"]
)
def test_what_is_not_an_ordinary_file_is_refused_and_left(act, kind, tmp_path):
    path = tmp_path / "scores.csv"
    if kind == "device":
        device_in(tmp_path)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(device_in(tmp_path / "far") if kind == "link to a device" else path)
    before = path.lstat()
    with pytest.raises(InputError, match=r"must be|symbolic links"):
        act(path)
    after = path.lstat()
    assert (before.st_mode, before.st_ino, before.st_rdev) == (
        after.st_mode, after.st_ino, after.st_rdev,
    )  # fmt: skip
    there = sorted(p.name for p in tmp_path.iterdir())
    assert there == (["far", "scores.csv"] if kind == "link to a device" else ["scores.csv"])
    assert kind != "link to a device" or stat.S_ISCHR(path.stat().st_mode)


@pytest.mark.parametrize("there", [True, False])
def test_links_are_written_through(there, tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "scores.csv", tmp_path / "link.csv"
    if there:
        target.write_text("old")
        target.chmod(0o640)
    link.symlink_to(target)
    write_atomically(link, "new")
    assert link.is_symlink() and target.read_text() == "new" and not target.is_symlink()
    assert not there or target.stat().st_mode & 0o777 == 0o640
    assert len(list(tmp_path.rglob("*"))) == 3


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_refuses_leaves_the_old_file_and_no_other(number, step, tmp_path, monkeypatch):
    target = tmp_path / "file.csv"
    write_atomically(target, "old")
    monkeypatch.setattr(atomic_files.os, step, make_refusing(number))
    with pytest.raises(InputError) as refused:
        write_atomically(target, "new and much longer")
    assert str(refused.value).startswith("the file (") and "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == [target] and target.read_text() == "old"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing/scores.csv", "no such file or directory; choose another"),
        ("file/scores.csv", "not a directory"),
        ("x" * 300, "name too long"),
        ("deep/" * 2000 + "x", "name too long"),
        ("", "it is a folder"),
    ],
)
def test_places_where_no_file_can_be(name, words, tmp_path):
    (tmp_path / "file").write_text("old")
    for act in (
        lambda path: write_atomically(path, "new"),
        lambda path: check_writable(path, "--out"),
    ):
        with pytest.raises(InputError, match=words) as refused:
            act(tmp_path / name)
        assert len(str(refused.value)) < 400
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_folder_that_cannot_be_written_is_found_out_at_the_start(tmp_path, monkeypatch):
    monkeypatch.setattr("builtins.open", make_refusing(errno.EROFS))
    with pytest.raises(InputError, match=r"--out .* read-only"):
        check_writable(tmp_path / "scores.csv", "--out")
    with pytest.raises(InputError, match=r"--out .* read-only"):
        prepare_folder(tmp_path, "--out")


def test_a_file_where_a_folder_should_be(tmp_path):
    (tmp_path / "file").write_text("old")
    with pytest.raises(InputError, match="must be a folder, but a file is there"):
        prepare_folder(tmp_path / "file", "--out")
    with pytest.raises(InputError, match="not a directory"):
        prepare_folder(tmp_path / "file" / "below", "--out")
    assert prepare_folder(tmp_path / "a" / "b", "--out").is_dir()


def test_a_folder_for_what_came_to_nothing_is_not_left_behind(tmp_path):
    new = tmp_path / "a" / "b"
    with pytest.raises(InputError, match="came to nothing"), output_folder(new, "--out"):
        assert new.is_dir()
        raise InputError("came to nothing")
    assert not (tmp_path / "a").exists()
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "empty", tmp_path / "full" / "one"):
        with pytest.raises(InputError), output_folder(place, "--out") as folder:
            assert folder == place
            if "full" in str(place):
                (place.parent / "kept").touch()
            raise InputError("came to nothing")
    # What was there before stays, and what holds something.
    assert (tmp_path / "empty").is_dir() and [p.name for p in (tmp_path / "full").iterdir()] == [
        "kept"
    ]


def test_a_small_file_is_read_in_little_room(tmp_path):
    (tmp_path / "state.json").write_bytes(b"{}")
    tracemalloc.start()
    try:
        assert read_file(tmp_path / "state.json", what="the state", max_bytes=1 << 31) == b"{}"
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    with pytest.raises(InputError, match="larger than 1 bytes"):
        read_file(tmp_path / "state.json", what="the state", max_bytes=1)


def test_a_write_lock_keeps_others_out_and_goes_with_its_owner(tmp_path):
    out = tmp_path / "scores.csv"
    with write_lock(out, "--out"):
        with pytest.raises(InputError, match="written by another process"):
            with write_lock(out, "--out"):
                pass
        with write_lock(tmp_path / "other.csv", "--out"):
            pass
    with write_lock(out, "--out"):
        pass
    assert not list(tmp_path.iterdir())
    code = (
        "import os, signal\nfrom calm_core.io.atomic_files import write_lock\n"
        f"with write_lock({str(out)!r}, '--out'):\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert list(tmp_path.iterdir())
    with write_lock(out, "--out"):
        pass


# ---------------------------------------------------------------- as a user calls it


def data(folder: Path) -> Path:
    file = folder / "bits.csv"
    file.write_text("a,b,c\n" + "1,0,1\n0,1,1\n1,1,0\n" * 20)
    return file


def comparison(out: Path, folder: Path) -> list[str]:
    return [
        "compare", str(data(folder)), "--methods", "uni", "--k", "2", "--epsilon", "1",
        "--repeats", "40", "--jobs", "1", "--out", str(out),
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "status"), [(errno.ENOSPC, 2), (errno.EIO, None)])
def test_a_full_disk_is_one_line_whoever_meets_it(kind, status, call, tmp_path, monkeypatch):
    """A library that keeps what it has compiled, say; other errors of the system stay visible."""
    monkeypatch.setattr(spec, "compare", Mock(side_effect=OSError(kind, "no")))
    if status is None:
        with pytest.raises(OSError, match="no"):
            call(*comparison(tmp_path / "scores.csv", tmp_path))
    else:
        done = call(*comparison(tmp_path / "scores.csv", tmp_path))
        assert done.status == status
        assert done.err.splitlines()[-1].startswith("a file cannot be written: the disk is full")
