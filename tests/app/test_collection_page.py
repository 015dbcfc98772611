"""Open a collection: tables without a truth, from an uploaded state or from below the folder given."""

import os
from pathlib import Path

import numpy as np
import pytest

import calm_core as cc
from calm_core.collection.collecting import collect
from calm_core.collection.parts import collect_parts
from calm_core.collection.state_files import save_state, state_bytes, state_from_bytes
from calm_core.collection.states import State
from calm_core.collection.tallying import Tally
from calm_core.errors import InputError, UserError
from calm_core.evaluation.counted_state import (
    ABLE,
    answer_state,
    collections_below,
    open_below,
    points_expected,
)
from calm_core.files import below
from calm_core.planning.plan_file import save_plan
from pages import words
from pages.panels.collection import opening
from pages.ui import data_root

DOMAIN = cc.Domain(
    ("sex", "age", "job"), (2, 3, 2), (("f", "m"), ("young", "mid", "old"), ("no", "yes"))
)


@pytest.fixture(scope="module")
def people() -> cc.Dataset:
    codes = np.random.default_rng(1).integers(0, 2, size=(40_000, 3))
    return cc.Dataset.from_codes(codes, DOMAIN)


@pytest.fixture(scope="module")
def plan(people):
    return cc.make_plan(
        DOMAIN, people.n, epsilon=2.0, k=2, theta=1e-3, rng=np.random.default_rng(2)
    )


@pytest.fixture(scope="module")
def state(people, plan) -> State:
    reports = collect(people, plan, rng=np.random.default_rng(3))
    support = np.concatenate([view.support for view in reports.views])
    counted = [view.n for view in reports.views]
    return State(plan, (Tally((("a batch", "0f"),), support, counted, (0, 0, 7, 0, 0)),))


@pytest.fixture
def root(tmp_path, people, plan, state) -> Path:
    """A folder with a state and report files in it, and what must stay closed beside it."""
    home = tmp_path / "open"
    (home / "reports").mkdir(parents=True)
    save_state(home / "state.json", state)
    save_plan(home / "reports" / "plan.json", plan)
    halves = people.split(20_000, rng=np.random.default_rng(4))
    collect_parts(halves, plan, home / "reports", seed=5)
    save_state(tmp_path / "secret.json", state)
    (home / "link.json").symlink_to(tmp_path / "secret.json")
    (home / "up").symlink_to(tmp_path)
    (home / "reports" / "notes.json").write_text("{}")
    return home


def test_what_is_below_the_folder_is_listed_and_opened(root, plan, state):
    names = collections_below(root)
    assert {"state.json", "reports"} <= set(names) and not any("up" in name for name in names)
    assert open_below(root, "state.json").n == state.n
    counted = open_below(root, "reports")
    assert counted.n == 40_000 and len(counted.batches) == 2 and counted.plan == plan


@pytest.mark.parametrize(
    "name",
    ["../secret.json", "link.json", "up/secret.json", "/etc/passwd", "reports/../../secret.json",
     "gone.json", "a\0b", "", "up"],
)  # fmt: skip
def test_nothing_else_can_be_opened(root, tmp_path, name):
    """Absolute names, ways up, links that lead outside, and names that are none."""
    for given in {name, name.replace("/etc/passwd", str(tmp_path / "secret.json"))}:
        with pytest.raises(UserError) as refused:
            found = open_below(root, given)
            assert found is None, "opened"
        assert str(tmp_path) not in str(refused.value).replace(given, "")


def test_a_report_that_is_a_link_outside_is_not_read(root, tmp_path):
    outside = tmp_path / "other.parquet"
    outside.write_bytes(next((root / "reports").glob("*.parquet")).read_bytes())
    (root / "reports" / "z.parquet").symlink_to(outside)
    with pytest.raises(InputError, match="not below the folder given"):
        open_below(root, "reports")


def test_a_link_that_stays_inside_is_followed(root, state):
    (root / "same.json").symlink_to("state.json")
    assert below(root, "same.json").name == "state.json"
    os.symlink(root, root.parent / "home")
    assert open_below(root.parent / "home", "state.json").n == state.n


def test_the_folder_named_at_the_start(root):
    assert data_root.given(["app.py", "--data-root", str(root)]) == root.resolve()
    assert data_root.given(["app.py", f"--data-root={root}"]) == root.resolve()
    assert data_root.given(["app.py"]) is None
    for words_given in (["--data-root"], ["--data-root", str(root / "gone")]):
        with pytest.raises(InputError, match="must be a folder"):
            data_root.given(["app.py", *words_given])


