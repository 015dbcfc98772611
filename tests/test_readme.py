"""The README's code runs, and its commands are those of the program."""

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from calm_core.cli import app
from calm_core.experiments.reproduce import FIGURES
from calm_core.methods import METHODS, PrivatePgm

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^python -m calm_core (.+)$", README, re.MULTILINE)


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.DOTALL))
def test_code_runs(code, capsys):
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out


def test_there_is_something_to_check():
    assert "```python" in README and len(COMMANDS) >= 5


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_and_options_exist(line):
    name, *words = shlex.split(line)
    command = get_command(app).commands[name]
    context = command.make_context(name, words)
    assert not context.args


def test_every_method_is_named_and_no_other():
    (text,) = re.findall(r"## Methods\n(.*?)All have one signature", README, re.DOTALL)
    assert set(re.findall(r"`([a-z_]+)`", text)) == set(METHODS) | {PrivatePgm.name}


def test_figures_named_exist():
    named = set(re.findall(r"reproduce ([a-z0-9-]+)", README)) - {"--help"}
    assert named <= set(FIGURES)
