"""Plan: what the browser is sent for every theta and epsilon, steps, titles, other views."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from calm_core.ingest.samples import SAMPLES
from calm_core.planning.algorithm1 import choose_views, mean_cells
from calm_core.planning.candidate_reasons import view_sizes
from calm_core.settings import EPSILONS, Settings
from pages import words
from pages.ui import plan_chart
from pages.ui.view_state import Route

VIEWS = tuple(words.plan.VIEWS)
QUESTIONS = (
    plan_chart.Question(60_000, (2,) * 8, 3),
    plan_chart.Question(60_000, (2,) * 8, 1),
    plan_chart.Question(1000, (2, 3, 5, 4, 2, 7), 2),
    plan_chart.Question(2**18, (2,) * 32, 6),
    plan_chart.Question(5_000_000, (2,) * 16, 8),
    plan_chart.Question(50, (3, 2), 2),
)


def open_plan(open_app, *, view="", at=0, **query):
    """The page at a place, as a link would open it."""
    app = open_app("plan", **query)
    app.session_state["places"] = {"plan": Route("plan", view=view, at=at)}
    app.run()
    assert not app.exception, app.exception
    return app


def title(app) -> str:
    return app.title[0].value.replace("\\", "").replace("\u200b", "")


def states(question, epsilon=2.0, theta=1e-3):
    told = plan_chart.data(question, epsilon, theta)
    for state, value in zip(told["thetas"], plan_chart.thetas(theta)):
        yield state, epsilon, value
    for state, value in zip(told["epsilons"], EPSILONS):
        yield state, value, theta


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_every_state_is_what_algorithm_1_decides(question):
    for state, epsilon, theta in states(question):
        choice = choose_views(question.n, question.sizes, epsilon, question.k, theta)
        result = state["result"]
        assert result["l"] == choice.l and choice.l in state["rows"]
        assert result["title"] == words.scales.in_brief(choice.l, choice.m)
        points = 100 * (choice.m / question.n / mean_cells(question.sizes, question.k)) ** 0.5
        assert result["sampling"][0] == pytest.approx(points, abs=1e-4)
        lost = [size for reason in state["reasons"] for size in reason["rows"]]
        assert len(lost) == len(set(lost)) and choice.l not in lost
        assert {*state["rows"]} <= {*lost, choice.l}, "who is not chosen has a reason"


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_reasons_say_what_the_errors_are(question):
    for state, epsilon, theta in states(question):
        sizes = {s.l: s for s in view_sizes(question.n, question.sizes, epsilon, question.k)}
        for reason in state["reasons"]:
            if "outside the fence" in reason["text"]:
                at = "noise_error" if "Noise" in reason["text"] else "sampling_error"
                assert all(getattr(sizes[size], at) > theta for size in reason["rows"])
        if "stay inside" in state["result"]["why"]:
            chosen = sizes[state["result"]["l"]]
            assert chosen.largest_error <= theta * (1 + 1e-9)
        said = [state["result"]["why"], *(r["head"] + r["text"] for r in state["reasons"])]
        for number in re.findall(r"±[\d.,]+ ?(\w*)", " ".join(said)):
            assert number == "points"


def test_the_fence_has_every_theta_in_points_and_the_scale_has_room_for_it():
    told = plan_chart.data(QUESTIONS[0], 2.0, 0.0011)
    values = [fence["value"] for fence in told["thetas"]]
    assert values == sorted(values) and told["thetas"][told["theta"]]["value"] == 0.0011
    assert {1e-4, 1e-3, 0.1} <= {*values}
    for fence in told["thetas"]:
        assert fence["points"] == pytest.approx(100 * (fence["value"] / 8) ** 0.5, abs=1e-4)
        assert 0.2 <= fence["points"] / fence["end"] <= 0.7


def test_a_fence_without_a_plan_says_so():
    few = plan_chart.Question(3, (2,) * 8, 3)
    told = plan_chart.state(few, 1.0, 1e-3, view_sizes(3, (2,) * 8, 1.0, 3))
    assert "must be at least" in told["refused"] and told["reasons"] == []


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("source", SAMPLES)
def test_every_view_on_every_sample(open_app, source, view):
    app = open_plan(open_app, source=source, view=view, at=99)
    assert not app.error and len(app.title) == 1


@pytest.mark.parametrize(
    "query", [{"epsilon": "0.01"}, {"epsilon": "16"}, {"n": "50"}, {"d": "2", "k": "1"}]
)
def test_extremes_never_break_a_view(open_app, query):
    for view in VIEWS:
        open_plan(open_app, view=view, at=99, **query)


def test_the_title_asks_first_and_answers_last(open_app):
    app = open_plan(open_app, epsilon="2.0")
    assert title(app) == "How many answers should each person give?"
    app = open_plan(open_app, epsilon="2.0", at=99)
    assert title(app) == "Four answers each, in 14 groups (ℓ = 4, m = 14)"
    # To a back row every step is told by the title.
    app = open_plan(open_app, epsilon="2.0", presenter="1", at=1)
    assert title(app).startswith("5 fell: 32 cells to tell apart.")


def test_who_has_seen_the_result_sees_that_of_other_settings(open_app):
    app = open_plan(open_app, epsilon="2.0", at=99)
    assert app.session_state["places"]["plan"].at == 4
    for epsilon, at in ((0.2, 2), (2.0, 4)):
        app.session_state["settings"] = app.session_state["settings"].changed(epsilon=epsilon)
        app.run()
        assert app.session_state["places"]["plan"].at == at
        assert "(ℓ =" in title(app)
    # Who is in the middle stays there.
    app = open_plan(open_app, epsilon="2.0", at=1)
    app.session_state["settings"] = app.session_state["settings"].changed(epsilon=4.0)
    app.run()
    assert app.session_state["places"]["plan"].at == 1


@pytest.mark.parametrize("hidden", [(), ("theta",)])
def test_a_move_of_the_fence_changes_theta_unless_it_is_hidden_and_the_step(hidden):
    app = AppTest.from_string(
        "from pages.panels.plan import machine\n"
        "from pages.ui import places\n"
        "places.enter('plan')\n"
        "machine.heard(0.002, 3)\n"
    )
    app.session_state["settings"] = Settings(hide=hidden)
    app.run(timeout=60)
    assert not app.exception, app.exception
    assert app.session_state["settings"].theta == (1e-3 if hidden else 0.002)
    assert app.session_state["places"]["plan"].at == 3


def test_views_set_by_hand_are_called_so_with_the_way_back(open_app):
    app = open_plan(open_app, epsilon="2.0", l="5", at=99)
    assert title(app).startswith("Set by hand: five answers each, in ")
    app.button(key="plan_own").click().run()
    assert app.session_state["settings"].l is None
    assert title(app).startswith("Four answers each")


def test_views_limited_by_cells_are_called_so(open_app):
    app = open_plan(open_app, epsilon="4.0", d="18", k="2", at=99)
    assert title(app).startswith("Up to "), title(app)
    assert any("limited by their cells" in text.value for text in app.markdown)


def test_a_refused_plan_offers_what_alone_would_allow_one(open_app):
    app = open_app("plan", n="3")
    assert "must be at least the number of views" in app.error[0].value
    button = next(button for button in app.button if button.label.startswith("Use n = "))
    button.click().run()
    assert app.session_state["settings"].n > 3 and not app.error


def test_theta_measured_can_be_used(open_app):
    app = open_plan(open_app, view="survey")
    app.toggle(key="measure_theta").set_value(True).run()
    app.button(key="use_theta").click().run()
    assert not app.exception and app.session_state["settings"].theta != Settings().theta


def test_words_of_the_list(open_app):
    for view in VIEWS:
        app = open_plan(open_app, view=view, at=99)
        shown = [*app.markdown, *app.caption, *app.title, *app.subheader]
        inside = {id(text) for drawer in app.expander for text in drawer.markdown}
        text = " ".join(str(e.value) for e in shown if id(e) not in inside)
        assert not re.search(r"(?i)\b(marginals?|users?|estimates?|reconstruct\w*|SSE)\b", text), (
            text
        )


def test_what_no_number_of_groups_can_do_is_not_said_to_be_done(open_app):
    # One person of a hundred in a group is a sampling error of 0.01 already.
    app = open_plan(open_app, n="100", at=99)
    said = " ".join(text.value for text in app.markdown).replace("\\", "").replace("\u200b", "")
    assert "m may be at most" not in said and "No number of groups keeps" in said
    for n, theta in ((100, 1e-3), (3_000, 1e-3), (60_000, 1e-4), (100, 0.05)):
        question = plan_chart.Question(n, (2,) * 8, 3)
        for epsilon in EPSILONS:
            choice = choose_views(n, question.sizes, epsilon, 3, theta)
            state = plan_chart.state(
                question, epsilon, theta, view_sizes(n, question.sizes, epsilon, 3)
            )
            inside = choice.m / n <= theta * (1 + 1e-9)
            assert inside or "fence lets" not in state["result"]["why"], (n, theta, epsilon)
            bound = words.plan.bound(theta, n, choice.max_views, choice.m)
            assert inside == bound.startswith("m may be"), bound


def test_the_fewest_people_tried_may_be_more_than_enough():
    assert "**100 people or fewer** at ε = 8" in words.plan.cost(3.0, 100, 8.0, 3.0, 100)
    assert "**29,000 people** at" in words.plan.cost(3.0, 65_536, 1.0, 0.6, 29_300)


def test_one_view_is_no_views(open_app):
    for settings in ({"d": "2", "k": "2"}, {"d": "8", "k": "1"}, {"d": "2", "k": "1", "n": "100"}):
        for view in VIEWS:
            app = open_plan(open_app, view=view, at=99, **settings)
            said = " ".join(str(e.value) for e in (*app.markdown, *app.caption, *app.title))
            assert not re.search(r"\b1 (views|groups|attributes|answers|tables)\b", said), said
