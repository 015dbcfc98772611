"""The command `attack`: any attack on one's own plan; the fields of the attack are options, too."""

from dataclasses import asdict, fields
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from calm_core._checks import check_choice
from calm_core.cli import options
from calm_core.cli.asking import configure_method, load_people, open_state
from calm_core.cli.loading import take_simulation
from calm_core.cli.output import Progress, print_json
from calm_core.cli.release import public_plan
from calm_core.errors import InputError
from calm_core.randomness import stream as random_stream

if TYPE_CHECKING:
    from calm_core.attacks import Attack


class AttackCommand(TyperCommand):
    """A command that also takes the fields of all attacks as options, which its help lists."""

    def parse_args(self, ctx, args):
        """Take the options of attacks out of the words; what is left is parsed as usual."""
        from calm_core.attacks import ATTACKS

        own = {name for param in self.params for name in param.opts}
        names = {_option(item.name) for attack in ATTACKS.values() for item in fields(attack)}
        found, left, words = {}, [], iter(args)
        for word in words:
            name, given, value = word.partition("=")
            if name not in names - own:
                left.append(word)
            elif (text := value if given else next(words, None)) is None:
                raise InputError(f"{name} needs a value")
            else:
                found[name] = text
        ctx.obj = found
        return super().parse_args(ctx, left)

    def format_epilog(self, ctx, formatter) -> None:
        """Write the attacks with their options, which are slow to import."""
        from calm_core.attacks import ATTACKS

        with formatter.section("Attacks and their options"):
            described = []
            for name, kind in ATTACKS.items():
                settings = [f"{_option(item.name)} ({item.default})" for item in fields(kind)]
                described.append((name, f"{kind.summary} {', '.join(settings)}"))
            formatter.write_dl(described)


@take_simulation
def attack(
    context: typer.Context,
    name: options.AttackName,
    source: options.OptionalDataOrState = None,
    json: options.AsJson = False,
) -> None:
    """Attack a collection from SOURCE by the plan of the method, and say what was gained.

    Without SOURCE it is the invented health survey. Of a state or a class the plan is its own, and its answer
    stands for the people.
    """
    from calm_core.attacks import ATTACKS

    kind = ATTACKS[check_choice("attack", name, ATTACKS)]
    chosen = kind(**_read_settings(kind, context.obj))
    configured, seed = configure_method(context), context.params["seed"]
    data = _sample() if source is None else source
    if (state := open_state(context, data)) is not None:
        from calm_core.evaluation.state_answers import answer_state

        plan, people = state.plan, answer_state(state, configured.name)
    else:
        people = load_people(context, data)
        plan = public_plan(configured, people.domain, people.n, seed)
    with Progress("the attack runs"):
        found = chosen.run(plan, people, rng=random_stream(seed, "attack", name))
    if json:
        settings = asdict(chosen) | {
            "source": str(data), "method": configured.name, "epsilon": plan.epsilon, "k": plan.k, "n": plan.n, "d": plan.domain.d,
            "l": plan.l, "m": plan.m, "seed": seed,
        }  # fmt: skip
        print_json(found.to_dict() | {"settings": settings})
        return
    print(found.sentence)
    print(
        f"By formula: {found.bound:.4g}; measured: {found.gain:.4g} +- {found.standard_error:.2g}."
    )
    if found.defense is not None:
        print(f"Defense, leaves {found.defense.gain:.4g}: {found.defense.sentence}")


def _sample() -> Path:
    from calm_core.ingest.samples import SAMPLES

    return SAMPLES["survey"].path


def _option(field: str) -> str:
    """The option of a field."""
    return f"--{field.replace('_', '-')}"


def _read_settings(kind: "type[Attack]", given: dict[str, str]) -> dict[str, Any]:
    """The fields of an attack from its options."""
    hints = get_type_hints(kind)
    names = {_option(item.name): item.name for item in fields(kind)}
    found = {}
    for option, text in given.items():
        if option not in names:
            raise InputError(
                f"{option} ({text:.40}) is not an option of {kind.name}; it has {', '.join(names)}"
            )
        found[names[option]] = _read_value(option, text, hints[names[option]])
    return found


def _read_value(option: str, text: str, wanted: Any) -> Any:
    """A value of the type of a field; several are separated by commas, a name and its value by =."""
    kinds = get_args(wanted) if isinstance(wanted, UnionType) else (wanted,)
    for kind in kinds:
        if get_origin(kind) is tuple:
            parts = get_args(kind)
            if parts[-1] is Ellipsis:
                words, parts = options.parse_names(text) or (), parts[:1]
                return tuple(_read_value(option, word, parts[0]) for word in words)
            words = text.split("=")
            if len(words) == len(parts):
                return tuple(_read_value(option, *pair) for pair in zip(words, parts))
        elif kind is bool and text in YES_OR_NO:
            return text == YES_OR_NO[0]
        elif kind in (int, float, str):
            try:
                return kind(text)
            except ValueError:
                continue
    raise InputError(f"{option} ({text:.40}) must be {_describe(kinds[0])}")


YES_OR_NO = ("yes", "no")


def _describe(kind: Any) -> str:
    """What a value must be."""
    if get_origin(kind) is tuple:
        return "a name and a number with = between"
    return {int: "a whole number", bool: " or ".join(YES_OR_NO)}.get(kind, "a number")
