"""What would help: single changes, each predicted before anything is collected, with a button."""

import streamlit as st

from calm_core.settings import Settings
from pages import words
from pages.ui import remedies

# Rows as high as their button and no more, unless a narrow screen needs a second line for the hint.
STYLE = (
    "<style>[class*='st-key-offer_'] { padding: 4px 8px 4px 14px !important; gap: 12px !important;"
    " border-radius: 12px !important; } .st-key-offers { gap: 6px !important; }"
    " .st-key-reasons { gap: 8px !important; }"
    " [class*='st-key-offer_'] [data-testid=stHtml] :is(b, .band) { white-space: nowrap; }</style>"
)


def show(settings: Settings, measured: float) -> None:
    """One row per remedy: the change, the points promised, the band, Apply."""
    now = words.errors.now(remedies.predicted(settings), measured)
    st.html(STYLE)
    st.markdown(f"{words.errors.HELP} {now}")
    with st.container(key="offers"):
        for offer in remedies.offers(settings):
            _row(offer)


def _row(offer: remedies.Offer) -> None:
    row = st.container(
        key=f"offer_{offer.id}",
        horizontal=True,
        vertical_alignment="center",
        border=True,
        wrap=False,
    )
    with row:
        st.html(
            f'<b style="font-weight:650">{offer.label}</b> '
            f'<span style="color:var(--calm-muted)">{remedies.hint(offer)}</span>',
            width="stretch",
        )
        st.html(_promise(offer), width="content")
        st.button(
            words.errors.APPLY, key=f"apply_{offer.id}", on_click=remedies.apply, args=(offer,)
        )


def _promise(offer: remedies.Offer) -> str:
    if offer.points is None or offer.band is None:
        return f'<span style="color:var(--calm-muted)">{words.warnings.NO_FORMULA}</span>'
    sign, word = words.bands.SIGNS[offer.band], words.bands.WORDS[offer.band]
    number = words.numbers.points(offer.points, unit=False)
    return (
        '<b style="font-size:1.3rem;font-weight:700;font-variant-numeric:tabular-nums;vertical-align:middle">'
        f'{number}</b> &nbsp;<span class="band {offer.band.value}">{sign} {word}</span>'
    )
