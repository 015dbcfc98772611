"""The bar of every command: one class, whatever is counted."""

import io
import sys

import pytest
from tqdm import tqdm

from calm_core.cli import output as module
from calm_core.cli.output import Progress, show_elapsed
from calm_core.collection.simulation import GroupDone


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def bars(monkeypatch):
    """Every bar that was made, with what it was made of."""
    made, real = [], module.tqdm

    def bar(**options):
        made.append((options, real(**options)))
        return made[-1][1]

    monkeypatch.setattr(module, "tqdm", bar)
    return made


def test_the_bar_stands_where_the_event_says(bars, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Progress("group", lambda event: (event.group, event.groups)) as progress:
        assert not bars and (progress.done, progress.total) == (0, 0)
        for group in (2, 5):
            progress(GroupDone(group, 7, 100))
            assert bars[0][1].n == group == progress.done
    [(options, bar)] = bars
    assert (options["unit"], options["total"], progress.total) == ("group", 7, 7)
    assert bar.disable, "closed"
    assert not capsys.readouterr().out and not sys.stderr.getvalue(), "quick work needs no bar"


def test_the_line_is_left_free_where_the_work_fails(bars):
    with pytest.raises(ValueError), Progress("task", lambda event: event) as progress:
        progress((1, 2))
        raise ValueError
    assert bars[0][1].disable


@pytest.mark.parametrize("stream, said", [(Terminal, True), (io.StringIO, False)])
def test_slow_work_has_a_bar_on_a_terminal_and_none_in_a_pipe(monkeypatch, stream, said):
    at_once = {"delay": 0, "mininterval": 0}
    monkeypatch.setattr(module, "tqdm", lambda **options: tqdm(**options | at_once))
    monkeypatch.setattr(sys, "stderr", shown := stream())
    with Progress("group", lambda event: event) as progress:
        progress((1, 3))
        progress((2, 3))
    assert ("2/3" in shown.getvalue()) is said


def test_work_without_events_has_no_bar(bars):
    with Progress("task", lambda event: event):
        pass
    assert not bars


@pytest.mark.parametrize("stream, said", [(Terminal, True), (io.StringIO, False)])
def test_work_without_events_says_on_a_terminal_what_is_done(monkeypatch, stream, said):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", shown := stream())
    with show_elapsed("rows are made"):
        print("not a result", file=sys.stdout)
    assert ("rows are made; Ctrl-C ends it" in shown.getvalue()) is said
    assert "not a result" not in shown.getvalue() and sys.stderr is shown
