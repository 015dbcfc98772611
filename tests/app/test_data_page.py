"""The Data page: upload, columns, schema files, populations, cleaning, and tables of the server."""

import json

import numpy as np
import pytest
import streamlit as st

from calm_core.evaluation.streamed_run import collect_streamed
from calm_core.ingest.encode import load_dataset
from calm_core.ingest.reading import tables_below
from calm_core.methods import Calm
from calm_core.reports import notebook
from calm_core.settings import Settings
from pages import words
from pages.panels.data import columns, source
from pages.ui import cached_calls, state
from pages.ui.navigation import Route
from tests.app.screen import change, clean, press, read, settings_of, upload, wait_for_end, widget

PEOPLE = "sex,age,ill,id\n" + "".join(
    f"{'fm'[i % 2]},{20 + i * 7 % 50},{['yes', 'no', 'no', 'NA'][i % 4]},{i}\n" for i in range(400)
)


def edit(app, column: str):
    """The editor of one column."""
    if not any(box.key == "edit_column" for box in app.selectbox):
        app.button(key="open_values").click().run()
    return app.selectbox(key="edit_column").set_value(column).run()


def seen_of(app, sent) -> dict[str, bool]:
    """Every column of the file, and whether it is used."""
    app.button(key="open_seen").click().run()
    return {row["name"]: row["used"] for row in sent(app, "import_review")["rows"]}


@pytest.fixture
def people(open_app):
    app = open_app("data")
    assert not app.error
    return upload(app, PEOPLE)


def test_an_upload_is_used_and_its_rows_are_counted(people, data_of):
    assert not people.error and not people.exception
    settings = settings_of(people)
    assert settings.is_upload and settings.file == "people.csv" and settings.d == 3
    shown = read(people)
    assert "400 rows read, all used. 30 possible people" in shown
    assert "'id' is left out" in shown and words.data.EDGES_HINT not in shown
    seen = seen_of(people, data_of)
    assert words.data.EDGES_HINT in read(people)
    assert seen == {"sex": True, "age": True, "ill": True, "id": False}


def test_reading_options_are_in_the_link_and_the_notebook(open_app):
    app = upload(open_app("data"), PEOPLE)
    app.selectbox(key="read_header").set_value("no names")
    app.number_input(key="read_skip").set_value(1)
    press(app, "Read again")
    change(app, k=2)
    settings = settings_of(app)
    assert settings.read == ("header=no", "header_row=1") and not app.exception
    app.switch_page("../errors.py").run()
    mine = cached_calls._RUNS.get(
        settings.results_key, lambda: pytest.fail("the page has not run it")
    )
    assert "from_words(['header=no', 'header_row=1'])" in "".join(
        json.loads(notebook(settings, mine))["cells"][1]["source"]
    )
    other = open_app("data", **settings.to_query())
    assert settings_of(other).read == ()
    assert settings_of(upload(other, PEOPLE)) == settings
    sample = next(b for b in other.button if b.key == "use_browsing").click().run()
    assert settings_of(sample).read == ()


def test_remedies_of_a_refused_file_are_options_of_the_page(open_app, data_of):
    shifted = b"name,age\n" + b"r1,Bob,3\nr2,Ann,4\nr3,Bob,\xff\n" * 9
    app = upload(open_app("data"), shifted, "rows.csv")
    assert "byte 35 is 0xFF, in line 4" in app.error[0].value.replace("\\", "")
    app.selectbox(key="read_encoding").set_value("latin-1")
    press(app, "Read again")
    assert not app.error and not app.exception
    settings = settings_of(app)
    assert settings.read == ("encoding=latin-1",)
    assert list(seen_of(app, data_of)) == ["column 1", "name", "age"]
    other = upload(open_app("data", **settings.to_query()), shifted, "rows.csv")
    assert settings_of(other) == settings


def test_long_column_names_stay_distinct_and_long_cells_are_cut(open_app):
    """As questions of a survey do; Streamlit wants no column twice, and takes options that look alike for one."""
    names = [
        f"How satisfied were you, all in all and last year, with the {what}"
        for what in ("food", "beds", "staff")
    ]
    header = ",".join(f'"{name}"' for name in names)
    book = "long " * 10_000
    rows = f"yes,no,{book}\nno,no,yes\nno,yes,\n" * 50
    app = upload(open_app("data"), f"{header}\n{rows}")
    assert not app.exception and settings_of(app).d == 3
    shown = app.dataframe[0].value
    assert [name[36:] for name in shown.columns] == [f"{names[0][36:39]}…", " (2)", " (3)"]
    # A cell may be a book, too; one that is empty stays so.
    assert [len(text) for text in shown.iloc[:2, 2]] == [100, 3] and shown.isna().iloc[2, 2]
    app.button(key="open_order").click().run()
    app.multiselect(key="in_columns").set_value([names[2], names[1]]).run()
    assert settings_of(app).columns == (names[2], names[1])
    edit(app, names[1])
    assert app.selectbox(key="edit_column").value == names[1]


