"""What the screen calls attributes and values; the glossary, and the dotted words that lead to it."""

import html

from hypothesis import example, given
from hypothesis import strategies as st

from calm_core.tables.domain import Domain
from pages.ui import display
from pages.words import glossary

DOMAIN = Domain(
    ("female", "drank_month", "smoked", "smoked_ever", "a_very_long_name_of_a_file"),
    (2, 2, 2, 2, 2),
    (("0", "1"), ("0", "1"), ("no", "yes"), ("never", "ever"), ("0", "1")),
    titles=("Sex", "Drank last month", "Smoked last month", "Smoked last monday",
            "a_very_long_name_of_a_file"),
    shorts=("", "Drank", "", "", ""),
    value_names=(("man", "woman"), (), (), ("Never", ""), ("", "")),
)  # fmt: skip


def test_values_have_their_names_or_no_and_yes_or_their_labels():
    called = {name: display.value_labels(DOMAIN, name) for name in DOMAIN.names}
    assert called == {
        "female": ("man", "woman"), "drank_month": ("no", "yes"), "smoked": ("no", "yes"),
        "smoked_ever": ("Never", "ever"), "a_very_long_name_of_a_file": ("no", "yes"),
    }  # fmt: skip
    assert not display.is_yes_no(DOMAIN, "female") and display.is_yes_no(DOMAIN, "drank_month")


def test_short_titles_are_given_or_made_of_the_first_words_and_distinct():
    assert display.short_title(DOMAIN, "female") == "Sex"
    assert display.short_title(DOMAIN, "drank_month") == "Drank"
    assert display.short_title(DOMAIN, "smoked") == "…last month"
    assert display.short_title(DOMAIN, "smoked_ever") == "…last monday"
    assert display.short_title(DOMAIN, "a_very_long_name_of_a_file") == "a_very_long_nam…"
    assert display.short_title(DOMAIN.project(("smoked", "female")), "smoked") == "Smoked last"


@given(
    titles=st.lists(st.text("ab ?ü", min_size=1, max_size=60), min_size=1, max_size=4),
    width=st.integers(8, 20),
)
@example(titles=["Do you live in a town?"], width=14)
@example(titles=["aaaaaaaaaa b aaaaaaaaaa", "aaaaaaaaaa c aaaaaaaaaa"], width=9)
def test_short_titles_fit_and_are_distinct(titles, width):
    names = tuple(f"q{i}" for i in range(len(titles)))
    domain = Domain(names, (2,) * len(names), titles=tuple(titles))
    found = [display.short_title(domain, name, width) for name in names]
    assert max(map(len, found)) <= width and len(set(found)) == len(found)


def test_the_title_of_a_table_keeps_the_spelling_of_column_names():
    domain = Domain(
        ("age", "bread_a_day", "Car", "sex"), (2,) * 4, titles=("age", "bread_a_day", "Car", "Sex")
    )
    named = display.table_question
    assert named(domain.project(("age", "bread_a_day", "Car"))) == "bread_a_day and Car, by age?"
    assert named(domain.project(("age", "sex"))) == "age and sex?"
    assert named(domain.project(("sex",))) == "Sex?"
    long = Domain(("Bread_and_butter_a_day", "c"), (2, 2))
    assert named(long) == "Bread_and_butte… and c?"


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
