"""What the choices amount to: the domain, its cells, the rows."""

import math

import streamlit as st

from calm_core.ingest import Encoded
from pages import words
from pages.ui import escape, state


def show(encoded: Encoded) -> None:
    """Attributes, cells, users and the account of the rows."""
    settings = state.current()
    domain, report = encoded.dataset.domain, encoded.report
    cells = math.prod(domain.sizes)
    n = settings.n or encoded.dataset.n
    largest = math.prod(sorted(domain.sizes)[-settings.k :])
    a, b, c, d = st.columns(4)
    a.metric("Attributes", domain.d)
    b.metric("Cells of the full table", words.numbers.count(cells))
    c.metric("Users", f"{n:,}")
    d.metric(words.data.largest_title(settings.k), words.numbers.count(largest))
    st.write(words.data.full_table(n / cells, settings.k, n / largest))
    st.markdown(f":material/rule: {escape.sentence(report.sentence)}")
    for note in report.notes:
        st.caption(escape.sentence(note))
