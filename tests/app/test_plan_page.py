"""Plan: what the browser is sent for every theta and epsilon, steps, titles, other views."""

import pytest

from calm_core.evaluation.metrics import wrong_of_sse
from calm_core.evaluation.prediction import predict_plan_wrong
from calm_core.planning.algorithm1 import choose_views, mean_cells, view_sizes
from calm_core.settings import EPSILONS, Settings
from pages import words
from pages.panels import plan as plan_panel
from pages.ui import cached_calls, plan_chart, warnings
from tests.app.screen import change, open_view, plain, session_of

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
    return open_view(open_app("plan", **query), "plan", view, at=at)


def title(app) -> str:
    return plain(app.title[0].value)


def states(question, epsilon=2.0, theta=1e-3):
    data = plan_chart.chart_data(question, epsilon, theta)
    for state, value in zip(data["thetas"], plan_chart.fence_thetas(theta)):
        yield state, epsilon, value
    for state, value in zip(data["epsilons"], EPSILONS):
        yield state, value, theta


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_every_state_sent_is_the_choice_of_algorithm_1(question):
    for state, epsilon, theta in states(question):
        choice = choose_views(question.n, question.sizes, epsilon, question.k, theta)
        result = state["result"]
        assert result["l"] == choice.l and choice.l in state["rows"]
        assert result["title"] == words.plan.choice_text(l=choice.l, m=choice.m)
        wrong = 100 * wrong_of_sse(choice.m / question.n, mean_cells(question.sizes, question.k))
        assert result["sampling"][0] == pytest.approx(wrong, abs=1e-4)
        lost = [size for reason in state["reasons"] for size in reason["rows"]]
        assert len(lost) == len(set(lost)) and choice.l not in lost
        assert {*state["rows"]} <= {*lost, choice.l}, "who is not chosen has a reason"


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_the_reasons_given_are_true(question):
    for state, epsilon, theta in states(question):
        sizes = {s.l: s for s in view_sizes(question.n, question.sizes, epsilon, question.k)}
        for reason in state["reasons"]:
            if "outside the fence" in reason["text"]:
                at = "noise_error" if "Noise" in reason["text"] else "sampling_error"
                assert all(getattr(sizes[size], at) > theta for size in reason["rows"])
        choice = choose_views(question.n, question.sizes, epsilon, question.k, theta)
        worst = max(sizes[choice.l].noise_error, choice.m / question.n)
        inside = worst <= theta * (1 + 1e-9)
        assert inside == state["result"]["why"].endswith("stay inside the fence.")
        said = [state["result"]["why"], *(r["head"] + r["text"] for r in state["reasons"])]
        assert "±" not in " ".join(said)


def test_every_theta_is_given_in_people_and_fits_the_scale():
    data = plan_chart.chart_data(QUESTIONS[0], 2.0, 0.0011)
    values = [fence["value"] for fence in data["thetas"]]
    assert values == sorted(values) and data["thetas"][data["theta"]]["value"] == 0.0011
    assert {1e-4, 1e-3, 0.1} <= {*values}
    for fence in data["thetas"]:
        assert fence["wrong"] == pytest.approx(100 * wrong_of_sse(fence["value"], 8), abs=1e-4)
        assert 0.2 <= fence["wrong"] / fence["end"] <= 0.7


def test_a_question_without_a_plan_is_refused():
    few = plan_chart.Question(3, (2,) * 8, 3)
    data = plan_chart.choice_state(few, 1.0, 1e-3, view_sizes(3, (2,) * 8, 1.0, 3))
    assert "must be at least" in data["refused"] and data["reasons"] == []


def test_the_title_asks_first_and_states_the_result_at_the_last_step(open_app):
    app = open_plan(open_app, view="steps", epsilon="2.0")
    settings = app.session_state["settings"]
    assert title(app).endswith("?")
    # Who has seen the result sees that of other settings; who is in the middle stays there.
    for start, epsilon, at in ((99, 0.2, 2), (1, 4.0, 1)):
        app.session_state["settings"] = settings
        app = open_view(app, "plan", "steps", at=start)
        assert ("(ℓ = 4, m = 14)" in title(app)) == (start == 99)
        change(app, epsilon=epsilon)
        assert app.session_state["places"]["plan"].at == at


@pytest.mark.parametrize("hidden", [(), ("theta",)])
def test_a_move_of_the_fence_changes_theta_unless_it_is_hidden_and_the_step(hidden):
    with session_of("plan", Settings(hide=hidden)) as session:
        plan_panel.on_move(0.002, 3)
    assert session["settings"].theta == (1e-3 if hidden else 0.002)
    assert session["places"]["plan"].at == 3


def test_the_trade_off_is_that_of_the_predictions_at_every_epsilon(open_app, data_of):
    app = open_plan(open_app)
    settings = app.session_state["settings"]
    drawn = data_of(app, "tradeoff_chart")
    assert len(drawn["epsilons"]) == len(EPSILONS) and drawn["index"] == EPSILONS.index(1.0)
    for epsilon, now in zip(EPSILONS, drawn["epsilons"]):
        plan = cached_calls.plan(settings.with_changes(epsilon=epsilon))
        (own,) = [bar for bar in now["bars"] if bar["l"] == now["chosen"]]
        assert now["chosen"] == plan.l
        assert sum(own["parts"].values()) == pytest.approx(100 * predict_plan_wrong(plan), abs=1e-3)
        least = min(sum(bar["parts"].values()) for bar in now["bars"])
        (low,) = [bar for bar in now["bars"] if bar["l"] == now["lowest"]]
        assert sum(low["parts"].values()) <= 1.02 * least + 1e-3
    # The number beside the bars is that of the settings bar.
    here = drawn["epsilons"][drawn["index"]]
    assert here["reading"]["number"] == words.numbers.wrong(warnings.predict_wrong(settings))
    assert "2 questions" in title(app)


def test_a_bar_is_planned_with_and_measured(open_app, data_of):
    app = open_plan(open_app, d="5", k="2", n="4000")
    settings = app.session_state["settings"]
    by_l = plan_chart.get_tradeoff(settings)["by_l"]
    app = app.button(key="measure_sizes").click().run(timeout=60)
    assert set(data_of(app, "tradeoff_chart")["measured"]) == {str(l) for l in by_l}  # noqa: E741
    other = max(by_l)
    with session_of("plan", settings) as session:
        plan_panel._use_questions({other: by_l[other].m}, other)
    assert (session["settings"].l, session["settings"].m) == (other, by_l[other].m)
