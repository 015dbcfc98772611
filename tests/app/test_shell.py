"""What every page shares: settings, refusals, links."""

from calm_core.settings import Settings
from pages import words


def settings_of(app) -> Settings:
    return app.session_state["settings"]


def test_opens_computed_and_without_complaint(open_app):
    app = open_app()
    assert not app.error and not app.warning
    assert settings_of(app) == Settings()


def test_settings_survive_moving_between_pages(open_app):
    app = open_app()
    app.select_slider(key="in_epsilon").set_value(2.0).run()
    app.slider(key="in_k").set_value(2).run()
    app.switch_page("../start.py").run()
    assert (settings_of(app).epsilon, settings_of(app).k) == (2.0, 2)
    assert app.select_slider(key="in_epsilon").value == 2.0


def test_bad_values_are_refused_in_a_sentence_and_change_nothing(open_app):
    app = open_app()
    for bad in ("0", "-1", "nan", "1000", "lots"):
        app.text_input(key="in_epsilon_exact_1").set_value(bad).run()
        assert not app.exception
        assert len(app.error) == 1 and "Nothing was changed" in app.error[0].value
        assert settings_of(app) == Settings()
    app.run()
    assert not app.error, "a refusal is said once"


def test_fewer_attributes_than_k_lower_k(open_app):
    app = open_app()
    app.slider(key="in_d").set_value(2).run()
    assert (settings_of(app).d, settings_of(app).k) == (2, 2)
    assert not app.error


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
    assert "people" in app.warning[0].value


def test_a_link_to_attributes_that_are_not_there_says_so(open_app):
    for page in ("marginals", "worlds"):
        app = open_app(attrs="female,no such attribute")
        assert settings_of(app).attrs == ("female",)
        assert "no such attribute" in app.warning[0].value
        app.switch_page(f"../{page}.py").run()
        assert not app.exception and not app.error


def test_a_link_to_pages_that_do_not_exist_hides_none(open_app):
    assert settings_of(open_app(pages="nowhere")).pages == ()


def test_a_link_with_few_attributes_and_no_k_is_meant(open_app):
    app = open_app(d="2")
    assert (settings_of(app).d, settings_of(app).k) == (2, 2) and not app.warning


def test_a_link_to_a_wide_upload_keeps_its_other_settings(open_app):
    app = open_app(source="ab" * 32, file="wide.csv", d="30", epsilon="2.0")
    assert settings_of(app) == Settings(epsilon=2.0)
    assert len(app.warning) == 1 and "wide" in app.warning[0].value


def test_one_attribute_is_too_few(open_app):
    app = open_app(d="1")
    assert settings_of(app) == Settings() and not app.error
    assert "at least 2" in app.warning[0].value


def test_symbols_keep_their_case_in_messages(open_app):
    app = open_app(l="9")
    assert app.error[0].value.startswith("l \\(9\\)")


def test_hidden_controls_and_presenter_mode(open_app):
    app = open_app(hide="theta,k")
    assert "in_theta" not in app.session_state and "in_k" not in app.session_state
    app.button(key="present").click().run()
    assert settings_of(app).presenter and not app.sidebar.selectbox
    app.button(key="leave_presenter").click().run()
    assert app.sidebar.selectbox


def test_a_change_of_page_sent_at_once_keeps_the_move_before_it(open_app):
    app = open_app("plan")
    app.select_slider(key="in_epsilon").set_value(2.0)
    # What the browser holds is sent twice: with the move, and with a click it makes before it has
    # heard of the answer. The widget that showed epsilon beside the slider still shows the old one.
    held = app._tree.get_widget_states()
    assert any("in_epsilon_exact_1" in widget.id for widget in held.widgets)
    for _ in range(2):
        app._run(held)
    assert settings_of(app).epsilon == 2.0 and app.select_slider(key="in_epsilon").value == 2.0
    app.text_input(key="in_epsilon_exact_2").set_value("1").run()
    assert settings_of(app).epsilon == 1.0 and app.select_slider(key="in_epsilon").value == 1.0


def test_epsilon_in_words_reads_well_at_both_ends():
    assert "about 73 reports say yes" in words.privacy.epsilon_in_words(1.0)
    assert "yes, over 99.9 reports say yes" in words.privacy.epsilon_in_words(10.0)
    assert "about over" not in words.privacy.epsilon_in_words(10.0)
