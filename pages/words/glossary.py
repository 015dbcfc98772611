"""The glossary: one term per thing, its meaning here, and the papers' term."""

from dataclasses import dataclass

from pages.words.texts import read_texts


@dataclass(frozen=True)
class Word:
    """One term of the screen.

    Attributes
    ----------
    word : str
        As it stands in headings.
    says : str
        What it means, in one sentence of plain text.
    papers : str
        What papers call it; "" where they say the same.
    """

    word: str
    says: str
    papers: str = ""


TITLE = "Glossary"
LEAD = "One word for one thing everywhere in this app. In italics: what papers call it."

# By anchor: /about#ghost.
WORDS = {anchor: Word(**word) for anchor, word in read_texts("glossary").items()}
