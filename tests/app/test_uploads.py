"""What a session brings with it: checked first, read one after the other, kept while in use, and seen by nobody else."""

from dataclasses import replace
from threading import Event, Thread

import pytest
import streamlit as st

from calm_core.errors import DataError, TooLargeError
from calm_core.ingest.detect import detect_schema
from calm_core.ingest.limits import UPLOADS
from calm_core.ingest.reading import read_table
from calm_core.ingest.samples import SAMPLES
from calm_core.ingest.schema import Schema
from calm_core.ingest.table import ReadOptions
from calm_core.settings import Settings, upload_digest
from pages import words
from pages.ui import cached_calls, jobs, uploads
from pages.ui.jobs import TurnQueue
from tests.app.screen import press, settings_of, upload, wait_until, widget

GOOD = "sex,age,vote\n" + "f,12,yes\nm,35,no\nf,64,no\nm,18,yes\n" * 60
BAD = {
    "empty.csv": b"",
    "constant.csv": b"a\n" + b"1\n" * 50,
    "one.csv": b"a,b\n" + b"1,7\n2,7\n" * 50,
    "picture.csv": b"\x89PNG\r\n\x1a\n" + b"\x00" * 200,
}


def data_of(app) -> uploads.SessionData:
    return app.session_state["session_data"]


def good(i: int) -> str:
    """A table of its own for every number."""
    return f"sex,age,vote{i}\n" + "f,12,yes\nm,35,no\nf,64,no\nm,18,yes\n" * 60


def listed_files(app) -> list[str]:
    """Files of this session, as the settings bar and the Data page list them."""
    held = app.session_state["session_data"].uploads if "session_data" in app.session_state else {}
    return [upload.file for upload in held.values()]


def everything_shown(app) -> str:
    """All that a page shows, names and texts and figures, as one text."""
    figures = [chart.proto.spec for chart in app.get("plotly_chart")]
    components = [part.proto.json for part in app.get("bidi_component")]
    return str(app.main) + str(figures) + str(components)


def walk(app, *pages: str) -> str:
    """Open these pages, or all; what they show."""
    shown = ""
    for page in pages or words.common.PAGES:
        app.switch_page(f"../{page}.py").run()
        assert not app.exception, (page, app.exception)
        assert not app.error, (page, [error.value for error in app.error])
        shown += everything_shown(app)
    return shown


def columns_of(app) -> list[str]:
    """The columns of the table in use, as its first rows show them."""
    return app.dataframe[0].value.columns.tolist()


def test_refused_files_change_nothing_and_are_not_kept(open_app):
    app = upload(open_app("data"), GOOD, "good.csv")
    before, listed = settings_of(app), listed_files(app)
    assert before.file == "good.csv" and "good.csv" in listed
    for name, content in BAD.items():
        app = upload(app, content, name)
        assert len(app.error) == 1, name
        assert "Nothing was changed" in app.error[0].value
        assert settings_of(app) == before and listed_files(app) == listed
        assert columns_of(app) == ["sex", "age", "vote"]
        assert upload_digest(content, name) not in cached_calls._TABLES._kept
    assert list(data_of(app).uploads) == [before.source]
    app.file_uploader(key="upload").clear().run()
    walk(app, "marginals")
    assert settings_of(app) == before


@pytest.mark.parametrize("role", ["settings", "comparing"])
def test_what_a_session_uses_or_may_go_back_to_is_never_let_go(monkeypatch, role):
    """What is in use, and what is compared: of uploads and of edited columns."""
    used = Settings(source=upload_digest(b"a", "a.csv"), schema="0123456789abcdef")
    state = {role: {"settings": used} if role == "comparing" else used}
    monkeypatch.setattr(st, "session_state", state)
    for mine in (used.source, used.schema):
        things = {mine: 0}
        for number in range(1, 9):
            things = uploads.add_bounded(things, str(number), number, 3)
        assert mine in things and [*things.values()][-1] == 8 and len(things) <= 4


