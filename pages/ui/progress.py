"""How far long work is; every look at it lets Streamlit end a run that nobody waits for any more."""

import time

import streamlit as st


def draw(done: float, total: float, text: str, bar=None):
    """A bar where the page stands, or `bar` drawn anew; gives the bar."""
    return (bar or st).progress(min(1.0, done / max(1, total)), text=text)


class Progress:
    """A bar that moves while one run of a page works, and is gone when the work is done.

    Parameters
    ----------
    text : str
        Said beside the bar unless a step says more.
    after : float
        Seconds before the bar appears: work that is done by then shows none.

    Examples
    --------
    >>> with Progress("Collecting reports", after=1.0) as progress:     # doctest: +SKIP
    ...     progress.show(3, 28)
    """

    def __init__(self, text: str, *, after: float = 0.0):
        self.text, self.after, self.started, self.bar = text, after, time.monotonic(), None

    def __enter__(self) -> "Progress":
        return self

    def show(self, done: float, total: float, text: str | None = None) -> None:
        """Say that `done` of `total` steps are done."""
        if time.monotonic() - self.started >= self.after:
            self.bar = draw(done, total, text or self.text, self.bar)

    def __exit__(self, *error) -> None:
        if self.bar is not None:
            self.bar.empty()
