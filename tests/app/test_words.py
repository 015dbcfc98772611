"""Sentences stand in pages/words, and numbers are rounded in one place."""

import ast
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from string import Formatter

import pyphen
import pytest

from pages import words
from pages.words.texts import Texts, read_texts

PAGES = Path(__file__).resolve().parents[2] / "pages"
WORDS = PAGES / "words"
# Components hold JavaScript, and the check of Streamlit's version writes to the log.
ELSEWHERE = (WORDS, PAGES / "ui" / "components", PAGES / "ui" / "streamlit_compat.py")
SCREEN = [p for p in sorted(PAGES.rglob("*.py")) if not {p, p.parent} & {*ELSEWHERE}]
# Labels, titles and units may stand beside their widget; what is longer is a sentence.
LABEL = 6
MARKUP = re.compile(r"<style>.*?</style>|<[^>]*>?|[\w-]+:[^;\"]*;|:material/\w+:", re.DOTALL)
# What has one word on screen has no other: released is reconstructed, a user a person, a ghost a repeat, a remedy
# a suggestion, predicted expected. Nobody is “her”, and spelling is American.
OTHER_WORDS = re.compile(
    r"\b(released|estimates?|ghosts?|imagined|users?|visits?|collectors?|remed(y|ies)|proposals?|way out|predict(ed|ions?)"
    r"|told|asked of|in all(?! cells)|hers?|she|licence|colours?|neighbours?|learnt"
    r"|(random|normal|general|factor|optim|minim|maxim|recogn|organ)is\w*)\b",
    re.IGNORECASE,
)
PAPERS = re.compile(r"\b(marginals?(?! tables?\b)|SSE|[k\d]-way)\b")
FIELD = re.compile(r"\{[^}]*\}")
ROUNDED = re.compile(r"\.[0-9{].*[efg%]$")


def read(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def docstrings(tree: ast.Module) -> set[int]:
    """Every string that is a statement of its own."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def texts(tree: ast.Module) -> list[tuple[int, str]]:
    """Line and text of every string; what is filled in counts as one word."""
    skipped, found = docstrings(tree), []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "x" for part in node.values]
            found.append((node.lineno, "".join(parts)))
            skipped |= {id(part) for part in ast.walk(node) if part is not node}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in skipped:
                found.append((node.lineno, node.value))
    return found


def test_sentences_stand_in_words():
    for file in SCREEN:
        for line, text in texts(read(file)):
            said = re.findall(r"[^\W\d_]+", MARKUP.sub(" ", text))
            assert len(said) <= LABEL, f"{file}, line {line}: {text!r} belongs to pages/words"


def test_one_thing_has_one_word():
    said = {
        file.stem: read_texts(file.stem)
        for file in WORDS.glob("*.toml")
        if file.stem != "about" and "." not in file.stem
    }
    said |= {"phone": words.languages.PHONE["en"], "printed": words.classroom.PRINTED["en"]}

    def check(where: str, part) -> None:
        if isinstance(part, str):
            assert not (found := OTHER_WORDS.search(FIELD.sub("x", part))), (
                f"{where}: {found} in {part!r}"
            )
        elif isinstance(part, dict | list):
            for name, one in part.items() if isinstance(part, dict) else enumerate(part):
                # What papers call it stands in the glossary.
                if name != "papers":
                    check(f"{where} {name}", one)

    for name, part in said.items():
        check(name, part)
    for file in SCREEN:
        for line, text in texts(read(file)):
            if " " in text.strip():
                check(f"{file}, line {line}:", text)


def test_numbers_are_rounded_in_one_place():
    for file in PAGES.rglob("*.py"):
        for node in ast.walk(read(file)):
            if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
                spec = ast.unparse(node.format_spec)[2:-1]
                rounded = ROUNDED.search(spec) and file != WORDS / "numbers.py"
                assert not rounded, f"{file}, line {node.lineno}: round by pages/words/numbers"


def modules_of_words(tree: ast.Module) -> dict[str, str]:
    """The modules of words that a file knows by another name, alone or among others."""
    known = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            names, values = node.targets[0], node.value
            for name, value in zip(
                getattr(names, "elts", [names]), getattr(values, "elts", [values])
            ):
                if re.fullmatch(r"words\.\w+", ast.unparse(value)):
                    known[ast.unparse(name)] = ast.unparse(value)
    return known


def test_every_text_asked_for_is_there_and_every_text_is_asked_for():
    names = set()
    for file in PAGES.rglob("*.py"):
        tree = read(file)
        known = modules_of_words(tree) | {"TEXTS": f"words.{file.stem}"}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                names.add(node.attr)
                owner, _, module = known.get(text := ast.unparse(node.value), text).partition(".")
                if owner == "words" and hasattr(words, module):
                    assert hasattr(getattr(words, module), node.attr), f"{file}: {node.attr}"
            elif isinstance(node, ast.ImportFrom):
                names |= {alias.name for alias in node.names}
    for file in WORDS.glob("*.toml"):
        module = getattr(words, file.stem, None)
        if isinstance(module, Texts) or hasattr(module, "TEXTS"):
            assert set(read_texts(file.stem)) <= names, file


def test_texts_are_filled_with_the_fields_they_have():
    filled = 0
    for file in PAGES.rglob("*.py"):
        tree = read(file)
        known = modules_of_words(tree)
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call):
                continue
            owner, _, text = ast.unparse(call.func).rpartition(".")
            module = known.get(owner, owner).removeprefix("words.")
            fill = getattr(getattr(words, module, None), text, None)
            if isinstance(fill, partial):
                fields = {
                    field.split(".")[0]
                    for _, field, _, _ in Formatter().parse(fill.args[0])
                    if field
                }
                given = {keyword.arg for keyword in call.keywords}
                assert not call.args and given == fields, f"{file}, line {call.lineno}: {text}"
                filled += 1
    assert filled > 60


# A syllable more for each five, which hyphenation does not separate.
UNSEEN_SYLLABLES = 1.2
EVERYBODY = ("start", "learn", "lessons", "lecture", "classroom", "common")


@pytest.mark.parametrize("name", EVERYBODY)
def test_texts_for_everybody_can_be_read_after_nine_years_of_school(name):
    """Flesch and Kincaid's grade of all sentences of a file."""
    syllables = pyphen.Pyphen(lang="en_US", left=1, right=1)
    sentences = [text for text in longer_texts(read_texts(name)) if len(text.split()) > 5]
    said = [re.findall(r"[A-Za-z']+", text) for text in sentences]
    words_said = [word for text in said for word in text]
    ends = sum(max(1, len(re.findall(r"[.!?:](?:\s|$)", text))) for text in sentences)
    spoken = UNSEEN_SYLLABLES * sum(syllables.inserted(word).count("-") + 1 for word in words_said)
    grade = 0.39 * len(words_said) / ends + 11.8 * spoken / len(words_said) - 15.59
    assert len(words_said) > 10 and grade < 9, f"{name}: grade {grade:.1f}"


def longer_texts(part) -> Iterator[str]:
    """All texts of a file, without marks and fields."""
    if isinstance(part, str):
        yield FIELD.sub("5", re.sub(r"\[\[(?:[^|\]]*\|)?([^\]]*)\]\]|[*`]", r"\1", part))
    elif isinstance(part, dict | list):
        for one in part.values() if isinstance(part, dict) else part:
            yield from longer_texts(one)
