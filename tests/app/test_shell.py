"""What every page shares: settings, refusals, links."""

import pytest
import streamlit as st

from calm_core.settings import LARGEST_SEED, Settings
from pages import words
from pages.ui import cached, notices, settings_bar, state, widgets


def settings_of(app) -> Settings:
    return app.session_state["settings"]


def test_opens_computed_and_without_complaint(open_app):
    app = open_app()
    assert not app.error and not app.warning
    assert settings_of(app) == Settings()


def test_a_widget_that_the_server_has_forgotten_is_not_taken_for_moved(open_app, monkeypatch):
    """It is reported once more with what it showed: nobody chose that."""
    made = []

    def multiselect(label, *, key, on_change, args, **options):
        made.append((key, lambda: on_change(*args)))

    app = open_app("plan", d="4", k="3", n="4000")
    monkeypatch.setattr(st, "multiselect", multiselect)
    domain = cached.encoded_data(settings_of(app)).dataset.domain

    def report(*names) -> tuple[str, ...]:
        widgets.table_attributes(domain)
        key, moved = made[-1]
        st.session_state[key] = list(names)
        moved()
        return st.session_state["settings"].attrs

    assert in_app(app, lambda: report(*domain.names[:3])) == ()
    assert in_app(app, lambda: report(*domain.names[1:3])) == domain.names[1:3]


class Session(dict):
    """A session of the app as the code that runs in it sees it."""

    __getattr__ = dict.__getitem__


def in_app(app, do):
    """What `do()` gives in the app's session: what a component's callback does cannot be sent."""
    changed = ("settings", "places", "refused", "applied", "go", "own", "screen")
    names = (*changed, "page", "uploads", "schemas", "steps")
    held = Session({name: app.session_state[name] for name in names if name in app.session_state})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st, "session_state", held)
        found = do()
    for name in changed:
        if name in held:
            app.session_state[name] = held[name]
    return found


def choose(app, **values):
    """Choose in the settings bar; gives the app after its next run."""
    in_app(app, lambda: [settings_bar.hear(field, value) for field, value in values.items()])
    return app.run()


def test_settings_survive_moving_between_pages(open_app):
    app = open_app()
    choose(app, epsilon="2", k=2)
    app.switch_page("../plan.py").run()
    assert (settings_of(app).epsilon, settings_of(app).k) == (2.0, 2)


@pytest.mark.parametrize(
    ("field", "bad"),
    [("epsilon", "0"), ("epsilon", "-1"), ("epsilon", "nan"), ("epsilon", "1000"), ("epsilon", "lots"),
     ("n", "many"), ("seed", "1.5"), ("k", "9"), ("l", "0"), ("theta", "")],
)  # fmt: skip
def test_bad_values_are_refused_in_a_sentence_and_change_nothing(open_app, field, bad):
    app = choose(open_app("about"), **{field: bad})
    assert len(app.error) == 1 and "Nothing was changed" in app.error[0].value
    assert settings_of(app) == Settings()
    app.run()
    assert not app.error, "a refusal is said once"


def test_numbers_are_read_as_people_type_them(open_app):
    app = choose(open_app("about"), epsilon="0,5", n="60 000", m="", seed="1_000")
    assert settings_of(app) == Settings(epsilon=0.5, n=60_000, seed=1000)
    assert settings_of(choose(app, n="")).n is None


def test_fewer_attributes_than_k_lower_k(open_app):
    app = choose(open_app("about"), d="2")
    assert (settings_of(app).d, settings_of(app).k) == (2, 2)
    assert not app.error


def test_new_noise_is_another_seed_and_the_largest_is_followed_by_the_least(open_app):
    app = choose(open_app("about"), noise=1)
    assert settings_of(app) == Settings(seed=2)
    app = choose(open_app("about", seed=str(LARGEST_SEED)), noise=1)
    assert settings_of(app).seed == 0


def test_link_restores_and_bad_parts_fall_back_with_a_message(open_app):
    app = open_app(epsilon="2.5", k="99", source="browsing", colour="red")
    assert settings_of(app) == Settings(epsilon=2.5, source="browsing")
    assert len(app.warning) == 1
    assert all(name in app.warning[0].value for name in ("k in the link", "colour"))


def test_link_whose_data_lack_the_columns_falls_back(open_app):
    app = open_app(columns="no such column")
    assert settings_of(app) == Settings()
    assert len(app.warning) == 1 and not app.error


def test_link_to_an_upload_asks_for_the_file(open_app):
    app = open_app(source="ab" * 32, file="people.csv", epsilon="2.0")
    assert settings_of(app) == Settings(epsilon=2.0)
    assert app.subheader[0].value == "people\\.csv is no longer here"
    app.button(key="go_on").click().run()
    assert settings_of(app) == Settings(epsilon=2.0) and not app.subheader


def test_a_link_to_attributes_that_are_not_there_says_so(open_app):
    for page in ("marginals", "worlds"):
        app = open_app(attrs="female,no such attribute")
        assert settings_of(app).attrs == ("female",)
        assert "no such attribute" in app.warning[0].value
        app.switch_page(f"../{page}.py").run()
        assert not app.exception and not app.error


def test_a_link_to_pages_that_do_not_exist_hides_none(open_app):
    app = open_app(pages="nowhere")
    assert settings_of(app).pages == ()
    assert (
        "pages in the link names nowhere, which this version does not know" in app.warning[0].value
    )


