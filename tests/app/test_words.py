"""What the app says stands in pages/words, and what it rounds is rounded in one place."""

import ast
import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calm_core.evaluation.error_units import Band
from pages.words import bands, numbers, ranges, settings_bar, table

PAGES = Path(__file__).resolve().parents[2] / "pages"
WORDS = PAGES / "words"
SCREEN = [file for file in sorted(PAGES.rglob("*.py")) if file.parent != WORDS]
# Labels, titles and units may stand beside their widget; what is longer is a sentence.
LABEL = 6
MARKUP = re.compile(r"<style>.*?</style>|<[^>]*>?|[\w-]+:[^;\"]*;|:material/\w+:", re.DOTALL)
ROUNDED = re.compile(r"\.[0-9{].*[efg%]$")


def name_of(file: Path) -> str:
    return str(file.relative_to(PAGES))


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


@pytest.mark.parametrize("file", SCREEN, ids=name_of)
def test_sentences_stand_in_words(file):
    for line, text in texts(read(file)):
        said = MARKUP.sub(" ", text)
        words = re.findall(r"[^\W\d_]+", said)
        assert len(words) <= LABEL, f"line {line}: {text!r} belongs to pages/words"


@pytest.mark.parametrize("file", sorted(PAGES.rglob("*.py")), ids=name_of)
def test_numbers_are_rounded_in_one_place(file):
    if file == WORDS / "numbers.py":
        return
    for node in ast.walk(read(file)):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            spec = ast.unparse(node.format_spec)[2:-1]
            assert not ROUNDED.search(spec), f"line {node.lineno}: round by pages/words/numbers"


@pytest.mark.parametrize(
    ("write", "value", "expected"),
    [
        (numbers.error, 0.01124, "0.0112"),
        (numbers.error, 0.3, "0.300"),
        (numbers.error, 1234.5, "1,234"),
        (numbers.error, 1.392e-7, "1.4 × 10⁻⁷"),
        (numbers.amount, 10**12, "10¹²"),
        (numbers.amount, 1_234_567_890, "1,234,567,890"),
        (numbers.amount, 999_999_999, "999,999,999"),
        (numbers.size, 999_900, "1,000 kB"),
        (numbers.share, 0.25, "25.0%"),
        (numbers.share, 0.00042, "0.042%"),
        (numbers.share, 0.0, "0.0%"),
        (numbers.percent, 0.12345, "12.3%"),
        (numbers.digits, 0.000123456, "0.000123"),
        (numbers.digits, 0.0000123456, "1.23 × 10⁻⁵"),
        (numbers.digits, 2980.96, "2,981"),
        (numbers.digits, 1.7e300, "1.7 × 10³⁰⁰"),
        (numbers.count, 9_999_999, "9,999,999"),
        (numbers.count, 2**64, "1.8 × 10¹⁹"),
        (numbers.count, 10**400, "10⁴⁰⁰"),
        (numbers.rounded, 999_000_000, "1 billion"),
        (numbers.rounded, 21_144, "21,000"),
        (numbers.times, 2.97, "3.0"),
        (numbers.times, 1204.4, "1,204"),
        (numbers.odds, 1.9, "1.90"),
        (numbers.odds, 22026.47, "22,026"),
        (numbers.people, 73.1, "about 73"),
        (numbers.people, 99.95, "over 99.9"),
        (numbers.people, 0.04, "under 0.1"),
        (numbers.people_per_cell, 0.0321, "0.032"),
        (numbers.people_per_cell, 12_345.6, "about 12,346"),
        (numbers.duration, 89, "about 89 s"),
        (numbers.duration, 150, "about 2 min"),
    ],
)
def test_numbers_read_as_people_write_them(write, value, expected):
    assert write(value) == expected


def test_a_difference_is_that_of_the_shares_that_stand_beside_it(rng):
    for true, answered in rng.uniform(0.001, 0.999, (500, 2)):
        told = ranges.difference(true, answered)
        shown = [Decimal(numbers.share(share).rstrip("%")) for share in (true, answered)]
        off = f"{abs(shown[0] - shown[1])}" if shown[0] != shown[1] else "under 0.1"
        assert told == f"{off} points too {'low' if answered < true else 'high'}"
    assert ranges.difference(0.0004, 0.0121) == "1.2 points too high"
    assert ranges.difference(0.99964, 0.98) == "2.0 points too low"
    assert table.more(9, 0.004, 0.0) == ("9 more", "true under 1%", "released 0%")


@pytest.mark.parametrize(
    ("error", "guess", "said"),
    [(3.6, 7.9, "is off by ±7.9 points."), (7.1, 7.9, "would do nearly as well."),
     (7.9, 7.9, "would do as well."), (7.91, 7.89, "would do as well."),
     (12.0, 7.9, "would do better: it is off by ±7.9 points."), (0.4, 0.0, "would do better: it is off by ±0 points.")],
)  # fmt: skip
def test_which_is_better_is_said(error, guess, said):
    assert bands.sentence(Band.NOISE, error, 0.1, guess) == (f"Guessing equal shares {said}", "")


@given(
    st.lists(st.floats(1e-3, 70).map(lambda value: float(f"{value:.12g}")), unique=True, max_size=6)
)
@example([0.12, 0.1499, 0.1501, 0.21])
@example([1.1292, 1.1344])
def test_thresholds_are_told_apart(points):
    told = settings_bar.thresholds(points)
    assert len(set(told)) == len(points) and all(text.endswith(" points") for text in told)
