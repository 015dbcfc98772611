"""What is shown and taken away under a name is what the name says; one person's reports are new ones."""

import base64
import html
import io
import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import streamlit as st

from calm_core import make_method, run
from calm_core.ingest.samples import load_sample
from calm_core.oracles import choose_oracle
from calm_core.settings import Settings
from pages import words
from pages.panels.collect import person
from pages.ui import cached, exports

QUERY = {"d": "4", "k": "2", "n": "3000", "seed": "7", "queries": "5"}


@pytest.fixture
def files(monkeypatch) -> dict[str, str]:
    """What the download buttons of the pages hand out, by file name."""
    found = {}

    def button(label, data, file_name=None, *_, **__):
        found[file_name] = data

    monkeypatch.setattr(st, "download_button", button)
    return found


def outcome_of(app):
    settings = app.session_state["settings"]
    return settings, cached._RUNS.get(settings.results_key, lambda: pytest.fail("not run"))


def read_csv(text) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text() if callable(text) else text))


def test_true_and_reconstructed_in_the_table_and_its_csv(open_app, files):
    app = open_app("marginals", **QUERY)
    _, outcome = outcome_of(app)
    attrs = outcome.domain.names[:2]
    truth, answer = (
        source.marginal(attrs).values.ravel() for source in (outcome.dataset, outcome.answer)
    )
    assert np.abs(truth - answer).min() > 0
    for shown in (app.dataframe[-1].value, read_csv(files["marginal.csv"])):
        assert shown["true share"].tolist() == pytest.approx(truth)
        assert shown["reconstructed share"].tolist() == pytest.approx(answer)
        assert shown["difference"].tolist() == pytest.approx(answer - truth)
        assert list(shown.columns[:2]) == list(attrs)


def test_heatmaps_stand_below_their_names(open_app):
    app = open_app("marginals", **QUERY)
    app.session_state["look_as"] = "Heatmaps"
    app.run()
    _, outcome = outcome_of(app)
    attrs = outcome.domain.names[:2]
    truth, answer = (source.marginal(attrs).values for source in (outcome.dataset, outcome.answer))
    wanted = {"True": truth, "Reconstructed": answer, "Reconstructed minus true": answer - truth}
    titles = [m.value.strip("*") for m in app.markdown if m.value.strip("*") in wanted]
    charts = app.get("plotly_chart")
    assert titles == list(wanted) and len(charts) == 3
    for chart, values in zip(charts, wanted.values()):
        z = json.loads(chart.proto.spec)["data"][0]["z"]
        assert unpacked(z) == pytest.approx(values.ravel())


def unpacked(z) -> np.ndarray:
    """A grid of numbers as plotly writes it: nested lists, or bytes in base 64."""
    if isinstance(z, list):
        return np.ravel(z)
    return np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"])


def test_the_report_and_the_errors_say_what_they_hold(open_app, files):
    app = open_app("marginals", **QUERY)
    app.session_state["exports"] = True
    app.run()
    settings, outcome = outcome_of(app)
    attrs = outcome.domain.names[:2]
    text = files["calm-report.html"]()
    head, body = re.search(r"<thead>(.*?)</thead><tbody>(.*?)</tbody>", text, re.S).groups()
    names = [html.unescape(name) for name in re.findall(r"<th[^>]*>(.*?)</th>", head)]
    rows = [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)]
    table = pd.DataFrame(rows, columns=names)
    for name, source in (("true", outcome.dataset), ("estimate", outcome.answer)):
        wanted = source.marginal(attrs).values.ravel()
        assert table[name].astype(float).to_numpy() == pytest.approx(wanted, rel=1e-3)
    errors = read_csv(files["errors.csv"])
    for name in ("sse", "l1", "l2", "jensen_shannon", "uniform_sse"):
        assert errors[name].to_numpy() == pytest.approx(outcome.scores[name].to_numpy())
    assert f"SSE, squared shares) was {outcome.scores['sse'].mean():.3g}" in words.exports.summary(
        settings, outcome
    )
    assert (
        "seed 7" in words.exports.summary(settings, outcome) and "--seed 7" in settings.to_command()
    )


@pytest.mark.parametrize(
    "changes",
    [{}, {"seed": 7}, {"seed": 7, "n": 2000, "max_values": 2}, {"method": "calm_plus", "design": "pairs", "seed": 3},
     {"columns": ("age", "female"), "seed": 11, "queries": 1}],
)  # fmt: skip
def test_the_notebook_repeats_the_very_run(changes):
    """Its cells run here, in this process; the last one compares the errors."""
    settings = Settings(d=4, k=2, queries=5).changed(**changes)
    load = {"columns": settings.columns} if settings.columns else {"d": settings.d}
    data = load_sample("survey", max_values=settings.max_values, **load).dataset
    method = make_method(settings.method, **settings.method_settings)
    found = run(data, method, seed=settings.seed, n=settings.n, queries=settings.queries)
    cells = json.loads(exports.notebook_of(settings, found))["cells"]
    names: dict = {"print": lambda *_: None}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["outcome"].scores.equals(found.scores)


def test_reports_are_each_a_new_one_and_stay_what_they_were(open_app):
    app = open_app("collect", **QUERY | {"epsilon": "0.5"})
    app.session_state["collect_tabs"] = "One person"
    app.run()
    before: list[str] = []
    for press in range(1, 7):
        app.button(key="report").click().run()
        shown = next(part.value for part in app.html if "What the server receives" in part.value)
        reports = re.findall(r"<li[^>]*>(.*?)</li>", shown)
        assert f"press {press}" in shown and len(reports) == press
        assert reports[1:] == before, "what was sent before does not change"
        before = reports
    assert len(set(before)) > 1


@pytest.mark.parametrize("oracle", ["oue", "olh", "subset", "grr"])
def test_another_press_another_view_or_another_seed_is_fresh_noise(oracle):
    device = choose_oracle(64, 1.0, oracle)
    reports = {
        "press": [person._report(device, 5, SimpleNamespace(seed=1), 0, press) for press in range(40)],
        "view": [person._report(device, 5, SimpleNamespace(seed=1), view, 1) for view in range(40)],
        "seed": [person._report(device, 5, SimpleNamespace(seed=s), 0, 1) for s in range(40)],
    }  # fmt: skip
    for what, found in reports.items():
        assert len(set(map(tuple, found))) > 10, what
