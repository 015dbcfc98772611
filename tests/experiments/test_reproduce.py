"""The papers' figures, classification, theta from data, public data sets."""

import csv
import gzip
import json
import math
import urllib.error
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import calm_core as cc
from calm_core.errors import DataError, InputError
from calm_core.evaluation.error_sources import calibrate_theta
from calm_core.experiments.classification import (
    ClassificationSpec,
    misclassification,
    one_hot,
    predict_labels,
    split_rows,
    synthetic_counts,
)
from calm_core.experiments.figure import USERS, Figure, Settings
from calm_core.experiments.figures_calm import (
    PAIRS,
    classifiers,
    heatmap_choices,
    heatmaps,
    select_pairs,
    smaller_queries,
    sse_over_epsilon,
)
from calm_core.experiments.reproduce import FIGURES, reproduce
from calm_core.experiments.spec import compare
from calm_core.ingest import public_data
from calm_core.ingest.public_data import PublicSet, check_content, find_data, get_public_file

TABLE2 = Path(__file__).resolve().parents[1] / "reference" / "table2.csv"


def bits(d=8, n=4000) -> cc.Dataset:
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 2, size=(n, d))
    codes[:, -1] = np.where(rng.random(n) < 0.9, codes[:, 0], codes[:, -1])
    return cc.Dataset.from_codes(codes, cc.Domain(tuple(f"b{i}" for i in range(d)), (2,) * d))


SMALL = Settings(bits(), "bits", epsilons=(0.5, 2.0), ns=(2000,), repetitions=2, queries=3, seed=3)


def small(figure: str) -> Settings:
    if figure == "priview-fig5":
        return Settings(ks=(4,), ns=(2000,), repetitions=1, queries=3)
    if not FIGURES[figure].needs_data:
        return Settings()
    ignored = {name: getattr(Settings(), name) for name in FIGURES[figure].ignores}
    return replace(SMALL, **{"epsilons": (2.0,)} | ignored)


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_is_written(figure, tmp_path):
    done = reproduce(figure, small(figure), tmp_path, command="python -m calm_core reproduce")
    table = pd.read_csv(done.csv)
    assert len(table) == len(done.table) > 0
    page = done.html.read_text(encoding="utf-8")
    assert "Plotly.newPlot" in page and "<script src" not in page and "python -m calm_core" in page
    text = done.text.read_text(encoding="utf-8")
    assert f"figure: {figure}" in text
    assert ("theta: 0.001" in text) == ("theta" not in FIGURES[figure].ignores)
    assert not list(tmp_path.glob("*.parts"))


# Of every setting a value that no figure has by itself, and of grids two.
OTHER = {
    "data": None, "epsilons": (0.7, 0.9), "ds": (4, 6), "ks": (2, 4), "ns": (1500, 1700), "methods": "uni,calm",
    "repetitions": 3, "queries": 4, "seed": 8, "theta": 0.02, "label": "b3", "features": ("b1", "b2"),
}  # fmt: skip
GRIDS = ("epsilons", "ds", "ks", "ns")
TESTED = Settings(bits(), "bits", repetitions=1, queries=2)


class Watched(Settings):
    """Notes which settings are looked at."""

    def __getattribute__(self, name):
        if name in OTHER:
            object.__getattribute__(self, "__dict__").setdefault("seen", set()).add(name)
        return super().__getattribute__(name)


def work_of(kind: Figure, settings: Settings) -> list[str]:
    """What names every task of a figure's experiments."""
    return [task.key for spec in kind.specs(settings) for task in spec.tasks]


def settings_for(figure: str) -> Settings:
    """Settings with data where the figure has use for some."""
    if FIGURES[figure].needs_data:
        return replace(TESTED, data=bits(8, 300), epsilons=(1.0,), ns=(300,))
    return replace(small(figure), methods="")


@pytest.mark.parametrize("figure", [name for name, kind in FIGURES.items() if kind.specs])
def test_a_figure_has_use_for_what_it_does_not_ignore_and_for_nothing_else(figure):
    kind, usual = FIGURES[figure], settings_for(figure)
    before = work_of(kind, usual)
    for name, value in OTHER.items():
        data = bits(8, 400) if name == "data" else value
        values = value[:1] if name in GRIDS else data
        changed = work_of(kind, replace(usual, **{name: values}))
        assert (changed == before) == (name in kind.ignores), name
        if name in GRIDS and name not in kind.ignores:
            both, last = (work_of(kind, replace(usual, **{name: v})) for v in (value, value[1:]))
            assert (both == last) == (name in kind.single), name


