"""The phone page as it is sent: its size, its languages, and what must not be in it."""

import re
import shutil
import subprocess

import pytest

from calm_core.classroom.survey import LANGUAGES
from pages.panels.classroom.phone import _minify_script as minify_script
from pages.panels.classroom.phone import phone_page
from pages.words.classroom import PRINTED
from pages.words.languages import PHONE as TEXTS

PAGE = phone_page().decode()
SCRIPT = re.search(r"<script>(.*)</script>", PAGE, re.DOTALL)[1]
FILLED = re.compile(r"\{\w+\}")
# Without what people read.
CODE = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', SCRIPT)


def test_every_browser_since_2013_reads_it():
    for new in ("=>", "`", "...", "?.", "??", "**", "fetch("):
        assert new not in CODE, new
    assert not re.search(r"\b(let|const|class|async|await|import)\b(?!:)| of ", CODE)


def test_chance_comes_from_the_browsers_generator_alone():
    assert "Math.random" not in PAGE and "Date" not in CODE and "performance" not in CODE
    assert CODE.count("getRandomValues") == 2


def test_nothing_is_loaded_from_anywhere():
    assert not re.search(r"https?://", PAGE)
    assert re.findall(r'(?:src|href)="([^"]*)"', PAGE) == ["data:,"]
    assert PAGE.count("<script") == 1 and PAGE.count("<style") == 1
    assert not re.search(r"\bon[a-z]+=\"|style=\"|innerHTML|outerHTML|document\.write|eval", PAGE)


def test_every_language_says_everything():
    assert list(TEXTS) == ["en", "de", "fr", "es"]
    keys = list(TEXTS["en"])
    for language, texts in TEXTS.items():
        assert list(texts) == keys, language
        for key, text in texts.items():
            lines, english_lines = (
                (said,) if isinstance(said, str) else said for said in (text, TEXTS["en"][key])
            )
            for line, english in zip(lines, english_lines, strict=True):
                assert line.strip() and "|" not in line
                assert sorted(FILLED.findall(line)) == sorted(FILLED.findall(english))
                assert language == "en" or line != english, (language, key)


# Of the experiment with liars, in a survey that has it alone.
LIARS = {"liars", "chosen", "chosen_text", "unused", "agree", "honest", "lied"}


def test_nobody_is_said_to_lie():
    for texts in TEXTS.values():
        plain = [text for key, text in texts.items() if key not in LIARS]
        said = " ".join(t if isinstance(t, str) else " ".join(t) for t in plain).lower()
        assert not re.search(r"\b(lie[sd]?|lying|lüg\w*|ment\w*|mient\w*)\b", said)
    assert "protected" in TEXTS["en"]["done_text"]


def test_every_text_is_used_and_every_text_used_is_there():
    said = {*re.findall(r'"([a-z_]+)"', re.sub(r"TEXTS=\{.*?\},LANGUAGES", "", SCRIPT))}
    composed = {f"{key}_text" for key in said}
    assert set(TEXTS["en"]) - said - composed - {"name", "about"} == set()


def test_spaces_go_but_those_of_a_text_or_a_pattern_stay():
    source = 'a = "b , c" + d; /* why */\n  if (/^e = f$/.test(g)) h( " (i) " );\n'
    wanted = 'a="b , c"+d;\nif(/^e = f$/.test(g))h(" (i) ");\n'
    assert minify_script(source, "") == f"<script>{wanted}</script>"


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node to read the script")
def test_the_minify_script_script_is_a_script(tmp_path):
    (tmp_path / "page.js").write_text(SCRIPT)
    read = subprocess.run(["node", "--check", tmp_path / "page.js"], capture_output=True)
    assert read.returncode == 0, read.stderr.decode()[-500:]


def test_what_is_printed_is_in_every_language():
    assert tuple(PRINTED) == LANGUAGES
    shapes = {(*texts, *(len(lines) for _, lines in texts["advice"])) for texts in PRINTED.values()}
    assert len(shapes) == 1 and all(all(texts.values()) for texts in PRINTED.values())