def schema_of(label: str) -> Schema:
    """The schema of GOOD with another label."""
    found = detect_schema(read_table(GOOD.encode(), name="good.csv", isolate=False))
    sex = found.column("sex")
    return found.with_column(replace(sex, labels=(label, *sex.labels[1:])))


BAD_SCHEMAS = (
    "{", Schema(()).to_json(),
    schema_of("f").to_json().replace('"sex"', '"no such column"'),
    schema_of("f").to_json().replace('"keep": true', '"keep": false'),
)  # fmt: skip


def test_a_damaged_schema_is_refused_and_not_kept(open_app):
    app = upload(open_app("data"), GOOD, "good.csv")
    before = settings_of(app)
    for text in BAD_SCHEMAS:
        upload(app, text, "schema.json", key="schema_file")
        assert len(app.error) == 1 and "Nothing was changed" in app.error[0].value, text
        assert settings_of(app) == before and not data_of(app).schemas, text
    app.file_uploader(key="schema_file").clear().run()
    walk(app, "marginals")


WEIRD = ('"<b>x</b>",*a*:red[b],$z$ [l](http://e.x),"no\nline",true,estimate,(blank)\n' + "".join(
    f'"<img src=x>",_{i % 2}_,{i % 3},{i % 5 % 2},{"yn"[i % 7 % 2]},{i % 4 // 2},{i % 9 % 2}\n'
    f"plain,_1_,1,0,y,1,1\n" for i in range(150)
)).encode()  # fmt: skip


def test_no_session_sees_another_ones_names(open_app):
    mine = upload(open_app("data", k="2"), WEIRD, "patients of dr secret.csv")
    names = read_table(WEIRD, name="x.csv").names
    mine_shown = walk(mine)
    assert "secret" in mine_shown and "estimate" in mine_shown
    # The same bytes, and others, in sessions of their own, while the first is still open.
    theirs = upload(open_app("data", k="2"), WEIRD, "mine.csv")
    assert columns_of(theirs) == [" ".join(n.split()) for n in names]
    third = upload(open_app("data", k="2"), GOOD, "third.csv")
    fourth = open_app(k="2")
    for app, pages in (
        (theirs, ()),
        (third, ("data", "marginals")),
        (fourth, ("data", "marginals")),
    ):
        shown = walk(app, *pages)
        assert "secret" not in shown
    for name in names[:3]:
        assert name not in shown and "mine.csv" not in shown and "third.csv" not in shown


RESULTS = ("table", "schema", "encoded_data", "plan", "outcome", "guess_wrong")


@pytest.mark.parametrize("name", RESULTS)
def test_no_result_goes_to_a_session_without_the_table(monkeypatch, name):
    monkeypatch.setattr(st, "session_state", {})
    source = cached_calls.keep_upload("secret.csv", GOOD.encode())
    settings = Settings(source=source, d=3)
    getattr(cached_calls, name)(settings)
    monkeypatch.setattr(st, "session_state", {})
    with pytest.raises(DataError, match="is not here"):
        getattr(cached_calls, name)(settings)


def test_a_link_to_an_upload_finds_it_under_another_name(open_app):
    app = upload(open_app("data", epsilon="2.0"), GOOD, "good.csv")
    app.button(key="open_order").click().run()
    app.multiselect(key="in_columns").set_value(["vote", "sex"]).run()
    settings = settings_of(app)
    for name in ("good.csv", "good (1).csv", "GOOD.txt"):
        other = open_app("data", **settings.to_query())
        assert settings_of(other) == Settings(epsilon=2.0, d=2, k=2)
        assert settings_of(upload(other, GOOD, name)) == settings
    other = open_app("data", **settings.to_query())
    upload(other, good(1), "good.csv")
    assert settings_of(other).columns == () and "the first of its own" in other.warning[0].value
    assert settings_of(upload(other, GOOD, "good.csv")) == settings


