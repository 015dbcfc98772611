"""Run with the installed package only, in an empty folder: samples, a release, the notebook."""

import json
from pathlib import Path

import calm_core as cc
from calm_core.ingest.samples import load_sample
from calm_core.reports import notebook

here = Path.cwd()
assert here not in Path(cc.__file__).parents or "venv" in Path(cc.__file__).parts
assert (Path(cc.__file__).parent / "py.typed").exists()
assert json.loads(Path("plan.json").read_text())["l"] >= 2

dataset = load_sample("survey", d=4).dataset
settings = {"epsilon": 1.0, "k": 2}
outcome = cc.run(dataset, cc.make_method("calm", **settings), seed=1, queries=5)
text = notebook(
    "sample:survey",
    method="calm",
    method_settings=settings,
    load_settings={"d": 4},
    run_settings={"seed": 1, "queries": 5},
    expected_sse=float(outcome.scores.sse.mean()),
)
names: dict = {}
for cell in json.loads(text)["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), names)
