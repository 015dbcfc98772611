"""A test for each thing that `streamlit_compat` knows of Streamlit.

Its routes are in test_several_processes.py, where a server runs; what browsers see is in tests/browser.
"""

import re
from pathlib import Path

import pytest
import streamlit as st

from pages.ui import streamlit_compat

ROOT = Path(__file__).resolve().parents[2]
STATIC = Path(st.__file__).parent / "static"
SELECTOR = re.compile(
    r"data-testid|data-test-|\bst(Main|App|Layout|Vertical|Horizontal|Element|Sidebar|Header)"
)


def test_this_version_was_tried_and_pyproject_allows_no_other():
    assert not streamlit_compat.version_warning()
    allowed = re.search(r'"streamlit([^"]*)"', (ROOT / "pyproject.toml").read_text())[1]
    series = streamlit_compat.TRIED_VERSIONS[-1].rpartition(".")[0]
    assert allowed == f"~={series}.0"


def test_the_page_has_inline_scripts_whose_hashes_are_known():
    assert len(streamlit_compat.inline_script_hashes()) == (
        (STATIC / "index.html").read_text("utf-8").count("<script>")
    ) >= 1  # fmt: skip


@pytest.mark.parametrize("name", streamlit_compat.SELECTORS)
def test_streamlits_scripts_name_what_our_scripts_look_for(name):
    text = "".join(path.read_text("utf-8") for path in (STATIC / "static" / "js").glob("*.js"))
    for word in re.findall(r"[\w-]+", streamlit_compat.SELECTORS[name]):
        if word not in ("data-testid", "button"):
            # React writes an attribute's name as a property.
            camel = re.sub(r"-(\w)", lambda match: match[1].upper(), word)
            assert word in text or camel in text, word


def test_only_the_compatibility_module_and_one_style_sheet_name_streamlits_elements():
    named = [
        f"{path.relative_to(ROOT)}: {line.strip()[:80]}"
        for kind in ("py", "js", "css")
        for path in (ROOT / "pages").rglob(f"*.{kind}")
        if path.name not in ("streamlit_compat.py", "frame.css")
        for line in path.read_text("utf-8").splitlines()
        if SELECTOR.search(line)
    ]
    assert not named, named
