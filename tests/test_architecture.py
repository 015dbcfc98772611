"""The house rules, checked from the source text."""

import ast
import re
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
CORE = sorted((ROOT / "calm_core").rglob("*.py"))
APP = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]
APP = [path for path in APP if path.exists()]
# Benchmarks measure time; the browser's tests wait for a server.
TESTS = [
    path
    for path in sorted((ROOT / "tests").rglob("test_*.py"))
    if not {"benchmarks", "browser"} & set(path.parts)
]

# The pipeline's order: a module imports only from modules on its own line or above.
ORDER = (
    "errors",
    "_checks",
    "_counting",
    "domain",
    "marginal",
    "residuals",
    "dataset",
    "streams",
    "ingest",
    "designs",
    "oracles",
    "planning",
    "plans",
    "collecting",
    "aggregating",
    "consistency",
    "methods",
    "metrics",
    "prediction",
    "running",
    "worlds",
)
FUNCTION_LINES, MODULE_LINES, PAGE_LINES = 75, 420, 150
# A compiled inner loop cannot be cut without paying for calls.
LONGER = {"tabu_steps": 110}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def length(function: ast.FunctionDef) -> int:
    """Lines of a function without its docstring."""
    documented = ast.get_docstring(function) and len(function.body) > 1
    start = function.body[1].lineno if documented else function.lineno
    return function.end_lineno - start + 1


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def top_level_imports(path: Path) -> set[str]:
    found = set()
    for node in tree_of(path).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("path", CORE, ids=name_of)
def test_core_never_imports_the_screen(path):
    packages = {module.split(".")[0] for module in imports_of(path)}
    assert "streamlit" not in packages
    assert "pages" not in packages
    if not path.name.startswith("figures") and "figures" not in path.parts:
        assert "plotly" not in packages, "plotly belongs to calm_core/figures"


@pytest.mark.parametrize("path", CORE, ids=name_of)
def test_imports_follow_the_pipeline(path):
    own = path.relative_to(ROOT / "calm_core").parts[0].removesuffix(".py")
    if own not in ORDER:
        return
    later = set(ORDER[ORDER.index(own) + 1 :])
    for module in top_level_imports(path):
        if module.startswith("calm_core."):
            assert module.split(".")[1] not in later, f"{module} comes later in the pipeline"


@pytest.mark.parametrize("path", [*CORE, *APP], ids=name_of)
def test_no_ambient_randomness(path):
    text = path.read_text(encoding="utf-8")
    ambient = r"np\.random\.(seed|rand|randn|randint|random|choice|binomial|permutation|shuffle)\("
    assert not re.search(ambient, text)
    assert "import random" not in text


@pytest.mark.parametrize("path", CORE, ids=name_of)
def test_nothing_after_collect_names_the_dataset(path):
    blind = {"aggregating", "consistency", "nonnegativity", "reconstruction", "shrinkage"}
    own = path.relative_to(ROOT / "calm_core").parts[0].removesuffix(".py")
    if own in blind:
        assert "calm_core.tables.dataset" not in imports_of(path)


@pytest.mark.parametrize("path", [*CORE, *APP], ids=name_of)
def test_no_outliers_in_size(path):
    limit = PAGE_LINES if path.parent == ROOT / "pages" or path.name == "app.py" else MODULE_LINES
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= limit, f"{lines} lines; split it"
    for node in ast.walk(tree_of(path)):
        if isinstance(node, FUNCTIONS):
            inner = [
                sub for sub in ast.walk(node) if isinstance(sub, FUNCTIONS) and sub is not node
            ]
            lines = length(node) - sum(length(sub) for sub in inner)
            assert lines <= LONGER.get(node.name, FUNCTION_LINES), f"{node.name} is too long"


@pytest.mark.parametrize("path", TESTS, ids=name_of)
def test_no_test_depends_on_time(path):
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call):
            given = {keyword.arg for keyword in node.keywords}
            assert "deadline" not in given, "a deadline fails where the machine is busy"
        if isinstance(node, ast.Assert):
            clock = re.search(r"\b(monotonic|perf_counter|time\.time)\(", ast.unparse(node.test))
            assert not clock, "how long it took says how busy the machine is"


def test_no_profile_of_examples_has_a_deadline():
    for profile in ("same", "default"):
        assert settings.get_profile(profile).deadline is None


@pytest.mark.parametrize("path", [*CORE, *APP], ids=name_of)
def test_errors_are_not_swallowed(path):
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ExceptHandler):
            assert node.type is not None, "a bare except hides bugs"
            assert not all(isinstance(part, ast.Pass) for part in node.body) or not (
                isinstance(node.type, ast.Name) and node.type.id in {"Exception", "BaseException"}
            )
