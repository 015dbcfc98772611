"""Every public frozen type that checks its values refuses wrong ones when it is made.

A new one needs cases in RIGHT and WRONG, or belongs to a family whose members are made alike.
"""

import ast
import importlib
import inspect
import math
import pkgutil
import re
from dataclasses import is_dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

import calm_core as cc
from calm_core import assignments, attacks, settings
from calm_core.classroom.results import ReportCounts
from calm_core.classroom.survey import Question, Survey
from calm_core.collection.aggregation import NoisyMarginals
from calm_core.collection.report_files import ReportColumns
from calm_core.collection.simulation import Reports, ViewReports
from calm_core.collection.states import State
from calm_core.collection.tally import Tally
from calm_core.errors import UserError
from calm_core.evaluation.error_sources import calibrate_theta, split_error
from calm_core.evaluation.planned_questions import DifferenceQuestion, PilotQuestion, ShareQuestion
from calm_core.evaluation.run import iter_price
from calm_core.experiments import classification, figure, spec
from calm_core.inference.consistency import ConsistencyReport, ConsistentMarginals
from calm_core.inference.reconstruction.answers import reconstruct
from calm_core.ingest import suggestions
from calm_core.ingest.limits import Limits
from calm_core.ingest.schema import ColumnSchema, Schema
from calm_core.ingest.steps import RepeatRows, SplitOptions, TickBoxes
from calm_core.ingest.table import ReadOptions
from calm_core.methods.base import Answer, Method
from calm_core.oracles import GRR, Oracle, Parity
from calm_core.planning.algorithm1 import Choice
from calm_core.planning.plan import Plan
from calm_core.tables.dataset import Population

ROOT = Path(cc.__file__).parent
REFUSED_BY = ("UserError", "InputError", "InfeasibleError", "DataError")
# Sentences of the library reach the screen, which has one word for one thing: people, table, collection,
# released, collector.
FOREIGN = re.compile(
    r"\b(users?|respondents?|marginals?|estimate[sd]?|reconstructed|published|SSE|servers?|runs?|draws?)\b",
    re.IGNORECASE,
)
# Names of fields in code, said where one is wrong.
FIELDS = ("variances and users", "users of a view", "spec.runs")


def foreign_words(text: str) -> list[str]:
    """Words that the screen does not use, apart from names of fields."""
    for name in FIELDS:
        text = text.replace(name, "")
    return FOREIGN.findall(text)


DOMAIN = cc.Domain(("sex", "age"), (2, 3))
DATA = cc.Dataset([[0, 2], [1, 0], [1, 1], [0, 0], [1, 2], [0, 1]], DOMAIN)
CUBE = cc.Dataset([[0, 1, 0], [1, 0, 1]] * 9, cc.Domain(("x", "y", "z"), (2, 2, 2)))
TABLE = cc.Marginal(DOMAIN, [[0.1, 0.2, 0.1], [0.3, 0.2, 0.1]])
TURNED = cc.Marginal(cc.Domain(("age", "sex"), (3, 2)), TABLE.values.T)
VIEWS = (("sex", "age"),)
CHOICE = cc.choose_views(1000, (2, 3), 1.0, 2, 1e-3)
HOW = ConsistencyReport("ripple", "variance", 3, 0.0, 0.0, True)
VIEW = ViewReports(("sex", "age"), GRR(1.0, 6), np.arange(6), 15)
COLUMN = ColumnSchema("sex", "yes/no", labels=("f", "m"))
CHOICES = (suggestions.Choice("point", "."), suggestions.Choice("comma", ","))
PLAN = Plan(DOMAIN, 9, 1.0, 2, 1e-3, VIEWS, (GRR(1.0, 6),), CHOICE)
TALLY = Tally((("a", "0f"),), np.arange(6), np.array([15]))
ASKED = (Question("sex", "Sex?", ("f", "m")), Question("age", "Age?", ("18", "19", "20")))
SMALL = assignments.ready("school")
EXPERIMENT = {"data": DATA, "methods": ("uni",), "epsilons": (1.0,), "ks": (2,)}

