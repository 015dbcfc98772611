"""What every command says while it works: on a terminal only, and never on stdout."""

import io
import sys

import pytest

from calm_core.cli.output import Progress
from calm_core.collection.simulation import GroupDone


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream, said", [(Terminal, True), (io.StringIO, False)])
@pytest.mark.parametrize("fails", [False, True])
def test_a_terminal_shows_what_is_done_and_how_far_it_is(monkeypatch, stream, said, fails):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", shown := stream())
    try:
        with Progress("groups report", lambda event: (event.group, event.groups)) as progress:
            assert (progress.done, progress.total) == (0, 0)
            for group in (2, 5):
                progress(GroupDone(group, 7, 100))
                assert (progress.done, progress.total) == (group, 7)
            print("not a result", file=sys.stdout)
            if fails:
                raise ValueError
    except ValueError:
        assert fails
    assert ("groups report; Ctrl-C ends it" in shown.getvalue()) is said
    assert "not a result" not in shown.getvalue() and sys.stderr is shown
    # Nothing of it stays on the line.
    assert shown.getvalue().endswith("\x1b[2K") is said
