"""Rules of the architecture, checked in the source text of every module; ruff has more (pyproject.toml)."""

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
CORE = sorted((ROOT / "calm_core").rglob("*.py"))
APP = [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]
# Benchmarks measure time; browser tests wait for a server.
TESTS = [
    path
    for path in sorted((ROOT / "tests").rglob("test_*.py"))
    if not {"benchmarks", "browser"} & set(path.relative_to(ROOT).parts)
]

# The layers of the library from the bottom; a package imports from its own layer or below.
LAYERS = (
    ("errors", "text", "version"),
    ("_checks", "io", "runtime"),
    ("tables", "randomness", "oracles", "designs"),
    ("planning", "ingest"),
    ("collection", "amplification"),
    ("inference",),
    ("methods",),
    ("release",),
    ("evaluation", "settings", "classroom", "attacks", "assignments"),
    ("figures",),
    ("reports",),
    ("experiments",),
    ("cli",),
    ("__main__",),
)
LAYER = {package: layer for layer, packages in enumerate(LAYERS) for package in packages}
# Modules that work without the private records; the others of `collection` assign people to views,
# let them report into files, and pass parts of the data to the code that does so.
BLIND = (
    "calm_core.planning", "calm_core.collection.aggregation",
    "calm_core.collection.report_files", "calm_core.collection.tally",
    "calm_core.collection.states",
    "calm_core.inference",
    "calm_core.amplification",
    "calm_core.release",
)  # fmt: skip
SCREEN_LAYERS = ("words", "ui", "panels")
FUNCTION_LINES, MODULE_LINES, PAGE_LINES = 60, 600, 120
# Where a name may be compared, since it carries no ability.
NAMES_COMPARED = {
    "calm_core.cli.options": "typer says only by name where an option comes from",
    "calm_core.experiments.background": "how far a job is, not what it can do",
    "calm_core.ingest.readers.encoding": "Python knows encodings by name",
}
# Attributes that may be missing: those of system errors.
ATTRIBUTES_ASKED = {"calm_core.errors": {"errno"}, "calm_core.ingest.reading": {"strerror"}}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def module_of(path: Path) -> str:
    dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return dotted.removesuffix(".__init__")


MODULES = {module_of(path): path for path in [*CORE, *APP]}


# Parsed by the first rule, not by every process that only collects tests.
@cache
def tree(name: str) -> ast.Module:
    """The syntax tree of a module."""
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


@cache
def nodes(name: str) -> tuple[ast.AST, ...]:
    """All nodes of the syntax tree of a module."""
    return tuple(ast.walk(tree(name)))


@cache
def imports_of(name: str) -> set[str]:
    """All modules that are imported, inside functions too."""
    found = set()
    for node in nodes(name):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in MODULES else node.module)
    return found


@cache
def own_imports(name: str) -> set[str]:
    """All other modules of the project that are imported."""
    return {other for other in imports_of(name) if other in MODULES and other != name}


CORE_MODULES = [name for name in MODULES if name.split(".")[0] == "calm_core"]
SCREEN_MODULES = [name for name in MODULES if name not in CORE_MODULES]


def packages_of(name: str) -> set[str]:
    return {module.split(".")[0] for module in imports_of(name)}


