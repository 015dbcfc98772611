"""Reports as lines of JSON: counted as files of Parquet are, whatever comes with them."""

import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import calm_core as cc
from calm_core.collection.parts import resolve_report_files
from calm_core.collection.report_files import LINES, NO_LINE, REASONS, LineFile, ReportColumns
from calm_core.collection.tally import tally_file
from calm_core.errors import DataError, InputError
from calm_core.oracles import GRR, OLH, ORACLES, OUE, Parity, SubsetSelection
from calm_core.planning.plan_file import make_client_files, make_device_plan, plan_digest
from tests.oracles.scripted_draws import Scripted, write_report

DOMAIN = cc.Domain(("a", "b", "c"), (2, 3, 7))


def plan_by(*kinds):
    """A plan of two views, each by its oracle."""
    views = (("a", "b"), ("b", "c"))
    plan = cc.make_plan(DOMAIN, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))

    oracles = tuple(kind(1.0, DOMAIN.cells_of(view)) for kind, view in zip(kinds, views))
    return replace(plan, views=views, oracles=oracles, weights=())


def plan_by_parities():
    """A plan of a view of three attributes of two values, asked in two ways."""
    domain = cc.Domain(("x", "y", "z"), (2, 2, 2))
    plan = cc.make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    ways = ((0, 1), (1, 2)), ((0,), (1, 2))
    oracles = tuple(Parity(1.0, 8, parities) for parities in ways)
    return replace(plan, views=(domain.names,) * 2, oracles=oracles, weights=())


PLANS = {kind.name: plan_by(kind, kind) for kind in ORACLES.values()} | {
    "mixed": plan_by(GRR, OUE), "sets": plan_by(SubsetSelection, GRR), "hashed": plan_by(OLH, OUE),
    "parities": plan_by_parities(),
}  # fmt: skip


def rows_of(plan, number: int = 200) -> list[dict]:
    """What so many devices send."""
    rng, rows = np.random.default_rng(3), []
    for i in range(number):
        view = i % plan.m
        oracle = plan.oracles[view]
        words = rng.integers(2**32, size=400).tolist()
        report = write_report(oracle, int(rng.integers(oracle.size)), Scripted(words))
        more = report if isinstance(report, dict) else {"report": report}
        rows.append({"plan": plan_digest(plan), "id": f"{i:032x}", "view": view} | more)
    return rows


def write(path, rows):
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


@pytest.mark.parametrize("name", PLANS)
def test_lines_are_counted_as_the_oracle_counts_the_reports(name, tmp_path):
    plan = PLANS[name]
    rows = rows_of(plan)
    tally = tally_file(write(tmp_path / "r.jsonl", rows), plan)
    assert tally.people.tolist() == [100, 100] and not any(tally.refused)
    expected = []
    for view, oracle in enumerate(plan.oracles):
        reports = []
        for row in rows:
            if row["view"] != view:
                continue
            if oracle.form.has_seeds:
                reports.append(np.array([int(row["seed"], 16), row["report"]], dtype=np.uint64))
            elif oracle.form.bitmap:
                reports.append(np.array([int(bit) for bit in row["report"]]))
            else:
                reports.append(row["report"])
        expected += oracle.support(np.stack(reports)).tolist()
    assert tally.support.tolist() == expected


def test_what_is_no_report_is_refused_and_counted_by_reason(tmp_path):
    plan, mixed = PLANS["grr"], PLANS["mixed"]
    good = rows_of(plan, 4)
    one = good[0]
    bad = {
        "no line of JSON": ["{", "[1]", "3", '"x"', "[" * 9999, '{"plan": "\\ud800'],
        "a value is missing": [{**one, "id": None}, {"plan": one["plan"]}],
        "an id that is not 32 digits of 0 to 9 and a to f": [{**one, "id": "x"}, {**one, "id": "F" * 32}],
        "of another plan": [{**one, "plan": "0" * 64}],
        "no view of the plan": [{**one, "view": v} for v in (-1, 2, 65536, 0.0, True, "0", 2**70)],
        "no report on its view": [
            *({**one, "report": v} for v in (-1, 6, 2**70, 1.0, True, "1", [1])), {**one, "seed": "0" * 16},
        ],
        "sent before": [good[1], {**good[2], "report": 0}],
    }  # fmt: skip
    rows = [*good, *(row for some in bad.values() for row in some)]
    tally = tally_file(write(tmp_path / "r.jsonl", rows), plan)
    found = {reason: count for reason, count in zip(REASONS, tally.refused) if count}
    assert found == {reason: len(some) for reason, some in bad.items()} and tally.people.sum() == 4
    # Bitmaps and seeds.
    bits = rows_of(mixed, 2)
    wrong = [{**bits[1], "report": v} for v in ("01", "2" * 21, 3, "0" * 22)]
    assert tally_file(write(tmp_path / "m.jsonl", [*bits, *wrong]), mixed).refused[2] == 4
    sets = rows_of(PLANS["subset"], 2)
    many = {**sets[0], "id": "f" * 32, "report": "111111"}
    assert tally_file(write(tmp_path / "s.jsonl", [*sets, many]), PLANS["subset"]).refused[4] == 1
    # Two parities are four classes, not eight cells.
    sums = rows_of(PLANS["parities"], 2)
    wrong = [{**sums[0], "id": f"{v}" * 32, "report": v} for v in (4, 7)]
    lines = write(tmp_path / "p.jsonl", [*sums, *wrong])
    assert tally_file(lines, PLANS["parities"]).refused[2] == 2
    hashed = rows_of(PLANS["olh"], 2)
    seeds = [
        {**hashed[0], "id": f"{i}" * 32, "seed": v} for i, v in enumerate(("x", 7, None, "A" * 16))
    ]
    assert tally_file(write(tmp_path / "h.jsonl", [*hashed, *seeds]), PLANS["olh"]).refused[2] == 4


