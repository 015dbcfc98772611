"""What every page shares: settings, refusals, links."""

import streamlit as st

from calm_core.settings import LARGEST_SEED, Settings
from pages import words
from pages.ui import settings_bar, state, widgets
from tests.app.screen import in_app, read, settings_of


def test_the_app_opens_with_the_usual_settings(open_app):
    app = open_app()
    assert not app.error and not app.warning
    assert settings_of(app) == Settings()


def test_a_widget_reported_again_unchanged_changes_nothing(open_app, monkeypatch):
    made, changed = [], []

    def number_input(label, *, key, on_change, args, **options):
        made.append((key, lambda: on_change(*args)))

    app = open_app("plan", k="3")
    monkeypatch.setattr(state, "set_field", lambda field, value: changed.append((field, value)))

    def report(value: int) -> None:
        widgets.setting_widget(number_input, "k", "k")
        key, moved = made[-1]
        st.session_state[key] = value
        moved()

    in_app(app, lambda: [report(3), report(2)])
    assert changed == [("k", 2)]


def choose(app, **values):
    """Choose in the settings bar; returns the app after its next run."""
    in_app(
        app, lambda: [settings_bar.apply_choice(field, value) for field, value in values.items()]
    )
    return app.run()


def test_refused_values_change_nothing_and_are_reported_once(open_app):
    app = open_app("about")
    refused = [("epsilon", "nan"), ("epsilon", "lots"), ("n", "many"), ("seed", "1.5"), ("k", "9")]
    for field, bad in refused:
        app = choose(app, **{field: bad})
        assert len(app.error) == 1 and "Nothing was changed" in app.error[0].value, (field, bad)
        assert settings_of(app) == Settings(), (field, bad)
    assert len(app.run().error) == 1, "it stays, as another run may have ended before it was read"
    assert not choose(app, epsilon="2").error


def test_numbers_are_read_as_people_type_them(open_app):
    app = choose(open_app("about"), epsilon="0,5", n="60 000", m="", seed="1_000")
    assert settings_of(app) == Settings(epsilon=0.5, n=60_000, seed=1000)
    app = choose(app, n="", d="2")
    # k follows the number of attributes.
    assert settings_of(app) == Settings(epsilon=0.5, seed=1000, d=2, k=2) and not app.error
    # New noise is the next seed, and 0 after the largest.
    for seed, after in (("1", 2), (str(LARGEST_SEED), 0)):
        app = choose(choose(app, seed=seed), noise=1)
        assert settings_of(app).seed == after


# The query of a link, the settings it gives, and what the warning names.
LINKS = (
    ({"epsilon": "2.5", "k": "99", "source": "browsing", "color": "red"},
     Settings(epsilon=2.5, source="browsing"), ("k in the link", "color")),
    ({"columns": "no such column"}, Settings(), ("no such column",)),
    ({"attrs": "female,no such attribute"}, Settings(attrs=("female",)), ("no such attribute",)),
    ({"pages": "nowhere"}, Settings(), ("pages in the link names nowhere",)),
    ({"pages": "plan,nope", "hide": "epsilon,zz", "epsilon": "1e9"},
     Settings(pages=("plan",), hide=("epsilon",)), ("names nope", "names zz", "epsilon (1,000,000,000)")),
    ({"d": "2"}, Settings(d=2, k=2), ()),
    ({"d": "1"}, Settings(), ("at least 2",)),
)  # fmt: skip


def test_a_link_is_restored_and_parts_that_cannot_be_used_are_named(open_app):
    for query, settings, named in LINKS:
        app = open_app(**query)
        assert settings_of(app) == settings, query
        assert len(app.warning) == bool(named) and not app.error, query
        assert all(part in read(app) for part in named), (query, read(app))


def test_no_control_and_no_page_is_unknown_to_links(open_app):
    fields = {control["field"] for control in controls_of(open_app("about"))}
    known = {*words.settings.HIDEABLE, *fields, "columns", "attrs", "exports"}
    for query in ({"hide": ",".join(known)}, {"pages": ",".join(words.common.PAGES)}):
        assert not open_app("about", **query).warning


def test_a_link_to_an_upload_asks_for_the_file_and_keeps_its_other_settings(open_app):
    app = open_app(source="ab" * 32, file="people.csv", d="30", epsilon="2.0")
    assert settings_of(app) == Settings(epsilon=2.0) and not app.warning
    assert "people.csv is no longer here" in read(app) and "30 attributes" in read(app)
    app.button(key="go_on").click().run()
    assert settings_of(app) == Settings(epsilon=2.0) and not app.subheader


def controls_of(app) -> list[dict]:
    return in_app(app, lambda: settings_bar.settings_bar_data("data")["controls"])


def test_hidden_controls_are_not_in_the_settings_bar(open_app):
    app = open_app("about", hide="theta,k")
    assert settings_of(app).hide == ("theta", "k")
    shown = {control["field"] for control in controls_of(app)}
    assert "theta" not in shown and "k" not in shown and "epsilon" in shown


def test_every_control_has_a_label_and_shows_the_setting(open_app):
    app = open_app("about", epsilon="0.37", n="777", theta="0.003", method="priview", l="2", m="5")
    controls = controls_of(app)
    assert {control["field"] for control in controls} <= set(words.settings.LABELS)
    for control in controls:
        if control["kind"] == "list":
            assert control["value"] in dict(control["options"]), control["field"]
    epsilon = next(control for control in controls if control["kind"] == "range")
    assert epsilon["steps"][epsilon["value"]] == "0.37" and len(epsilon["steps"]) == 25


def test_a_remedy_can_be_undone_until_the_next_change(open_app):
    app = open_app("about")
    former = settings_of(app)
    in_app(app, lambda: state.apply("k = 2", k=2))
    app.run()
    assert settings_of(app).k == 2
    app.button(key="undo").click().run()
    assert settings_of(app) == former and not [b for b in app.button if b.key == "undo"]
    in_app(app, lambda: state.apply("k = 2", k=2))
    choose(app, epsilon="2")
    assert not [b for b in app.button if b.key == "undo"], "it would undo more than it names"


def test_an_unusual_epsilon_has_a_warning_except_in_a_lesson(open_app):
    for epsilon, warned in (("8", True), ("0.05", True), ("4", False)):
        for query in ({}, {"presenter": "1"}):
            shown = read(open_app("about", epsilon=epsilon, **query))
            assert shown.count("◆") == warned, (epsilon, query)
    # A lesson has an epsilon of its own.
    assert "◆" not in read(open_app("learn", lesson="coin", at="1", epsilon="8", presenter="1"))


def test_a_link_may_hold_a_view_a_lesson_and_a_step(open_app):
    app = open_app("about", view="stages", lesson="coin", at="2")
    (place,) = [found for found in app.session_state["places"].values() if found.lesson]
    assert (place.view, place.lesson, place.at) == ("stages", "coin", 2)
    assert not app.warning
