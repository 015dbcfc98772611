"""A tenth of the phones may lie: who is asked, what counts, and what the lies do to results."""

import numpy as np
import pytest

from calm_core.attacks.liars import craft_reports, expected_gain, find_target_cells
from calm_core.classroom.export import export_zip, read_zip
from calm_core.classroom.results import ReportCounts, infer_results
from calm_core.classroom.store import Store
from calm_core.classroom.survey import PushedAnswer, Survey, plan_class
from calm_core.collection.states import state_bytes, state_from_bytes
from calm_core.errors import InputError
from calm_core.oracles import GRR
from tests.classroom.conftest import Class, survey_of

PUSHED = PushedAnswer(question=1, choice=1)


@pytest.fixture
def class_with_liars(make_class):
    """An open survey of three questions with 40 phones, of which some are asked to push an answer."""
    made = make_class(40)
    made.teacher.let_lie(PUSHED)
    made.teacher.open()
    return made


def liars_of(made: Class) -> dict[str, list[int]]:
    """The phones that are asked to lie, with what they are to send."""
    bodies = {phone: made.ask(phone).body for phone in made.phones}
    return {phone: body["lie"] for phone, body in bodies.items() if "lie" in body}


def lie(made: Class, phone: str, report: str):
    return made.store.lie(made.code, phone, report).result()


def lie_of(made: Class, phone: str) -> str:
    """A lie that a phone may send, as the library's liars craft it."""
    plan, asked = made.teacher.report_counts().plan, made.ask(phone).body["questions"]
    view = plan.views.index(tuple(f"q{one['text'][9]}" for one in asked))
    cells = find_target_cells(plan.domain, plan.views[view], {"q1": 1})
    (report,) = craft_reports(plan.oracles[view], cells, 1, rng=np.random.default_rng(1))
    return f"{report:04d}"


@pytest.mark.parametrize("phones, asked, later", [(6, 1, 1), (90, 6, 12)])
def test_a_tenth_of_the_phones_with_the_question_is_asked_and_all_know(
    make_class, phones, asked, later
):
    made = make_class(phones)
    made.teacher.let_lie(PUSHED)
    made.teacher.open()
    assert all(made.ask(phone).body["liars"] for phone in made.phones)
    found = liars_of(made)
    assert len(found) == made.teacher.progress().liars == asked
    for phone, (place, choice) in found.items():
        assert made.ask(phone).body["questions"][place]["text"] == "Question 1?" and choice == 1
    # Those who come late are asked as often; nobody is who has seen the questions.
    made.join(phones)
    all_chosen = liars_of(made)
    assert len(all_chosen) == later
    assert {phone for phone in all_chosen if phone in made.phones[:phones]} == set(found)


def test_nobody_is_asked_without_the_switch_and_it_is_for_the_lobby_only(make_class):
    made = make_class(12)
    made.teacher.let_lie(PUSHED)
    made.teacher.let_lie(None)
    made.teacher.open()
    assert not any({"liars", "lie"} & set(made.ask(phone).body) for phone in made.phones)
    assert lie(made, made.phones[0], "0001").status == 422
    with pytest.raises(InputError, match="before the survey opens"):
        made.teacher.let_lie(PUSHED)
    with pytest.raises(InputError, match="pushed choice"):
        make_class().teacher.let_lie(PushedAnswer(0, 2))


def test_a_lie_counts_apart_once_and_can_be_taken_back(class_with_liars):
    liar, *others = liars_of(class_with_liars)
    right = lie_of(class_with_liars, liar)
    honest = next(phone for phone in class_with_liars.phones if phone not in (liar, *others))
    assert lie(class_with_liars, honest, right).status == 422, "not asked to lie"
    wrong = f"{3 - int(right):04d}"
    assert lie(class_with_liars, liar, wrong).status == 422, "not the answer to push"
    for _ in range(2):
        assert lie(class_with_liars, liar, right).body == {"state": "counted"}
    # The other one refuses.
    class_with_liars.report(others[0], "0000")
    progress = class_with_liars.teacher.progress()
    assert (progress.lies, progress.reports, progress.pushed) == (1, 1, PUSHED)
    assert progress.liars == len(others), "whoever answers has refused"
    assert class_with_liars.withdraw(liar, right).body == {"state": "withdrawn"}
    assert class_with_liars.withdraw(others[0], "0000").body == {"state": "withdrawn"}
    progress = class_with_liars.teacher.progress()
    assert (progress.lies, progress.reports) == (0, 0)


