"""Public data sets by name: downloaded once, checked and cached."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pooch
from platformdirs import user_cache_path

from calm_core._checks import check_choice
from calm_core.errors import DataError, InputError
from calm_core.io.atomic_files import prepare_folder, write_atomically

TIMEOUT_SECONDS = 60
LARGEST_BYTES = 2**30


@dataclass(frozen=True)
class PublicSet:
    """A public data set with its source and shape.

    Attributes
    ----------
    name : str
    file : str
        Its name in the cache.
    source : str
        Where it comes from.
    rows : int
        Number of records, checked before a download is accepted.
    columns : int
        Number of columns of a table, of different items of transactions; checked too.
    transactions : bool
        Whether a row is a set of items.
    """

    name: str
    file: str
    source: str
    rows: int
    columns: int
    transactions: bool


# UCI Adult is a census extract of 1994, whose rows with missing values are dropped; Kosarak are clicks on a Hungarian
# news site, BMS-POS purchases at an electronics retailer.
FIMI = "http://fimi.uantwerpen.be/data/"
PUBLIC_SETS = {
    one.name: one
    for one in (
        PublicSet("adult", "adult.csv", "OpenML, data set adult, version 2", 45_222, 15, False),
        PublicSet("kosarak", "kosarak.dat", f"{FIMI}kosarak.dat.gz", 990_002, 41_270, True),
        PublicSet("bms-pos", "BMS-POS.dat", f"{FIMI}BMS-POS.dat.gz", 515_597, 1_657, True),
    )
}


def cache_folder() -> Path:
    """Folder of the cache: $CALM_DATA, or calm-lab in the user's cache folder."""
    folder = os.environ.get("CALM_DATA")
    return Path(folder) if folder else user_cache_path("calm-lab")


def _download(url: str) -> bytes:
    """The content of an address, unpacked if it is gzip."""
    pooch.get_logger().setLevel("WARNING")
    with tempfile.TemporaryDirectory(prefix="calm-") as folder:
        # `check_content` checks the content, so there is no hash.
        file = pooch.retrieve(
            url,
            known_hash=None,
            path=folder,
            processor=pooch.Decompress() if url.endswith(".gz") else None,
            downloader=pooch.HTTPDownloader(timeout=TIMEOUT_SECONDS),
        )
        if Path(file).stat().st_size > LARGEST_BYTES:
            raise DataError(
                f"{url} is larger than {LARGEST_BYTES:,} bytes; give a local file instead"
            )
        return Path(file).read_bytes()


def fetch_public_set(data_set: PublicSet) -> bytes:
    """The data set from its source: one basket of items per line, or Adult as CSV."""
    if data_set.transactions:
        return as_baskets(_download(data_set.source))
    from sklearn.datasets import fetch_openml

    # Without missing values; scikit-learn checks OpenML's checksum.
    frame = fetch_openml("adult", version=2, as_frame=True, cache=False, parser="auto").frame
    return frame.dropna().to_csv(index=False).encode()


def as_baskets(content: bytes) -> bytes:
    """Lines of basket and item (as KDD Cup 2000 published BMS-POS) as one line per basket.

    Examples
    --------
    >>> as_baskets(b"1\\t5\\n1\\t7\\n2\\t5\\n")
    b'5 7\\n5\\n'
    >>> as_baskets(b"5 7\\n5\\n")
    b'5 7\\n5\\n'
    """
    if b"\t" not in content[:1000]:
        return content
    baskets: dict[bytes, list[bytes]] = {}
    for line in content.splitlines():
        parts = line.split()
        if len(parts) != 2:
            return content
        baskets.setdefault(parts[0], []).append(parts[1])
    return b"".join(b" ".join(items) + b"\n" for items in baskets.values())


def check_content(data_set: PublicSet, content: bytes) -> None:
    """Raise if the content has other numbers of rows, columns or items than the data set."""
    lines = content.rstrip(b"\r\n").splitlines()
    if data_set.transactions:
        shape = len(lines), len({item for line in lines for item in line.split()})
    else:
        shape = len(lines) - 1, lines[0].count(b",") + 1 if lines else 0
    if shape != (data_set.rows, data_set.columns):
        what = "items" if data_set.transactions else "columns"
        raise DataError(
            f"{data_set.name} has {shape[0]:,} rows and {shape[1]:,} {what}, but the published set has "
            f"{data_set.rows:,} and {data_set.columns:,}; get the file from {data_set.source}"
        )


def get_public_file(
    name: str,
    *,
    folder: Path | None = None,
    source: Callable[[PublicSet], bytes] = fetch_public_set,
) -> Path:
    """Path of a public data set in the cache; downloads and checks it if needed.

    Parameters
    ----------
    name : str
        One of `PUBLIC_SETS`.
    folder : Path, optional
        The cache; a copy of the file put there by hand is taken (and checked) as well.
    source : callable
        Gets the content where the cache has none.

    Raises
    ------
    InputError
        If it is not in the cache and cannot be fetched; the message says where to put a copy.
    DataError
        If the content is not the published data set, or the copy has changed since it was checked
        (its SHA-256 is kept beside it).
    """
    data_set = PUBLIC_SETS[check_choice("public data set", name, PUBLIC_SETS)]
    folder = cache_folder() if folder is None else Path(folder)
    file = folder / data_set.file
    seal = folder / f"{data_set.file}.sha256"
    present = file.exists()
    try:
        content = file.read_bytes() if present else source(data_set)
    except OSError as error:
        raise InputError(
            f"{name} cannot be fetched from {data_set.source} ({error}); connect to the network, put a "
            f"copy at {file}, or give the path of a local copy instead of the name"
        ) from error
    digest = hashlib.sha256(content).hexdigest()
    if present and seal.exists():
        if seal.read_text(encoding="ascii").strip() != digest:
            raise DataError(
                f"{file} has changed since it was checked; delete it to get {name} again"
            )
        return file
    check_content(data_set, content)
    if not present:
        prepare_folder(folder, "the cache")
        write_atomically(file, content)
    write_atomically(seal, digest + "\n")
    return file


def find_data(source: str | Path, *, folder: Path | None = None) -> Path:
    """Path of a file, or of the public data set of this name."""
    path = Path(source)
    if path.exists() or str(source) not in PUBLIC_SETS:
        return path
    return get_public_file(str(source), folder=folder)
