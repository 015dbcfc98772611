"""The commands `plan` and `release`."""

from dataclasses import asdict

import typer

from calm_core.cli import options
from calm_core.cli.loading import Source, take_simulation
from calm_core.cli.output import Progress, print_json, print_notes, print_report
from calm_core.errors import InputError
from calm_core.io.atomic_files import OUT, check_same_content, check_writable
from calm_core.methods import METHODS, make_method, unknown_settings, unused_settings
from calm_core.methods.base import Method, ReportingMethod
from calm_core.planning.algorithm1 import Choice, choose_views
from calm_core.planning.optimal_design import optimize_division
from calm_core.planning.plan import Plan
from calm_core.planning.plan_file import plan_digest, plan_text, save_plan
from calm_core.randomness import stream as random_stream
from calm_core.tables.domain import TABLES_SCORED, Domain

# Options that not every method has.
METHOD_OPTIONS = (
    "theta", "l", "m", "oracle", "design", "nonnegativity", "rounds", "reconstruction", "neighbors",
)  # fmt: skip
# Those of them that are part of a plan.
PLAN_OPTIONS = ("theta", "l", "m", "oracle", "design")
# Options of a written plan only; options that choose columns, and that read a file.
WRITTEN = ("names", "method", "l", "m", "oracle", "design", "seed")
CHOOSING, READING = ("columns", "d", "max_values"), ("read",)


def plan(
    context: typer.Context,
    n: options.Users,
    epsilon: options.Epsilon,
    k: options.QuerySize,
    sizes: options.Sizes = None,
    names: options.Names = None,
    data: options.DataOption = None,
    columns: options.Columns = None,
    d: options.FirstColumns = None,
    max_values: options.MaxValues = None,
    schema: options.SchemaFile = None,
    read: options.Read = None,
    theta: options.Theta = 1e-3,
    method: options.MethodName = "calm",
    l: options.ViewSize = None,  # noqa: E741 - the paper's name
    m: options.ViewCount = None,
    oracle: options.Oracle = "adaptive",
    design: options.Design = None,
    seed: options.Seed = 1,
    out: options.PlanOut = None,
    json: options.AsJson = False,
) -> None:
    """Choose the view size l and the number of views m by Algorithm 1; with --out, write the whole plan."""
    source = data or schema
    if (sizes is None) == (source is None):
        raise InputError("give the attributes: --sizes (with --names), or --schema or --data")
    if out is None:
        options.refuse_options(context, WRITTEN, "changes only a plan that is written with --out")
    if source is None:
        options.refuse_options(context, CHOOSING + READING, "is for --schema or --data")
    else:
        options.refuse_options(context, ("names",), "is for --sizes; the attributes have names")
    if schema is not None:
        options.refuse_options(context, ("data", *READING), "is not used with --schema")
    domain = None
    if source is not None:
        domain = Source(source, columns, d, max_values, schema, read).domain()
    shape = options.parse_numbers(sizes, "sizes", int) if domain is None else domain.sizes
    choice = choose_views(n, shape, epsilon, k, theta)
    if domain is None:
        called = options.parse_names(names) or tuple(f"a{i + 1}" for i in range(len(shape)))
        domain = Domain(called, shape)
    if out is not None:
        _refuse_idle(context, {"l": l, "m": m, "design": design})
        refuse_foreign(method, options.given_options(context, PLAN_OPTIONS))
    configured = make_method(
        method, epsilon=epsilon, k=k, theta=theta, l=l, m=m, oracle=oracle, design=design
    )
    if out is not None:
        public = public_plan(configured, domain, n, seed)
        content = plan_text(public).encode()
        # Reports by an overwritten plan could never be counted.
        check_same_content(
            check_writable(out, OUT), content, f"{OUT} ({str(out):.200})", "choose another name"
        )
        save_plan(out, public, what=OUT)
        print_notes([f"{public.m:,} views written to {out}; digest {plan_digest(public)}."])
        if design == "optimal":
            print_notes([_certificate(public, oracle)])
        if (public.l, public.m) != (choice.l, choice.m):
            print_notes(
                [f"They have up to {public.l} attributes; Algorithm 1 would choose as below."]
            )
    # It loads more of the library than most commands need.
    from calm_core.evaluation.prediction import predict_wrong

    wrong = predict_wrong(configured, domain, n, rng=random_stream(seed, "plan"))
    _show_choice(choice, None if wrong is None else 100 * wrong, json)


def _certificate(plan: Plan, oracle: str) -> str:
    """The guarantee of an optimal design, in words."""
    division = optimize_division(
        plan.domain, plan.n, epsilon=plan.epsilon, k=plan.k, theta=plan.theta, oracle=oracle
    )
    supposed = ("as usual", "a quarter of it", "four times", "very strong")
    errors = ", ".join(f"{r:.1%} ({name})" for r, name in zip(division.ratios, supposed))
    return (
        f"Expected error as a share of that of CALM's views, by the strength of interactions: {errors}. "
        f"Another division of the people among these {len(division.problem.kinds):,} kinds of reports could "
        f"reduce it by at most {100 * division.gap:.1g}%, any private reports at all by {division.bound:.1%}."
    )


def public_plan(method: Method, domain: Domain, n: int, seed: int) -> Plan:
    """The method's plan, if it is fixed before anybody reports."""
    if not isinstance(method, ReportingMethod) or method.no_public_plan_reason:
        names = ", ".join(name for name, kind in METHODS.items() if not kind.no_public_plan_reason)
        raise InputError(
            f"method ({method.name}) has no public plan: {method.no_public_plan_reason}; choose one of {names}"
        )
    return method.public_plan(domain, n, rng=random_stream(seed, "plan"))