@pytest.mark.parametrize("figure", [name for name, kind in FIGURES.items() if kind.table])
def test_a_figure_computed_at_once_looks_at_what_it_does_not_ignore(figure):
    kind, usual = FIGURES[figure], settings_for(figure)
    settings = Watched(**{name: getattr(usual, name) for name in (*OTHER, "data_name")})
    settings.__dict__["seen"].clear()
    table = kind.table(settings)
    kind.draw(table, settings)
    # The records are asked for where the figure draws its own people too.
    assert set(OTHER) - settings.__dict__["seen"] == set(kind.ignores)


def test_settings_without_effect_are_refused_before_anything_is_written(tmp_path):
    for figure, changes, message in (
        ("fig3", {"queries": 7}, "queries must be left out: the figure 'Noise error"),
        ("fig3", {"data": bits(), "data_name": "bits"}, "data must be left out"),
        ("fig3", {"ns": (2000, 4000)}, r"ns \(2000, 4000\) must be one number"),
        (
            "fig4",
            {"ds": (4, 9)},
            r"d \(9\) must be a whole number from 1 to 8; the data has no more",
        ),
        ("priview-fig1", {"ds": (9,)}, r"d \(9\) must be a whole number from 1 to 8"),
        ("fig4", {"ks": (9,)}, r"k \(9\) must be at most 8"),
    ):
        with pytest.raises(InputError, match=message):
            reproduce(figure, replace(settings_for(figure), **changes), tmp_path / "new")
        assert not (tmp_path / "new").exists()


def test_a_figure_is_made_quick_in_what_it_has_use_for():
    quick = FIGURES["fig3"].quick(Settings())
    assert (len(quick.epsilons), quick.ns) == (3, (2**16,))
    assert (quick.repetitions, quick.queries) == (20, 50)
    quick = FIGURES["fig4"].quick(SMALL)
    assert (quick.epsilons, quick.ns, quick.repetitions) == (SMALL.epsilons, SMALL.ns, 2)


def test_a_new_figure_is_one_entry_that_draws_itself(tmp_path, monkeypatch):
    def draw(table, settings):
        picture, summary = go.Figure(go.Bar(y=table["x"] * settings.theta)), table.tail(1)
        return [(picture, "A caption of its own.")], summary

    own = Figure(
        "A toy", False, table=lambda settings: pd.DataFrame({"x": [1.0, settings.seed]}),
        draw=draw,
    )  # fmt: skip
    monkeypatch.setitem(FIGURES, "toy", own)
    done = reproduce("toy", Settings(seed=7), tmp_path)
    assert "A caption of its own." in done.html.read_text(encoding="utf-8")
    assert pd.read_csv(tmp_path / "toy-summary.csv")["x"].tolist() == [7.0]


def test_a_figure_asked_without_its_data_says_so(tmp_path):
    for figure in (name for name, kind in FIGURES.items() if kind.needs_data):
        with pytest.raises(InputError, match="data"):
            reproduce(figure, Settings(), tmp_path)
        with pytest.raises(InputError, match=r"data \(\) must be given"):
            (FIGURES[figure].specs or FIGURES[figure].table)(Settings())


def test_table2_is_that_of_the_paper(tmp_path):
    found = reproduce("table2", Settings(), tmp_path).table
    cells = {(r.n, r.d, r.k, r.epsilon): (r.l, r.m) for r in found.itertuples()}
    assert len(cells) == 360
    rows = [r for r in csv.DictReader(TABLE2.open()) if r["printed_in_paper_fragment"] == "yes"]
    assert len(rows) == 185
    for row in rows:
        key = int(row["n"]), int(row["d"]), int(row["k"]), float(row["epsilon"])
        assert cells[key] == (int(row["l"]), int(row["m"]))


def test_figure3_holds_the_crossing_the_paper_reads_off(tmp_path):
    """For epsilon <= 1.4 only l = 2 stays below theta = 0.001 (CALM section 4.3)."""
    table = reproduce("fig3", Settings(), tmp_path).table
    quiet = table[table.k_ne <= 1e-3]
    assert set(quiet[quiet.epsilon <= 1.4].l) == {2}
    assert 3 in set(quiet[quiet.epsilon > 1.4].l)


