"""Results on disk while an experiment runs: one complete file per task, or none."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pandas as pd


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader, or a crash, finds the old one or the new one, never half."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    with open(partial, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


@dataclass(frozen=True)
class Parts:
    """The folder beside the final file that holds the tasks done so far.

    Attributes
    ----------
    out : Path
        The final CSV; the parts are in `<out>.parts` until it is written.
    """

    out: Path

    @property
    def folder(self) -> Path:
        """Where the parts are."""
        return self.out.with_name(self.out.name + ".parts")

    def path(self, key: str) -> Path:
        """The file of one task."""
        return self.folder / f"{key}.csv"

    def open(self) -> None:
        """Make the folder and drop files that a killed run left half-written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for partial in self.folder.glob("*.partial"):
            partial.unlink(missing_ok=True)

    def write(self, key: str, rows: pd.DataFrame) -> None:
        """Keep the rows of one task, all or nothing."""
        write_whole(self.path(key), rows.to_csv(index=False, lineterminator="\n"))

    def read(self, key: str) -> pd.DataFrame | None:
        """The rows of one task, None if it is still to be done."""
        if not self.path(key).exists():
            return None
        return read_table(self.path(key))

    def finish(self, keys: list[str]) -> None:
        """Join all parts in the given order into the final file, then remove them."""
        texts = [self.path(key).read_text(encoding="utf-8") for key in keys]
        header = texts[0].partition("\n")[0] + "\n"
        write_whole(self.out, header + "".join(text.partition("\n")[2] for text in texts))
        # Another run of the same experiment may be clearing up as well.
        shutil.rmtree(self.folder, ignore_errors=True)


def read_table(path: Path) -> pd.DataFrame:
    """A table of results as it was written: floats to the last bit, empty cells as missing."""
    return pd.read_csv(path, dtype={"reason": "object"})
