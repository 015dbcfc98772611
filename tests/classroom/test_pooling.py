"""Classes that were saved and brought back: they add up with others of the same questions and plan, or it is said why not."""

import io
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from calm_core.classroom import export
from calm_core.classroom.counts import ReportCounts
from calm_core.classroom.export import export_classes, is_export, read_classes, read_zip
from calm_core.classroom.survey import Question
from calm_core.classroom.view_assignment import plan_class
from calm_core.errors import DataError, InputError
from tests.classroom.conftest import survey_of
from tests.classroom.test_export import filled


def with_seed(seed: int, *, n: int = 40, **survey) -> ReportCounts:
    """A class whose reports and order of views are its own."""
    asked, rng = survey_of(**survey), np.random.default_rng(seed)
    plan = plan_class(asked, n, rng=rng)
    counts = tuple(rng.multinomial(9, np.full(o.size, 1 / o.size)) for o in plan.oracles)
    return ReportCounts(asked, plan, counts)


def sums(found: ReportCounts) -> dict:
    return {view: part.tolist() for view, part in zip(found.plan.views, found.counts)}


def test_several_saved_classes_are_restored_and_pooled(store, rng):
    classes = [with_seed(seed) for seed in (1, 2, 3)]
    content = export_classes([replace(one, plan=classes[0].plan) for one in classes], rng=rng)
    back = read_classes(content)
    assert [one.n for one in back] == [27, 27, 27] and is_export(content)
    assert all(
        map(np.array_equal, (c for one in back for c in one.counts), (c for one in classes for c in one.counts))
    )  # fmt: skip
    keys = store.restore(*back)
    teacher = store.teacher(keys.teacher)
    assert (teacher.pooled_counts().n, teacher.pooled_counts().classes) == (
        81,
        3,
    ) and teacher.code == keys.code
    # One class alone is the file it always was.
    assert read_classes(export_classes(classes[:1], rng=rng))[0].n == 27
    assert read_zip(export_classes(classes[:1], rng=rng)).n == 27


def test_a_saved_class_is_added_though_its_views_are_in_another_order(store):
    here = with_seed(1, n=40)
    there = next(
        found for seed in range(2, 40)
        if (found := with_seed(seed, n=60)).plan.views != here.plan.views
    )  # fmt: skip
    teacher = store.teacher(store.restore(here).teacher)
    teacher.add_classes(there)
    expected = sums(there)
    assert teacher.pooled_counts().n == 54 and len(teacher.classes) == 2
    assert sums(teacher.pooled_counts()) == {
        view: (np.add(numbers, expected[view])).tolist() for view, numbers in sums(here).items()
    }
    with pytest.raises(InputError, match="exactly the reports of a class that is here already"):
        teacher.add_classes(there)
    with pytest.raises(InputError, match="class 2 of the file has exactly"):
        teacher.add_classes(with_seed(50), with_seed(50))
    assert len(teacher.classes) == 2, "none is added where one is refused"
    other = store.restore(there)
    assert len(store.teacher(other.teacher).classes) == 1, "of other keys nobody adds"


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (with_seed(2, d=4), "was asked other questions"), (with_seed(2, choices=3), "was asked other questions"),
        (with_seed(2, epsilon=1.0), "answered with ε = 1 and this one with 2"),
    ],
)  # fmt: skip
def test_classes_that_do_not_add_up_are_refused(store, other, why):
    teacher = store.teacher(store.restore(with_seed(1)).teacher)
    with pytest.raises(InputError, match=f"{why}.*open it on its own"):
        teacher.add_classes(other)
    assert teacher.classes == (teacher.code,)


def test_classes_with_other_views_do_not_add_up(store):
    here, there = with_seed(1, d=6, n=60), with_seed(2, d=6, n=60)
    assert set(here.plan.views) != set(there.plan.views)
    teacher = store.teacher(store.restore(here).teacher)
    with pytest.raises(InputError, match="were dealt other questions together"):
        teacher.add_classes(there)


def test_a_zip_of_classes_keeps_the_size_limit(rng, monkeypatch):
    content = export_classes([filled(survey_of()), filled(survey_of())], rng=rng)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        (one, _) = (packed.read(name) for name in packed.namelist())
        inner = sum(part.file_size for part in zipfile.ZipFile(io.BytesIO(one)).infolist())
    monkeypatch.setattr(export, "MAX_BYTES", int(1.5 * inner))
    with pytest.raises(DataError, match="unpacks to more than"):
        read_classes(content)
    monkeypatch.undo()
    with pytest.raises(DataError):
        read_classes(content[:-30])
    nested = export._zip_files({"class-1.zip": content})
    with pytest.raises(DataError, match="no export of a classroom"):
        read_classes(nested)


def test_the_language_is_saved_too(rng):
    asked = replace(survey_of(), language="fr")
    found = replace(filled(asked), survey=asked)
    (back,) = read_classes(export_classes([found], rng=rng))
    assert back.survey.language == "fr"
    assert back.survey.questions[0] == Question("q0", "Question 0?", ("answer 0", "answer 1"))


def test_at_most_one_batch_a_report():
    found = with_seed(1)
    assert set(found.state.batches) < set(replace(found, classes=2).state.batches)
    assert len(replace(found, classes=2).state.batches) == 2
    assert len(replace(found, classes=10**5).state.batches) == found.n
