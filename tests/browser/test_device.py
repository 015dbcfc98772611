"""device.js: the golden vectors, and the exact distribution of what the browser draws."""

import json
import os
import re
import socket
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from scipy.special import chdtri

import calm_core as cc
from calm_core.oracles import GRR, OLH, OUE, Parity, SubsetSelection
from calm_core.planning.plan_file import make_client_files, save_plan
from tests.browser.conftest import ROOT, eventually

PACKAGE = files("calm_core.oracles")
SOURCE = (PACKAGE / "device.js").read_text("utf-8")
VECTORS = json.loads((PACKAGE / "vectors.json").read_text("utf-8"))
REPLAY = """vectors => vectors.map(({ oracle, words, cell }) => {
    const script = words ? words.split(" ").map(word => parseInt(word, 16)) : [];
    let at = 0;
    const sent = CALM[oracle.name](oracle, cell, () => script[at++]);
    return { sent, drawn: at, given: script.length };
})"""
# What was sent how often for either of two cells; of a hash with its seed, which of the cells it fits. The words come
# from the same generator, many at a time: one by one takes minutes.
TALLY = """([oracle, cells, n]) => {
    const pool = new Uint32Array(16384);
    let at = pool.length;
    const word = () => {
        if (at === pool.length) { crypto.getRandomValues(pool); at = 0; }
        return pool[at++];
    };
    const fits = (sent, cell) => +(CALM.bucketOf(oracle, sent.seed, cell) === sent.report);
    return cells.map(cell => {
        const tally = {};
        for (let i = 0; i < n; i++) {
            const sent = CALM[oracle.name](oracle, cell, word);
            const key = sent.seed ? cells.map(one => fits(sent, one)).join("") : String(sent);
            tally[key] = (tally[key] || 0) + 1;
        }
        return tally;
    });
}"""
AUDITED = [
    (GRR(1.0, 4), 10**6), (Parity(1.0, 8, ((0, 1), (1, 2))), 10**6), (SubsetSelection(1.0, 4), 10**6),
    pytest.param(OUE(1.0, 4), 10**6, marks=pytest.mark.slow),
    # A million take a minute or two: the hash is computed in parts of 16 bits.
    pytest.param(OLH(1.0, 4), 10**6 if os.environ.get("CALM_WHOLE_LAW") else 10**5, marks=pytest.mark.slow),
]  # fmt: skip
# Epsilon, number of cells and draws; the whole of it is 4.8 million. The setting that must tell 2 % more epsilon has
# its draws in any case.
DRAWS = 400_000
FEWER = DRAWS if os.environ.get("CALM_WHOLE_LAW") else 10_000
LAWS = ((1, 4, FEWER), (2, 2, FEWER), (2, 4, DRAWS), (3, 8, FEWER), (4, 16, FEWER))


@pytest.fixture(scope="module")
def device(chromium):
    """A page with nothing but the file."""
    context = chromium.new_context()
    page = context.new_page()
    page.add_script_tag(content=SOURCE)
    yield page
    context.close()


def test_the_golden_vectors_are_what_the_browser_draws(device):
    found = device.evaluate(REPLAY, VECTORS)
    for vector, got in zip(VECTORS, found, strict=True):
        assert got["sent"] == vector["sent"] and got["drawn"] == got["given"], vector


def test_words_that_would_bias_a_remainder_are_drawn_again(device):
    script = """words => {
        let at = 0;
        return [CALM.below(words[0], () => words[1 + at++]), at];
    }"""
    assert device.evaluate(script, [7, 2**32 - 1, 2**32 - 1, 5]) == [5, 3]
    assert device.evaluate(script, [3, 2**32 - 1, 2]) == [2, 2]
    assert device.evaluate(script, [1, 2**32 - 1]) == [0, 1]


def distance(counts: list[int], oracle: GRR, cell: int) -> float:
    """Chi-square of what was drawn against p and q."""
    expected = np.full(oracle.size, oracle.q) * sum(counts)
    expected[cell] = oracle.p * sum(counts)
    return float(((np.array(counts) - expected) ** 2 / expected).sum())


def test_the_browser_draws_from_the_exact_distribution_and_two_percent_more_would_be_noticed(
    device,
):
    for epsilon, size, draws in LAWS:
        oracle, limit = GRR(epsilon, size), chdtri(size - 1, 1e-9)
        for cell in (0, size - 1):
            told = {"name": oracle.name, "size": oracle.size, **oracle.device}
            (tally,) = device.evaluate(TALLY, [told, [cell], draws])
            counts = [tally.get(str(sent), 0) for sent in range(size)]
            assert distance(counts, oracle, cell) < limit, (epsilon, size, cell)
            if draws == DRAWS:
                assert distance(counts, GRR(1.02 * epsilon, size), cell) > limit


