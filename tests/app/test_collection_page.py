"""Open a collection: tables without a truth, from an uploaded state or from below the folder given."""

import io
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import calm_core as cc
from calm_core.classroom.export import export_zip
from calm_core.classroom.open_collection import list_collections, open_collection, read_state
from calm_core.classroom.results import ReportCounts
from calm_core.classroom.survey import Question, Survey, plan_class
from calm_core.collection.parts import collect_parts, list_report_files
from calm_core.collection.report_files import REASONS
from calm_core.collection.simulation import collect
from calm_core.collection.states import State, save_state
from calm_core.collection.tally import Tally
from calm_core.errors import InputError, UserError
from calm_core.evaluation.prediction import answer_state
from calm_core.io.atomic_files import resolve_below
from calm_core.planning.plan_file import plan_digest, save_plan
from pages import words
from pages.ui import opened_collections
from pages.ui.navigation import Route
from pages.ui.uploads import Opened, SessionData
from tests.app.screen import clean, offered_files, open_view, press, read

DOMAIN = cc.Domain(
    ("sex", "age", "job"), (2, 3, 2), (("f", "m"), ("young", "mid", "old"), ("no", "yes"))
)


@pytest.fixture(scope="module")
def people() -> cc.Dataset:
    codes = np.random.default_rng(1).integers(0, 2, size=(40_000, 3))
    return cc.Dataset.from_codes(codes, DOMAIN)


def plan_of(people, **views):
    rng = np.random.default_rng(2)
    return cc.make_plan(DOMAIN, people.n, epsilon=2.0, k=2, theta=1e-3, rng=rng, **views)


@pytest.fixture(scope="module")
def plan(people):
    return plan_of(people)


def state_of(people, plan, refused=()) -> State:
    """A state of reports of these people."""
    reports = collect(people, plan, rng=np.random.default_rng(3))
    support = np.concatenate([view.support for view in reports.views])
    counts = support, [view.n for view in reports.views]
    return State(plan, (Tally((("a batch", "0f"),), *counts, *refused),))


@pytest.fixture(scope="module")
def state(people, plan) -> State:
    return state_of(people, plan, [(0, 0, 7, *(0,) * (len(REASONS) - 3))])


@pytest.fixture
def root(tmp_path, people, plan, state) -> Path:
    """A folder with a state and report files in it, and what must stay closed beside it."""
    home = tmp_path / "open"
    (home / "reports").mkdir(parents=True)
    save_state(home / "state.json", state)
    save_plan(home / "reports" / "plan.json", plan)
    halves = [people.select_users(slice(start, None, 2)) for start in range(2)]
    collect_parts(halves, plan, home / "reports", seed=5)
    save_state(tmp_path / "secret.json", state)
    (home / "link.json").symlink_to(tmp_path / "secret.json")
    (home / "up").symlink_to(tmp_path)
    (home / "reports" / "notes.json").write_text("{}")
    return home


def test_collections_below_the_folder_are_listed_and_opened(root, plan, state):
    names = list_collections(root)
    assert {"state.json", "reports"} <= set(names) and not any("up" in name for name in names)
    assert open_collection(root, "state.json").n == state.n
    counted = open_collection(root, "reports")
    assert counted.n == 40_000 and len(counted.batches) == 2 and counted.plan == plan


def test_reports_in_json_lines_are_opened_alone_and_beside_parquet(root, plan):
    lines = [
        {"plan": plan_digest(plan), "id": f"{i:032x}", "view": i % plan.m, "report": 0}
        for i in range(20)
    ]
    text = "\n".join(map(json.dumps, lines))
    for folder in ("reports", "web", "planless"):
        (root / folder).mkdir(exist_ok=True)
        (root / folder / "reports.jsonl").write_text(text)
    save_plan(root / "web" / "plan.json", plan)
    names = list_collections(root)
    assert {"reports", "web"} <= set(names) and "planless" not in names
    assert open_collection(root, "web").n == 20 and open_collection(root, "reports").n == 40_020
    with pytest.raises(UserError, match="plan"):
        open_collection(root, "planless")
    (root / "web" / "reports.jsonl").unlink()
    with pytest.raises(InputError, match=r"holds no report file \(\*.parquet, \*.jsonl\)"):
        open_collection(root, "web")


def test_a_saved_class_is_opened(root):
    survey = Survey("s", [Question("a", "a?", ("no", "yes")), Question("b", "b?", ("no", "yes"))])
    plan = plan_class(survey, 40, rng=np.random.default_rng(1))
    counts = tuple(np.full(oracle.size, 10) for oracle in plan.oracles)
    held = ReportCounts(survey, plan, counts)
    content = export_zip(held, rng=np.random.default_rng(2))
    (root / "class.zip").write_bytes(content)
    (root / "other.zip").write_bytes(b"PK no class")
    assert "class.zip" in list_collections(root)
    assert open_collection(root, "class.zip").n == held.state.n == read_state(root / "class.zip").n
    with pytest.raises(UserError, match="damaged, or no state"):
        open_collection(root, "other.zip")


