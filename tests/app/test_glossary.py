"""The glossary, and the dotted words that lead to it."""

import html

from pages.panels.learn import lessons
from pages.ui import display
from pages.words import glossary


def test_every_word_of_the_glossary_has_an_anchor_on_about(open_app):
    app = open_app("about")
    anchors = [heading.proto.anchor for heading in app.subheader]
    assert [anchor for anchor in anchors if anchor in glossary.WORDS] == list(glossary.WORDS)
    shown = " ".join(text.value for text in app.markdown)
    assert all(word.says in shown and word.papers in shown for word in glossary.WORDS.values())


def test_a_dotted_word_links_to_its_explanation_and_escapes_its_text():
    for anchor, word in glossary.WORDS.items():
        link = display.link_html(anchor, "a <b> & c")
        assert f'href="about#{anchor}"' in link and link.endswith(">a &lt;b&gt; &amp; c</a>")
        assert f'data-says="{word.says}"' in html.unescape(link)


def test_the_dotted_words_of_lessons_are_words_of_the_glossary():
    for lesson in lessons().values():
        marked = display.MARKED.findall(lesson.text.idea)
        assert all(anchor in glossary.WORDS for anchor, _ in marked)
        assert "[[" not in display.with_links(lesson.text.idea), lesson.key
        assert "[[" not in display.without_links(lesson.text.idea), lesson.key
