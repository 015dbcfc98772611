"""Settings: all choices of a session in one flat frozen object of plain values.

Widgets, cache keys, share links, reports and the command line all use it.
"""

import csv
import hashlib
import io
import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from typing import Any

from calm_core._checks import (
    K_OFFERED_LIMIT,
    check_epsilon,
    check_options,
    check_theta,
    choice_checker,
    count_checker,
    optional_checker,
)
from calm_core.errors import InputError, UserError
from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.inference.reconstruction.answers import RECONSTRUCTION
from calm_core.ingest.samples import SAMPLES
from calm_core.ingest.table import ReadOptions
from calm_core.methods import (
    CalmPlus,
    check_method,
    known_settings,
    shared_settings,
    unused_settings,
)
from calm_core.methods.base import option
from calm_core.methods.calm_plus import DESIGNS
from calm_core.oracles import ORACLE_RULES
from calm_core.tables.dataset import MAX_PEOPLE, MAX_ROWS
from calm_core.tables.domain import TABLES_SCORED

# Values that widgets offer; `Settings` allows more where the library does.
EPSILONS = (
    0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0,
    2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 8.0, 10.0,
)  # fmt: skip
THETAS = (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2, 5e-2, 0.1)
MAX_ATTRIBUTES, MAX_USERS, MAX_QUERIES, MAX_ROUNDS = 64, MAX_PEOPLE, 500, 20
LARGEST_SEED = 2**31 - 1
UPLOAD = re.compile(r"[0-9a-f]{64}")
# Settings of the display, which are not part of cache keys.
LOOKS = ("attrs", "presenter", "hide", "pages")
METHOD_FIELDS = (
    "epsilon", "k", "theta", "l", "m", "oracle", "nonnegativity", "rounds", "reconstruction", "design",
)  # fmt: skip


class LinkRemark(str):
    """A sentence about a link, with remedies as in `UserError`."""

    remedies: tuple = ()


def _brief(text) -> str:
    return f"{str(text):.40}"


def _words(name: str, value) -> tuple[str, ...]:
    words = tuple(str(word) for word in value)
    if len(set(words)) != len(words) or len(words) > 4 * MAX_ATTRIBUTES:
        raise InputError(f"{name} must be distinct names, at most {4 * MAX_ATTRIBUTES}")
    return words


def _reading(name: str, value) -> tuple[str, ...]:
    return (told := _words(name, value)) and ReadOptions.from_words(told).to_words()


def _file(name: str, value) -> str:
    return str(value)[-200:]


def _flag(name: str, value) -> bool:
    if isinstance(value, bool):
        return value
    raise InputError(f"{name} ({_brief(value)}) must be True or False")


def _source(name: str, value: str) -> str:
    if isinstance(value, str) and (value in SAMPLES or UPLOAD.fullmatch(value)):
        return value
    raise InputError(f"{name} ({_brief(value)}) must be a sample: {', '.join(SAMPLES)}")