def test_parts_of_a_link_that_nobody_knows_are_left_out_and_said(open_app):
    app = open_app(pages="plan,nope,about", hide="epsilon,zz,exports,design,zzz", epsilon="1e9")
    settings = settings_of(app)
    assert (settings.pages, settings.hide) == (("plan", "about"), ("epsilon", "exports", "design"))
    said = app.warning[0].value.replace("\u200b", "").replace("\\", "")
    assert (
        "pages in the link names nope, which this version does not know: it was left out." in said
    )
    assert "hide in the link names zz, zzz, which this version does not know: they were" in said
    assert (
        "epsilon (1,000,000,000) must be from 0.000001 (strong privacy) to 16 (weak); 1 is" in said
    )
    controls = in_app(
        app, lambda: [control["field"] for control in settings_bar.data("data")["controls"]]
    )
    known = {*words.settings.HIDEABLE, *controls, "columns", "attrs", "inside", "exports"}
    for query in ({"hide": ",".join(known)}, {"pages": ",".join(words.shared.PAGES)}):
        assert not open_app("about", **query).warning


def test_a_link_with_few_attributes_and_no_k_is_meant(open_app):
    app = open_app(d="2")
    assert (settings_of(app).d, settings_of(app).k) == (2, 2) and not app.warning


def test_a_link_to_a_wide_upload_keeps_its_other_settings(open_app):
    app = open_app(source="ab" * 32, file="wide.csv", d="30", epsilon="2.0")
    assert settings_of(app) == Settings(epsilon=2.0)
    assert not app.warning and any("30 attributes" in text.value for text in app.markdown)


def test_one_attribute_is_too_few(open_app):
    app = open_app(d="1")
    assert settings_of(app) == Settings() and not app.error
    assert "at least 2" in app.warning[0].value


def test_symbols_keep_their_case_in_messages(open_app):
    app = open_app(l="9")
    assert app.error[0].value.startswith("l \\(9\\)")
    assert notices.as_sentence("a table needs more").startswith("A table needs")


def test_hidden_controls_are_not_in_the_strip(open_app):
    app = open_app("about", hide="theta,k")
    assert settings_of(app).hide == ("theta", "k")
    shown = in_app(
        app, lambda: [control["field"] for control in settings_bar.data("data")["controls"]]
    )
    assert "theta" not in shown and "k" not in shown and "epsilon" in shown


def test_every_control_of_the_strip_has_a_name_and_shows_what_is_set(open_app):
    app = open_app("about", epsilon="0.37", n="777", theta="0.003", method="priview", l="2", m="5")
    controls = in_app(app, lambda: settings_bar.data("data")["controls"])
    assert {control["field"] for control in controls} <= set(words.settings_bar.LABELS)
    for control in controls:
        if control["kind"] == "list":
            assert control["value"] in dict(control["options"]), control["field"]
    epsilon = next(control for control in controls if control["kind"] == "range")
    assert epsilon["steps"][epsilon["value"]] == "0.37" and len(epsilon["steps"]) == 25


def test_a_change_made_for_somebody_can_be_undone_until_the_next(open_app):
    app = open_app("about")
    former = settings_of(app)
    in_app(app, lambda: state.apply("k = 2", k=2))
    app.run()
    assert settings_of(app).k == 2
    assert any("Settings changed" in markdown.value for markdown in app.markdown)
    app.button(key="undo").click().run()
    assert settings_of(app) == former and not [b for b in app.button if b.key == "undo"]
    in_app(app, lambda: state.apply("k = 2", k=2))
    choose(app, epsilon="2")
    assert not [b for b in app.button if b.key == "undo"], "it would undo more than it says"


@pytest.mark.parametrize(
    ("epsilon", "said"), [("8", "protects hardly anybody"), ("0.05", "only noise"), ("4", "")]
)
def test_an_unusual_epsilon_has_its_sentence_in_plain_sight(open_app, epsilon, said):
    texts = " ".join(markdown.value for markdown in open_app("about", epsilon=epsilon).markdown)
    assert said in texts and (("◆" in texts) == bool(said))


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [("8", "ε = 8 protects hardly anybody."), ("0.05", "only noise."), ("4", "")],
)
def test_a_lecture_has_one_line_for_an_unusual_epsilon(open_app, epsilon, said):
    app = open_app("about", epsilon=epsilon, presenter="1")
    found = [markdown.value for markdown in app.markdown if "◆" in markdown.value]
    assert len(found) == bool(said) and all(said in text for text in found)


def test_a_lesson_has_an_epsilon_of_its_own(open_app):
    app = open_app("learn", lesson="coin", at="1", epsilon="8", presenter="1")
    assert not [markdown for markdown in app.markdown if "◆" in markdown.value]


def test_a_link_may_hold_a_place(open_app):
    app = open_app("about", view="stages", lesson="coin", at="2")
    (place,) = [found for found in app.session_state["places"].values() if found.lesson]
    assert (place.view, place.lesson, place.at) == ("stages", "coin", 2)
    assert not app.warning


def test_epsilon_in_words_reads_well_at_both_ends():
    assert "about 73 reports say yes" in words.privacy.epsilon_in_words(1.0)
    assert "yes, over 99.9 reports say yes" in words.privacy.epsilon_in_words(10.0)
    assert "about over" not in words.privacy.epsilon_in_words(10.0)
