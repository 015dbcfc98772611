"""The command `design`: people or epsilon that a question needs."""

import typer

from calm_core.cli import options
from calm_core.cli.loading import Source
from calm_core.cli.output import Progress, print_json
from calm_core.errors import InputError

# Options that say what is assumed of the people, and those that say how a table of similar people is read.
ASSUMED = ("values", "share", "attributes", "groups", "correlation")
LIKE = ("question", "columns", "max_values", "schema", "read")


def design(
    context: typer.Context,
    d: options.AttributeCount = None,
    n: options.UsersAsked = None,
    epsilon: options.EpsilonAsked = None,
    values: options.ValueCount = 2,
    k: options.QuerySizeAsked = None,
    share: options.ExpectedShare = None,
    attributes: options.AttributesAsked = 1,
    difference: options.WantedDifference = None,
    groups: options.GroupShares = None,
    within: options.HalfWidth = None,
    power: options.WantedPower = None,
    correlation: options.Correlation = None,
    like: options.LikeFile = None,
    question: options.LikeQuestion = None,
    columns: options.Columns = None,
    max_values: options.MaxValues = None,
    schema: options.SchemaFile = None,
    read: options.Read = None,
    json: options.AsJson = False,
) -> None:
    """Find how many people, or which epsilon, a question needs; with both, what comes out. Only --like uses data."""
    # They load more of the library than most commands need.
    from calm_core.evaluation.needs import solve_question
    from calm_core.evaluation.planned_questions import (
        DifferenceQuestion,
        PilotQuestion,
        Question,
        ShareQuestion,
    )

    if like is None:
        options.refuse_options(context, LIKE, "is for --like")
    points = None if difference is None else difference / 100
    planned: Question
    if like is not None:
        options.refuse_options(context, ASSUMED, "is taken from the people of --like")
        if question is None:
            raise InputError('--like needs --question, such as "share smoked=yes"')
        people = Source(like, columns, d, max_values, schema, read).load()
        planned = PilotQuestion(people, question, points, k)
    elif d is None:
        raise InputError("give --d, the number of attributes, or --like, a table of similar people")
    elif points is None:
        options.refuse_options(context, ("groups", "power"), "is for a --difference")
        expected = None if share is None else share / 100
        planned = ShareQuestion(d, values, expected, attributes, k, correlation)
    else:
        options.refuse_options(context, ("attributes",), "is for a share")
        parts = options.parse_numbers(groups, "groups", float)
        planned = DifferenceQuestion(
            d, values, points, (30.0 if share is None else share) / 100,
            tuple(part / 100 for part in parts) or None, k or 2, correlation,
        )  # fmt: skip
    is_search = n is None or epsilon is None
    if is_search and within is None and power is None and planned.difference is not None:
        power = 80.0
    with Progress("plans are tried"):
        need = solve_question(
            planned, n=n, epsilon=epsilon,
            half_width=None if within is None else within / 100, power=None if power is None else power / 100,
        )  # fmt: skip
    if json:
        print_json(need.to_dict())
        return
    print(need.sentence)
    if need.plan is not None:
        print(f"Plan: l = {need.plan.l}, m = {need.plan.m}, oracle contrast; ask with calm_plus.")
