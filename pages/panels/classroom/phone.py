"""The page that phones open: one file, the same bytes for every survey, put together once."""

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from pages import words
from pages.ui.serving import policy_text

# What stays as it is written when spaces go: texts in quotation marks, and patterns, which a method follows or a bracket.
KEPT = re.compile(r'("(?:\\.|[^"\\\n])*"|(?<=[(= ])/(?![*/ ])(?:\\.|[^/\\\n])+/g?(?=[.,]))')
AROUND_SIGNS = re.compile(r" *([-+*/%=<>!&|?:;,(){}\[\]]) *")
DEVICE_END = "  /* ---- the other oracles ---- */"


@cache
def page() -> bytes:
    """The page, with the randomiser of `device.js` and the words of all languages in it.

    Examples
    --------
    >>> len(page()) < 30_000, b"Math.random" in page()
    (True, False)
    """
    text = Path(__file__).with_name("phone.html").read_text("utf-8")
    device = (files("calm_core.oracles") / "device.js").read_text("utf-8").split(DEVICE_END)[0]
    device += "return { grr: grr, cellOf: cellOf, below: below, word: secureWord };\n})();"
    # Texts of a key side by side: the keys are there once.
    table = {key: _side_by_side(key) for key in words.phone.TEXTS["en"]}
    said = json.dumps(table, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    text = re.sub(
        r"<script>(.*)</script>", lambda found: _script(found[1], device), text, flags=re.S
    )
    text = re.sub(r"<style>(.*)</style>", lambda found: _style(found[1]), text, flags=re.S)
    text = re.sub(r"\n\n+", "\n", text).replace(
        "LANGUAGES_OF_ALL", json.dumps(list(words.phone.TEXTS))
    )
    return text.replace("TEXTS_OF_ALL", said).encode()


def _side_by_side(key: str) -> str | list[str]:
    """The texts of a key in all languages as one; of several lines line by line."""
    said = [texts[key] for texts in words.phone.TEXTS.values()]
    if isinstance(said[0], str):
        return "|".join(map(str, said))
    return ["|".join(lines) for lines in zip(*said, strict=True)]


def _script(source: str, device: str) -> str:
    """Without comments and spaces that mean nothing; every line stays a line."""
    source = re.sub(r"/\*.*?\*/", "", source.replace("/*DEVICE*/", device), flags=re.S)
    parts = KEPT.split(re.sub(r"\n\s*", "\n", source))
    parts[::2] = [AROUND_SIGNS.sub(r"\1", part) for part in parts[::2]]
    return f"<script>{''.join(parts)}</script>".replace(";\n}", "}")


def _style(source: str) -> str:
    closer = re.sub(r"\s*([{};,])\s*|(?<=:)\s+", r"\1", source)
    return f"<style>{closer}</style>".replace(";}", "}")


@cache
def page_sha256() -> str:
    """What the page's bytes are known by: who mistrusts a server compares it with this file's."""
    return sha256(page()).hexdigest()


@cache
def page_policy() -> str:
    """The content policy of the page: its own script and style, known by their hashes, and nothing else."""
    text = page().decode()
    (script,), (style,) = (
        re.findall(rf"<{tag}>(.*)</{tag}>", text, re.S) for tag in ("script", "style")
    )
    script, style = (b64encode(sha256(part.encode()).digest()).decode() for part in (script, style))
    return policy_text(
        {
            "default-src": "'none'",
            "script-src": f"'sha256-{script}'",
            "style-src": f"'sha256-{style}'",
            "connect-src": "'self'",
            "img-src": "data:",
            "base-uri": "'none'",
            "form-action": "'none'",
            "frame-ancestors": "'none'",
        }
    )