# Arguments with which each can be made, so that what is refused below is refused for what is wrong.
RIGHT = {
    cc.Domain: {"names": ("sex", "age"), "sizes": (2, 3)},
    cc.Dataset: {"codes": DATA.codes, "domain": DOMAIN},
    cc.Marginal: {"domain": DOMAIN, "values": TABLE.values},
    Plan: {"domain": DOMAIN, "n": 9, "epsilon": 1.0, "k": 2, "theta": 1e-3, "views": VIEWS,
           "oracles": (GRR(1.0, 6),), "choice": CHOICE},
    ReportColumns: {"plan": PLAN},
    Tally: {"batches": (("a", "0f"),), "support": np.arange(6), "people": np.array([15])},
    State: {"plan": PLAN, "tallies": (TALLY,)},
    Choice: {"l": 2, "m": 1, "branch": "covered", "reason": "", "trace": (), "candidates": (),
             "max_views": 1},
    Population: {"rows": DATA, "n": 10**12},
    ViewReports: {"attrs": ("sex", "age"), "oracle": GRR(1.0, 6), "support": np.arange(6), "n": 15},
    Reports: {"domain": DOMAIN, "views": (VIEW,)},
    NoisyMarginals: {"domain": DOMAIN, "tables": (TABLE,), "variances": (0.1,), "users": (15,)},
    ConsistentMarginals: {"domain": DOMAIN, "tables": (TABLE,), "report": HOW},
    ReadOptions: {},
    SplitOptions: {"column": "by", "separator": ",", "options": ("Bus", "Car")},
    TickBoxes: {"columns": ("a", "b"), "ticks": ("x", "x")},
    RepeatRows: {"column": "n"},
    Limits: {},
    ColumnSchema: {"name": "sex", "kind": "yes/no", "labels": ("f", "m")},
    Schema: {"columns": (COLUMN,)},
    suggestions.Question: {"about": "decimal", "choices": CHOICES, "taken": CHOICES[0], "sentence": "Is it?"},
    suggestions.Proposal: {"what": "missing", "texts": ("-",), "into": "missing", "count": 2, "sentence": "Treat"},
    settings.Settings: {},
    assignments.Free: {"name": "epsilon", "low": 1, "high": 2},
    assignments.Bound: {"measure": "wrong", "side": "most", "value": 5},
    assignments.Goal: {"text": "Reach", "bounds": (assignments.Bound("wrong", "most", 5),)},
    assignments.Number: {"text": "Read", "measure": "odds", "tolerance": 0.1},
    assignments.Option: {"text": "this"},
    assignments.Choice: {"text": "Choose", "options": (assignments.Option("a"), assignments.Option("b"))},
    assignments.Assignment: vars(SMALL),
    assignments.Work: {"assignment": SMALL, "name": "Ada"},
    spec.MethodSpec: {"name": "calm"},
    spec.ExperimentSpec: EXPERIMENT,
    classification.ClassificationSpec: {
        "data": DATA, "label": "sex", "features": ("age",), "methods": ("uni",), "epsilons": (1.0,),
    },
    figure.Settings: {"data": DATA},
    Question: {"name": "sex", "text": "Sex?", "choices": ("f", "m")},
    Survey: {"title": "T", "questions": ASKED},
    ReportCounts: {"survey": Survey("T", ASKED, 1.0), "plan": PLAN, "counts": (np.arange(6),)},
    **dict.fromkeys(attacks.ATTACKS.values(), {}),
    ShareQuestion: {"d": 2, "values": 2},
    DifferenceQuestion: {"d": 2, "values": 2, "difference": 0.1},
    PilotQuestion: {"people": DATA, "text": "mean age"},
}  # fmt: skip