def test_pairs_are_the_papers_as_far_as_the_data_goes():
    wide = Settings(bits(32, 100))
    assert tuple(select_pairs(wide)) == PAIRS
    assert select_pairs(Settings(bits(17, 100))) == [(8, 3), (16, 3), (16, 6)]
    assert select_pairs(Settings(bits(5, 100))) == [(5, 3)]
    assert select_pairs(Settings(bits(8, 100), ds=(4, 8), ks=(2, 5))) == [(4, 2), (8, 2), (8, 5)]
    assert select_pairs(Settings(bits(8, 100), ds=(2,))) == [(2, 2)]
    with pytest.raises(InputError, match=r"k \(5\) must be at most 4"):
        select_pairs(Settings(bits(8, 100), ds=(4,), ks=(5,)))
    names = [{m.name for m in spec.methods} for spec in sse_over_epsilon(wide)]
    assert "em" in names[0] and "em" not in names[2]


def test_the_label_is_the_last_attribute_that_is_no_feature_and_users_are_the_papers():
    for given, label in (({}, "b7"), ({"features": ("b1", "b7")}, "b6"), ({"label": "b2"}, "b2")):
        assert classifiers(replace(SMALL, **given))[0].label == label
    found = classifiers(Settings(bits()))
    assert tuple(spec.tasks[0].point.n for spec in found) == USERS


def test_smaller_queries_take_the_choice_made_for_k():
    specs = smaller_queries(Settings(bits(16, 3000), ks=(2, 3), ns=(2000,)))
    assert [(spec.points[0].k, len(spec.methods)) for spec in specs] == [(2, 2)]
    method = specs[0].methods[1].make(1.0, 2)
    assert method.k == 3


def test_heatmap_holds_the_pair_of_algorithm_1():
    choices = heatmap_choices(SMALL)
    labels = {method.label for method in heatmaps(SMALL)[0].methods}
    for l, m in choices.values():  # noqa: E741
        assert f"l={l} m={m}" in labels
    choice = cc.choose_views(2000, (2,) * 8, 0.5, 3, 1e-3)
    assert choices[0.5] == (choice.l, choice.m)


@pytest.mark.parametrize(("d", "k"), [(32, 8), (45, 6)])
def test_what_cannot_run_in_figure_2_of_priview_has_its_expected_error(d, k, tmp_path):
    chosen = Settings(
        bits(d, 300), "bits", epsilons=(0.1, 1.0), ds=(d,), ks=(k,), ns=(900_000,), repetitions=1,
        queries=2, methods="direct,fourier,flat,matrix,uni",
    )  # fmt: skip
    done = reproduce("priview-fig2", chosen, tmp_path)
    table = pd.read_csv(done.csv)
    assert list(table.basis.dropna().unique()) == ["expected", "measured"]
    assert (table.basis[table.method == "uni"] == "measured").all()
    assert table[table.method == "matrix"][["basis", "l2"]].isna().all(axis=None)
    coefficients = sum(math.comb(d, order) for order in range(k + 1))
    cells = {
        "direct": 2**k * math.comb(d, k) ** 2, "fourier": coefficients**2, "flat": 2**d,
    }  # fmt: skip
    for name, units in cells.items():
        rows = table[table.method == name]
        assert len(rows) == 4 and (rows.basis == "expected").all()
        assert rows.reason.str.endswith("its expected error is shown").all()
        expected = np.sqrt(2.0 * units) / rows.epsilon / 900_000
        assert np.allclose(rows.l2, np.minimum(expected, 1)) and np.allclose(rows.sse, rows.l2**2)
        assert rows.attributes.str.count(r"\|").eq(k - 1).all()
        assert rows.jensen_shannon.isna().all()
    assert (table.l2[(table.method == "flat") & (table.epsilon == 1)] < 1).all() == (d == 32)
    l2, _ = FIGURES["priview-fig2"].draw(table, chosen)[0]
    named = {trace.name for trace in l2[0].data}
    assert named == {"uni", "direct (expected)", "fourier (expected)", "flat (expected)"}
    assert named < set(pd.read_csv(tmp_path / "priview-fig2-summary.csv").method)
    assert "Expected: too large to run" in done.html.read_text(encoding="utf-8")


def test_reproduce_on_the_command_line(tmp_path, call):
    data, out = tmp_path / "bits.csv", tmp_path / "out"
    pd.DataFrame(bits(5, 300).codes, columns=list("abcde")).to_csv(data, index=False)
    done = call(
        "reproduce", "fig4", "--data", data, "--out", out, "--quick", "--jobs", 1,
        "--methods", "calm,uni", "--n", 200, "--repeats", 3, "--queries", 4,
    )  # fmt: skip
    assert done.status == 0, done.err
    table = pd.read_csv(out / "fig4.csv")
    assert set(table.epsilon) == {0.2, 1.0, 2.0} and set(table.data) == {"bits.csv"}
    # Given options take precedence over --quick.
    assert set(table.repetition) == {0, 1, 2} and set(table["query"]) == {0, 1, 2, 3}
    done = call("reproduce", "table2", "--out", out, "--n", 300, "--d", 8, "--k", 3, "--epsilon", 1)
    assert done.status == 0 and "1 rows in" in done.out, done.err
    done = call("calibrate", data, "--k", 3, "--json")
    assert done.status == 0 and json.loads(done.out)["m"] == 10, done.err


