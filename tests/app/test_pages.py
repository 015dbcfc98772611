"""Start and Data on every sample and preset."""

import pytest

from calm_core.ingest.samples import SAMPLES
from calm_core.settings import Settings
from pages.ui.view_state import Route

PLAN_VIEWS = ("steps", "views", "choices", "survey")
PEOPLE = b"sex,age,vote\n" + b"f,12,yes\nm,35,no\nf,64,no\nm,18,yes\n" * 60
AWKWARD = ('"<b>x</b>",*a*:red[b],$z$ [l](http://e.x),id\n' + "".join(
    f'"<img src=x>",_{i % 2}_,{i % 3},{1000 + i}\n' for i in range(200)
)).encode()  # fmt: skip


def charts(app) -> list[str]:
    return [chart.proto.spec for chart in app.get("plotly_chart")]


def settings_of(app) -> Settings:
    return app.session_state["settings"]


@pytest.mark.parametrize("source", SAMPLES)
@pytest.mark.parametrize("page", ["start", "data"])
def test_every_page_on_every_sample(open_app, page, source):
    assert not open_app(page, source=source).error


def upload(app, name: str, content: bytes):
    app.file_uploader(key="upload").upload(name, content)
    app.run()
    assert not app.exception, app.exception
    return app


def test_upload_becomes_the_data_and_follows_to_other_pages(open_app):
    app = upload(open_app("data"), "people.csv", PEOPLE)
    settings = settings_of(app)
    assert settings.uploaded and settings.file == "people.csv"
    assert (settings.d, settings.k) == (3, 3) and not app.error
    app.switch_page("../collect.py").run()
    assert not app.exception and settings_of(app) == settings


def test_upload_gives_the_numbers_of_the_command_line(open_app, tmp_path, capsys):
    import json

    from calm_core import cli
    from pages.ui import cached

    app = upload(open_app("data"), "people.csv", PEOPLE)
    app.session_state["settings"] = settings_of(app).changed(k=2)
    app.switch_page("../start.py").run()
    settings = settings_of(app)
    mine = cached._RUNS.get(settings.results_key, lambda: pytest.fail("the page has not run it"))
    path = tmp_path / "people.csv"
    path.write_bytes(PEOPLE)
    words = settings.to_command(str(path)).split()[3:]
    cli.app([*words, "--json"], standalone_mode=False)
    told = json.loads(capsys.readouterr().out)
    assert told["sse_mean"] == pytest.approx(float(mine.scores.sse.mean()), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("header.csv", b"a,b,c\n"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n" + b"\x00" * 200),
        ("one.csv", b"a\n" + b"1\n2\n" * 30),
        ("constant.csv", b"a,b\n" + b"1,1\n" * 30),
        ("missing.csv", b"a,b\n" + b",\n" * 30),
        ("ids.csv", b"user_id\n" + b"\n".join(str(i).encode() for i in range(500))),
    ],
)
def test_bad_uploads_say_so_and_change_nothing(open_app, name, content):
    app = upload(open_app("data", epsilon="2.0"), name, content)
    assert settings_of(app) == Settings(epsilon=2.0)
    assert len(app.error) == 1 and "Nothing was changed" in app.error[0].value
    app.run()
    assert not app.error and not app.exception


def test_names_from_files_are_literal_everywhere(open_app):
    app = upload(open_app("data"), "<script>.csv", AWKWARD)
    assert settings_of(app).uploaded
    for page in ("start", "data", "plan"):
        app.switch_page(f"../{page}.py").run()
        for view in PLAN_VIEWS if page == "plan" else ("",):
            app.session_state["places"] = {page: Route(page, view=view)}
            app.run()
            assert not app.exception, app.exception
            shown = [*app.html, *app.markdown, *app.caption, *app.header]
            assert not any("<img src=x>" in str(element.value) for element in shown)
            assert not any("<b>x" in str(element.value).replace("\\<", "") for element in shown)
            assert not any("<img src=x>" in chart for chart in charts(app))


@pytest.mark.parametrize(
    "query", [{"epsilon": "0.01"}, {"epsilon": "16"}, {"n": "50"}, {"d": "2", "k": "1"}]
)
def test_extremes_never_break_start(open_app, query):
    open_app("start", **query)
