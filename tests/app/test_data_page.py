"""The Data page: upload, columns, schema files, populations."""

import json
import shlex

import pytest

from calm_core import cli
from calm_core.ingest import Schema, load_dataset
from calm_core.settings import Settings

PEOPLE = "sex,age,ill,id\n" + "".join(
    f"{'fm'[i % 2]},{20 + i * 7 % 50},{['yes', 'no', 'no', 'NA'][i % 4]},{i}\n" for i in range(400)
)


def settings_of(app) -> Settings:
    return app.session_state["settings"]


def send(app, content, name="people.csv", key="upload"):
    content = content.encode() if isinstance(content, str) else content
    return app.file_uploader(key=key).set_value((name, content, "text/csv")).run()


def words_of(app) -> str:
    return "\n".join(part.value for part in (*app.markdown, *app.caption))


def press(app, label: str):
    return next(button for button in app.button if button.label == label).click().run()


@pytest.fixture
def people(open_app):
    app = open_app("data")
    assert not app.error
    return send(app, PEOPLE)


def test_upload_is_used_and_accounted_for(people):
    assert not people.error and not people.exception
    settings = settings_of(people)
    assert settings.uploaded and settings.file == "people.csv" and settings.d == 3
    said = words_of(people).replace("\\", "")
    assert "400 rows read, 400 used" in said
    assert "'id' is left out" in said and "quantiles of this data" in said
    overview = people.dataframe[0].value
    assert overview["column"].tolist() == ["sex", "age", "ill", "id"]
    assert overview["used"].tolist() == [True, True, True, False]


def test_how_a_file_is_read_goes_into_command_link_and_notebook(open_app, tmp_path, capsys):
    from pages.ui import cached, exports

    app = send(open_app("data"), PEOPLE)
    app.selectbox(key="read_header").set_value("no names")
    app.number_input(key="read_skip").set_value(1)
    press(app, "Read again")
    app.slider(key="in_k").set_value(2).run()
    settings = settings_of(app)
    assert settings.read == ("header=no", "header_row=1") and not app.exception
    (tmp_path / "people.csv").write_text(PEOPLE)
    words = shlex.split(settings.to_command(str(tmp_path / "people.csv")))
    cli.app([*words[3:], "--json"], standalone_mode=False)
    told = json.loads(capsys.readouterr().out)
    app.switch_page("../start.py").run()
    mine = cached._RUNS.get(settings.results_key, lambda: pytest.fail("the page has not run it"))
    assert told["n"] == mine.n == 400
    assert told["sse_mean"] == pytest.approx(float(mine.scores.sse.mean()), rel=1e-12)
    assert "from_words(['header=no', 'header_row=1'])" in "".join(
        json.loads(exports.notebook_of(settings, mine))["cells"][1]["source"]
    )
    other = open_app("data", **settings.to_query())
    assert settings_of(other).read == ()
    assert settings_of(send(other, PEOPLE)) == settings
    sample = next(b for b in other.button if b.key == "use_browsing").click().run()
    assert settings_of(sample).read == ()


def test_what_a_refusal_offers_is_a_choice_on_the_page(open_app):
    shifted = b"name,age\n" + b"r1,Bob,3\nr2,Ann,4\nr3,Bob,\xff\n" * 9
    app = send(open_app("data"), shifted, "rows.csv")
    assert "byte 35 is 0xFF, in line 4" in app.error[0].value.replace("\\", "")
    app.selectbox(key="read_bad_bytes").set_value("replace them by \ufffd, counted")
    press(app, "Read again")
    assert "all 27 rows have one field more" in app.error[0].value.replace("\\", "")
    app.selectbox(key="read_ragged").set_value("the first column has no name")
    press(app, "Read again")
    assert not app.error and not app.exception
    settings = settings_of(app)
    assert settings.read == ("bad_bytes=replace", "ragged=first_unnamed")
    assert app.dataframe[0].value["column"].tolist() == ["column 1", "name", "age"]
    assert "9 bytes that are not UTF-8 were replaced" in words_of(app).replace("\\", "")
    other = send(open_app("data", **settings.to_query()), shifted, "rows.csv")
    assert settings_of(other) == settings


