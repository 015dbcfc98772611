"""Start, Data, Plan and Collect on every sample and preset, tab by tab."""

import pytest

from calm_core.ingest.samples import SAMPLES
from calm_core.settings import Settings

TABS = {
    "plan": ("Step by step", "Curves and Table 2", "Views", "Design a survey"),
    "collect": ("Groups", "One person", "Oracles", "Counts to estimates"),
}
PEOPLE = b"sex,age,vote\n" + b"f,12,yes\nm,35,no\nf,64,no\nm,18,yes\n" * 60
AWKWARD = ('"<b>x</b>",*a*:red[b],$z$ [l](http://e.x),id\n' + "".join(
    f'"<img src=x>",_{i % 2}_,{i % 3},{1000 + i}\n' for i in range(200)
)).encode()  # fmt: skip


def charts(app) -> list[str]:
    return [chart.proto.spec for chart in app.get("plotly_chart")]


def settings_of(app) -> Settings:
    return app.session_state["settings"]


def open_tab(app, page: str, tab: str):
    app.session_state[f"{page}_tabs"] = tab
    app.run()
    assert not app.exception, app.exception
    return app


@pytest.mark.parametrize("source", SAMPLES)
@pytest.mark.parametrize("page", ["start", "data", *TABS])
def test_every_page_on_every_sample(open_app, page, source):
    app = open_app(page, source=source)
    for tab in TABS.get(page, ()):
        open_tab(app, page, tab)
    assert not app.error


@pytest.mark.parametrize("preset", ["survey", "shopping", "strong", "large_k", "fails"])
def test_every_preset_runs_and_only_the_failing_one_warns(open_app, preset):
    app = open_app()
    app.button(key=f"preset_{preset}").click().run()
    assert not app.exception and not app.error
    assert bool(app.warning) == (preset == "fails")
    app.switch_page("../plan.py").run()
    assert not app.exception and bool(app.warning) == (preset == "fails")


def test_collecting_again_changes_the_chart(open_app):
    app = open_app()
    before = charts(app)
    app.button(key="collect_again").click().run()
    assert settings_of(app).seed == 2 and charts(app) != before


def test_epsilon_changes_the_chart_and_the_words(open_app):
    app = open_app()
    before = charts(app)
    app.select_slider(key="in_epsilon").set_value(4.0).run()
    assert charts(app) != before
    assert any("about 98 reports say yes" in caption.value for caption in app.caption)


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
    app.slider(key="in_k").set_value(2).run()
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
    for page in ("start", "data", *TABS):
        app.switch_page(f"../{page}.py").run()
        for tab in TABS.get(page, ("",)):
            if tab:
                open_tab(app, page, tab)
            shown = [*app.html, *app.markdown, *app.caption, *app.header]
            assert not any("<img src=x>" in str(element.value) for element in shown)
            assert not any("<b>x" in str(element.value).replace("\\<", "") for element in shown)
            assert not any("<img src=x>" in chart for chart in charts(app))


def test_algorithm_1_steps_back_and_rewinds(open_app):
    app = open_app("plan", epsilon="2.0")
    length = app.session_state["plan_step"]
    assert app.button(key="plan_do_step").disabled and length > 3
    app.button(key="plan_do_reset").click().run()
    assert app.session_state["plan_step"] == 0
    app.button(key="plan_do_step").click().run()
    assert any("Comparison 1 of" in text.value for text in app.markdown)
    app.button(key="plan_do_step").click().run()
    app.button(key="plan_do_back").click().run()
    assert app.session_state["plan_step"] == 1
    app.select_slider(key="plan_theta_0.001").set_value(0.01).run()
    assert settings_of(app).theta == 0.01 and app.session_state["plan_step"] == 0, "rewound"
    app.button(key="plan_do_end").click().run()
    assert any("Chosen: l =" in text.value for text in app.markdown)


def test_playing_algorithm_1_ends_at_the_choice(open_app):
    app = open_app("plan", epsilon="2.0")
    app.button(key="plan_do_play").click().run()
    for _ in range(30):
        if not app.session_state["plan_playing"]:
            break
        app.run()
    assert any("Chosen: l = 4, m = 14" in text.value for text in app.markdown)


def test_theta_measured_can_be_used(open_app):
    app = open_tab(open_app("plan"), "plan", "Design a survey")
    app.toggle(key="measure_theta").set_value(True).run()
    app.button(key="use_theta").click().run()
    assert not app.exception and settings_of(app).theta != Settings().theta


def test_one_person_reports_and_reports_again(open_app):
    app = open_tab(open_app("collect"), "collect", "One person")
    seen = set()
    for _ in range(6):
        app.button(key="report").click().run()
        assert not app.exception
        received = [html.value for html in app.html if "What the server receives" in html.value]
        seen.add(received[0].split("<li")[1])
    assert len(seen) > 1, "the report is random"
    app.button(key="deal").click().run()
    assert not any("What the server receives" in html.value for html in app.html)
    app.session_state["person_how"] = "Invent somebody"
    app.run()
    assert not app.exception


def test_playing_the_collection_ends_with_everybody(open_app):
    app = open_app("collect")
    app.button(key="flow_play").click().run()
    for _ in range(30):
        app.run()
    assert any("28 of 28 groups" in bar.text for bar in app.progress)


@pytest.mark.parametrize(
    "query", [{"epsilon": "0.01"}, {"epsilon": "16"}, {"n": "50"}, {"d": "2", "k": "1"}]
)
def test_extremes_never_break_a_page(open_app, query):
    for page in ("start", *TABS):
        app = open_app(page, **query)
        for tab in TABS.get(page, ()):
            open_tab(app, page, tab)
