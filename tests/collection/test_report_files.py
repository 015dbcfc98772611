"""Report files: exact for every oracle, nothing in them but reports, all else refused by reason."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import calm_core as cc
from calm_core.collection import parts
from calm_core.collection.parts import report_part
from calm_core.collection.report_files import (
    NONE_REFUSED,
    REASONS,
    ReportColumns,
    ReportFile,
    ReportRows,
)
from calm_core.collection.tally import tally_file
from calm_core.errors import DataError, InfeasibleError, InputError
from calm_core.methods import METHODS
from calm_core.oracles import GRR, OLH, ORACLES, OUE, SubsetSelection
from calm_core.planning.plan_file import plan_digest, plan_text

SIZES = (2, 3, 4, 2, 5, 2)
DOMAIN = cc.Domain(tuple("abcdef"), SIZES)


def data(n=3000, seed=7):
    return cc.Dataset(np.random.default_rng(seed).integers(0, SIZES, size=(n, 6)), DOMAIN)


def plan_of(rule="adaptive", **settings):
    settings = {"epsilon": 1.0, "k": 2, "oracle": rule, "l": 3} | settings
    return METHODS["calm"](**settings).plan(DOMAIN, 10_000, rng=np.random.default_rng(1))


def mixed(*kinds):
    """A plan whose views take turns with these oracles."""
    plan = plan_of("oue")
    oracles = [kinds[i % len(kinds)](1.0, old.size) for i, old in enumerate(plan.oracles)]
    return replace(plan, oracles=tuple(oracles))


ROOT = Path(__file__).resolve().parents[2]
PLANS = {
    **{name: plan_of(name) for name in ORACLES},
    "numbers and bitmaps": mixed(GRR, OUE, SubsetSelection),
    "numbers and seeds": mixed(GRR, OLH),
    "all": mixed(*ORACLES.values()),
    # Some views have one cell, some more than a byte can number, and shares differ.
    "large": replace(
        METHODS["calm_plus"](epsilon=1.0, k=1, design="pairs").plan(
            cc.Domain(("a", "b", "c"), (1, 40, 30)), 10_000, rng=np.random.default_rng(1)
        ),
        weights=(1.0, 2.0, 3.0),
    ),
    "parities": METHODS["calm_plus"](epsilon=1.0, k=2, design="optimal").plan(
        cc.Domain(tuple("abcde"), (2, 2, 3, 2, 2)), 10_000, rng=np.random.default_rng(1)
    ),
}
every_plan = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)


def data_for(plan, n=3000):
    rng = np.random.default_rng(3)
    return cc.Dataset(rng.integers(0, plan.domain.sizes, size=(n, plan.domain.d)), plan.domain)


def content_of(plan):
    return report_part(data_for(plan), plan, seed=5, part=0)


@pytest.fixture
def write_file(tmp_path):
    """`written(plan, content)`: a report file."""

    def write(content):
        path = tmp_path / f"{hashlib.sha256(content).hexdigest()[:8]}.parquet"
        path.write_bytes(content)
        return path

    return write


def slow_tally(path, plan):
    """The referee: reports as the oracle makes them, counted by the oracle, view by view."""
    columns = ReportColumns(plan)
    rows = list(ReportFile(path, columns))
    views = np.concatenate([part.views for part in rows])
    bodies = np.concatenate([part.body for part in rows])
    seeds = np.concatenate([part.seeds for part in rows]) if columns.has_seeds else None
    support, people = [], []
    for view, (form, oracle) in enumerate(zip(columns.forms, plan.oracles)):
        body = bodies[views == view]
        if body.ndim == 1:
            body = np.array([list(int(x).to_bytes(form.width, "big")) for x in body], np.uint8)
        own = seeds[views == view] if form.has_seeds else None
        packed = body.reshape(-1, max(1, columns.width))[:, : form.width] if len(body) else body
        packed = packed.reshape(-1, form.width)
        support.append(oracle.support(form.unpack(np.ascontiguousarray(packed), own)))
        people.append(len(body))
    return np.concatenate(support), people


@every_plan
def test_what_is_counted_is_what_the_oracles_count(plan, write_file):
    path = write_file(content_of(plan))
    tally = tally_file(path, plan)
    support, people = slow_tally(path, plan)
    assert tally.support.tolist() == support.tolist()
    assert tally.people.tolist() == people and sum(people) == 3000
    assert tally.refused == (0,) * len(REASONS)


@pytest.mark.parametrize("kind", ORACLES.values(), ids=ORACLES)
@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 300])
def test_packed_reports_are_the_reports(kind, size, rng):
    oracle = kind(1.0, size)
    reports = oracle.perturb(rng.integers(size, size=200), rng=rng)
    packed = oracle.form.pack(reports)
    assert packed.shape == (200, oracle.form.width) and packed.dtype == np.uint8
    again = oracle.form.unpack(packed, oracle.form.seeds(reports))
    assert again.dtype == reports.dtype and (again == reports).all()


def test_counters_of_a_byte_are_emptied_in_time(write_file):
    """Each of 2,000 bitmaps has every bit: a counter of a byte would go round seven times."""
    plan = replace(plan_of("oue"), oracles=tuple(OUE(1.0, o.size) for o in plan_of("oue").oracles))
    columns = ReportColumns(plan)
    full = plan.oracles[1].form.pack(np.ones((2000, plan.oracles[1].size), dtype=bool))
    body = np.zeros((2000, columns.width), dtype=np.uint8)
    body[:, : full.shape[1]] = full
    path = write_file(columns.parquet(ReportRows(np.ones(2000, np.uint16), body, None), "x"))
    tally = tally_file(path, plan)
    first, size = plan.oracles[0].size, plan.oracles[1].size
    assert (tally.support[first : first + size] == 2000).all()
    assert tally.support.sum() == 2000 * size and tally.people.tolist()[1] == 2000


# ---------------------------------------------------------------- what a file holds


def test_the_columns_are_those_of_the_oracles():
    def types(name):
        return {name: str(kind) for name, kind in ReportColumns(PLANS[name]).types.items()}

    def fixed(name):
        return {
            "view": "uint16",
            "report": f"fixed_size_binary[{ReportColumns(PLANS[name]).width}]",
        }

    assert types("grr") == {"view": "uint16", "report": "uint8"}
    assert types("large") in ({"view": "uint16", "report": "uint16"}, fixed("large"))
    assert types("oue") == types("subset") == fixed("oue")
    assert types("olh") == {"view": "uint16", "report": "uint8", "seed": "uint64"}


@every_plan
def test_a_file_says_its_plan_and_holds_nothing_but_reports(plan, write_file):
    path = write_file(report_part(data_for(plan), plan, seed=5, part=2))
    schema = parquet.read_schema(path)
    about = {name.decode(): value.decode() for name, value in schema.metadata.items()}
    assert set(about) == {"schema_version", "plan", "plan_digest", "batch", "reports"}
    assert about["plan"] == plan_text(plan)
    assert about["plan_digest"] == hashlib.sha256(about["plan"].encode()).hexdigest()
    assert about["reports"] == "3000" and len(about["batch"]) == 32
    assert set(schema.names) <= {"view", "report", "seed"}


def test_rows_are_in_a_random_order(write_file):
    """The first half of the people has another value than the second; so far apart, GRR tells it."""
    domain = cc.Domain(("a", "b"), (2, 2))
    codes = np.repeat([[0, 0], [1, 1]], 20_000, axis=0)
    plan = METHODS["calm"](epsilon=9.0, k=2).plan(domain, 40_000, rng=np.random.default_rng(1))
    path = write_file(report_part(cc.Dataset(codes, domain), plan, seed=1, part=0))
    (rows,) = ReportFile(path, ReportColumns(plan))
    ones = rows.body == 3
    assert abs(ones[:20_000].sum() - ones[20_000:].sum()) < 6 * np.sqrt(40_000 / 4 * 2)
    # Nor are neighbors alike: changes from row to row are as many as in a shuffled list.
    assert abs(np.count_nonzero(np.diff(ones.astype(int))) - 20_000) < 6 * 100


@every_plan
def test_a_file_follows_from_seed_and_part_alone(plan):
    people = data_for(plan)
    one = report_part(people, plan, seed=5, part=2)
    assert report_part(people, plan, seed=5, part=2) == one
    # Not even from how much is drawn at once would show; every part and seed has its own noise.
    others = [report_part(people, plan, seed=s, part=p) for s, p in ((5, 3), (6, 2))]
    tables = [parquet.read_table(pa.BufferReader(content)) for content in (one, *others)]
    assert len({table.schema.metadata[b"batch"] for table in tables}) == 3
    assert not any(a["report"].equals(b["report"]) for a, b in combinations(tables, 2))


def test_reports_are_of_everybodys_own_cell(write_file):
    """With so large an epsilon every report of these people is the truth."""
    plan = plan_of("grr", epsilon=16.0)
    first = np.cumsum([0, *(oracle.size for oracle in plan.oracles)])[:-1]
    places = [DOMAIN.positions(view) for view in plan.views]
    for who in ((1, 2, 3, 1, 4, 1), (0, 2, 0, 1, 0, 0), (1, 0, 1, 0, 3, 1)):
        people = cc.Dataset(np.tile(who, (3000, 1)), DOMAIN)
        tally = tally_file(write_file(report_part(people, plan, seed=5, part=0)), plan)
        own = [np.ravel_multi_index(np.take(who, at), np.take(SIZES, at)) for at in places]
        assert tally.support[first + own].tolist() == tally.people.tolist(), who


def test_few_reports_at_a_time_are_reports_of_the_same_people(monkeypatch, write_file):
    plan = PLANS["oue"]
    monkeypatch.setattr(parts, "MAX_REPORT_CELLS", 1000)
    tally = tally_file(write_file(report_part(data(), plan, seed=5, part=0)), plan)
    assert tally.people.sum() == 3000 and tally.refused == (0,) * len(REASONS)


# ---------------------------------------------------------------- what is refused


def refused(plan, rows, written):
    tally = tally_file(written(ReportColumns(plan).parquet(rows, "x")), plan)
    return {reason: count for reason, count in zip(REASONS, tally.refused) if count}, tally


def rows_on(rows, view):
    return np.flatnonzero(rows.views == view)


def name_no_view(plan, rows):
    rows.views[:7] = plan.m
    rows.views[7:9] = 2**16 - 1
    return 9


def send_no_number(plan, rows):
    at = rows_on(rows, 1)
    rows.body[at[:5]] = ReportColumns(plan).forms[1].size
    rows.body[at[5:6]] = 255
    return 6


def send_other_bits(plan, rows):
    at = rows_on(rows, 1)
    rows.body[at[:3], 0] ^= 128
    rows.body[at[3:5], : plan.oracles[1].form.width] = 0
    return 5


def send_spare_bits(plan, rows):
    columns, total = ReportColumns(plan), 0
    for view, form in enumerate(columns.forms):
        at = rows_on(rows, view)[:2]
        if form.width < columns.width or form.bitmap and form.size % 8:
            place = -1 if form.width < columns.width else form.width - 1
            rows.body[at, place] |= 1
            total += len(at)
    return total


def send_needless_seeds(plan, rows):
    rows.seeds[rows_on(rows, 0)[:4]] = 99
    return 4


FORGERIES = [
    *((name, name_no_view, "no view of the plan") for name in PLANS),
    *((name, send_no_number, "no report on its view") for name in ("grr", "olh", "numbers and seeds")),
    ("subset", send_other_bits, "not as many bits as everybody sends"),
    *((name, send_spare_bits, "bits that stand for nothing")
      for name in ("oue", "subset", "numbers and bitmaps", "all", "large")),
    ("numbers and seeds", send_needless_seeds, "bits that stand for nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "forge", "reason"), FORGERIES)
def test_what_no_device_sends_is_refused_by_reason_and_the_rest_counted(
    name, forge, reason, write_file
):
    plan = PLANS[name]
    columns = ReportColumns(plan)
    (rows,) = ReportFile(write_file(content_of(plan)), columns)
    parts = [None if part is None else part.copy() for part in (rows.views, rows.body, rows.seeds)]
    forged = ReportRows(*parts)
    count = forge(plan, forged)
    why, tally = refused(plan, forged, write_file)
    assert why == {reason: count} and count and tally.people.sum() == 3000 - count
    same = (forged.views == rows.views) & (forged.body == rows.body).reshape(3000, -1).all(axis=1)
    if rows.seeds is not None:
        same &= forged.seeds == rows.seeds
    kept = ReportRows(
        *(None if part is None else part[same] for part in (rows.views, rows.body, rows.seeds))
    )
    assert refused(plan, kept, write_file)[1].support.tolist() == tally.support.tolist()


@pytest.mark.parametrize("name", ["grr", "oue", "olh"])
def test_missing_values_are_refused_and_nothing_else(name, tmp_path, write_file):
    plan = PLANS[name]
    whole = parquet.read_table(write_file(content_of(plan)))
    holes = np.zeros(3000, dtype=bool)
    holes[[0, 50, 51]] = True
    fields = [pa.field(f.name, f.type) for f in whole.schema]
    values = [pa.array(whole["view"].to_pylist(), pa.uint16(), mask=holes)]
    values += [whole[name].combine_chunks() for name in whole.column_names[1:]]
    table = pa.Table.from_arrays(values, schema=pa.schema(fields, whole.schema.metadata))
    parquet.write_table(table, tmp_path / "holes.parquet")
    tally = tally_file(tmp_path / "holes.parquet", plan)
    assert tally.refused == (3, *NONE_REFUSED[1:]) and tally.people.sum() == 2997


def test_a_file_of_another_plan_is_refused(write_file):
    path = write_file(report_part(data(), PLANS["grr"], seed=5, part=0))
    with pytest.raises(DataError, match="collected under another plan") as said:
        tally_file(path, PLANS["oue"])
    assert plan_digest(PLANS["grr"])[:12] in str(said.value)


def test_a_batch_counted_before_is_not_counted_again(write_file):
    plan = PLANS["grr"]
    path = write_file(report_part(data(), plan, seed=5, part=0))
    ((name, sha),) = tally_file(path, plan).batches
    assert sha == hashlib.sha256(path.read_bytes()).hexdigest()
    assert tally_file(path, plan, {name: sha}) is None
    with pytest.raises(InputError, match="another content"):
        tally_file(path, plan, {name: "0" * 64})


@pytest.mark.parametrize("name", ["grr", "all"])
def test_a_file_cut_short_or_changed_is_refused_and_never_half_counted(name, write_file):
    plan = PLANS[name]
    content = content_of(plan)
    whole = tally_file(write_file(content), plan)
    rng = np.random.default_rng(1)
    for cut in [0, 1, 4, 12, *rng.integers(len(content), size=12)]:
        with pytest.raises(DataError, match="damaged or cut short|no report file"):
            tally_file(write_file(content[:cut]), plan)
    for at in rng.integers(len(content), size=60):
        changed = bytearray(content)
        changed[at] ^= 1 << rng.integers(8)
        try:
            tally = tally_file(write_file(bytes(changed)), plan)
        except (DataError, InputError) as error:
            assert "\n" not in str(error)
        else:
            # What is changed where nothing is read shows in no number: pages carry checksums.
            assert tally.support.tolist() == whole.support.tolist()
            assert tally.people.tolist() == whole.people.tolist()


def forged_table(plan, written, *, schema=None, metadata=None, drop=()):
    table = parquet.read_table(written(content_of(plan)))
    about = {k: v for k, v in (table.schema.metadata | (metadata or {})).items() if k not in drop}
    table = table.drop_columns(list(schema)) if schema else table
    return table.replace_schema_metadata(about)


COLUMNS = "must have the columns view .uint16., report .uint8."
FORGED = (
    ({"drop": [b"batch"]}, "name its batch"),
    ({"metadata": {b"reports": b"2999"}}, "as many reports as it says"),
    ({"metadata": {b"batch": b"x" * 201}}, "name its batch"),
    ({"metadata": {b"schema_version": b"2"}}, "version 1"),
    ({"drop": [b"plan"]}, "no report file"),
    ({"metadata": {b"plan": b"{}"}}, "not the one it names"),
    ({"schema": ["view"]}, COLUMNS),
)


def test_a_file_that_is_not_what_it_says_is_refused(write_file, tmp_path):
    plan, path = PLANS["grr"], tmp_path / "forged.parquet"
    for changes, message in FORGED:
        parquet.write_table(forged_table(plan, write_file, **changes), path)
        with pytest.raises(DataError, match=message):
            tally_file(path, plan)
    table = forged_table(plan, write_file)
    parquet.write_table(table.set_column(1, "report", table["report"].cast(pa.uint16())), path)
    with pytest.raises(DataError, match=COLUMNS):
        tally_file(path, plan)


def test_columns_are_known_by_their_names_and_none_comes_twice(write_file, tmp_path):
    plan, path = PLANS["grr"], tmp_path / "forged.parquet"
    table = forged_table(plan, write_file)
    parquet.write_table(table.select(["report", "view"]), path)
    whole = tally_file(write_file(content_of(plan)), plan)
    assert (tally_file(path, plan).support == whole.support).all()
    for twice in (["view", "view", "report"], ["view", "report", "report"]):
        columns = [table[name] for name in twice]
        again = pa.Table.from_arrays(columns, names=twice)
        parquet.write_table(again.replace_schema_metadata(table.schema.metadata), path)
        with pytest.raises(DataError, match=COLUMNS):
            tally_file(path, plan)


@pytest.mark.skipif(sys.platform == "win32", reason="no file that is open is replaced there")
def test_what_is_hashed_is_what_is_counted(write_file, monkeypatch):
    """Another file takes the place of the one that is being read."""
    plan, digest = PLANS["grr"], hashlib.file_digest
    paths = [write_file(report_part(data(), plan, seed=5, part=part)) for part in (0, 1)]
    whole = tally_file(paths[0], plan)

    def meanwhile(file, kind):
        found = digest(file, kind)
        os.replace(paths[1], paths[0])
        return found

    monkeypatch.setattr(hashlib, "file_digest", meanwhile)
    tally = tally_file(paths[0], plan)
    assert not paths[1].exists()
    assert tally.batches == whole.batches and tally.support.tolist() == whole.support.tolist()


def test_data_of_another_domain_are_refused():
    other = cc.Domain(tuple("abcdeg"), SIZES)
    with pytest.raises(InputError, match="attributes of the plan, a, b, c"):
        report_part(cc.Dataset(data().codes, other), PLANS["grr"], seed=1, part=0)
    named = [tuple(f"{x}" for x in range(size)) for size in SIZES]
    there = cc.Domain(tuple("abcdef"), SIZES, labels=tuple(tuple(reversed(n)) for n in named))
    plan = replace(PLANS["grr"], domain=cc.Domain(tuple("abcdef"), SIZES, labels=tuple(named)))
    with pytest.raises(InputError, match="values of 'a' in the data .1, 0. must be"):
        report_part(cc.Dataset(data().codes, there), plan, seed=1, part=0)


def test_what_a_file_or_a_part_cannot_hold_is_refused(monkeypatch):
    monkeypatch.setattr(parts, "MAX_PEOPLE", 2999)
    with pytest.raises(InfeasibleError, match="3,000 people"):
        report_part(data(), PLANS["grr"], seed=1, part=0)
    views = tuple(combinations("abcdef", 2))[:1] * (2**16 + 1)
    plan = replace(PLANS["grr"], views=views, oracles=(GRR(1.0, 6),) * len(views))
    with pytest.raises(InfeasibleError, match="can number 65,536"):
        ReportColumns(plan)


# ---------------------------------------------------------------- another engine counts the same


def documented_query(word):
    page = (ROOT / "docs" / "tutorials" / "real-collection.md").read_text(encoding="utf-8")
    (query,) = [q for q in page.split("```sql\n")[1:] if word in q.split("```")[0]]
    return query.split("```")[0]


@pytest.mark.parametrize(
    ("name", "word"), [("grr", "report AS cell"), ("oue", "BIT"), ("subset", "BIT")]
)
def test_duckdb_counts_the_same(name, word, tmp_path, monkeypatch):
    plan = PLANS[name]
    (tmp_path / "parts").mkdir()
    for part in range(2):
        content = report_part(data(seed=part), plan, seed=5, part=part)
        (tmp_path / "parts" / f"part-{part}.parquet").write_bytes(content)
    tallies = [tally_file(path, plan) for path in sorted((tmp_path / "parts").iterdir())]
    support = sum(tally.support for tally in tallies)
    first = np.concatenate([[0], np.cumsum([oracle.size for oracle in plan.oracles])])
    found = np.zeros_like(support)
    monkeypatch.chdir(tmp_path)
    for view, cell, count in duckdb.sql(documented_query(word)).fetchall():
        found[first[view] + cell] += count
    assert found.tolist() == support.tolist()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads how much memory a process took at most")
def test_a_large_file_is_counted_in_little_memory(tmp_path):
    """4 million reports in one row group: 36 MB on disk, counted in a few MB more than a small one."""
    plan = PLANS["grr"]
    columns = ReportColumns(plan)
    paths = []
    for n in (1000, 4_000_000):
        rng = np.random.default_rng(1)
        views = rng.integers(plan.m, size=n, dtype=np.uint16)
        body = rng.integers(8, size=n, dtype=np.uint8)
        paths.append(tmp_path / f"{n}.parquet")
        paths[-1].write_bytes(columns.parquet(ReportRows(views, body, None), "x"))
    (tmp_path / "plan.json").write_text(plan_text(plan))
    code = """
import sys
from calm_core.collection.tally import tally_file
from calm_core.planning.plan_file import load_plan
for path in sys.argv[2:]:
    tally_file(path, load_plan(sys.argv[1]))
    (most,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
    print(int(most) / 1024)
"""
    command = [sys.executable, "-c", code, tmp_path / "plan.json", *paths]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=True)
    small, large = map(float, done.stdout.split())
    assert large - small < 40 and large < 512
