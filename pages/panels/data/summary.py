"""What the choices amount to: the domain, its cells, the rows."""

import math
from collections.abc import Collection

import streamlit as st

from calm_core.ingest import Encoded
from pages import words
from pages.ui import escape, frame, glossary_link, state


def rows(encoded: Encoded, elsewhere: Collection[str]) -> None:
    """The account of the rows and columns: whatever was left out or changed is said.

    Parameters
    ----------
    encoded : Encoded
    elsewhere : collection of str
        Notes that "What we saw" tells.
    """
    cells = math.prod(encoded.dataset.domain.sizes)
    with st.container(key="rows"):
        st.markdown(escape.sentence(words.data.rows(encoded.report, cells)))
        for note in encoded.report.notes:
            if note not in elsewhere and not frame.lecture():
                st.caption(escape.sentence(note))
        if not frame.lecture():
            glossary_link.say(words.data.TERMS, quiet=True)


def show(encoded: Encoded) -> None:
    """Attributes, cells and people."""
    settings, domain = state.current(), encoded.dataset.domain
    cells = math.prod(domain.sizes)
    n = settings.n or encoded.dataset.n
    largest = math.prod(sorted(domain.sizes)[-settings.k :])
    a, b, c, d = st.columns(4)
    a.metric("Attributes", domain.d)
    b.metric("Cells of the full table", words.numbers.count(cells))
    c.metric("People", words.numbers.amount(n))
    d.metric(words.data.largest_title(settings.k), words.numbers.count(largest))
    st.write(words.data.full_table(n / cells, settings.k, n / largest))
