"""Every code block of the documentation runs, and the site builds without a link to another server."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from calm_core.cli import app
from calm_core.experiments.reproduce import FIGURES
from calm_core.methods import METHODS
from calm_core.version import __version__

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"((?:^<!-- .*? -->\n)*)^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Text that shows a structure rather than a program.
NOT_CODE = {"text"}


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks_of(page: Path) -> list[tuple[str, str, str]]:
    """The comments before each code block, its language and its text."""
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.fixture
def workplace(tmp_path, monkeypatch) -> Path:
    """An empty folder with the samples in it, as in a clone."""
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_blocks_run(page, workplace, call, capsys):
    names: dict = {}
    for comments, language, text in blocks_of(page):
        if language in NOT_CODE or "<!-- not run: " in comments:
            continue
        if tests := re.findall(r"<!-- run by (\S+) -->", comments):
            # That test reads this page.
            assert page.name in (ROOT / tests[0]).read_text(encoding="utf-8"), tests[0]
        elif language == "python":
            exec(compile(text, name_of(page), "exec"), names)
        elif language == "bash":
            for line in text.replace("\\\n", " ").strip().splitlines():
                program, *words = shlex.split(line)
                assert program == "calm-lab", f"{line}: say why it is not run"
                done = call(*words)
                assert done.status == 0, f"{line}\n{done.err}"
        else:
            # The README's commands are read by the scripts that run them.
            assert re.search(r"<!-- (app|tests) -->", comments), f"nobody runs this block:\n{text}"


@pytest.mark.slow
@pytest.mark.parametrize("notebook", sorted((ROOT / "docs").rglob("*.ipynb")), ids=name_of)
def test_notebooks_run(notebook, workplace, capsys):
    """The answer has its interval."""
    names: dict = {}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), name_of(notebook), "exec"), names)
    said = capsys.readouterr().out
    assert re.search(r"points \(\S+ to \S+\) between people", said), said


def test_every_command_and_its_options_are_documented():
    """A command is on the page of the command line; an option that a page names exists."""
    from typer.main import get_command

    commands = get_command(app).commands
    text = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    assert [name for name in commands if f"`{name}" not in text] == []
    known = {
        option for command in commands.values() for p in command.params for option in p.opts
    } | {"--help"}
    settings = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(--[a-z-]+)", settings + text)) <= known


def test_every_method_and_figure_named_exists_and_no_method_is_missing():
    text = (ROOT / "docs" / "reference" / "methods.md").read_text(encoding="utf-8")
    keys = re.findall(r"^\| (`[a-z0-9_`, ]+) \|", text, re.MULTILINE)
    documented = set(re.findall(r"`([a-z0-9_]+)`", " ".join(keys)))
    # A method is complete once its numbers are recorded; then it is documented as well.
    recorded = json.loads((ROOT / "tests" / "reference" / "releases.json").read_text("utf-8"))
    assert {*recorded} <= documented <= {*METHODS}
    everything = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = set(re.findall(r"reproduce ([a-z0-9-]+)", everything)) - {"--help"}
    assert named <= {*FIGURES}


def test_benchmarks_named_exist():
    everything = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = set(re.findall(r"tests\.benchmarks\.(\w+)", everything))
    assert [n for n in named if not (ROOT / "tests" / "benchmarks" / f"{n}.py").exists()] == []


def test_one_version_everywhere_and_the_newest_changes_are_of_it_or_of_the_next():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^## (.*)$", changes, re.MULTILINE)
    assert newest[0] in ("Unreleased", __version__) and __version__ in newest
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_license_of_every_direct_dependency_is_listed():
    """All others too, by `.ci/release`: they differ by system and version."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["app"]]
    page = (ROOT / "docs" / "reference" / "licenses.md").read_text(encoding="utf-8")
    assert [one for one in wanted if f"| {re.split('[~>=]', one)[0]} |" not in page] == []


def test_the_readme_is_one_page_and_a_half():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.slow
def test_the_site_builds_and_asks_no_other_server(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "--site-dir", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, env={"NO_MKDOCS_2_WARNING": "1", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = re.compile(
        r"""<(?:script|img|iframe|link|source)[^>]*?(?:src|href)=["']?(?:https?:)?//[^"' >]+"""
    )
    for page in tmp_path.rglob("*.html"):
        foreign = [tag for tag in loaded.findall(page.read_text("utf-8")) if "canonical" not in tag]
        assert not foreign, f"{page.relative_to(tmp_path)}: {foreign}"