@pytest.mark.parametrize("oracle, trials", AUDITED)
def test_an_audit_of_what_the_browser_sends(device, oracle, trials):
    """The confidence is so high because these draws differ in every run."""
    told = {"name": oracle.name, "size": oracle.size, **oracle.device}
    tallies = device.evaluate(TALLY, [told, [0, 1], trials // 2])
    rows = [(cell, sent) for cell, tally in enumerate(tallies) for sent in tally]
    counts = [count for tally in tallies for count in tally.values()]
    pairs = pd.DataFrame(rows, columns=["input", "output"]).loc[np.repeat(range(len(rows)), counts)]
    found = cc.attacks.audit(pairs, oracle.epsilon, confidence=1 - 1e-9)
    assert not found.broken and found.lower_bound > 0.8, found.sentence
    assert cc.attacks.audit(pairs, 0.7 * oracle.epsilon, confidence=1 - 1e-9).broken


def test_cells_are_row_major_and_impossible_answers_are_refused(device):
    assert device.evaluate("CALM.cellOf([2, 3, 4], [1, 2, 3])") == 23
    for answers in ([1], [1, 3, 0], [1, -1, 0], [1, 0.5, 0], [1, None, 0], [1, "1", 0]):
        refused = (
            "answers => { try { CALM.cellOf([2, 3, 4], answers) } catch (e) { return e.message } }"
        )
        assert device.evaluate(refused, answers)


def documented_code(kind: str, word: str) -> str:
    """The code block of the documentation that holds the word."""
    blocks = re.findall(
        rf"```{kind}\n(.*?)```",
        (ROOT / "docs" / "how-to" / "own-form.md").read_text("utf-8"),
        re.DOTALL,
    )
    (found,) = [block for block in blocks if word in block]
    return found


@pytest.fixture
def form(tmp_path):
    """The documented form and what receives it, on a port; the plan has a view of every oracle."""
    domain = cc.Domain(
        ("a", "b", "c"), (2, 3, 5), labels=(("no", "yes"), tuple("xyz"), tuple("pqrst"))
    )
    plan = cc.make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    views = (("a", "b"), ("b", "c"), ("a", "c"), ("a", "b", "c"))
    kinds = (GRR, OLH, OUE, SubsetSelection)
    oracles = tuple(kind(1.0, domain.cells_of(view)) for kind, view in zip(kinds, views))
    plan = replace(plan, views=views, oracles=oracles, weights=())
    save_plan(tmp_path / "plan.json", plan)
    for name, content in make_client_files(plan).items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "index.html").write_text(documented_code("html", "CALM.report"))
    (tmp_path / "receive.py").write_text(documented_code("py", "Receiver"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "receive.py", str(port)]
    server = subprocess.Popen(command, cwd=tmp_path)
    try:
        answers(port)
        yield f"http://127.0.0.1:{port}", tmp_path
    finally:
        server.terminate()
        server.wait(timeout=20)


def answers(port: int) -> None:
    """Wait until something listens there."""

    def look() -> None:
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) == 0

    eventually(look)


def test_reports_of_the_form_in_the_readme_are_counted(chromium, form, call):
    address, folder = form
    for person in range(3):
        context = chromium.new_context()
        page = context.new_page()
        page.goto(address)
        page.get_by_role("button", name="Send").wait_for()
        for choice in page.locator("select").all():
            choice.select_option(index=person % 2)
        page.get_by_role("button", name="Send").click()
        page.get_by_text("Thank you").wait_for()
        if person < 1:
            # Sent again, it is the same report.
            page.reload()
            page.get_by_role("button", name="Send").click()
            page.get_by_text("Thank you").wait_for()
        context.close()
    lines = (folder / "reports.jsonl").read_text().splitlines()
    assert len(lines) == 4 and len(set(lines)) == 3
    asked = (
        folder / "reports.jsonl",
        "--plan",
        folder / "plan.json",
        "--out",
        folder / "state.json",
    )
    done = call("aggregate", *asked)
    assert done.status == 0 and "holds 3 reports of 1 batch," in done.err, done.err
    assert "1 report refused (1 for sent before)" in done.err
    assert call("answer", folder / "state.json", "--attrs", "a").status == 0


def test_views_are_drawn_with_the_shares_of_the_plan(device):
    views = [
        {"share": share} for share in ("4000000000000000", "8000000000000000", "ffffffffffffffff")
    ]
    script = """views => { const counts = [0, 0, 0];
        for (let i = 0; i < 20000; i++) counts[CALM.viewFor({ views })]++;
        return counts; }"""
    counts = np.array(device.evaluate(script, views))
    expected = 20000 * np.array([1 / 4, 3 / 8, 3 / 8])
    assert ((counts - expected) ** 2 / expected).sum() < chdtri(2, 1e-9)