def _show_choice(choice: Choice, wrong: float | None, json: bool) -> None:
    """The pair of Algorithm 1, every step to it, and the people of 100 expected in the wrong cell."""
    if json:
        values = {
            "l": choice.l, "m": choice.m, "branch": choice.branch, "reason": choice.reason,
            "expected_wrong_cell_share": wrong,
        }  # fmt: skip
        print_json(values | {"trace": list(map(asdict, choice.trace))})
        return
    for step in choice.trace:
        print(f"{step.phase:>9}  l = {step.l}: {step.text}")
    print(f"l = {choice.l}, m = {choice.m}: {choice.reason}")
    if wrong is not None:
        print(f"expect {_people(wrong)} of 100 people in the wrong cell")


def _people(share: float) -> str:
    """People of 100, with two digits.

    >>> _people(0.314), _people(5.93), _people(99.8)
    ('0.31', '5.9', '100')
    """
    return f"{share:.0f}" if share >= 9.95 else f"{share:.2g}"


@take_simulation
def release(
    context: typer.Context,
    data: options.Data,
    queries: options.Queries = TABLES_SCORED,
    l: options.ViewSize = None,  # noqa: E741 - the paper's name
    m: options.ViewCount = None,
    oracle: options.Oracle = "adaptive",
    nonnegativity: options.Nonnegativity = None,
    rounds: options.Rounds = None,
    reconstruction: options.Reconstruction = None,
    design: options.Design = None,
    neighbors: options.Neighbors = None,
    stream: options.Stream = False,
    json: options.AsJson = False,
) -> None:
    """Simulate a collection from DATA and score random k-way marginals against the true ones."""
    params = context.params
    method, n, population, seed = (params[key] for key in ("method", "n", "population", "seed"))
    settings = options.given_options(context, METHOD_OPTIONS)
    refuse_foreign(method, settings)
    _refuse_idle(context, settings)
    configured = make_method(
        method, **{key: params[key] for key in ("epsilon", "k", *METHOD_OPTIONS)}
    )
    if stream and n is not None:
        raise InputError(f"n ({n}) cannot be chosen with --stream; every row of the file is used")
    if stream and population:
        raise InputError("--population needs the table; leave out --stream or --population")
    source = Source.from_options(data, params)
    with Progress("groups report", lambda event: (event.group, event.groups)) as progress:
        if stream:
            outcome = _streamed(source, configured, seed, queries, progress)
        else:
            people = source.people(population, n)
            # It loads pandas, which most commands do without.
            from calm_core.evaluation.run import run

            outcome = run(people, configured, seed=seed, n=n, queries=queries, notify=progress)
    result = _found(configured, outcome)
    if json:
        print_json(result)
    else:
        _show(result)


def refuse_foreign(method: str, settings: dict[str, object]) -> None:
    """Refuse options that the method does not have."""
    for option in unknown_settings(method, settings):
        raise InputError(
            f"--{option} ({str(settings[option]):.40}) is not an option of {METHODS[method].title}; "
            "leave it out"
        )


def _refuse_idle(context: typer.Context, settings: dict[str, object]) -> None:
    """Refuse options without effect beside the others."""
    for option, why in unused_settings(settings).items():
        options.refuse_options(context, (option,), why)


def _streamed(source: Source, method: Method, seed: int, queries: int, notify: Progress):
    """The run on a file that need not fit into memory."""
    # Reading files is slow to import, and not every command reads one.
    from calm_core.evaluation.streamed_run import run_streamed

    outcome = run_streamed(
        source.data, method, schema=source.stream_schema(), options=source.read_options(),
        seed=seed, queries=queries, notify=notify,
    )  # fmt: skip
    print_report(outcome.report)
    return outcome


def _found(method: Method, outcome) -> dict:
    """The JSON object."""
    scores, plan = outcome.scores, outcome.plan
    return {
        "method": method.name,
        "n": outcome.n,
        "d": outcome.domain.d,
        "k": method.k,
        "epsilon": method.epsilon,
        "l": plan and plan.l,
        "m": plan and plan.m,
        # People of 100 who would have to change cells for a table to be true.
        "wrong_cell_share": 50 * float(scores.l1.mean()),
        "uniform_wrong_cell_share": 50 * float(scores.uniform_l1.mean()),
        "sse_mean": float(scores.sse.mean()),
        "uniform_sse_mean": float(scores.uniform_sse.mean()),
        "queries": [
            {"attributes": list(row.attributes), "sse": row.sse, "covered": row.covered}
            for row in scores.itertuples()
        ],
    }


def _show(result: dict) -> None:
    """Print the scores for people."""
    for query in result["queries"]:
        where = "covered" if query["covered"] else "rebuilt"
        print(f"{query['sse']:.6f}  {where}  {' x '.join(query['attributes'])}")
    print(
        f"{_people(result['wrong_cell_share'])} of 100 people in the wrong cell; guessing equal shares: "
        f"{_people(result['uniform_wrong_cell_share'])}"
    )
    print(
        f"{result['method']}: mean SSE {result['sse_mean']:.6f} over {len(result['queries'])} "
        f"marginals (uniform guess {result['uniform_sse_mean']:.6f}), l = {result['l']}, "
        f"m = {result['m']}"
    )