@pytest.mark.parametrize("source", ["survey", "upload"])
def test_a_link_with_edited_columns_waits_for_their_schema(open_app, source):
    app = open_app("data", epsilon="2.0")
    if source == "upload":
        upload(app, GOOD, "good.csv")
    name = "female" if source == "survey" else "sex"
    app.button(key="open_values").click().run()
    app.selectbox(key="edit_column").set_value(name).run()
    widget(app.selectbox, "Kind").set_value("category")
    widget(app.radio, "Empty cells").set_value("rows")
    press(app, "Apply to this column")
    settings = settings_of(app)
    assert settings.schema and not app.error
    saved = data_of(app).schemas[settings.schema].to_json()
    other = open_app(**settings.to_query())
    if source == "upload":
        upload(other.switch_page("../data.py").run(), GOOD, "good.csv")
    assert settings_of(other) == settings.with_changes(schema="")
    assert "schema file" in other.warning[0].value
    other.switch_page("../data.py").run()
    upload(other, saved, "schema.json", key="schema_file")
    assert settings_of(other) == settings


def test_a_source_is_named_by_all_that_decides_the_table():
    found = {
        upload_digest(content, name, read)
        for content in (b"a", b"b", b'a["')
        for name in ("a.csv", "b.csv", "a.dat", 'a","', "")
        for read in ((), ("header=no",), ("separator=;",), ("header=no", "separator=;"))
    }
    assert len(found) == 60
    for digest in found:
        assert Settings(source=digest).is_upload
    long = "x" * 300 + ".dat"
    kept = Settings(file=long).file
    assert kept.endswith(".dat") and upload_digest(b"a", long) == upload_digest(b"a", kept)
    assert set(SAMPLES) == {"survey", "browsing"}, "their links stay as they were"


# ---------------------------------------------------------------- uploads in the app


@pytest.fixture
def shown_texts(monkeypatch):
    """What is said to who waits."""
    said = []
    monkeypatch.setattr(cached_calls, "TURNS", TurnQueue(1))
    monkeypatch.setattr(cached_calls, "SOON", 0.0)
    monkeypatch.setattr(jobs, "LOOK_EVERY", 0.01)
    monkeypatch.setattr(cached_calls.st, "toast", lambda text, **how: said.append(text))
    return said


def test_a_second_file_waits_for_the_first_and_says_so(shown_texts, monkeypatch):
    inside, go_on, order = Event(), Event(), []

    def read(content, **how):
        assert how["limits"] == UPLOADS
        order.append(content)
        inside.set()
        assert go_on.wait(30)
        return content

    monkeypatch.setattr(cached_calls, "read_table", read)
    threads = [
        Thread(target=cached_calls.parse_table, args=(name, "a.csv", ReadOptions(), str))
        for name in (b"one", b"two")
    ]
    threads[0].start()
    assert inside.wait(30)
    threads[1].start()
    assert wait_until(lambda: shown_texts) == ["Another file is read first; yours comes after."]
    assert order == [b"one"]
    go_on.set()
    for thread in threads:
        thread.join(30)
    assert order == [b"one", b"two"] and not len(cached_calls.TURNS)


def test_a_file_beyond_the_limits_leaves_no_bytes_and_an_empty_drop_zone(open_app, monkeypatch):
    dropped = []
    monkeypatch.setattr(uploads, "drop_files", lambda: dropped.append(True))

    def refuse(content, **how):
        raise TooLargeError("the file needs more than 1,536 MB of memory to read; keep fewer rows")

    app = open_app("data")
    monkeypatch.setattr(cached_calls, "read_table", refuse)
    app.file_uploader(key="upload").set_value(("bomb.csv", b"a,b\n1,2\n", "text/csv")).run()
    assert not app.exception and "1,536 MB" in app.error[0].value and dropped
    assert app.file_uploader(key="upload_1").value is None
    monkeypatch.undo()
