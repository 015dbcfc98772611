"""Keep results on disk while an experiment runs: one complete file per task, or none."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from calm_core.io.atomic_files import (
    OUT,
    check_writable,
    explain_os_errors,
    write_atomically,
    write_lock,
)


@dataclass(frozen=True)
class Parts:
    """The folder next to the final file that holds the results of the tasks done so far.

    Attributes
    ----------
    out : Path
        The final CSV; the parts are in `<out>.parts` until it is written.
    """

    out: Path

    @property
    def folder(self) -> Path:
        """The folder of the parts."""
        return self.out.with_name(self.out.name + ".parts")

    def path(self, key: str) -> Path:
        """The file of one task."""
        return self.folder / f"{key}.csv"

    @contextmanager
    def open(self) -> Iterator["Parts"]:
        """Make the folder, remove partial files of a killed run, and keep other runs out.

        Raises
        ------
        InputError
            If the final file cannot be written, or another process writes it.
        """
        check_writable(self.out, OUT)
        with write_lock(self.out, OUT):
            with explain_os_errors(self.folder, OUT):
                self.folder.mkdir(exist_ok=True)
                for partial in self.folder.glob("*.partial"):
                    partial.unlink(missing_ok=True)
            yield self

    def write(self, key: str, rows: pd.DataFrame) -> None:
        """Write the rows of one task, all or nothing."""
        write_atomically(
            self.path(key), rows.to_csv(index=False, lineterminator="\n"), what="a result"
        )

    def read(self, key: str) -> pd.DataFrame | None:
        """The rows of one task, or None if it is still to be done."""
        if not self.path(key).exists():
            return None
        return read_table(self.path(key))

    def finish(self, keys: list[str]) -> None:
        """Join all parts in the given order into the final file, then remove them."""
        texts = [self.path(key).read_text(encoding="utf-8") for key in keys]
        header = texts[0].partition("\n")[0] + "\n"
        joined = header + "".join(text.partition("\n")[2] for text in texts)
        write_atomically(self.out, joined, what=OUT)
        shutil.rmtree(self.folder, ignore_errors=True)


def read_table(path: Path) -> pd.DataFrame:
    """Read a table of results as it was written: floats to the last bit, empty cells as missing."""
    return pd.read_csv(path, dtype={"reason": "object"})