def test_a_file_deleted_between_listing_and_opening_is_refused_in_a_sentence(root, monkeypatch):
    from calm_core.classroom import open_collection as opening

    gone = sorted((root / "reports").glob("*.parquet"))[0]

    def listed(folder):
        found = list_report_files(folder)
        gone.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(opening, "list_report_files", listed)
    with pytest.raises(UserError, match="part-00000.parquet. is not below the folder given"):
        open_collection(root, "reports")


def test_nothing_outside_the_folder_can_be_opened(root, tmp_path):
    outside = ("../secret.json", "link.json", "up/secret.json", "/etc/passwd", str(tmp_path / "secret.json"),
               "reports/../../secret.json", "gone.json", "a\0b", "", "up")  # fmt: skip
    for name in outside:
        with pytest.raises(UserError) as refused:
            open_collection(root, name)
        assert str(tmp_path) not in str(refused.value).replace(name or "-", ""), name
    other = tmp_path / "other.parquet"
    other.write_bytes(next((root / "reports").glob("*.parquet")).read_bytes())
    (root / "reports" / "z.parquet").symlink_to(other)
    with pytest.raises(InputError, match="not below the folder given"):
        open_collection(root, "reports")


def test_a_link_that_stays_inside_is_followed(root, state):
    (root / "same.json").symlink_to("state.json")
    assert resolve_below(root, "same.json").name == "state.json"
    os.symlink(root, root.parent / "home")
    assert open_collection(root.parent / "home", "state.json").n == state.n


def test_data_root_is_read_from_the_command_line(root):
    assert opened_collections.get_data_root(["app.py", "--data-root", str(root)]) == root.resolve()
    assert opened_collections.get_data_root(["app.py", f"--data-root={root}"]) == root.resolve()
    assert opened_collections.get_data_root(["app.py"]) is None
    for words_given in (["--data-root"], ["--data-root", str(root / "gone")]):
        with pytest.raises(InputError, match="must be a folder"):
            opened_collections.get_data_root(["app.py", *words_given])


def open_page(open_app, state, **place):
    """The page with a state of this session open, as after an upload; `place` says where on it."""
    app = open_app("collection")
    digest = f"digest{state.n}"
    held = Opened(state, "state.json", digest, ())
    app.session_state["session_data"] = SessionData(collections={digest: held})
    return open_view(app, "collection", open=digest, **place)


def opened_in(app) -> str:
    """What the address names."""
    return app.session_state["places"]["collection"].open


def test_the_table_has_released_shares_and_intervals_and_no_truth(open_app, data_of, state):
    app = open_page(open_app, state, table=(0, 1))
    drawn = data_of(app, "collected")
    answer = answer_state(state)
    low, high = answer.interval(("sex", "age"))
    reconstructed = answer.marginal(("sex", "age")).values
    assert drawn["true"] is None
    for name, values in (("reconstructed", reconstructed), ("low", low), ("high", high)):
        assert drawn[name] == pytest.approx(values.ravel().tolist()), name
    assert drawn["reading"]["source"] == "expected"
    assert "7 for no report on its view" in read(app) and words.collection.LACKING in read(app)
    # Nothing true is shown, so nothing is called true.
    assert words.common.SIMULATION not in read(app)


def test_an_open_collection_is_asked_without_a_truth(open_app, state):
    app = open_page(open_app, state, view="ask")
    assert "of 100 people" in read(app) and words.ask.UNKNOWN in read(app)
    assert any("calm-lab ask STATE 'share" in code.value for code in app.code)
    # A collection has no report, but rows and a privacy card.
    assert not app.toggle
    app.session_state["ask_files"] = True
    files = offered_files(clean(app.run()))
    rows = pd.read_csv(io.StringIO(files["rows.csv"]()))
    assert rows.shape == (1000, DOMAIN.d) and set(rows["sex"]) == {"f", "m"}
    card = json.loads(files["privacy-card.json"]())
    assert card["fields"] and f"{state.plan.epsilon:g}" in files["privacy-card.html"]()


def test_an_open_collection_is_attacked_as_its_people_are_reconstructed(open_app, state):
    app = open_page(open_app, state, view="attack")
    attacks = "one-person", "liars"
    app.session_state["guesses"] = {f"attack-{name}": 10.0 for name in attacks}
    for name in attacks:
        app = app.segmented_control(key="attack_chosen").set_value(name).run()
        app = clean(press(app, words.attack.RUN))
        assert words.attack.WITHOUT_TRUTH in read(app) and words.attack.BOUND in read(app), name


