"""What is shown and taken away under a name is what the name says."""

import html
import io
import json
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from calm_core import make_method, run
from calm_core.evaluation.metrics import wrong_share
from calm_core.ingest.samples import load_sample
from calm_core.methods import METHODS
from calm_core.reports import notebook
from calm_core.settings import Settings
from calm_core.tables.dataset import Population
from calm_core.tables.domain import Domain
from pages import words
from pages.ui import cached_calls, exports, results
from tests.app.screen import offered_files

QUERY = {"d": "4", "k": "2", "n": "3000", "seed": "7", "queries": "5"}


def outcome_of(app):
    settings = app.session_state["settings"]
    return settings, cached_calls._RUNS.get(settings.results_key, lambda: pytest.fail("not run"))


def read_csv(app, file: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(offered_files(app)[file]()))


def test_the_cells_and_their_csv_hold_the_true_and_released_shares(open_app):
    app = open_app("marginals", **QUERY | {"seed": "8"})
    _, outcome = outcome_of(app)
    attrs = outcome.domain.names[:2]
    truth, answer = (
        source.marginal(attrs).values.ravel() for source in (outcome.dataset, outcome.answer)
    )
    assert np.abs(truth - answer).min() > 0
    held, shown = read_csv(app, "table.csv"), app.dataframe[-1].value
    assert held["true share"].tolist() == pytest.approx(truth)
    assert held["reconstructed share"].tolist() == pytest.approx(answer)
    assert held["difference"].tolist() == pytest.approx(answer - truth)
    # On screen what is written adds up, to the last digit.
    true, reconstructed, off = (
        [Decimal(f"{share:.12g}") for share in shown[name]]
        for name in ("true share", "reconstructed share", "difference")
    )
    assert true == [Decimal(f"{share:.4f}") for share in truth]
    assert reconstructed == [Decimal(f"{share:.4f}") for share in answer]
    assert off == [b - a for a, b in zip(true, reconstructed)]
    assert off != [Decimal(f"{share:.4f}") for share in answer - truth], "no share was rounded here"
    for table in (held, shown):
        assert list(table.columns[:2]) == list(attrs)


def test_cells_are_listed_whatever_attributes_are_called():
    domain = Domain(("true share", "b"), (2, 3))
    listed = results.list_cells(domain, {"true share": np.arange(6)}, None)
    assert list(listed.columns) == ["true share (attribute)", "b", "true share"]
    assert listed["true share"].tolist() == [*range(6)]


def test_the_report_and_the_errors_hold_the_numbers_of_the_run(open_app):
    app = open_app("marginals", **QUERY)
    app.session_state["exports"] = True
    app.run()
    settings, outcome = outcome_of(app)
    attrs = outcome.domain.names[:2]
    text = offered_files(app)["calm-technical-report.html"]()
    head, body = re.search(r"<thead>(.*?)</thead><tbody>(.*?)</tbody>", text, re.S).groups()
    names = [html.unescape(name) for name in re.findall(r"<th[^>]*>(.*?)</th>", head)]
    rows = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)]
    table = pd.DataFrame(rows, columns=names)
    for name, source in (("true", outcome.dataset), ("reconstructed", outcome.answer)):
        wanted = source.marginal(attrs).values.ravel()
        assert table[f"{name} share"].astype(float).to_numpy() == pytest.approx(wanted, rel=1e-3)
    errors = read_csv(app, "errors.csv")
    for name in ("sse", "l1", "l2", "jensen_shannon", "uniform_sse"):
        assert errors[name].to_numpy() == pytest.approx(outcome.scores[name].to_numpy())


@pytest.mark.slow
@pytest.mark.parametrize("method", ["calm", "calm_plus", "fc", "priview"])
def test_the_report_on_one_page_says_what_the_run_says(method):
    settings = Settings(method=method, d=5, k=2, n=5000, queries=10)
    outcome = cached_calls.outcome(settings)
    attrs = outcome.queries[0]
    question = f"share {attrs[1]}=1 given {attrs[0]}=1"
    text = exports.make_one_page(settings, outcome, attrs, ("share", question))
    assert len(text) < 500_000 and "<script" not in text
    plain = html.unescape(re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", text)))
    assert f"{words.numbers.wrong(outcome.wrong)} of 100 people in the wrong cell" in plain
    assert f"guessing: {words.numbers.wrong(outcome.guess_wrong)} of 100" in plain
    assert words.numbers.VERDICTS[outcome.verdict] in plain
    assert settings.to_command() in plain and "3 tables of 10" in plain
    # The question, and the table looked at, with its shares and its own error.
    truth, answer = outcome.dataset.marginal(attrs), outcome.answer.marginal(attrs)
    rows = re.findall(r"aria-label='([^']*)'", text)
    assert question in plain
    if method != "fc":
        true = words.ask.value_text("share", truth.values[1, 1] / truth.values[1].sum())
        assert words.ask.truth_text(truth=true) in html.unescape(rows.pop(0))
    else:
        assert "With these settings it has no answer: this answer has no intervals" in plain
    rows = rows[: truth.values.size]
    for row, true, share in zip(rows, truth.values.ravel(), answer.values.ravel(), strict=True):
        said = html.unescape(row)
        assert said.endswith(f", true {words.numbers.percent(true, 0)}")
        assert f"reconstructed {words.numbers.percent(share, 0)}, 95% interval" in said
    assert words.numbers.people_wrong(wrong_share(truth, answer)) in plain
    trusted = METHODS[method].trust == "central"
    assert ("trusted curator saw" in plain) == trusted != ("Nobody saw a true answer" in plain)


def test_a_slow_method_has_no_whiskers_on_one_page(monkeypatch):
    monkeypatch.setattr(exports, "MAX_SECONDS", 0.0)
    settings = Settings(d=3, k=2, n=2000, queries=3)
    outcome = cached_calls.outcome(settings)
    text = exports.make_one_page(settings, outcome, outcome.queries[0])
    assert "95%" not in text and "of 100 people" in text


@pytest.mark.parametrize(
    "changes",
    [{"n": 2000, "max_values": 2}, {"method": "calm_plus", "design": "pairs", "seed": 3},
     {"columns": ("age", "female"), "seed": 11, "queries": 1}, {"n": 10**12, "seed": 5}],
)  # fmt: skip
def test_the_notebook_repeats_the_run(changes):
    """Its cells run here, in this process; the last one compares the errors."""
    settings = Settings(d=4, k=2, queries=5).with_changes(**changes)
    load = {"columns": settings.columns} if settings.columns else {"d": settings.d}
    data = load_sample("survey", max_values=settings.max_values, **load).dataset
    if settings.n and settings.is_population:
        data = Population(data, settings.n)
    method = make_method(settings.method, **settings.method_settings)
    found = run(data, method, seed=settings.seed, n=settings.n, queries=settings.queries)
    cells = json.loads(notebook(settings, found))["cells"]
    names: dict = {"print": lambda *_: None}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["outcome"].scores.equals(found.scores) and names["outcome"].n == found.n


def test_the_report_names_the_settings_that_its_method_has():
    settings = Settings(d=3, k=2, n=2_000, queries=3, method="fc", rounds=4)
    named = exports.settings_table(settings, cached_calls.outcome(settings))
    # FC has a rule of its own, whatever is chosen for CALM.
    assert named["nonnegativity"] == "none" and not {"rounds", "theta", "design"} & set(named)
    assert (named["method"], named["epsilon"], named["oracle"]) == ("fc", 1.0, "adaptive")