# What is changed in them, and what the refusal says.
WRONG = {
    attacks.ATTACKS["one-person"]: [({"prior": "x"}, "prior"), ({"people": 0}, "people")],
    attacks.ATTACKS["asked-again"]: [({"days": 0}, "days"), ({"first": 1.0}, "first"), ({"change": 0}, "change")],
    attacks.ATTACKS["liars"]: [({"share": 0}, "share"), ({"kind": "x"}, "kind"), ({"repetitions": 1}, "repetitions")],
    attacks.ATTACKS["re-identification"]: [({"people": 0}, "people")],
    attacks.ATTACKS["audit"]: [({"noise": 0}, "noise"), ({"trials": 1}, "trials")],
    ShareQuestion: [({"share": 0}, "share"), ({"level": 1}, "level"), ({"correlation": 1}, "correlation")],
    PilotQuestion: [({"text": "mean nobody"}, "nobody"), ({"target": 0.1}, "for a question about a difference")],
    DifferenceQuestion: [({"difference": 0}, "must not be 0"), ({"groups": (0.9, 0.9)}, "at most 1")],
    assignments.Free: [
        ({"name": "seed"}, "setting that students choose"), ({"high": 1}, "least and a larger"),
        ({"words": ("x",)}, "least and a larger"), ({"name": "method"}, "needs the words"),
        ({"name": "method", "low": None, "high": None, "words": ("x",)}, "method"),
    ],
    assignments.Bound: [
        ({"measure": "share"}, "measure of a goal"), ({"side": "below"}, "side"),
        ({"value": math.nan}, "must be a number"),
    ],
    assignments.Goal: [
        ({"bounds": ()}, "at least one limit"), ({"text": " "}, "a question"), ({"points": 0}, "points"),
        ({"bounds": 2 * (assignments.Bound("wrong", "most", 5),)}, "one a measure"),
    ],
    assignments.Number: [
        ({"tolerance": 0}, "above 0"), ({"measure": "share"}, "needs a cell"),
        ({"cell": ("sex=f",)}, "must not have a cell"), ({"measure": "it"}, "measure"),
    ],
    assignments.Option: [({"text": ""}, "an answer to choose")],
    assignments.Choice: [
        ({"options": 2 * (assignments.Option("a"),)}, "different answers"),
        ({"options": (assignments.Option("a", right=True), assignments.Option("b", right=True))}, "one right"),
    ],
    assignments.Assignment: [
        ({"settings": settings.Settings(source="0" * 64)}, "must use a sample"),
        ({"free": ()}, "at least one setting"), ({"free": (assignments.Free("k", 1, 8),)}, "attributes is 3"),
        ({"free": (assignments.Free("epsilon", 2, 4),)}, "epsilon .0.5. must be from 2 to 4"),
        ({"free": (assignments.Free("epsilon", 1, 40),)}, "epsilon .40. must be from"),
        ({"free": (assignments.Free("d", 3, 4),)}, "beside named columns"),
        ({"questions": ()}, "3 to 6 questions, not 0"), ({"level": "kindergarten"}, "level"),
        ({"title": " "}, "title"),
    ],
    assignments.Work: [({"name": " "}, "the name"), ({"answers": (None,)}, "1 answers to 4")],
    cc.Domain: [
        ({"sizes": (2,)}, "equally many"), ({"sizes": (2, 0)}, "size of age"),
        ({"sizes": (2, 3.0)}, "size of age"), ({"names": ("sex", "sex")}, "distinct"),
        ({"names": ("sex", "")}, "non-empty"), ({"labels": (("f", "m"), ("1",))}, "labels"),
    ],
    cc.Dataset: [
        ({"codes": [[0, 3]]}, "outside 0 to 2"), ({"codes": [[-1, 0]]}, "outside 0 to 1"),
        ({"codes": [[0.0, 1.0]]}, "whole numbers"), ({"codes": [[0, 1, 2]]}, "one column for each"),
        ({"codes": np.empty((0, 2), int)}, "no rows"),
    ],
    cc.Marginal: [
        ({"values": [[0.5, 0.5]]}, "must have the shape"),
        ({"values": [[math.nan] * 3] * 2}, "finite"), ({"values": [[math.inf] * 3] * 2}, "finite"),
    ],
    Plan: [
        ({"n": 0}, r"n \(0\)"), ({"epsilon": 17.0}, r"epsilon \(17"), ({"k": 3}, r"k \(3\)"),
        ({"theta": 0.0}, r"theta \(0"), ({"views": ()}, "equally many"),
        ({"views": (("age", "sex"),)}, "in the order of the domain"),
        ({"oracles": (GRR(1.0, 5),)}, "for 5 values"), ({"weights": (1.0, 1.0)}, "one for each"),
        ({"weights": (-1.0,)}, "must not be negative"), ({"weights": (math.nan,)}, "weights"), ({"weights": (math.inf,)}, "weights"), ({"weights": (0.0,)}, "at least one"),
    ],
    ReportColumns: [({"plan": replace(PLAN, views=VIEWS * 65537, oracles=PLAN.oracles * 65537)}, "65,536")],
    Tally: [
        ({"batches": ()}, "of one batch"), ({"batches": (("a", "0f"), ("a", "1f"))}, "different"),
        ({"support": -np.arange(6)}, "from 0"), ({"people": np.array([1.5])}, "from 0"),
        ({"refused": (1,)}, "each of the 10 reasons"), ({"refused": (-1, *[0] * 9)}, "refused"),
    ],
    State: [
        ({"tallies": (TALLY, TALLY)}, "one tally only"),
        ({"tallies": (replace(TALLY, support=np.arange(5)),)}, "each of the 6 cells"),
        ({"tallies": (replace(TALLY, people=np.array([4])),)}, "more often than"),
    ],
    Choice: [
        ({"l": 0}, r"l \(0\)"), ({"m": 0}, r"m \(0\)"), ({"max_views": -1}, "max_views"),
        ({"branch": "best"}, "branch"),
    ],
    Population: [
        ({"rows": DATA.codes}, "rows must be a Dataset"),
        ({"n": 0}, r"n \(0\)"),
        ({"n": 10**12 + 1}, "1,000,000,000,000"),
        ({"n": 1.5}, "whole number"),
    ],
    ViewReports: [
        ({"support": np.arange(5)}, "a count for each cell"), ({"n": 4}, "from 0 to n"),
        ({"support": -np.arange(6)}, "from 0 to n"), ({"n": -1}, r"n \(-1\)"),
        ({"support": np.zeros(6)}, "a count for each cell"),
    ],
    Reports: [({"domain": cc.Domain(("sex", "age"), (2, 4))}, "for 6 values"), ({"views": ()}, "at least one")],
    NoisyMarginals: [
        ({"tables": ()}, "at least one"), ({"tables": (TABLE,) * 2}, "equally many"), ({"tables": (TURNED,)}, "does not fit"),
        ({"variances": (-0.1,)}, "variances"), ({"users": (0.5,)}, "users of a view"),
        ({"variances": (math.nan,)}, "variances"), ({"users": (-1,)}, "users of a view"),
        ({"value_variances": (math.inf,)}, "value_variances"),
        ({"domain": cc.Domain(("sex", "age"), (2, 4))}, "does not fit the domain"),
    ],
    ConsistentMarginals: [
        ({"tables": ()}, "at least one"), ({"reconstruction": "guess"}, "reconstruction"),
        ({"reconstruction": "lp"}, "views before consistency"),
        ({"domain": cc.Domain(("sex", "age"), (2, 4))}, "does not fit the domain"),
    ],
    SplitOptions: [
        ({"separator": ""}, "separator"), ({"options": ()}, "options"), ({"options": ("Bus", "Bus")}, "distinct"),
        ({"empty": "maybe"}, "empty"),
    ],
    TickBoxes: [({"ticks": ("x",)}, "one text"), ({"empty": "maybe"}, "empty")],
    RepeatRows: [({"mean": -1.0}, "mean"), ({"decimal": ";"}, "decimal")],
    ReadOptions: [
        ({"separator": ",,"}, "separator"), ({"separator": 3}, "separator"),
        ({"decimal": ";"}, "decimal"), ({"shape": "list"}, "shape"), ({"items": 0}, "items"),
        ({"header_row": -1}, "header_row"), ({"header": "no"}, "header"),
        ({"normalize": None}, "normalize"),
        ({"ragged": "cut"}, "ragged"), ({"encoding": ""}, "encoding"), ({"sheet": 1}, "sheet"),
    ],
    Limits: [
        ({name: wrong}, name) for name in vars(Limits()) for wrong in (0, -1, 1.5, math.inf)
    ],
    ColumnSchema: [
        ({"name": ""}, "non-empty"), ({"kind": "words"}, "kind"), ({"missing": "drop"}, "missing"),
        ({"values": ("f",)}, "equally many"), ({"edges": (2.0, 1.0)}, "increase"),
        ({"other": 2}, "every code"), ({"missing_code": -1}, "every code"),
        ({"values": ("f", "f"), "counts": (1, 1), "groups": (0, 1)}, "distinct"),
        ({"decimal": ";"}, "decimal"), ({"date_order": "ydm"}, "date_order"), ({"scales": ("q",)}, "scales"),
        ({"negative": "red"}, "negative"), ({"date_forms": ("moon",)}, "date_forms"),
        ({"bin_unit": "moon"}, "bin_unit"), ({"missing_counts": (1,)}, "one for each of missing_texts"),
    ],
    Schema: [({"columns": (COLUMN, COLUMN)}, "distinct names")],
    suggestions.Question: [
        ({"about": "color"}, "about"), ({"choices": CHOICES[:1]}, "at least two"),
        ({"taken": suggestions.Choice("else", ".")}, "the one taken among them"),
        ({"choices": (*CHOICES, suggestions.Choice("?", "x"))}, "reads"),
    ],
    suggestions.Proposal: [({"what": "drop"}, "what")],
    settings.Settings: [
        ({"epsilon": 0}, "epsilon"), ({"k": 0}, "k"), ({"theta": 2}, "theta"), ({"seed": -1}, "seed"),
        ({"oracle": "best of all"}, "oracle"), ({"method": "none"}, "method"), ({"n": 0}, "n"),
        ({"queries": 0}, "queries"), ({"presenter": "yes"}, "presenter"),
    ],
    spec.MethodSpec: [({"name": "best"}, "method"), ({"options": {"speed": 3}}, "option of calm")],
    spec.ExperimentSpec: [
        ({"methods": ()}, "distinct and at least one"), ({"methods": ("uni", "uni")}, "distinct"),
        ({"epsilons": ()}, "epsilons"), ({"epsilons": (0.0,)}, "epsilon"), ({"ks": (3,)}, "k"),
        ({"ds": (3,)}, "d"), ({"ns": (1,)}, "n"), ({"repetitions": 0}, "repetitions"),
        ({"queries": 0}, "queries"), ({"seed": -1}, "seed"), ({"query_kind": "all"}, "query_kind"),
        ({"methods": (spec.MethodSpec("calm", {"l": 0}),)}, r"l \(0\)"),
    ],
    classification.ClassificationSpec: [
        ({"label": "job"}, "job"), ({"features": ()}, "must not be the label only"),
        ({"features": ("sex",)}, "must not be the label only"), ({"epsilons": ()}, "at least one"),
        ({"epsilons": (99.0,)}, "epsilon"), ({"repetitions": 0}, "repetitions"), ({"n": 0}, "n"),
        ({"seed": -1}, "seed"), ({"methods": ("uni", "uni")}, "distinct"),
        ({"methods": (spec.MethodSpec("calm", label="Majority"),)}, "distinct"),
        ({"methods": (spec.MethodSpec("calm", {"m": 0}),)}, r"m \(0\)"),
    ],
    figure.Settings: [
        ({"epsilons": (0.0,)}, "epsilon"), ({"ds": (0,)}, r"d \(0\)"), ({"ks": (1.5,)}, "k"),
        ({"ns": (1,)}, r"n \(1\)"), ({"methods": "calm,best"}, "method"),
        ({"methods": "calm:l=0"}, r"l \(0\)"), ({"repetitions": 0}, "repetitions"),
        ({"queries": 0}, "queries"), ({"seed": -1}, "seed"), ({"theta": 0}, "theta"),
        ({"label": "job"}, "job"), ({"features": ("job",)}, "job"),
    ],
    Question: [
        ({"name": ""}, "short name of a question is empty"), ({"name": "a" * 41}, "at most 40"),
        ({"text": "\u202e\x00 "}, "'sex' is empty"), ({"text": "x" * 201}, "201 characters and must have at most 200"),
        ({"text": 3}, "must be a text"), ({"choices": ("No",)}, "1 answer and must have 2 to 6; add some"),
        ({"choices": tuple("1234567")}, "7 answers.*merge some"), ({"choices": ("No", "x" * 41)}, "at most 40"),
        ({"choices": ("No", "no\u202e")}, "different"), ({"choices": ("No", "")}, "answer to 'sex' is empty"),
        ({"choices": "No"}, "list of texts"),
    ],
    Survey: [
        ({"title": " "}, "title is empty"), ({"title": "x" * 201}, "at most 200"),
        ({"questions": ASKED[:1]}, "2 to 12 questions; this one has 1"),
        ({"questions": [Question(str(i), "?", ("f", "m")) for i in range(13)]}, "has 13"),
        ({"questions": (ASKED[0], Question("SEX", "?", ("f", "m")))}, "short name 'sex'"),
        ({"questions": ("a", "b")}, "made of Question"), ({"language": "xx"}, "language"),
        *(({"epsilon": wrong}, "epsilon") for wrong in (8.5, 0.0, math.nan)),
    ],
    ReportCounts: [
        ({"survey": Survey("T", ASKED[::-1], 1.0)}, "questions of the survey"), ({"classes": 0}, "classes"),
        ({"counts": ()}, "every view"), ({"counts": (np.arange(5),)}, "every cell"),
        ({"counts": (-np.arange(6),)}, "from 0"), ({"counts": (np.zeros(6),)}, "whole number"),
    ],
}  # fmt: skip

