"""Every option is declared once: the same name means the same in every command."""

import ast
import inspect
from collections import defaultdict
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from calm_core.cli import app
from calm_core.cli import options as declared_options
from calm_core.cli.options import SEVERAL

COMMANDS = [command.callback for command in app.registered_commands]
# One number for `plan`, `release` and `calibrate`; several by commas for the experiments.
ONE_OR_SEVERAL = {"epsilon": float, "k": int, "d": int, "n": int}
# A file for `compare`, a folder for `reproduce`; more processes pay off only for large collections.
OWN_DEFAULT = {"out", "jobs"}
# Each command writes something else; the seed of `collect` must stay secret.
OWN_WORDS = {"out", "seed"}
# What is audited claims an epsilon; what is left out of a design is found.
OWN_MEANING = {"audit": {"epsilon"}, "design": {"d", "epsilon", "k", "n"}, "shuffle": {"n"}}


@dataclass(frozen=True)
class Use:
    """An option in one command: its type, what typer is given, its default."""

    kind: Any
    info: typer.models.ParameterInfo
    default: Any

    @property
    def several(self) -> bool:
        return self.info.help.endswith(SEVERAL)


def uses_of(command) -> dict[str, Use]:
    """Every option of a command, by name."""
    hints = get_type_hints(command, include_extras=True)
    found = {}
    for name, parameter in inspect.signature(command).parameters.items():
        if hints[name] is not typer.Context:
            bare = get_origin(hints[name]) is not Annotated
            kind, info = (hints[name], typer.Option()) if bare else get_args(hints[name])
            if get_origin(kind) is UnionType:
                [kind] = set(get_args(kind)) - {NoneType}
            found[name] = Use(kind, info, parameter.default)
    return found


USES: dict[str, dict[str, Use]] = defaultdict(dict)
for command in COMMANDS:
    for name, use in uses_of(command).items():
        USES[name][command.__name__] = use


def test_there_is_something_to_check():
    assert {"plan", "release", "compare", "reproduce", "calibrate"} <= set(USES["k"])
    assert max(map(len, USES.values())) > 10


def test_every_command_that_ends_by_itself_has_json():
    assert {command.__name__ for command in COMMANDS} - set(USES["json"]) == {"start_app", "serve"}


def test_an_option_has_the_same_help_in_every_command():
    for name in set(USES) - OWN_WORDS:
        helps = {
            command: use.info.help
            for command, use in USES[name].items()
            if name not in OWN_MEANING.get(command, ())
        }
        assert all(helps.values()), helps
        assert len({text.removesuffix(SEVERAL) for text in helps.values()}) == 1, helps


def test_an_option_takes_the_same_values_in_every_command():
    for name, uses in USES.items():
        for command, use in uses.items():
            if name in ONE_OR_SEVERAL:
                assert use.kind is (str if use.several else ONE_OR_SEVERAL[name]), (name, command)
            else:
                assert not use.several, (name, command)
        if name not in ONE_OR_SEVERAL:
            assert len({str(use.kind) for use in uses.values()}) == 1, name
        # Everything typer is given except the help.
        settings = [
            {key: value for key, value in vars(use.info).items() if key not in ("help", "default")}
            for use in uses.values()
            if isinstance(use.info, typer.models.OptionInfo)
        ]
        assert all(one == settings[0] for one in settings), name


def test_an_option_has_one_default_or_none():
    """A command may require it, or take its absence as the default; two numbers are one too many."""
    absent = (inspect.Parameter.empty, None, "")
    for name in set(USES) - OWN_DEFAULT:
        uses = [use for use in USES[name].values() if use.default not in absent]
        single = {use.default for use in uses if not use.several}
        lists = {use.default for use in uses if use.several}
        assert len(single) <= 1 and len(lists) <= 1, name
        for default, text in product(single, lists):
            assert default in map(ONE_OR_SEVERAL[name], text.split(",")), name


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
