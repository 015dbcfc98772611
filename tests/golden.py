"""Record what the code gives, to compare before and after a change that must not alter it.

    python -m tests.golden OUT.json             write digests of everything below
    python -m tests.golden NEW.json OLD.json    the same, then list what differs; status 1 if anything does

Recorded: every method on two domains; the command line's output and files; the numbers on every page at three
settings; the exports of the app. Words may change where numbers may not, so for pages and messages only the
numbers count. Digests hold on one machine: another BLAS may round otherwise.
"""

import contextlib
import hashlib
import io
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import calm_core as cc

ROOT = Path(__file__).resolve().parents[1]
PAGES = (
    "start", "learn", "data", "plan", "collect", "marginals", "errors", "collection", "worlds",
    "compare", "classroom", "about",
)  # fmt: skip
PAGE_SETTINGS: tuple[dict[str, str], ...] = (
    {},
    {"epsilon": "0.5", "k": "2", "d": "6", "seed": "3"},
    {"epsilon": "2.0", "source": "browsing", "method": "calm_plus", "n": "20000", "queries": "10"},
)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
# Numbers of a page that are no results: of styles, and of names made anew in every session.
OTHERS = re.compile(
    r"(?s:<style>.*?</style>)|downloads/[\w-]+|\b(id|key|hash)\S*: .*|\b[0-9a-f]{16,}\b"
)
# The README's commands, on a sample, in an empty folder, each after the ones above it.
COMMANDS = """
plan --n 65536 --sizes 2,2,2,2,2,2,2,2 --epsilon 1.4 --k 3 --theta 0.001 --json
schema DATA --out schema.json
release DATA --schema schema.json --epsilon 1 --k 3 --d 6 --seed 1
release DATA --epsilon 1 --k 3 --d 8 --max-values 3 --seed 1 --json
release DATA --epsilon 1 --k 2 --d 6 --seed 1 --stream --json
release DATA --epsilon 1 --k 2 --d 6 --seed 1 --population --n 1000000000 --json
release DATA --epsilon 1 --k 2 --d 6 --method calm_plus --design risk --seed 2 --json
compare DATA --methods calm,ft,uni --epsilon 0.2,1 --k 3 --d 6 --repeats 2 --seed 1 --out scores.csv
calibrate DATA --k 3 --d 6
plan --schema schema.json --n 65536 --epsilon 1 --k 2 --out plan.json
client --plan plan.json --out site
collect DATA --schema schema.json --plan plan.json --out parts --partitions 3 --seed 5
aggregate parts --plan plan.json --out state.npz
answer state.npz --attrs female,age --method calm_plus --csv
answer state.npz --attrs female,age --method calm
""".strip().splitlines()


def digest(content: bytes | str) -> str:
    """A short digest of bytes, or of a text."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()[
        :16
    ]


def methods() -> Iterator[tuple[str, str]]:
    """Every method on two domains, two epsilons and two sizes of tables."""
    for sizes in ((2,) * 6, (2, 3, 4, 2)):
        domain = cc.Domain(tuple("abcdef"[: len(sizes)]), sizes)
        rng = np.random.default_rng(5)
        codes = np.stack([rng.integers(0, size, 4000) for size in sizes], 1)
        codes[:, 1] = codes[:, 0] % sizes[1]
        dataset = cc.Dataset.from_codes(codes, domain)
        for name in cc.METHODS:
            for epsilon in (0.5, 2.0):
                for k in (2, 3):
                    yield (
                        f"method {name} {len(sizes)} {epsilon} {k}",
                        released(dataset, name, epsilon, k),
                    )


def released(dataset: cc.Dataset, name: str, epsilon: float, k: int) -> str:
    """Digest of the tables of neighboring attributes, or that they are refused."""
    names = dataset.domain.names
    try:
        answer = cc.METHODS[name](epsilon=epsilon, k=k).release(
            dataset, rng=np.random.default_rng(7)
        )
        tables = [
            answer.marginal(names[i : i + k]).values.ravel() for i in range(len(names) - k + 1)
        ]
    except cc.UserError:
        return "refused"
    return digest(np.concatenate(tables).tobytes())


def command_line() -> Iterator[tuple[str, str]]:
    """What the commands print, and every file that they leave."""
    from calm_core.cli import main

    data = str(ROOT / "sample_data" / "health_survey.parquet")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for line in COMMANDS:
            out, err = io.StringIO(), io.StringIO()
            sys.argv = ["calm_core", *(data if word == "DATA" else word for word in line.split())]
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                try:
                    main()
                except SystemExit as end:
                    status = end.code
            yield f"command {line}", f"{status} {digest(' '.join(NUMBER.findall(out.getvalue())))}"
        for file in sorted(Path(".").rglob("*")):
            if file.is_file():
                yield f"file {file}", file_digest(file)


def file_digest(file: Path) -> str:
    """Digest of a file; of a state, of the arrays in it, since a zip file holds times."""
    if file.suffix == ".npz":
        with np.load(file) as arrays:
            return digest(
                b"".join(name.encode() + arrays[name].tobytes() for name in sorted(arrays))
            )
    return digest(file.read_bytes())


def pages() -> Iterator[tuple[str, str]]:
    """The numbers on every page at three settings, and the exports of its result."""
    from streamlit.testing.v1 import AppTest

    for number, settings in enumerate(PAGE_SETTINGS):
        for page in PAGES:
            app = AppTest.from_file(str(ROOT / "pages" / "ui" / "shell.py"), default_timeout=120)
            for name, value in settings.items():
                app.query_params[name] = value
            if page != "start":
                app.switch_page(f"../{page}.py")
            app.run()
            assert not app.exception, app.exception
            texts = "".join(str(proto) for proto in protos(app._tree))
            numbers = sorted(NUMBER.findall(OTHERS.sub("", texts)))
            yield f"page {page} {number}", digest(" ".join(numbers)) + f" {len(numbers)}"
            if page == "marginals":
                yield from exports(app.session_state["settings"], number)


def protos(node) -> Iterator[object]:
    """Every message of a page."""
    for child in getattr(node, "children", {}).values():
        if (proto := getattr(child, "proto", None)) is not None:
            yield proto
        yield from protos(child)


def exports(settings, number: int) -> Iterator[tuple[str, str]]:
    """The scores, the settings and the report of one result."""
    from pages.ui import cached_calls
    from pages.ui import exports as taken

    outcome = cached_calls.outcome(settings)
    attrs = outcome.domain.names[:2]
    yield f"scores {number}", digest(outcome.scores.to_csv())
    yield f"marginal {number}", digest(outcome.answer.marginal(attrs).values.tobytes())
    yield f"command of settings {number}", digest(settings.to_command())
    table = " ".join(map(str, taken.settings_table(settings, outcome).values()))
    yield f"settings table {number}", digest(" ".join(NUMBER.findall(table)))


def main() -> int:
    """Record, and compare where an older record is named."""
    new, *older = sys.argv[1:]  # the commands below have arguments of their own
    found = dict((*methods(), *command_line(), *pages()))
    Path(new).write_text(json.dumps(found, indent=1), encoding="utf-8")
    print(len(found), "digests")
    if not older:
        return 0
    old = json.loads(Path(older[0]).read_text(encoding="utf-8"))
    differ = [name for name in sorted(old | found) if old.get(name) != found.get(name)]
    print("\n".join(differ) or "nothing differs")
    return bool(differ)


if __name__ == "__main__":
    sys.exit(main())