BAD = (
    ("empty.csv", b"", "file is empty"),
    ("names.csv", b"a,b\n", "column names and no rows"),
    ("ragged.csv", b"a,b\n1,2,3\n4\n", "instead of"),
    ("book.xlsx", b"PK\x03\x04" + b"x" * 99, "workbook is damaged"),
)


def test_bad_upload_is_one_sentence_and_changes_nothing(people):
    before = settings_of(people)
    for name, content, says in BAD:
        send(people, content, name)
        assert not people.exception
        assert len(people.error) == 1 and says in people.error[0].value.replace("\\", "")
        assert "Nothing was changed" in people.error[0].value
        assert settings_of(people) == before


def test_columns_and_merging_are_chosen(people):
    people.multiselect(key="in_columns").set_value(["ill", "sex"]).run()
    assert settings_of(people).columns == ("ill", "sex") and settings_of(people).k == 2
    people.multiselect(key="in_columns").set_value(["age", "ill"]).run()
    people.selectbox(key="in_max_values").set_value("2").run()
    assert settings_of(people).max_values == 2
    assert people.dataframe[0].value["used"].tolist() == [False, True, True, False]


def test_column_is_edited_saved_and_gives_the_library_s_numbers(people, tmp_path):
    people.selectbox(key="edit_column").set_value("ill").run()
    words = next(w for w in people.multiselect if w.label.startswith("Values that also"))
    words.set_value(["NA"])
    rule = next(w for w in people.radio if w.label.startswith("Empty cells"))
    rule.set_value("rows")
    press(people, "Apply to this column")
    assert not people.error and settings_of(people).schema
    assert "100 left out" in words_of(people)
    schema = people.session_state["schemas"][settings_of(people).schema]
    encoded = load_dataset(PEOPLE.encode(), name="people.csv", schema=schema)
    assert encoded.report.rows_used == 300
    assert encoded.dataset.domain.labels_of("ill") == ("no", "yes")
    press(people, "Back to what was detected")
    assert not settings_of(people).schema and "400 used" in words_of(people)
    send(people, schema.to_json(), "schema.json", key="schema_file")
    assert settings_of(people).schema == schema.digest


def test_numbers_get_the_edges_typed(people):
    people.selectbox(key="edit_column").set_value("age").run()
    next(w for w in people.selectbox if w.label == "Bins").set_value("fixed")
    edges = next(w for w in people.text_input if w.label.startswith("Edges"))
    edges.set_value("30, 20")
    press(people, "Apply to this column")
    assert "increasing" in people.error[0].value and not settings_of(people).schema
    next(w for w in people.text_input if w.label.startswith("Edges")).set_value("30, 50")
    press(people, "Apply to this column")
    schema = people.session_state["schemas"][settings_of(people).schema]
    assert schema.column("age").labels == ("up to 30", "above 30 to 50", "above 50")


def test_bad_schema_file_is_refused(people):
    before = settings_of(people)
    other = Schema.from_json(Schema(()).to_json()).to_json()
    for text in ("{", other):
        send(people, text, "schema.json", key="schema_file")
        assert len(people.error) == 1 and not people.exception
        assert settings_of(people) == before


def test_same_file_read_otherwise_is_other_data(people):
    first = settings_of(people).source
    next(w for w in people.selectbox if w.label == "Column names").set_value("no names")
    press(people, "Read again")
    assert settings_of(people).source != first
    assert people.dataframe[0].value["column"].tolist()[0] == "column 1"


def test_population_is_made_and_used(open_app):
    app = open_app("data")
    next(w for w in app.number_input if w.label == "People").set_value(5000)
    press(app, "Make and use it")
    assert settings_of(app).uploaded and "5,000 rows read" in words_of(app)
    assert not app.error and not app.exception
