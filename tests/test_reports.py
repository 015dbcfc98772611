"""What leaves the app is harmless, complete and repeats the result."""

import io
import re
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import pytest

from calm_core import make_method, run
from calm_core.ingest.samples import load_sample
from calm_core.reports import Section, csv_text, html_report, notebook, one_page_report
from calm_core.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
# Texts of the report on one page.
WORDS = (
    "source", "title", "lead", "number", "unit", "what", "note", "verdict", "verdict_name", "tables_title",
    "command_title", "command", "footer",
)  # fmt: skip


@pytest.fixture(scope="module")
def outcome():
    data = load_sample("survey", d=5).dataset
    return run(data, make_method("calm", epsilon=1.0, k=2), seed=3, n=4_000, queries=6)


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1", "-cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "  =1", "\r=1"]
)
def test_no_text_becomes_a_formula(cell):
    table = pd.DataFrame({cell: [cell, "fine"], "x": [-1.5, 2.0]})
    back = pd.read_csv(io.StringIO(csv_text(table)))
    assert back.columns[0].startswith("'")
    assert back.iloc[0, 0].startswith("'") and back.iloc[1, 0] == "fine"
    assert back["x"].tolist() == [-1.5, 2.0]


def test_csv_keeps_full_precision(outcome):
    back = pd.read_csv(io.StringIO(csv_text(outcome.scores)))
    assert back["sse"].tolist() == pytest.approx(outcome.scores["sse"].tolist(), rel=1e-14)


def test_report_needs_nothing_from_outside_and_escapes(outcome):
    nasty = "<script>alert(1)</script>"
    table = pd.DataFrame({nasty: [nasty]})
    figure = go.Figure(go.Bar(x=["a"], y=[1]))
    text = html_report(
        nasty, {nasty: nasty}, [Section(nasty, nasty, ((figure, nasty),), table)],
        summary=nasty, command=nasty,
    )  # fmt: skip
    assert nasty not in text
    assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 9
    assert text.count("Plotly.newPlot(") >= 1
    outside = re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=", text)
    assert not outside


def test_one_page_escapes_and_all_its_tables_have_one_scale():
    nasty = "<script>alert(1)</script>"
    row = dict.fromkeys(("name", "group", "text", "alt"), nasty)
    row |= {"share": 0.2, "true": 0.1, "low": 0.15, "high": 0.25}
    other = row | {"share": 0.5, "true": 0.4, "low": None, "high": None}
    table = dict.fromkeys(("title", "why", "wrong", "rest"), nasty)
    answer = dict.fromkeys(("title", "question", "text"), nasty)
    said = dict.fromkeys(WORDS, nasty) | {
        "sentence": (nasty, nasty), "key": ((nasty, "bar"), (nasty, "true"), (nasty, "interval")),
        "blocks": ((nasty, nasty, {nasty: nasty}),),
        "tables": [table | {"rows": [one]} for one in (row, other)],
        "answer": answer | {"row": row | {"share": -0.25, "low": -0.5, "high": 0.25}},
    }  # fmt: skip
    text = one_page_report(said)
    assert nasty not in text and text.count("&lt;script&gt;") > 30
    assert not re.findall(r"<(?:script|link|img|iframe)", text)
    answer, drawn = text.split("class='rows'", 1)[1].split("class='tables'")
    # The picture of an answer holds 0 and its interval; all tables go from 0 to the largest share.
    assert "viewBox='-0.5 0 0.75 10'" in answer and "M-0.5 5H0.25" in answer
    assert "<rect x='-0.25' width='0.25'" in answer
    assert re.findall(r"viewBox='([^']*)' preserve", drawn) == ["0 0 0.5 10"] * 2
    assert re.findall(r"<rect x='0' width='([\d.]+)'", drawn) == ["0.2", "0.5"]
    assert "M0.15 5H0.25" in drawn and "M0.1 0V10" in drawn and "M0.4 0V10" in drawn


@pytest.mark.slow
def test_notebook_repeats_the_result(outcome, monkeypatch):
    import nbformat
    from nbclient import NotebookClient

    text = notebook(Settings(d=5, k=2, seed=3, n=4_000, queries=6), outcome)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    opened = nbformat.reads(text, as_version=4)
    nbformat.validate(opened)
    NotebookClient(
        opened, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
    ).execute()
    last = opened.cells[-1].outputs[-1]["data"]["text/plain"]
    assert float(last) == pytest.approx(outcome.scores.sse.mean(), rel=1e-12)
