"""Run with the installed package only, in an empty folder: samples, a release, the notebook."""

import json
from pathlib import Path

import calm_core as cc
from calm_core.ingest.samples import load_sample
from calm_core.reports import notebook
from calm_core.settings import Settings

here = Path.cwd()
assert here not in Path(cc.__file__).parents or "venv" in Path(cc.__file__).parts
assert (Path(cc.__file__).parent / "py.typed").exists()
assert json.loads(Path("plan.json").read_text())["l"] >= 2

dataset = load_sample("survey", d=4).dataset
outcome = cc.run(dataset, cc.make_method("calm", epsilon=1.0, k=2), seed=1, queries=5)
text = notebook(Settings(d=4, k=2, seed=1, queries=5), outcome)
names: dict = {}
for cell in json.loads(text)["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), names)