def test_an_edited_column_gives_the_numbers_of_the_library(people):
    edit(people, "ill")
    widget(people.multiselect, "Values that also").set_value(["NA"])
    widget(people.radio, "Empty cells").set_value("rows")
    press(people, "Apply to this column")
    assert not people.error and "100 left out" in read(people)
    schema = people.session_state["session_data"].schemas[settings_of(people).schema]
    encoded = load_dataset(PEOPLE.encode(), name="people.csv", schema=schema)
    assert encoded.report.rows_used == 300
    assert encoded.dataset.domain.labels_of("ill") == ("no", "yes")
    press(people, "Back to what was detected")
    assert not settings_of(people).schema
    upload(people, schema.to_json(), "schema.json", key="schema_file")
    assert settings_of(people).schema == schema.digest


def test_an_edit_that_is_refused_changes_nothing_and_a_title_stays_when_the_kind_changes(people):
    def column(name: str):
        return people.session_state["session_data"].schemas[settings_of(people).schema].column(name)

    edit(people, "age")
    widget(people.selectbox, "Bins").set_value("fixed")
    for edges, refused in (("30, 20", True), ("30, 50", False)):
        widget(people.text_input, "Edges").set_value(edges)
        press(people, "Apply to this column")
        assert not people.exception and bool(people.error) == refused
        assert bool(settings_of(people).schema) != refused
    assert column("age").labels == ("up to 30", "above 30 to 50", "above 50")
    edit(people, "ill")
    widget(people.text_input, "Title").set_value(" Was ill ")
    widget(people.text_input, "Short title").set_value("Ill")
    press(people, "Apply to this column")
    widget(people.selectbox, "Kind").set_value("ordered")
    press(people, "Apply to this column")
    assert not people.error and not people.exception
    ill = column("ill")
    assert (ill.kind, ill.title, ill.short) == ("ordered", "Was ill", "Ill")


def test_a_population_is_made_and_used_and_one_too_large_is_refused_before(open_app, monkeypatch):
    app = open_app("data")
    before, fits = settings_of(app), {"People": 5000, "Attributes": 8}
    with monkeypatch.context() as refusing:
        refusing.setattr(source, "make_population", lambda **asked: pytest.fail("it is made"))
        for label, number in (("People", 10_000_000), ("Attributes", 64)):
            widget(app.number_input, label).set_value(number)
        press(app, "Make and use it")
        (error,) = app.error
        assert "at most 1,562,500 people or 10 attributes" in error.value.replace("\\", "")
        assert settings_of(app) == before and not app.exception
    for label, number in fits.items():
        widget(app.number_input, label).set_value(number)
    press(app, "Make and use it")
    assert settings_of(app).is_upload and "5,000 rows read" in read(app)
    assert not app.error and not app.exception


def test_a_checkbox_reports_every_setting_it_changes(monkeypatch):
    monkeypatch.setattr(st, "session_state", {"settings": Settings(d=3)})
    columns.change_use({"name": "drank_month", "used": False})
    now = state.current()
    assert (now.columns, now.d, now.k) == ((), 2, 2), "the first columns need no names"
    assert state.last_change() == "Settings changed: 2 attributes, k = 2."
    columns.change_use({"name": "age", "used": True})
    assert state.current().columns == ("female", "smoked_month", "age") and state.current().k == 2
    assert state.last_change() == "Settings changed: 3 attributes."
    before = state.current()
    for choice in ({"name": "no such", "used": True}, {"name": "age", "used": True}):
        columns.change_use(choice)
    assert state.current() == before
    for name in ("age", "smoked_month"):
        columns.change_use({"name": name, "used": False})
    assert "at least 2" in st.session_state["refused"]
    assert (state.current().columns, state.current().d) == ((), 2)


# ---------------------------------------------------------------- clean it for me


SURVEY = (
    "ResponseId,by,ill,age\nImport,How do you travel?,Are you ill?,How old are you?\n"
    + "".join(
        f"R_{i:03},{('Bus;Car', 'Car', 'Bus', '')[i % 4]},{('yes', 'no', 'none')[i % 3]},{20 + i % 40}\n"
        for i in range(120)
    )
)


