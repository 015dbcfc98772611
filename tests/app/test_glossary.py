"""The glossary, and the dotted words that lead to it."""

import html
import re

import pytest

from pages.ui import glossary_link
from pages.words import glossary

# UI.md, section 10, and the band of section 3.
LISTED = (
    "epsilon local-privacy report collector curator attribute cell table k d n view group l m theta "
    "collection released true point typical band ghost noise sampling rebuilding consistent oracle "
    "equal-shares sse"
).split()


def test_every_word_has_its_anchor_on_about(open_app):
    app = open_app("about")
    anchors = [heading.proto.anchor for heading in app.subheader]
    assert [anchor for anchor in anchors if anchor in glossary.WORDS] == LISTED
    told = " ".join(text.value for text in app.markdown)
    for word in glossary.WORDS.values():
        assert word.says in told and word.papers in told


def test_words_of_papers_are_found():
    told = " ".join(word.papers for word in glossary.WORDS.values())
    for word in (
        "marginal",
        "users",
        "estimate",
        "reconstructed by maximum entropy",
        "SSE",
        "server",
    ):
        assert word in told, word


@pytest.mark.parametrize("anchor", LISTED)
def test_a_dotted_word_leads_to_its_anchor_and_says_what_it_means(anchor):
    link = glossary_link.term(anchor)
    assert f'href="about#{anchor}"' in link
    assert f'data-says="{glossary.WORDS[anchor].says}"' in html.unescape(link)


def test_a_dotted_word_shows_its_text_literally():
    shown = glossary_link.term("sse", "a <b> & c")
    assert re.search(r">a &lt;b&gt; &amp; c</a>$", shown)
    assert glossary_link.term("sse").endswith(">SSE</a>") and glossary_link.term("ghost").endswith(
        ">ghost</a>"
    )
