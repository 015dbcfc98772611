"""Every option is declared once: the same name means the same in every command."""

import ast
from collections import defaultdict
from dataclasses import fields
from pathlib import Path

from typer.main import get_command

from calm_core.attacks import ATTACKS
from calm_core.cli import app
from calm_core.cli import options as declared_options
from calm_core.cli.attacking import FIELDS
from calm_core.cli.options import SEVERAL

COMMANDS = get_command(app).commands
# Each command writes something else; the seed of `collect` must stay secret.
OWN_WORDS = {"out", "seed"}
# Liars have a share; what is audited claims an epsilon; what is left out of a design is found.
OWN_MEANING = {"attack": {"share"}, "audit": {"epsilon"}, "design": {"d", "epsilon", "k", "n"}}


def test_every_field_of_an_attack_is_an_option():
    wanted = {item.name for attack in ATTACKS.values() for item in fields(attack)}
    assert wanted == set(FIELDS) <= {option.name for option in COMMANDS["attack"].params}


def test_every_command_that_ends_by_itself_has_json():
    without = [
        name
        for name, command in COMMANDS.items()
        if "json" not in {option.name for option in command.params}
    ]
    assert without == ["app", "serve"]


def test_an_option_has_the_same_help_in_every_command():
    helps: dict[str, set[str]] = defaultdict(set)
    for name, command in COMMANDS.items():
        for option in command.params:
            if option.name not in OWN_WORDS | OWN_MEANING.get(name, set()):
                helps[option.name].add((option.help or "").removesuffix(SEVERAL))
    assert {name: said for name, said in helps.items() if len(said) > 1 or "" in said} == {}


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
