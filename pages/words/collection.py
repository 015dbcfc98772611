"""Wording of the page about an open collection."""

from pages.words.texts import Texts

TEXTS = Texts("collection")
__getattr__ = TEXTS.__getattr__