def test_another_process_and_a_restart_know_the_lies_but_not_who_lied(class_with_liars):
    liar = next(iter(liars_of(class_with_liars)))
    lie(class_with_liars, liar, lie_of(class_with_liars, liar))
    for phone in class_with_liars.phones[:20]:
        class_with_liars.report(phone, "0000")
    other = Store(class_with_liars.store.path)
    teacher = other.teacher(class_with_liars.keys.teacher)
    assert teacher.progress().lies == 1
    teacher.close()
    assert teacher.progress().liars == 0 and teacher.progress().lies == 1
    again = teacher.run_again()
    assert (again.progress().pushed, again.progress().lies) == (PUSHED, 0)
    counts = teacher.report_counts()
    assert (counts.n_lies, counts.with_lies.n) == (1, counts.n + 1)
    assert (counts + counts).n_lies == 2
    other.stop()


def count_lies(survey: Survey, honest: float, lies: int, n: int, rng) -> ReportCounts:
    """Counts of n people, of whom a share gives the pushed answer, as if noise had its mean, and of lies."""
    plan = plan_class(survey, 40, rng=rng)
    target = {survey.domain.names[survey.pushed.question]: survey.pushed.choice}
    counts, pushes = [], []
    for view, oracle in zip(plan.views, plan.oracles):
        cells = find_target_cells(plan.domain, view, target)
        truth = np.full(oracle.size, 1 / oracle.size)
        if cells.size:
            truth[:] = (1 - honest) / (oracle.size - cells.size)
            truth[cells] = honest / cells.size
        counts.append(np.round(n * (truth * oracle.gap + oracle.q)).astype(int))
        pushes.append(np.bincount(cells, minlength=oracle.size) * (lies // max(1, cells.size)))
    return ReportCounts(survey, plan, tuple(counts), lies=tuple(pushes))


def pushed_survey(d: int = 3, **survey) -> Survey:
    made = survey_of(d, **survey)
    return Survey(made.title, made.questions, made.epsilon, pushed=PUSHED)


def test_lies_add_what_the_formula_says(rng):
    """Of 10 million people, where noise is nothing; the lies are a tenth of all reports."""
    found = infer_results(count_lies(pushed_survey(), 0.3, 10**6, 9 * 10**6, rng), "calm")
    without, with_lies, _ = found.lie_tables
    assert without.values[1] == pytest.approx(0.3, abs=1e-3)
    expected = expected_gain(GRR(2.0, 4), 0.1, true_share=0.3, cells=2)
    assert with_lies.values[1] - without.values[1] == pytest.approx(expected, abs=1e-3)


def test_the_defense_takes_some_of_the_lies_off(rng):
    without, with_lies, defended = infer_results(
        count_lies(pushed_survey(), 0.3, 40, 360, rng)
    ).lie_tables
    assert without.values[1] < defended.values[1] < with_lies.values[1]


def test_files_and_states_say_which_reports_are_lies(rng):
    made = count_lies(pushed_survey(), 0.3, 4, 36, rng)
    content = export_zip(made, rng=rng)
    read = read_zip(content)
    assert read.survey.pushed == PUSHED
    for found, wanted in zip((*read.counts, *read.lies), (*made.counts, *made.lies), strict=True):
        assert found.tolist() == wanted.tolist()
    state = state_from_bytes(state_bytes(made.state, ".json"), "it")
    assert state.n == made.n and state.refused == {"a lie for the experiment of a class": 8}