@dataclass(frozen=True)
class Settings:
    """All choices of one session.

    Attributes
    ----------
    source : str
        Name of a sample, or the digest of an upload, see `upload_digest`.
    file : str
        File name of an upload (only the end of a very long one), "" for samples.
    read : tuple of str
        Options for reading an uploaded file that override detection, as words of `ReadOptions`:
        "separator=;", "header=no".
    schema : str
        Digest of an edited schema, "" for the detected one.
    columns : tuple of str
        Columns in the order chosen; empty takes the `d` that `propose_columns` picks.
    d : int
        Number of attributes.
    max_values : int or None
        Merge every column to at most this many values.
    n : int or None
        Number of users (drawn or duplicated); None takes every row. More than `MAX_ROWS` are drawn
        from the table as a population, with replacement.
    epsilon, k, theta, l, m, oracle, nonnegativity, rounds, reconstruction
        As in `methods.Calm`.
    design : str
        Design of the views of CALM+, as in `methods.CalmPlus`.
    method : str
        Key of `METHODS`.
    seed, queries : int
        Seed of the simulation and number of random marginals scored.
    attrs : tuple of str
        Attributes of the marginal shown.
    presenter : bool
        Whether to show large type and no sidebar.
    hide, pages : tuple of str
        Controls a teacher has hidden, and the pages shown (empty: all).

    Raises
    ------
    InputError
        If a value is out of its range, whatever the data.

    Examples
    --------
    >>> Settings(epsilon=2.0, columns=("sex", "age")).to_query()
    {'columns': 'sex,age', 'epsilon': '2.0'}
    """

    source: str = option(_source, "survey")
    file: str = option(_file, "")
    read: tuple[str, ...] = option(_reading, ())
    schema: str = option(lambda name, value: str(value)[:64], "")
    columns: tuple[str, ...] = option(_words, ())
    d: int = option(count_checker(1, MAX_ATTRIBUTES), 8)
    max_values: int | None = option(optional_checker(count_checker(2, 1000)), None)
    n: int | None = option(optional_checker(count_checker(2, MAX_USERS)), None)
    epsilon: float = option(lambda name, value: check_epsilon(value), 1.0)
    k: int = option(count_checker(1, K_OFFERED_LIMIT), 3)
    theta: float = option(lambda name, value: check_theta(value), 1e-3)
    l: int | None = option(optional_checker(count_checker(1, MAX_ATTRIBUTES)), None)  # noqa: E741 - the paper's name
    m: int | None = option(optional_checker(count_checker(1, MAX_ROWS)), None)
    oracle: str = option(choice_checker(ORACLE_RULES), "adaptive")
    nonnegativity: str = option(choice_checker(NONNEGATIVITY), "ripple")
    rounds: int = option(count_checker(0, MAX_ROUNDS), 3)
    reconstruction: str = option(choice_checker(RECONSTRUCTION), "maxent")
    design: str = option(choice_checker(DESIGNS), CalmPlus.design)
    method: str = option(lambda name, value: check_method(value), "calm")
    # The first picture shows a typical collection: with 15 the error is that of the mean, with 1 twice as large.
    seed: int = option(count_checker(0, LARGEST_SEED), 15)
    queries: int = option(count_checker(1, MAX_QUERIES), TABLES_SCORED)
    attrs: tuple[str, ...] = option(_words, ())
    presenter: bool = option(_flag, False)
    hide: tuple[str, ...] = option(_words, ())
    pages: tuple[str, ...] = option(_words, ())

    def __post_init__(self):
        check_options(self)

    @property
    def is_upload(self) -> bool:
        """Whether the data come from a file rather than a sample."""
        return UPLOAD.fullmatch(self.source) is not None

    @property
    def is_population(self) -> bool:
        """Whether there are so many users that they are drawn from the table as a population."""
        return self.n is not None and self.n > MAX_ROWS

    @cached_property
    def results_key(self) -> tuple:
        """The values that determine all results: the cache key of a run."""
        return tuple(getattr(self, name) for name in NAMES if name not in LOOKS)

    @property
    def method_settings(self) -> dict:
        """Arguments of `make_method` for the method chosen."""
        chosen = {name: getattr(self, name) for name in METHOD_FIELDS}
        return shared_settings(self.method, chosen)

    def with_changes(self, **changes) -> "Settings":
        """The same settings with some changed; refuses what is out of range."""
        return replace(self, **changes)

    def different(self, other: "Settings") -> dict[str, Any]:
        """The fields that differ from `other`, with their values here.

        Examples
        --------
        >>> Settings(k=2).different(Settings())
        {'k': 2}
        """
        return {n: v for n in NAMES if (v := getattr(self, n)) != getattr(other, n)}

    def to_query(self, always: Iterable[str] = ()) -> dict[str, str]:
        """The parameters of a link: settings that differ from the defaults, and those in `always`.

        >>> Settings(epsilon=2.0).to_query(always=["k"])
        {'epsilon': '2.0', 'k': '3'}
        """
        return self._query | {name: _to_text(getattr(self, name)) for name in always}

    @cached_property
    def _query(self) -> dict[str, str]:
        return {name: _to_text(value) for name, value in self.different(_usual()).items()}

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple["Settings", tuple[LinkRemark, ...]]:
        """Read a link: the settings, and a sentence for every parameter that could not be used.

        Examples
        --------
        >>> settings, remarks = Settings.from_query({"epsilon": "2", "k": "many"})
        >>> settings.epsilon, settings.k, len(remarks)
        (2.0, 3, 1)
        """
        settings, remarks = cls(), []
        for name, text in query.items():
            if name not in NAMES:
                told = f"The link names {_brief(name)}, which this version does not know."
                remarks.append(LinkRemark(told))
                continue
            try:
                settings = replace(settings, **{name: _from_text(name, text)})
            except UserError as error:
                kept = _to_text(getattr(settings, name)) or "the default"
                told = f"{_brief(name)} in the link was not used: {error}. Kept {kept}."
                remark = LinkRemark(told)
                remark.remedies = error.remedies
                remarks.append(remark)
        return settings, tuple(remarks)

    def to_command(self, data: str | None = None) -> str:
        """The command line that gives the same results."""
        path = data or (
            SAMPLES[self.source].path.name if self.source in SAMPLES else self.file or "DATA"
        )
        if self.source in SAMPLES and data is None:
            path = f"sample_data/{path}"
        if path.startswith("-"):
            path = f"./{path}"
        options = {"epsilon": self.epsilon, "k": self.k, "seed": self.seed}
        if self.columns:
            options["columns"] = _to_text(self.columns)
        else:
            options["d"] = self.d
        for name in ("max_values", "n", "queries", "method"):
            options[name] = getattr(self, name)
        chosen = known_settings(self.method, self.method_settings)
        idle = unused_settings(chosen)
        options |= {name: value for name, value in chosen.items() if name not in idle}
        always = ("epsilon", "k", "seed", "columns", "d")
        words = [
            f"--{name.replace('_', '-')} {shlex.quote(_to_text(value))}"
            for name, value in options.items()
            if name in always or value != getattr(_usual(), name)
        ]
        if self.is_population:
            words.append("--population")
        if self.schema:
            words.append("--schema schema.json")
        if self.is_upload:
            words += [f"--read {shlex.quote(word)}" for word in self.read]
        return " ".join(["python -m calm_core release", shlex.quote(path), *words])