# Made alike by all members, of whom some have more options: tests/methods/test_method_options.py
# holds every option of every method against what no option takes.
FAMILIES = {
    Method: ({"epsilon": 1.0, "k": 2}, [({"epsilon": 0.0}, "epsilon"), ({"k": 0}, r"k \(0\)")]),
    Oracle: ({"epsilon": 1.0, "size": 6}, [
        *(({"epsilon": wrong}, "epsilon") for wrong in (0, -1.0, math.nan, math.inf, 16.1, "1", True, None)),
        *(({"size": wrong}, "size") for wrong in (0, -3, 2.5, True, 10**8)),
    ]),
}  # fmt: skip

# What readers make of files, which are checked on the way.
READ_FROM_FILES = {"Report", "Table"}
# What some members need besides.
NEEDED = {Parity: {"parities": ((0,),)}}


@cache
def frozen_types() -> tuple[type, ...]:
    """Every public frozen dataclass of the library."""
    found = {}
    for module in pkgutil.walk_packages(cc.__path__, "calm_core."):
        if not module.name.endswith("__main__"):
            for kind in vars(importlib.import_module(module.name)).values():
                own = inspect.isclass(kind) and kind.__module__ == module.name
                if own and is_dataclass(kind) and not kind.__name__.startswith("_"):
                    found[kind] = kind.__dataclass_params__.frozen
    return tuple(kind for kind, frozen in found.items() if frozen)


