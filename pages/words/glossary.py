"""The glossary: one term per thing, its meaning here, and the papers' term."""

from types import SimpleNamespace

from pages.words.texts import read_texts

TITLE = "Glossary"
LEAD = "One word for one thing everywhere in this app. In italics: what papers call it."

# By anchor: /about#ghost. Of each the `word` as it stands in headings, what it `says` in one sentence of plain text, and
# what `papers` call it, "" where they say the same.
WORDS = {
    anchor: SimpleNamespace(**{"papers": ""} | word)
    for anchor, word in read_texts("glossary").items()
}