@cache
def _usual() -> Settings:
    return Settings()


def upload_digest(content: bytes, file: str, read: Sequence[str] = ()) -> str:
    """The digest that identifies an upload: of its bytes, its name and how it is read.

    All three determine the table, since the name may decide the format. Equal bytes under two names are
    two sources, so that no name is shown to another session.

    Examples
    --------
    >>> len(upload_digest(b"a,b", "x.csv")), upload_digest(b"a,b", "x.csv") == upload_digest(b"a,b", "x.dat")
    (64, False)
    """
    told = json.dumps(
        [hashlib.sha256(content).hexdigest(), _file("file", file), _reading("read", read)]
    )
    return hashlib.sha256(told.encode()).hexdigest()


NAMES = tuple(item.name for item in fields(Settings))


def _to_text(value) -> str:
    if isinstance(value, tuple):
        line = io.StringIO()
        csv.writer(line).writerow(value)
        return line.getvalue().removesuffix("\r\n")
    if isinstance(value, bool):
        return "1" if value else "0"
    return "" if value is None else str(value)


def _from_text(name: str, text: str):
    usual = getattr(_usual(), name)
    if isinstance(usual, tuple):
        rows = csv.reader(io.StringIO(text, newline=""))
        return tuple(word for row in rows for word in row)
    if isinstance(usual, bool):
        return text.strip().lower() in ("1", "true", "yes")
    if isinstance(usual, str):
        return text
    kind = float if name in ("epsilon", "theta") else int
    if not text.strip() and usual is None:
        return None
    try:
        return kind(text)
    except ValueError:
        rule = "number" if kind is float else "whole number"
        raise InputError(f"{name} ({_brief(text)}) must be a {rule}") from None