def family_of(kind: type) -> type | None:
    return next((base for base in FAMILIES if issubclass(kind, base)), None)


def cases() -> list:
    found = [(kind, RIGHT[kind], *case) for kind, wrong in WRONG.items() for case in wrong]
    for kind in frozen_types():
        if (base := family_of(kind)) and not inspect.isabstract(kind):
            right, wrong = FAMILIES[base]
            found += [(kind, right | NEEDED.get(kind, {}), *case) for case in wrong]
    return found


def test_every_type_that_checks_its_values_has_cases():
    """A type without checks of its own is made by the library only, as every `Answer` is."""
    checked = {
        kind
        for kind in frozen_types()
        if hasattr(kind, "__post_init__")
        and not inspect.isabstract(kind)
        and re.search(r"raise |check_\w+\(|Error\(", inspect.getsource(kind.__post_init__))
        and not issubclass(kind, Answer)
    }
    without = {kind.__name__ for kind in checked if kind not in RIGHT and not family_of(kind)}
    without -= READ_FROM_FILES
    assert without == set(), "give each a case in RIGHT and WRONG"
    assert set(RIGHT) == set(WRONG) <= set(frozen_types()) and all(WRONG.values())


def test_right_values_are_taken_and_wrong_ones_refused():
    for kind, right in RIGHT.items():
        assert isinstance(kind(**right), kind)
    for kind, right, changed, message in cases():
        check_refusal(partial(kind, **right | changed), message, f"{kind.__name__} {changed}"[:200])


