"""Progress and notes, on stderr: stdout is for the results."""

import json
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from math import isfinite
from typing import Any
from unicodedata import category

from tqdm import tqdm

from calm_core.runtime.processes import StopRequested, defer_signals


class Progress:
    """A progress bar, on a terminal only, that appears if the work takes longer than a second.

    Parameters
    ----------
    unit : str
        What is counted.
    count : callable
        The numbers done and in all, from an event of the work.

    Attributes
    ----------
    done, total : int
        As of the latest event; 0 before the first.

    Examples
    --------
    >>> with Progress("group", lambda event: event) as progress:
    ...     progress((2, 3))
    >>> progress.done, progress.total
    (2, 3)
    """

    def __init__(self, unit: str, count: Callable[[Any], tuple[int, int]]):
        self.unit, self.count = unit, count
        self.done, self.total = 0, 0
        self._bar: tqdm | None = None

    def __call__(self, event: object) -> None:
        """Advance to the event."""
        self.done, self.total = self.count(event)
        if self._bar is None:
            # `None` leaves it out of pipes and files.
            self._bar = tqdm(
                total=self.total, unit=self.unit, delay=1.0, file=sys.stderr, disable=None
            )
        self._bar.update(self.done - self._bar.n)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *error) -> None:
        """Close the bar."""
        if self._bar is not None:
            self._bar.close()


@contextmanager
def show_elapsed(doing: str) -> Generator[None]:
    """Say on a terminal what is being done, and for how long, while this context lasts; it prints no results.

    Examples
    --------
    >>> with show_elapsed("a release is made"):
    ...     total = sum(range(9))
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    console = Console(stderr=True)
    shown = Progress(*columns, console=console, transient=True, redirect_stdout=False)
    shown.add_task(f"{doing}; Ctrl-C ends it", total=None)
    with defer_signals():
        shown.start()
    try:
        yield
    finally:
        with defer_signals():
            shown.stop()


@contextmanager
def say_kept(describe: Callable[[], str]) -> Generator[None]:
    """Let an interruption within this context say what is kept, in the words that are then described; empty if nothing is.

    Examples
    --------
    >>> try:
    ...     with say_kept(lambda: "2 of 5 tasks are kept"):
    ...         raise StopRequested(2)
    ... except StopRequested as stop:
    ...     print(stop.outcome)
    2 of 5 tasks are kept; the same command continues from there
    """
    try:
        yield
    except StopRequested as stop:
        if kept := describe():
            stop.outcome = f"{kept}; the same command continues from there"
        raise


def print_json(found: object) -> None:
    """Print one JSON object on stdout; NaN and infinity become null.

    Examples
    --------
    >>> print_json({"mean": float("nan"), "rows": 2})
    {
     "mean": null,
     "rows": 2
    }
    """
    print(json.dumps(_finite(found), indent=1, allow_nan=False))


def _finite(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def print_report(report) -> None:
    """Print what was decided about the columns, and how many rows were used."""
    print_notes((*report.notes, report.sentence))


def print_notes(sentences: Iterable[str]) -> None:
    """Print sentences on stderr, one per line."""
    for sentence in sentences:
        print(escape_controls(sentence), file=sys.stderr)


def escape_controls(text: str) -> str:
    r"""The text with control characters escaped, so that names in it cannot break the line or control the terminal.

    Examples
    --------
    >>> escape_controls("a\nb.csv is damaged")
    'a\\nb.csv is damaged'
    """
    return "".join(
        char.encode("unicode_escape").decode()
        if category(char) in ("Cc", "Cs", "Zl", "Zp")
        else char
        for char in text
    )
