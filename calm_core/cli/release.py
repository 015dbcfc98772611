"""Plan a collection, and release marginals of a file once."""

import json as jsonlib

import typer

from calm_core.cli import options
from calm_core.cli.loading import Source, remark
from calm_core.cli.progress import Progress
from calm_core.errors import InputError
from calm_core.evaluation.run import run
from calm_core.methods import METHODS, foreign_settings, make_method
from calm_core.methods.base import Method
from calm_core.planning.algorithm1 import choose_views

# Options that not every method has.
METHOD_OPTIONS = (
    "theta", "l", "m", "oracle", "design", "nonnegativity", "rounds", "reconstruction",
)  # fmt: skip


def plan(
    n: options.Users,
    sizes: options.Sizes,
    epsilon: options.Epsilon,
    k: options.QuerySize,
    theta: options.Theta = 1e-3,
    json: options.AsJson = False,
) -> None:
    """Choose the view size l and the number of views m by Algorithm 1; needs no data."""
    choice = choose_views(n, options.numbers(sizes, "sizes", int), epsilon, k, theta)
    if json:
        trace = [vars(step) for step in choice.trace]
        found = {"l": choice.l, "m": choice.m, "branch": choice.branch, "reason": choice.reason}
        print(jsonlib.dumps(found | {"trace": trace}, indent=1))
        return
    for step in choice.trace:
        print(f"{step.phase:>9}  l = {step.l}: {step.text}")
    print(f"l = {choice.l}, m = {choice.m}: {choice.reason}")


def release(
    context: typer.Context,
    data: options.Data,
    epsilon: options.Epsilon = 1.0,
    k: options.QuerySize = 3,
    d: options.FirstColumns = None,
    columns: options.Columns = None,
    max_values: options.MaxValues = None,
    theta: options.Theta = 1e-3,
    method: options.MethodName = "calm",
    n: options.Rows = None,
    seed: options.Seed = 1,
    queries: options.Queries = 50,
    schema: options.SchemaFile = None,
    l: options.ViewSize = None,  # noqa: E741 - the paper's name
    m: options.ViewCount = None,
    oracle: options.Oracle = "adaptive",
    nonnegativity: options.Nonnegativity = None,
    rounds: options.Rounds = None,
    reconstruction: options.Reconstruction = None,
    design: options.Design = None,
    stream: options.Stream = False,
    read: options.Read = None,
    json: options.AsJson = False,
) -> None:
    """Simulate a collection from DATA and score random k-way marginals against the truth."""
    options.check_design(design, (method,))
    _refuse_foreign(method, options.given(context, METHOD_OPTIONS))
    configured = make_method(
        method, epsilon=epsilon, k=k, theta=theta, l=l, m=m, oracle=oracle, design=design,
        nonnegativity=nonnegativity, rounds=rounds, reconstruction=reconstruction,
    )  # fmt: skip
    if stream and n is not None:
        raise InputError(f"n ({n}) cannot be chosen with --stream; every row of the file is used")
    source = Source(data, columns, d, max_values, schema, read)
    with Progress("group", lambda event: (event.group, event.groups)) as progress:
        if stream:
            outcome = _streamed(source, configured, seed, queries, progress)
        else:
            outcome = run(
                source.load(), configured, seed=seed, n=n, queries=queries, notify=progress
            )
    found = _found(method, epsilon, k, outcome)
    if json:
        print(jsonlib.dumps(found, indent=1))
    else:
        _show(found)


def _refuse_foreign(method: str, chosen: dict[str, object]) -> None:
    """Refuse what the method would ignore."""
    for option in foreign_settings(method, chosen):
        raise InputError(
            f"--{option} ({str(chosen[option]):.40}) is not an option of {METHODS[method].title}; "
            "leave it out"
        )


def _streamed(source: Source, method: Method, seed: int, queries: int, notify: Progress):
    """The run on a file that is never held whole."""
    # Reading files is slow to import, and not every command reads one.
    from calm_core.evaluation.run_in_chunks import run_streamed

    outcome = run_streamed(
        source.data, method, schema=source.stream_schema(), options=source.read_options(),
        seed=seed, queries=queries, notify=notify,
    )  # fmt: skip
    remark(outcome.report)
    return outcome


def _found(method: str, epsilon: float, k: int, outcome) -> dict:
    """What the JSON object says."""
    scores, plan = outcome.scores, outcome.plan
    return {
        "method": method,
        "n": outcome.n,
        "d": outcome.domain.d,
        "k": k,
        "epsilon": epsilon,
        "l": plan and plan.l,
        "m": plan and plan.m,
        "sse_mean": float(scores.sse.mean()),
        "uniform_sse_mean": float(scores.uniform_sse.mean()),
        "queries": [
            {"attributes": list(row.attributes), "sse": row.sse, "covered": row.covered}
            for row in scores.itertuples()
        ],
    }


def _show(found: dict) -> None:
    """The same for reading."""
    for query in found["queries"]:
        where = "covered" if query["covered"] else "rebuilt"
        print(f"{query['sse']:.6f}  {where}  {' x '.join(query['attributes'])}")
    print(
        f"{found['method']}: mean SSE {found['sse_mean']:.6f} over {len(found['queries'])} "
        f"marginals (uniform guess {found['uniform_sse_mean']:.6f}), l = {found['l']}, "
        f"m = {found['m']}"
    )