def check_refusal(call, message: str, case: str) -> None:
    """A call is refused in one line with this message, in the words of the screen."""
    try:
        call()
    except UserError as refused:
        said = str(refused)
        assert re.search(message, said) and "\n" not in said, f"{case}: {said}"
        assert foreign_words(said) == [], f"{case}: {said}"
    else:
        pytest.fail(f"{case} is not refused")


RNG = np.random.default_rng(1)
NOISY = NoisyMarginals(DOMAIN, (TABLE,), (0.1,), (15,))
WIDE = cc.Domain(tuple("abcdefgh"), (2,) * 8)
EM, CALM = (cc.METHODS[name](epsilon=1.0, k=2) for name in ("em", "calm"))
# What is checked once, at the edge, is refused by every function somebody can call.
EDGES = {
    "l above d": (lambda: cc.make_plan(WIDE, 9**5, epsilon=1.0, k=2, rng=RNG, l=9), "from 1 to 8"),
    "more views than there are": (
        lambda: cc.make_plan(WIDE, 9**5, epsilon=1.0, k=2, rng=RNG, l=2, m=29), "28 views of 2",
    ),
    "no generator for EM": (lambda: EM.release(DATA, rng=1), "numpy Generator"),
    "no generator for theta": (lambda: calibrate_theta(CUBE, k=3, rng=1), "numpy Generator"),
    "no generator for the sources of error": (
        lambda: split_error(DATA, CALM, VIEWS, rng=1), "numpy Generator",
    ),
    "a negative seed of a price": (
        lambda: [*iter_price(DATA, DATA.domain.names, epsilon=1.0, k=2, seed=-1)], "seed",
    ),
    "an unknown correction": (
        lambda: cc.make_consistent(NOISY, nonnegativity="ripples"), "nonnegativity .ripples. must",
    ),
    "too many rounds": (lambda: cc.make_consistent(NOISY, rounds=10**9), "rounds"),
    "unknown weights": (lambda: cc.make_consistent(NOISY, weights="best"), "weights"),
    "an unknown reconstruction": (
        lambda: cc.make_consistent(NOISY, reconstruction="guess"), "reconstruction .guess. must",
    ),
    "an unknown way to rebuild": (
        lambda: reconstruct(DOMAIN, [TABLE], ("sex",), "guess"), "reconstruction .guess. must",
    ),
}  # fmt: skip


