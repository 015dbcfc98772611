"""Wording of the page Attack."""

from pages.words.texts import Texts

TEXTS = Texts("attack")
__getattr__ = TEXTS.__getattr__