def test_a_file_that_has_grown_is_not_counted_twice(tmp_path):
    plan = PLANS["grr"]
    rows = rows_of(plan, 9)
    first = tally_file(write(tmp_path / "r.jsonl", rows[:5]), plan)
    known = dict(first.batches)
    assert tally_file(tmp_path / "r.jsonl", plan, known) is None
    with pytest.raises(InputError, match="another content"):
        tally_file(write(tmp_path / "r.jsonl", rows), plan, known)


def test_blank_lines_and_other_ends_of_lines_do_not_count(tmp_path):
    texts = [json.dumps(row) for row in rows_of(PLANS["mixed"], 40)]
    content = "\r\n".join(texts[:20]) + "\n\n \n" + "\n".join(texts[20:]) + "\n{"
    (tmp_path / "r.jsonl").write_bytes(content.encode())
    found = tally_file(tmp_path / "r.jsonl", PLANS["mixed"])
    assert found.people.sum() == 40 and sum(found.refused) == 1


@pytest.mark.slow
def test_a_line_without_end_is_refused_and_never_held(tmp_path):
    plan = PLANS["oue"]
    first, *others = [json.dumps(row) for row in rows_of(plan, 3)]
    lines = [first, " " * 10 + "7" * 40_000_000, *others, "x" * 30_000_000]
    (tmp_path / "r.jsonl").write_text("\n".join(lines))
    del lines
    # What counts is compiled before.
    tally_file(write(tmp_path / "small.jsonl", rows_of(plan, 1)), plan)
    tracemalloc.start()
    tally = tally_file(tmp_path / "r.jsonl", plan)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert tally.people.sum() == 3 and tally.refused[NO_LINE] == 2 and most < 10_000_000


def test_what_is_counted_is_what_was_hashed(tmp_path):
    plan, path = PLANS["grr"], tmp_path / "r.jsonl"
    texts = [json.dumps(row) + "\n" for row in rows_of(plan, 400)]
    # More than is read at once.
    first = "".join(texts[:300])
    path.write_text(first)
    file = LineFile(path, ReportColumns(plan))
    with path.open("a") as more:
        more.writelines(texts[300:])
    assert sum(len(rows.views) for rows in file) == 300
    for other in ("".join(texts[1:]), texts[0]):
        path.write_text(first)
        file = LineFile(path, ReportColumns(plan))
        path.write_text(other)
        with pytest.raises(DataError, match="was changed while it was read"):
            list(file)


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_only_ordinary_files_are_read(name, tmp_path):
    (tmp_path / name).mkdir()
    with pytest.raises(InputError, match="must be an ordinary file; check the path"):
        tally_file(tmp_path / name, PLANS["grr"])


def test_a_file_of_another_plan_an_empty_and_a_missing_one_are_sentences(tmp_path):
    path = write(tmp_path / "r.jsonl", rows_of(PLANS["grr"], 3))
    with pytest.raises(DataError, match="no report of the plan"):
        tally_file(path, PLANS["oue"])
    with pytest.raises(DataError, match="is empty"):
        tally_file(write(tmp_path / "e.jsonl", ["", " "]), PLANS["oue"])
    with pytest.raises(DataError, match="cannot be read"):
        tally_file(tmp_path / "none.jsonl", PLANS["oue"])


def test_a_folder_holds_files_of_both_kinds(tmp_path):
    for name in ("b.jsonl", "a.parquet", "c.txt"):
        (tmp_path / name).write_text("")
    assert [path.name for path in resolve_report_files([tmp_path])] == ["a.parquet", f"b{LINES}"]


def test_a_device_knows_every_view_and_how_often_each_comes():
    plan = replace(PLANS["mixed"], weights=(1.0, 3.0))
    three = replace(
        plan, views=(*plan.views, ("a", "c")), weights=(), oracles=(*plan.oracles, GRR(1.0, 14))
    )
    shares = [int(view["share"], 16) / 2**64 for view in make_device_plan(three)["views"]]
    assert shares == pytest.approx([1 / 3, 1 / 2, 1])
    told = make_device_plan(plan)
    assert [view["oracle"]["name"] for view in told["views"]] == ["grr", "oue"]
    assert [view["sizes"] for view in told["views"]] == [[2, 3], [3, 7]]
    assert int(told["views"][0]["share"], 16) == 2**62
    files = make_client_files(plan)
    assert (
        files["calm.js"] and json.loads(files["device.json"]) and json.loads(files["vectors.json"])
    )


def test_client_writes_the_files_of_a_form_and_overwrites_nobodys(call, tmp_path):
    from calm_core.planning.plan_file import save_plan

    save_plan(tmp_path / "plan.json", PLANS["grr"])
    asked = ("client", "--plan", tmp_path / "plan.json", "--out", tmp_path / "site")
    for _ in range(2):
        done = call(*asked)
        assert done.status == 0 and "calm.js, device.json, vectors.json written" in done.err
    (tmp_path / "site" / "calm.js").write_text("mine")
    done = call(*asked)
    assert done.status == 2 and "there already" in done.err
    assert (tmp_path / "site" / "calm.js").read_text() == "mine"