def test_what_is_called_with_a_wrong_value_refuses_it():
    for edge, (call, message) in EDGES.items():
        check_refusal(call, message, edge)


def list_refusals() -> list[tuple[str, str]]:
    """Place and words of every refusal written down in the library."""
    found = []
    for file in sorted(ROOT.rglob("*.py")):
        # What only the command line says, and what reading files says in the words of files.
        if file.relative_to(ROOT).parts[0] in ("cli", "ingest"):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            called = (
                node.exc.func
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
                else None
            )
            if getattr(called, "id", "") in REFUSED_BY:
                parts = [
                    part.value
                    for part in ast.walk(node.exc.args[0])
                    if isinstance(part, ast.Constant)
                ]
                found.append((f"{file.name}:{node.lineno}", " ".join(map(str, parts))))
    return found


@pytest.mark.slow
def test_refusals_say_what_the_screen_says():
    """All in one: to look them up when tests are collected costs every worker half a second."""
    said = {place: foreign_words(text) for place, text in list_refusals()}
    assert {place: words for place, words in said.items() if words} == {}


@pytest.mark.slow
def test_foreign_words_are_found_where_they_are():
    assert foreign_words("more users and Marginals, SSE estimated in runs") == [
        "users", "Marginals", "SSE", "estimated", "runs",
    ]  # fmt: skip
    assert foreign_words("tables, variances and users must be equally many") == []
    assert len(list_refusals()) > 60