def for_every_module(modules):
    """One test that applies a rule to every one of `modules`: thousands of tests are slow to report."""

    def test_of(rule):
        def test():
            broken = []
            for name in modules:
                try:
                    rule(name)
                except AssertionError as error:
                    broken.append(f"{name}: {error}")
            assert modules and not broken, "\n".join(broken)

        test.__name__, test.__doc__ = rule.__name__, rule.__doc__
        return test

    return test_of


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring."""
    documented = ast.get_docstring(function) and len(function.body) > 1
    start = function.body[1].lineno if documented else function.lineno
    return function.end_lineno - start + 1


def package_of(name: str) -> str:
    return name.split(".")[1]


@for_every_module([m for m in CORE_MODULES if m != "calm_core"])
def test_every_package_has_a_layer_and_imports_nothing_from_a_higher_one(name):
    assert package_of(name) in LAYER, "a new package needs its place in LAYERS"
    assert "calm_core" not in own_imports(name), "import from the package, not from calm_core"
    for other in own_imports(name):
        assert other.startswith("calm_core."), f"{other} is not the library's"
        assert LAYER[package_of(other)] <= LAYER[package_of(name)], f"{other} is in a higher layer"


def test_modules_have_no_import_cycle():
    try:
        TopologicalSorter({name: own_imports(name) for name in MODULES}).prepare()
    except CycleError as circle:
        pytest.fail(" imports ".join(reversed(circle.args[1])))


def test_packages_have_no_import_cycle():
    packages: dict[str, set[str]] = {}
    for name in CORE_MODULES:
        if name != "calm_core":
            packages.setdefault(package_of(name), set()).update(map(package_of, own_imports(name)))
    for package, others in packages.items():
        others.discard(package)
    try:
        TopologicalSorter(packages).prepare()
    except CycleError as circle:
        pytest.fail(" imports ".join(reversed(circle.args[1])))


@for_every_module([m for m in CORE_MODULES if m.startswith(BLIND)])
def test_modules_without_private_records_do_not_import_the_dataset(name):
    assert "calm_core.tables.dataset" not in own_imports(name)


@for_every_module(SCREEN_MODULES)
def test_pages_import_downward_only(name):
    def layer(module: str) -> int:
        part = module.split(".")[1] if "." in module else ""
        return SCREEN_LAYERS.index(part) if part in SCREEN_LAYERS else len(SCREEN_LAYERS)

    for other in own_imports(name):
        if other.startswith("pages"):
            assert layer(other) <= layer(name), f"{other} is in a higher layer"
        if other.startswith("pages.panels."):
            page = other.split(".")[2]
            if name == "app" and page == "classroom":
                continue  # Phones are served beside the pages.
            assert name == f"pages.{page}" or name.startswith(f"pages.panels.{page}"), (
                f"{other} belongs to the page {page}"
            )


@for_every_module(CORE_MODULES)
def test_the_library_imports_neither_streamlit_nor_pages(name):
    assert not packages_of(name) & {"streamlit", "pages", "app"}
    if package_of(name + ".") != "figures":
        assert "plotly" not in packages_of(name), "plotly belongs to calm_core/figures"


@for_every_module(MODULES)
def test_no_private_name_is_imported_from_another_module(name):
    for node in nodes(name):
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            for alias in node.names:
                private = alias.name.startswith("_") and not alias.name.endswith("__")
                assert not private or f"{node.module}.{alias.name}" in MODULES, alias.name


@for_every_module(MODULES)
def test_modules_and_functions_are_not_too_long(name):
    path = MODULES[name]
    page = path.parent == ROOT / "pages" or path.name == "app.py"
    limit = PAGE_LINES if page else MODULE_LINES
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= limit, f"{lines} lines; split it"
    for node in nodes(name):
        if isinstance(node, FUNCTIONS):
            inner = [
                sub for sub in ast.walk(node) if isinstance(sub, FUNCTIONS) and sub is not node
            ]
            lines = length(node) - sum(length(sub) for sub in inner)
            assert lines <= FUNCTION_LINES, f"{node.name} has {lines}"


def test_the_root_of_the_library_stays_small():
    assert len([*(ROOT / "calm_core").glob("*.py")]) <= 8


@for_every_module(TESTS)
def test_no_test_depends_on_time(path):
    text = path.read_text(encoding="utf-8")
    if not re.search(r"deadline|monotonic|perf_counter|time\s*\.\s*time", text):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            given = {keyword.arg for keyword in node.keywords}
            assert "deadline" not in given, "a deadline fails where the machine is busy"
        if isinstance(node, ast.Assert):
            clock = re.search(r"\b(monotonic|perf_counter|time\.time)\(", ast.unparse(node.test))
            assert not clock, "how long it took says how busy the machine is"


def test_no_profile_of_examples_has_a_deadline():
    for profile in ("same", "default"):
        assert settings.get_profile(profile).deadline is None


@for_every_module(MODULES)
def test_hasattr_is_not_used(name):
    for node in nodes(name):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "hasattr", (
                f"line {node.lineno}: let the type declare what it offers"
            )


def names_compared(name: str) -> set[int]:
    """Lines that compare the `.name` of a thing with a text, or with the `.name` of a class."""
    found = set()
    for node in nodes(name):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            asked = [
                side for side in sides if isinstance(side, ast.Attribute) and side.attr == "name"
            ]
            texts = [part for side in sides for part in getattr(side, "elts", [side])]
            literal = any(isinstance(t, ast.Constant) and isinstance(t.value, str) for t in texts)
            kinds = [a for a in asked if isinstance(a.value, ast.Name) and a.value.id[0].isupper()]
            if (asked and literal) or kinds:
                found.add(node.lineno)
    return found


def attributes_asked(name: str) -> set[str]:
    """Attributes read by `getattr(thing, "attribute", default)`."""
    return {
        node.args[1].value
        for node in nodes(name)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        and node.func.id == "getattr" and len(node.args) == 3
        and isinstance(node.args[1], ast.Constant)
    }  # fmt: skip


@for_every_module(CORE_MODULES)
def test_kinds_are_not_recognized_by_name_or_missing_attribute(name):
    lines = names_compared(name)
    assert bool(lines) == (name in NAMES_COMPARED), f"{lines}: let the type declare it"
    assert attributes_asked(name) == ATTRIBUTES_ASKED.get(name, set())


@for_every_module(MODULES)
def test_caches_are_bounded(name):
    """`lru_cache` keeps a given number of results; `cache` only what takes no arguments."""
    for node in nodes(name):
        if not isinstance(node, FUNCTIONS):
            continue
        for mark in node.decorator_list:
            kind = mark.func if isinstance(mark, ast.Call) else mark
            called = kind.id if isinstance(kind, ast.Name) else getattr(kind, "attr", "")
            if called == "cache":
                assert not node.args.args, f"{node.name} would keep every result for ever"
            if called == "lru_cache":
                assert isinstance(mark, ast.Call), f"{node.name} needs maxsize"
                (size,) = [word.value for word in mark.keywords if word.arg == "maxsize"]
                assert isinstance(size, ast.Constant) and size.value, node.name
