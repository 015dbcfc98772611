"""Every option is declared once: the same name says and takes the same in every command."""

import ast
import inspect
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest
import typer

from calm_core.cli import app
from calm_core.cli import options as declared_options
from calm_core.cli.options import SEVERAL

COMMANDS = [command.callback for command in app.registered_commands]
# One number for `plan`, `release` and `calibrate`; several by commas for the experiments.
ONE_OR_SEVERAL = {"epsilon": float, "k": int, "d": int, "n": int}
# A file for `compare`, a folder for `reproduce`; report files are counted so fast that only large
# collections pay for more processes.
OWN_DEFAULT = {"out", "jobs"}
# Every command writes something else; the seed of `collect` is a secret.
OWN_WORDS = {"out", "seed"}


@dataclass(frozen=True)
class Use:
    """What one command makes of an option: its type, how typer is told of it, its default."""

    kind: Any
    told: typer.models.ParameterInfo
    default: Any

    @property
    def several(self) -> bool:
        return self.told.help.endswith(SEVERAL)


def uses_of(command) -> dict[str, Use]:
    """By name, every option of a command."""
    hints = get_type_hints(command, include_extras=True)
    found = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if hints[name] is not typer.Context:
            bare = get_origin(hints[name]) is not Annotated
            kind, told = (hints[name], typer.Option()) if bare else get_args(hints[name])
            if get_origin(kind) is UnionType:
                [kind] = set(get_args(kind)) - {NoneType}
            found[name] = Use(kind, told, parameter.default)
    return found


USES: dict[str, dict[str, Use]] = defaultdict(dict)
for command in COMMANDS:
    for name, use in uses_of(command).items():
        USES[name][command.__name__] = use


def test_there_is_something_to_check():
    assert {"plan", "release", "compare", "reproduce", "calibrate"} <= set(USES["k"])
    assert {len(uses) for uses in USES.values()} == set(range(1, 9))


@pytest.mark.parametrize("name", sorted(set(USES) - OWN_WORDS))
def test_an_option_says_the_same_in_every_command(name):
    helps = {command: use.told.help for command, use in USES[name].items()}
    assert all(helps.values()), helps
    assert len({text.removesuffix(SEVERAL) for text in helps.values()}) == 1, helps


@pytest.mark.parametrize("name", USES)
def test_an_option_takes_the_same_in_every_command(name):
    for command, use in USES[name].items():
        if name in ONE_OR_SEVERAL:
            assert use.kind is (str if use.several else ONE_OR_SEVERAL[name]), command
        else:
            assert not use.several, command
    if name not in ONE_OR_SEVERAL:
        assert len({str(use.kind) for use in USES[name].values()}) == 1
    # What an argument is called and what must be so for its value, all but the sentence.
    settings = [
        {key: value for key, value in vars(use.told).items() if key not in ("help", "default")}
        for use in USES[name].values()
        if isinstance(use.told, typer.models.OptionInfo)
    ]
    assert all(one == settings[0] for one in settings)


@pytest.mark.parametrize("name", sorted(set(USES) - OWN_DEFAULT))
def test_an_option_has_one_default_or_none(name):
    """Commands may ask for it, or take its absence for "as usual"; two numbers are one too many."""
    absent = (inspect.Parameter.empty, None, "")
    held = {command: use for command, use in USES[name].items() if use.default not in absent}
    single = {use.default for use in held.values() if not use.several}
    lists = {use.default for use in held.values() if use.several}
    assert len(single) <= 1 and len(lists) <= 1, held
    for default in single:
        for text in lists:
            assert default in map(ONE_OR_SEVERAL[name], text.split(","))


def test_options_are_declared_in_one_file_and_no_name_of_it_is_unused():
    folder = Path(declared_options.__file__).parent
    used = set()
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                declares = node.value.id == "typer" and node.attr in ("Option", "Argument")
                assert not declares or path.name == "options.py", f"{path.name} declares an option"
                if node.value.id == "options":
                    used.add(node.attr)
    aliases = {
        name for name, value in vars(declared_options).items() if hasattr(value, "__metadata__")
    }
    assert aliases and aliases <= used
