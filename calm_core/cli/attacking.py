"""The command `attack`: any attack on one's own plan; the fields of the attack are options, too."""

from dataclasses import asdict, fields
from pathlib import Path

import typer

from calm_core._checks import check_choice
from calm_core.cli import options
from calm_core.cli.asking import configure_method, load_people, open_state
from calm_core.cli.loading import take_simulation
from calm_core.cli.output import Progress, print_json
from calm_core.cli.release import public_plan
from calm_core.errors import InputError
from calm_core.randomness import stream as random_stream

# Options of single attacks: their fields.
FIELDS = (
    "prior", "people", "days", "first", "change", "share", "kind", "target", "repetitions", "noise", "trials",
)  # fmt: skip


@take_simulation
def attack(
    context: typer.Context,
    name: options.AttackName,
    source: options.OptionalDataOrState = None,
    prior: options.Prior = None,
    people: options.PeopleAttacked = None,
    days: options.Days = None,
    first: options.FirstRound = None,
    change: options.Change = None,
    share: options.LiarShare = None,
    kind: options.LiarKind = None,
    target: options.LiarTarget = None,
    repetitions: options.AttackRepetitions = None,
    noise: options.AuditedNoise = None,
    trials: options.AuditTrials = None,
    json: options.AsJson = False,
) -> None:
    """Attack a collection from SOURCE by the plan of the method, and say what was gained.

    Without SOURCE it is the invented health survey. Of a state or a class the plan is its own, and its answer
    stands for the people.
    """
    from calm_core.attacks import ATTACKS

    chosen_kind = ATTACKS[check_choice("attack", name, ATTACKS)]
    given = options.given_options(context, FIELDS)
    names = [item.name for item in fields(chosen_kind)]
    foreign = [field for field in given if field not in names]
    has = ", ".join(f"--{field}" for field in names)
    options.refuse_options(context, foreign, f"is not an option of {name}, which has {has}")
    if target is not None:
        given["target"] = _read_target(target)
    attacker = chosen_kind(**given)
    configured, seed = configure_method(context), context.params["seed"]
    data = _sample() if source is None else source
    if (state := open_state(context, data)) is not None:
        from calm_core.evaluation.prediction import answer_state

        plan, attacked = state.plan, answer_state(state, configured.name)
    else:
        attacked = load_people(context, data)
        plan = public_plan(configured, attacked.domain, attacked.n, seed)
    with Progress("the attack runs"):
        result = attacker.run(plan, attacked, rng=random_stream(seed, "attack", name))
    if json:
        settings = asdict(attacker) | {
            "source": str(data), "method": configured.name, "epsilon": plan.epsilon, "k": plan.k, "n": plan.n, "d": plan.domain.d,
            "l": plan.l, "m": plan.m, "seed": seed,
        }  # fmt: skip
        print_json(result.to_dict() | {"settings": settings})
        return
    print(result.sentence)
    print(
        f"By formula: {result.bound:.4g}; measured: {result.gain:.4g} +- {result.standard_error:.2g}."
    )
    if result.defense is not None:
        print(f"Defense, leaves {result.defense.gain:.4g}: {result.defense.sentence}")


def _sample() -> Path:
    from calm_core.ingest.samples import SAMPLES

    return SAMPLES["survey"].path


def _read_target(text: str) -> tuple[tuple[str, int], ...]:
    """The attributes of a cell and their codes.

    >>> _read_target("smokes=1,sex=0")
    (('smokes', 1), ('sex', 0))
    """
    pairs = [word.rpartition("=") for word in options.parse_names(text) or ()]
    if not all(name and code.isdecimal() for name, _, code in pairs):
        raise InputError(f"--target ({text:.40}) must be names with codes, as in smokes=1,sex=0")
    return tuple((name, int(code)) for name, _, code in pairs)
