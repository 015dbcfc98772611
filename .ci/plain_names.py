"""plain_names.py FILE-OR-FOLDER ...: refuse public names that no colleague would say.

A public function, class or module is not a bare participle, pronoun, preposition or adjective: a function is a verb
with its object, a value a noun with its qualifier. Words of a dialect that this project once had are refused in any
name. Names of tests are sentences, and are left out. Exits with 1 and a line for each name found.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

IRREGULAR = (
    "told kept held gone made found left sent drawn shown seen begun known given taken put met said meant built "
    "heard begged bought brought caught chosen done felt forgotten gotten grown hidden lost paid read run sold spent "
    "spoken stood stolen thought thrown understood woken won written yours mine ours theirs own its his her hers him "
    "they them it he she we you i who whom whose which that this these those all both each every either neither some "
    "any none other others another same such among above below beneath beside besides between beyond by of off on "
    "onto out over past per since through till to toward towards under until up upon with within without after "
    "against along around at before behind for from in inside into like near"
).split()
# Usual words of the field, of Python or of statistics that have a forbidden shape.
ALLOWED = {
    "read", "run", "filter", "encoding", "rounding", "missing", "string", "bring", "setting", "mapping", "screen",
    "seed", "speed", "need", "feed", "open", "token", "children", "listen", "flatten", "whiten", "shorten", "coarsen",
    "widen", "mixed", "stacked", "covering", "ordered", "refused", "broken", "Run", "Toward",
}  # fmt: skip
PARTICIPLE = re.compile(r"^[a-z]+(ed|ing|en)$")
# A module may be named by its activity, as in "planning".
ACTIVITY = re.compile(r"^[a-z]+ing$")
DIALECT = re.compile(
    r"(^|_)(told|attend|attended|hears?|heard|fates?|desk|tied|belongings|shelf|shelves|senses|hands|mine|nobody|"
    r"somebody|whoever|likes?_of|more_of|ways_out|and_one|how_many|of_plan)(_|$)"
)


def public_names(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of every public function and class of a file, nested ones in functions left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    waiting: list[ast.AST] = [tree]
    while waiting:
        for node in waiting.pop().body:  # pyright: ignore[reportAttributeAccessIssue]
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                if not node.name.startswith(("_", "test_")):
                    yield node.lineno, node.name
                if isinstance(node, ast.ClassDef):
                    waiting.append(node)


def problem(name: str) -> str:
    """What is wrong with a name, or an empty string."""
    word = name.lower()
    if name in ALLOWED:
        return ""
    if DIALECT.search(word):
        return "a word that only this project used"
    if word in IRREGULAR:
        return "a bare participle, pronoun or preposition"
    if PARTICIPLE.match(word) and name[0].islower():
        return "a bare participle"
    if re.match(r"(of|among|beyond|within)_", word):
        return "begins with a preposition"
    return ""


def main(places: list[str]) -> int:
    """Print what is refused; the exit status."""
    files = [
        file
        for place in map(Path, places)
        for file in ([place] if place.is_file() else sorted(place.rglob("*.py")))
    ]
    count = 0
    for file in files:
        module = [] if ACTIVITY.match(file.stem) else [(1, file.stem)]
        for line, name in [*module, *public_names(file)]:
            if why := problem(name):
                count += 1
                print(f"{file}:{line}: {name}: {why}")
    return bool(count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
