"""Progress and notes, on stderr: stdout is for the results."""

import json
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from math import isfinite
from typing import Any
from unicodedata import category

from calm_core.runtime.processes import StopRequested, defer_signals


class Progress:
    """What is being done, for how long, and how far it is, said on a terminal while this context lasts.

    Parameters
    ----------
    doing : str
        What is being done, for people.
    count : callable, optional
        The numbers done and in all, from an event of the work; without it the work has no events.

    Attributes
    ----------
    done, total : int
        As of the latest event; 0 before the first.

    Examples
    --------
    >>> with Progress("groups report", lambda event: event) as progress:
    ...     progress((2, 3))
    >>> progress.done, progress.total
    (2, 3)
    """

    def __init__(
        self, doing: str, count: Callable[[Any], tuple[int, int]] = lambda event: (0, 0)
    ) -> None:
        self.doing, self.count = doing, count
        self.done, self.total = 0, 0
        self._bar: Any = None

    def __call__(self, event: object) -> None:
        """Advance to the event."""
        self.done, self.total = self.count(event)
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self.done, total=self.total)

    def __enter__(self) -> "Progress":
        # Pipes and files get results and notes only.
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress, TimeElapsedColumn

            self._bar = Progress(
                *Progress.get_default_columns()[:2], TimeElapsedColumn(),
                console=Console(stderr=True), transient=True, redirect_stdout=False,
            )  # fmt: skip
            self._bar.add_task(f"{self.doing}; Ctrl-C ends it", total=None)
            with defer_signals():
                self._bar.start()
        return self

    def __exit__(self, *error) -> None:
        """Remove what was said."""
        if self._bar is not None:
            with defer_signals():
                self._bar.stop()


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
        if text := describe():
            stop.outcome = f"{text}; the same command continues from there"
        raise


def print_json(value: object) -> None:
    """Print one JSON object on stdout; NaN and infinity become null.

    Examples
    --------
    >>> print_json({"mean": float("nan"), "rows": 2})
    {
     "mean": null,
     "rows": 2
    }
    """
    print(json.dumps(_finite(value), indent=1, allow_nan=False))


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
