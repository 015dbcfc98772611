"""The Data page with tables of the server: small ones as an upload, large ones collected from in parts."""

import time

import numpy as np
import pytest

from calm_core.evaluation.streamed_run import collect_streamed
from calm_core.ingest.reading import SharedTable
from calm_core.methods import Calm
from pages import words
from pages.ui.navigation import Route
from tests.app.screen import press, said

N = 3_000


@pytest.fixture
def shared(tmp_path, monkeypatch):
    """The app was started with this folder."""
    root = tmp_path / "shared"
    (root / "sub").mkdir(parents=True)
    rows = np.random.default_rng(1).integers(0, 2, (N, 4))
    lines = "\n".join(",".join(map(str, row)) for row in rows)
    (root / "sub" / "people.csv").write_text(f"a,b,c,d\n{lines}\n")
    (root / "damaged.parquet").write_bytes(b"PAR1 and no more")
    monkeypatch.setattr("sys.argv", ["app.py", "--data-root", str(root)])
    return root


@pytest.fixture
def nothing_fits(monkeypatch):
    """Every table is larger than an upload may be."""
    monkeypatch.setattr(SharedTable, "fits", lambda table: False)


def choose(open_app, name, **query):
    app = open_app("data", **query)
    app.selectbox("shared_table").select(name).run()
    return app


def test_no_table_of_the_server_is_offered_without_a_folder(open_app):
    app = open_app("data")
    assert not [box for box in app.selectbox if box.key == "shared_table"]


def test_a_table_of_the_server_is_read_like_an_upload(open_app, shared):
    app = choose(open_app, "sub/people.csv")
    app.button("shared_open").click().run()
    assert not app.exception and not app.error
    settings = app.session_state["settings"]
    assert settings.is_upload and settings.file == "people.csv" and settings.d == 4
    # A reload of the tab finds it again.
    assert settings.source in app.session_state["session_data"].uploads
    app.selectbox("read_header").select("no names")
    press(app, "Read again")
    assert not app.exception and "header=no" in app.session_state["settings"].read


@pytest.mark.parametrize("gone", [True, False])
def test_a_table_that_cannot_be_read_is_refused_in_one_sentence(open_app, shared, gone):
    app = choose(open_app, "damaged.parquet")
    if gone:
        (shared / "damaged.parquet").unlink()
    app.button("shared_open").click().run()
    assert not app.exception and len(app.error) == 1 and str(shared) not in said(app)
    assert app.session_state["settings"].source == "survey"


def until_done(app):
    """Look again, as the page does every second, until the other process has ended."""
    job = app.session_state["shared_job"]
    until = time.monotonic() + 120
    while "shared_job" in app.session_state and time.monotonic() < until:
        if not job.is_running:
            app.run()
            break
        job.refresh()
        time.sleep(0.2)
    assert not app.exception, app.exception
    return app


def test_a_large_table_becomes_a_collection(open_app, sent, shared, nothing_fits):
    app = choose(open_app, "sub/people.csv", epsilon="2", k="2", theta="0.01", d="3", seed="5")
    assert words.data.read_in_parts_note(megabytes=200) in said(app)
    app.button("shared_open").click().run()
    assert "Collecting from" in said(app) and app.button("shared_stop")
    app = until_done(app)
    assert app.session_state["page"] == "collection"
    (held,) = app.session_state["session_data"].collections.values()
    method = Calm(epsilon=2.0, k=2, theta=0.01)
    expected, _ = collect_streamed(shared / "sub" / "people.csv", method, d=3, seed=5)
    assert held.state.plan == expected.plan and held.state.batches == expected.batches
    assert app.session_state["places"]["collection"].open == held.digest
    assert sent(app, "collected")["true"] is None
    assert "ε = 2, k = 2, θ = 0.01 and seed 5" in said(app) and "3,000 rows read" in said(app)
    # The Lab goes on with its own data.
    assert app.session_state["settings"].source == "survey"


def test_collecting_can_be_stopped(open_app, shared, nothing_fits):
    app = choose(open_app, "sub/people.csv")
    app.button("shared_open").click().run()
    job = app.session_state["shared_job"]
    app.button("shared_stop").click().run()
    assert not app.exception and not job.is_running and "shared_job" not in app.session_state
    assert "was stopped" in said(app) and app.selectbox("shared_table")
    assert Route("collection") == app.session_state["places"].get("collection", Route("collection"))