# ---------------------------------------------------------------- classification


def test_weighted_machine_is_the_machine_on_all_rows(rng):
    # Imported here: every worker would wait for it.
    from sklearn.svm import SVC

    counts = rng.integers(0, 12, size=(3, 2, 2))
    features = one_hot((3, 2))
    rows = np.repeat(np.repeat(features, 2, axis=0), counts.ravel(), axis=0)
    labels = np.repeat(np.tile([0, 1], 6), counts.ravel())
    plain = SVC(kernel="rbf", gamma=1 / 5).fit(rows, labels)
    assert np.array_equal(predict_labels(counts, 2), plain.predict(features))


def test_misclassification_by_hand():
    test = np.array([[3, 1], [0, 4], [2, 2]])
    assert misclassification(np.array([0, 1, 1]), test, 1) == pytest.approx(3 / 12)
    assert misclassification(np.array([0, 1, 1]), test.T, 0) == pytest.approx(3 / 12)


def test_synthetic_rows_follow_the_marginal(rng):
    """Chi-squared of 10^5 draws below its 1 - 10^-6 point (45 at 5 degrees): one in a million seeds."""
    table = cc.Marginal(cc.Domain(("sex", "age"), (2, 3)), [[0.3, 0.1, 0.1], [0.2, 0.2, 0.1]])
    counts = synthetic_counts(table, 100_000, rng=rng)
    expected = table.values * 100_000
    assert counts.sum() == 100_000
    assert ((counts - expected) ** 2 / expected).sum() < 45
    # 30% more in one cell would be noticed.
    assert (0.3 * expected).max() ** 2 / expected.max() > 45


def test_nothing_of_the_test_rows_is_trained_on():
    data = bits(3, 1000)
    codes = np.column_stack([np.arange(1000), data.codes[:, 0]])
    numbered = cc.Dataset.from_codes(codes, cc.Domain(("row", "b"), (1000, 2)))
    train, test = split_rows(numbered, 5000, seed=1, repetition=0)
    assert (train.n, test.n) == (5000, 200)
    assert not set(train.codes[:, 0]) & set(test.codes[:, 0])


def test_weak_privacy_classifies_as_the_truth_does():
    spec = ClassificationSpec(bits(4), "b3", ("b0", "b1"), ("calm", "fc"), (8.0,), repetitions=2)
    rates = compare(spec).groupby("method").misclassification.mean().astype(float)
    assert rates["NoNoise"] == pytest.approx(rates["fc"], abs=0.01)
    assert rates["NoNoise"] == pytest.approx(rates["calm"], abs=0.01)
    assert rates["NoNoise"] < 0.1 < rates["Majority"]


def test_classification_says_why_a_method_cannot_run(tmp_path):
    spec = ClassificationSpec(bits(8), "b7", ("b0", "b1"), ("am",), (1.0,), n=50, repetitions=1)
    table = compare(spec, out=tmp_path / "rates.csv")
    failed = table[table.method == "am"]
    assert failed.misclassification.isna().all() and "fewer than one" in failed.reason.iloc[0]


# ---------------------------------------------------------------- theta


def test_theta_is_zero_error_where_pairs_tell_everything(rng):
    codes = np.random.default_rng(2).integers(0, 2, size=(20_000, 5))
    data = cc.Dataset.from_codes(codes, cc.Domain(tuple("abcde"), (2,) * 5))
    found = calibrate_theta(data, k=3, rng=rng)
    assert found.theta < 1e-3 and found.m == 10 and len(found.scores) == 10


def test_theta_of_a_parity_is_known(rng):
    """With c = a xor b every pair is uniform, so the rebuilt table is uniform: SSE 4 (1/4 - 1/8)^2 x 2."""
    a, b = np.indices((2, 2)).reshape(2, -1)
    codes = np.stack([a, b, a ^ b], axis=1)
    data = cc.Dataset.from_codes(np.repeat(codes, 50, axis=0), cc.Domain(tuple("abc"), (2, 2, 2)))
    found = calibrate_theta(data, k=3, rng=rng)
    assert found.mean == pytest.approx(8 / 64, abs=1e-6)
    assert found.theta == 0.12
    with pytest.raises(InputError, match="nothing is rebuilt"):
        calibrate_theta(data, k=3, l=3, rng=rng)