@pytest.mark.parametrize("name", ABLE)
def test_answers_of_a_state_are_those_of_its_reports(state, people, name):
    answer = answer_state(state, name)
    truth = people.marginal(("sex", "age")).values
    assert np.abs(answer.marginal(("sex", "age")).values - truth).max() < 0.05
    asked = [("sex", "age"), ("sex",)]
    more, fewer = (points_expected(state.plan, n, asked, name) for n in (40_000, 400))
    assert (more > 0).all() and (fewer > 2 * more).all()


def test_an_empty_state_says_so(plan):
    with pytest.raises(InputError, match="holds no report yet"):
        answer_state(State(plan))


def open_collection(open_app, state, **more):
    app = open_app("collection")
    app.session_state["collection"] = opening.Opened(state, "state.json", "digest" + str(state.n))
    for key, value in more.items():
        app.session_state[key] = value
    app.run()
    assert not app.exception, app.exception
    return app


def test_the_table_stands_without_a_truth(open_app, sent, state):
    app = open_collection(open_app, state, collection_attrs=("sex", "age"))
    drawn = sent(app, "collected")
    answer = answer_state(state)
    low, high = answer.interval(("sex", "age"))
    assert drawn["true"] is None
    assert drawn["released"] == pytest.approx(
        answer.marginal(("sex", "age")).values.ravel().tolist()
    )
    assert drawn["low"] == pytest.approx(low.ravel().tolist())
    assert drawn["high"] == pytest.approx(high.ravel().tolist())
    assert drawn["reading"]["points"].startswith("about ±")
    assert drawn["texts"]["here"] == words.collection.EXPECTED
    said = " ".join(caption.value for caption in app.caption)
    assert "7 for no report on its view" in said and words.collection.LACKING in said
    # Nothing true is shown, so nothing says that it is.
    assert words.shared.SIMULATION not in said


def test_calm_has_no_intervals_and_says_so(open_app, sent, state):
    app = open_collection(open_app, state, collection_method="calm")
    drawn = sent(app, "collected")
    assert drawn["low"] == [] and words.collection.NO_INTERVALS in drawn["side"]["notes"]


@pytest.mark.parametrize("view", ("errors", "views"))
def test_other_views_need_no_truth(open_app, state, view):
    from pages.ui.places import Place

    app = open_collection(open_app, state, places={"collection": Place("collection", view=view)})
    if view == "errors":
        (shown,) = app.dataframe
        assert len(shown.value) == 3 and (shown.value[words.collection.TYPICAL] > 0).all()


def test_closing_lets_go(open_app, state):
    app = open_collection(open_app, state)
    app.button("collection_close").click().run()
    assert not app.exception and "collection" not in app.session_state


def test_nothing_of_the_disk_is_offered_without_a_folder(open_app, root, monkeypatch):
    app = open_app("collection")
    assert not app.selectbox
    monkeypatch.setattr("sys.argv", ["app.py", "--data-root", str(root)])
    app.run()
    app.selectbox("collection_below").select("state.json").run()
    app.button("collection_open").click().run()
    assert not app.exception and app.session_state["collection"].name == "state.json"


@pytest.mark.parametrize("name, message", (("bad", "is no state"), ("empty", "no report yet")))
def test_what_cannot_be_opened_is_one_sentence(open_app, root, plan, monkeypatch, name, message):
    (root / "bad.json").write_text('{"format": 3}')
    save_state(root / "empty.json", State(plan))
    monkeypatch.setattr("sys.argv", ["app.py", "--data-root", str(root)])
    app = open_app("collection")
    app = open_app("collection")
    app.selectbox("collection_below").select(f"{name}.json").run()
    app.button("collection_open").click().run()
    assert not app.exception and "collection" not in app.session_state
    assert any(message in error.value for error in (*app.error, *app.warning, *app.info))


def test_an_uploaded_state_is_what_was_saved(state):
    for kind in (".json", ".npz"):
        assert state_from_bytes(state_bytes(state, kind)).n == state.n


def test_a_damaged_report_file_below_is_said_without_the_place_of_the_folder(root):
    (root / "reports" / "bad.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(UserError, match="1 of 3 report files were refused") as refused:
        open_below(root, "reports")
    assert str(root) not in str(refused.value) and "\n" not in str(refused.value)
