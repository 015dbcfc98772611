"""Say in one sentence that a file written by this program is damaged."""

import csv
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager

from calm_core.errors import DataError, UserError

# Errors that damaged files raise; RuntimeError where a damaged bit marks the file as encrypted.
UNREADABLE = (
    ValueError, TypeError, KeyError, OverflowError, EOFError, OSError, RuntimeError,
    zipfile.BadZipFile, zlib.error, csv.Error,
)  # fmt: skip


@contextmanager
def explain_damage(what: str, kind: str, remedy: str) -> Generator[None]:
    """Turn what goes wrong while a file is read into a `DataError`; the file should be a `kind`."""
    try:
        yield
    except DataError:
        raise
    except UserError as error:
        raise DataError(f"{what} is damaged: {str(error)[:300]}") from error
    except UNREADABLE as error:
        reason = str(error)[:100] or type(error).__name__
        raise DataError(f"{what} is damaged, or no {kind} ({reason}); {remedy}") from error


def check_unpacked_size(packed: zipfile.ZipFile, max_bytes: int, what: str, kind: str) -> None:
    """Refuse a ZIP that holds too much, without unpacking it."""
    if sum(member.file_size for member in packed.infolist()) > max_bytes:
        raise DataError(f"{what} unpacks to more than {max_bytes:,} bytes, as no {kind} does")