# ---------------------------------------------------------------- public data


@pytest.fixture
def tiny(monkeypatch):
    """A published set small enough to write down."""
    one = PublicSet("tiny", "tiny.dat", "http://example.org/tiny", 3, 4, True)
    monkeypatch.setitem(public_data.PUBLIC_SETS, "tiny", one)
    return one


BASKETS = b"1 2\n2 3 4\n1\n"


def offline(_):
    raise urllib.error.URLError("no network")


def test_public_data_is_fetched_once_and_checked(tiny, tmp_path):
    asked = []
    path = get_public_file(
        "tiny", folder=tmp_path / "cache", source=lambda _: asked.append(1) or BASKETS
    )
    assert path.read_bytes() == BASKETS
    assert get_public_file("tiny", folder=tmp_path / "cache", source=offline) == path
    assert asked == [1]
    path.write_bytes(BASKETS + b"7\n")
    with pytest.raises(DataError, match="has changed since"):
        get_public_file("tiny", folder=tmp_path / "cache", source=offline)


def test_offline_says_what_to_do(tiny, tmp_path):
    with pytest.raises(InputError, match=r"cannot be fetched.*put a copy at .*tiny\.dat"):
        get_public_file("tiny", folder=tmp_path, source=offline)
    (tmp_path / "tiny.dat").write_bytes(BASKETS)
    assert get_public_file("tiny", folder=tmp_path, source=offline) == tmp_path / "tiny.dat"


def test_what_is_not_the_published_set_is_refused(tiny, tmp_path):
    with pytest.raises(DataError, match="has 1 rows and 2 items.*has 3 and 4"):
        get_public_file("tiny", folder=tmp_path, source=lambda _: b"<html> blocked\n")
    assert not (tmp_path / "tiny.dat").exists()
    with pytest.raises(InputError, match="must be one of"):
        get_public_file("census", folder=tmp_path)
    with pytest.raises(DataError, match="45,222"):
        check_content(public_data.PUBLIC_SETS["adult"], b"a,b\n1,2\n")


def test_a_local_path_comes_before_a_name(tiny, tmp_path, monkeypatch):
    monkeypatch.setenv("CALM_DATA", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "tiny.dat").write_bytes(BASKETS)
    assert find_data("tiny") == tmp_path / "cache" / "tiny.dat"
    assert find_data("other.csv") == Path("other.csv")


@pytest.fixture
def server(tmp_path):
    """A web server on this machine, and the folder it serves."""
    folder = tmp_path / "served"
    folder.mkdir()
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}", folder
        running.shutdown()


def test_downloads_are_unpacked_and_bounded(tiny, server, tmp_path, monkeypatch):
    address, folder = server
    (folder / "tiny.dat.gz").write_bytes(gzip.compress(BASKETS))
    one = replace(tiny, source=f"{address}/tiny.dat.gz")
    monkeypatch.setitem(public_data.PUBLIC_SETS, "tiny", one)
    assert public_data.fetch_public_set(one) == BASKETS
    assert get_public_file("tiny", folder=tmp_path / "cache").read_bytes() == BASKETS
    monkeypatch.setattr(public_data, "LARGEST_BYTES", 5)
    with pytest.raises(DataError, match="larger than 5 bytes"):
        public_data.fetch_public_set(one)


def test_an_address_without_the_file_is_a_sentence(tiny, server, tmp_path, monkeypatch):
    missing = replace(tiny, source=f"{server[0]}/gone.dat.gz")
    monkeypatch.setitem(public_data.PUBLIC_SETS, "tiny", missing)
    with pytest.raises(InputError, match="cannot be fetched.*put a copy at"):
        get_public_file("tiny", folder=tmp_path)


def test_adult_comes_through_scikit_learn_without_missing_values(monkeypatch):
    class Bunch:
        frame = pd.DataFrame({"age": [20, 30, None], "income": ["a", "b", "c"]})

    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda name, **_: Bunch)
    content = public_data.fetch_public_set(public_data.PUBLIC_SETS["adult"])
    assert content == b"age,income\n20.0,a\n30.0,b\n"


def test_the_real_adult_is_recognized(shared_data):
    with gzip.open(shared_data / "adult.csv.gz") as file:
        check_content(public_data.PUBLIC_SETS["adult"], file.read())