def test_every_table_has_an_expected_error(open_app, state):
    (shown,) = open_page(open_app, state, view="errors").dataframe
    assert len(shown.value) == 3 and (shown.value[words.collection.WRONG] > 0).all()


def test_pages_of_the_lab_say_that_they_do_not_show_the_open_collection(open_app, state):
    for name in ("plan", "errors", "about"):
        app = open_app(name)
        assert words.collection.ELSEWHERE not in read(app)
        held = Opened(state, "state.json", "digest", ())
        app.session_state["session_data"] = SessionData(collections={"digest": held})
        app.session_state["places"] = {"collection": Route("collection", open="digest")}
        app.run()
        assert not app.exception
        assert (words.collection.ELSEWHERE in read(app)) == (name != "about"), name


def test_files_of_the_server_are_offered_with_a_folder_only(open_app, root, plan, monkeypatch):
    app = open_app("collection")
    assert not app.selectbox
    (root / "bad.json").write_text('{"format": 3}')
    save_state(root / "empty.json", State(plan))
    monkeypatch.setattr("sys.argv", ["app.py", "--data-root", str(root)])
    app.run()
    for name, message in (("bad", "is no state"), ("empty", "no report yet"), ("state", "")):
        app.selectbox("collection_below").select(f"{name}.json").run()
        app.button("collection_open").click().run()
        assert not app.exception and message in read(app), name
        assert opened_in(app) == ("" if message else "./state.json"), name
    assert "40,000 reports" in read(app)


def test_a_damaged_report_file_is_refused_without_naming_the_folder(root):
    (root / "reports" / "bad.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(UserError, match="1 of 3 report files was refused") as refused:
        open_collection(root, "reports")
    assert str(root) not in str(refused.value) and "\n" not in str(refused.value)


@pytest.fixture
def given_root(root, monkeypatch):
    """The app was started with the folder."""
    monkeypatch.setattr("sys.argv", ["app.py", "--data-root", str(root)])
    return root


def test_a_link_opens_a_collection_below_the_folder_with_its_table(open_app, data_of, given_root):
    link = {"open": "./state.json", "table": "0,2"}
    app = open_app("collection", **link)
    assert not app.exception
    drawn = data_of(app, "collected")
    assert [name for name, _ in drawn["chips"]["chosen"]] == ["sex", "job"]
    assert app.session_state["places"]["collection"].to_query() == link
    # Report files are counted, once for everybody who looks.
    app = open_app("collection", open="./reports")
    assert "40,000 reports of 2 batches" in read(app)


def test_an_open_collection_stays_when_its_file_changes(open_app, data_of, given_root, plan, state):
    first = open_app("collection", open="./state.json")
    assert "40,000 reports" in read(first)
    # Who comes later reads it anew.
    fewer = Tally((("other", "1f"),), state.tallies[0].support, state.tallies[0].people * 2)
    save_state(given_root / "state.json", State(plan, (fewer,)))
    assert "80,000 reports" in read(open_app("collection", open="./state.json"))
    (given_root / "state.json").unlink()
    first.run()
    assert "40,000 reports" in read(first) and data_of(first, "collected")["reconstructed"]
    late = open_app("collection", open="./state.json")
    assert "not below the folder given" in read(late) and not late.error


def test_a_link_to_a_missing_collection_is_answered_in_one_sentence(open_app, given_root, tmp_path):
    for name in ("./gone.json", "./../secret.json", "0" * 64):
        app = open_app("collection", open=name)
        assert not app.error and not app.get("bidi_component_collected"), name
        texts = [part.value for part in app.markdown]
        answers = [text for text in texts if "once more" in text or "choose one" in text]
        assert len(answers) == 1 and str(tmp_path) not in read(app), name
        # The ways to open another are there.
        assert app.selectbox("collection_below") and app.get("file_uploader"), name


def test_a_link_below_the_folder_opens_nothing_without_a_folder(open_app, root):
    app = open_app("collection", open="./state.json")
    assert "no longer here" in read(app) and "40,000" not in read(app)


def test_views_of_another_design_are_not_attributed_to_algorithm_1(open_app, people, state):
    plan = plan_of(people, l=1)
    other = state_of(people, plan)
    app = open_page(open_app, other, view="steps", at=99)
    assert words.collection.other_views_note(l=plan.l, m=plan.m) in read(app)
    assert "views were chosen otherwise" not in read(open_page(open_app, state, view="steps"))