def schema_of(app):
    session = app.session_state["session_data"]
    return session.schemas[settings_of(app).schema]


def labels(app) -> list[str]:
    return [button.label for button in app.button]


def undo(app, key: str):
    return clean(app.button(key=f"undo_{key}").click().run())


def test_no_header_row_becomes_a_person_and_a_press_reads_it_as_one(open_app):
    app = open_app("data")
    assert words.data.CLEAN not in labels(app), "samples are clean"
    app = upload(app, SURVEY, "survey.csv")
    assert words.data.header_rows(rows=2) in read(app)
    assert "120 rows read" in read(app)
    assert "121 rows read" in read(undo(app, "header"))


def test_one_press_cleans_and_says_what_it_did(open_app):
    app = clean(press(upload(open_app("data"), SURVEY, "survey.csv"), words.data.CLEAN))
    assert [c.name for c in schema_of(app).used_columns] == ["by: Bus", "by: Car", "ill", "age"]
    assert settings_of(app).d == 4
    assert "Column 'by' holds several options in one cell" in read(app)
    assert "1 column about the survey left out: 'ResponseId'" in read(app)
    assert words.data.CLEAN not in labels(app)
    # A question is answered on the spot.
    (asked,) = [one for one in app.segmented_control if "Were they asked?" in one.label]
    assert asked.value == 0
    app = clean(asked.set_value(1).run())
    assert schema_of(app).column("by: Bus").labels == ("no", "yes", "missing")
    # Each change is undone by itself; nothing of the cleaning is left then.
    app = undo(app, "step 0")
    assert "holds several options" not in read(app)
    assert settings_of(app).d == 3 and words.data.CLEAN in labels(app)


# ---------------------------------------------------------------- the data page with tables of the server


N = 3_000


@pytest.fixture
def shared_folder(tmp_path, monkeypatch):
    """The app was started with this folder."""
    root = tmp_path / "shared_folder"
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
    monkeypatch.setattr(
        "pages.panels.data.source.tables_below",
        lambda root: dict.fromkeys(tables_below(root), 10**10),
    )


def choose(open_app, name, **query):
    app = open_app("data", **query)
    app.selectbox("shared_table").select(name).run()
    return app


def test_a_table_of_the_server_is_read_like_an_upload(open_app, shared_folder):
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
def test_a_table_that_cannot_be_read_is_refused_in_one_sentence(open_app, shared_folder, gone):
    app = choose(open_app, "damaged.parquet")
    if gone:
        (shared_folder / "damaged.parquet").unlink()
    app.button("shared_open").click().run()
    assert not app.exception and len(app.error) == 1 and str(shared_folder) not in read(app)
    assert app.session_state["settings"].source == "survey"


def test_a_large_table_becomes_a_collection(open_app, data_of, shared_folder, nothing_fits):
    app = choose(open_app, "sub/people.csv", epsilon="2", k="2", theta="0.01", d="3", seed="5")
    assert words.data.read_in_parts_note(megabytes=200) in read(app)
    app.button("shared_open").click().run()
    assert "Collecting from" in read(app) and app.button("shared_stop")
    wait_for_end(app.session_state["shared_job"].work())
    app = clean(app.run())
    assert app.session_state["page"] == "collection"
    (held,) = app.session_state["session_data"].collections.values()
    method = Calm(epsilon=2.0, k=2, theta=0.01)
    expected, _ = collect_streamed(shared_folder / "sub" / "people.csv", method, d=3, seed=5)
    assert held.state.plan == expected.plan and held.state.batches == expected.batches
    assert app.session_state["places"]["collection"].open == held.digest
    assert data_of(app, "collected")["true"] is None
    assert "ε = 2, k = 2, θ = 0.01 and seed 5" in read(app) and "3,000 rows read" in read(app)
    # The Lab goes on with its own data.
    assert app.session_state["settings"].source == "survey"


def test_collecting_can_be_stopped(open_app, shared_folder, nothing_fits):
    app = choose(open_app, "sub/people.csv")
    app.button("shared_open").click().run()
    job = app.session_state["shared_job"].work()
    app.button("shared_stop").click().run()
    assert not app.exception and not job.is_running and "shared_job" not in app.session_state
    assert "was stopped" in read(app) and app.selectbox("shared_table")
    assert Route("collection") == app.session_state["places"].get("collection", Route("collection"))
