"""What the choices amount to: the domain, its cells, the rows."""

import math

import streamlit as st

from calm_core.figures.theme import power_of_ten
from calm_core.ingest import Encoded
from pages.ui import escape, state


def size_in_words(cells: int) -> str:
    """A number of cells, short even where it is astronomical.

    >>> size_in_words(512), size_in_words(2**64)
    ('512', '1.8 × 10¹⁹')
    """
    if cells < 10_000_000:
        return f"{cells:,}"
    power = int(math.log10(cells))
    return (
        f"{cells / 10**power:.1f} × {power_of_ten(power)}" if power < 300 else power_of_ten(power)
    )


def show(encoded: Encoded) -> None:
    """Attributes, cells, users and the account of the rows."""
    settings = state.current()
    domain, report = encoded.dataset.domain, encoded.report
    cells = math.prod(domain.sizes)
    n = settings.n or encoded.dataset.n
    largest = math.prod(sorted(domain.sizes)[-settings.k :])
    a, b, c, d = st.columns(4)
    a.metric("Attributes", domain.d)
    b.metric("Cells of the full table", size_in_words(cells))
    c.metric("Users", f"{n:,}")
    d.metric(f"Cells of the largest {settings.k}-way table", size_in_words(largest))
    full = n / cells
    st.write(
        f"Over all cells there are {_per(full)} users each: "
        + ("few enough cells to ask for the full table." if full > 1000 else
           "far too few to ask for the full table, so views of a few attributes are asked for.")
        + f" The largest table over {settings.k} attributes has {_per(n / largest)} users per cell."
    )  # fmt: skip
    st.markdown(f":material/rule: {escape.sentence(report.sentence)}")
    for note in report.notes:
        st.caption(escape.sentence(note))


def _per(users: float) -> str:
    return f"about {users:,.0f}" if users >= 10 else f"{users:.2g}"
