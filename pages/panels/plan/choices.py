"""What Algorithm 1 chooses elsewhere: Table 2 of the paper, and noise over epsilon."""

import streamlit as st

from calm_core.figures import plan as figures
from calm_core.planning.plan import Plan
from pages import words
from pages.ui import cached, frame, pictures


def show(plan: Plan) -> None:
    """Table 2 for the numbers of people and attributes nearest to now; figure 3 below it."""
    frame.title(words.plan.TABLE_2_TITLE)
    with frame.side():
        st.markdown(words.plan.TABLE_2)
        n = st.segmented_control(
            "People n", [2**16, 2**18], default=2**16 if plan.n < 2**17 else 2**18,
            format_func=lambda n: f"{n:,}", key="table_n", required=True,
        )  # fmt: skip
        d = st.segmented_control(
            "Attributes d, two values each", [8, 16, 32],
            default=min((8, 16, 32), key=lambda d: abs(d - plan.domain.d)),
            key="table_d", required=True,
        )  # fmt: skip
    table = cached.get_result("table2", (n, d), lambda: figures.table_of_choices(n, d))
    pictures.show(
        "table2", (n, d, plan.epsilon, plan.k),
        lambda: (figures.choices_map(table, (plan.epsilon, plan.k)), words.plan.table_2(n, d)),
        caption=False,
    )  # fmt: skip
    st.subheader(words.plan.noise_title(plan.k), anchor=False)
    st.caption(words.plan.NOISE_CURVES)
    chosen = min(plan.choice.l, plan.domain.d)
    shown = (plan.n, plan.domain.sizes, plan.k, plan.theta, plan.epsilon, chosen)
    pictures.show(
        "noise_curves", shown,
        lambda: (figures.noise_curves(*shown), words.plan.noise(chosen)), caption=False,
    )  # fmt: skip
