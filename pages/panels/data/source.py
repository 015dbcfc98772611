"""Where the table comes from: an upload, a sample, or a population made to order."""

import io
import json
from pathlib import Path

import streamlit as st

from calm_core.errors import TooLargeError
from calm_core.ingest import LIMITS, UPLOADS, ReadOptions
from calm_core.ingest.populations import KINDS, check_codes, make_population
from calm_core.ingest.readers import EXTENSIONS
from calm_core.ingest.samples import SAMPLES
from calm_core.io.csv_export import safe_csv
from calm_core.settings import upload_digest
from pages import words
from pages.panels.data import shared
from pages.ui import cached, escape, notices, state
from pages.ui.error_boundary import show_errors
from pages.ui.jobs import waiting_page
from pages.ui.uploads import session_store

LOOKS = Path(__file__).with_name("data.css")
FOUND = "found out"
SEPARATORS = {
    FOUND: None,
    "comma": ",",
    "semicolon": ";",
    "tab": "\t",
    "vertical bar": "|",
    "space": " ",
}
ENCODINGS = (
    FOUND,
    "utf-8",
    "cp1252",
    "utf-16",
    "latin-1",
    "cp1250",
    "cp1251",
    "gb18030",
    "shift_jis",
)
HEADERS = {FOUND: None, "first row holds names": True, "no names": False}
BAD_BYTES = {"refuse the file": "refuse", "replace them by \ufffd, counted": "replace"}
RAGGED = {
    "refuse longer ones": None,
    "leave them out, counted": "leave_out",
    "the first column has no name": "first_unnamed",
}
SHAPES = {
    FOUND: None,
    "table": "table",
    "a basket of items per line": "baskets",
    "one column of item lists": "items",
    "user and item per line": "pairs",
}


def drop_zone() -> None:
    """Where a file is dropped or chosen, and what becomes of it."""
    limit = LIMITS.upload_bytes >> 20
    with st.container(key="drop"):
        st.file_uploader(
            words.data.UPLOAD, type=[e[1:] for e in EXTENSIONS] + ["gz"], key=_key(),
            on_change=_take, max_upload_size=limit, label_visibility="collapsed",
        )  # fmt: skip
    st.markdown(
        f":material/lock: {words.data.stays(kept=session_store.KEEP)}",
        help=words.data.bounds(limit, session_store.UPLOADS_KEPT),
    )
    if state.current().uploaded:
        st.button(
            words.data.FORGET,
            key="forget",
            type="tertiary",
            icon=":material/delete:",
            on_click=waiting_page.forget_file,
        )


def style() -> None:
    """How this page looks, and what its drop zone says: Streamlit writes its own words into it."""
    said = {
        "drop": words.data.DROP,
        "kinds": words.data.DROP_KINDS,
        "button": words.data.DROP_BUTTON,
    }
    told = "".join(f"--calm-{name}: {json.dumps(text)};" for name, text in said.items())
    st.html(f"<style>:root {{ {told} }}\n{LOOKS.read_text('utf-8')}</style>")


def _key() -> str:
    """The uploader's own name; another one after its file was forgotten."""
    drops = st.session_state.get("drops", 0)
    return f"upload_{drops}" if drops else "upload"


def cards() -> None:
    """The samples and the files of this tab, one card each."""
    with st.container(key="or"):
        st.markdown(words.data.OR_SAMPLE)
    now = state.current().source if state.awaited_settings() is None else ""
    found = {
        source: (escape.short(held.file or words.data.THE_FILE, 40),
                 words.data.facts(held.table.n, "people", len(held.schema.kept)))
        for source, held in reversed(session_store.current().uploads.items())
    } | {
        name: (sample.title, words.data.facts(sample.n, sample.unit, sample.d))
        for name, sample in SAMPLES.items()
    }  # fmt: skip
    with st.container(key="cards"):
        for name, (title, facts) in found.items():
            here = "_here" if name == now else ""
            with st.container(key=f"card{here}_{name}"):
                st.button(
                    f"**{escape.markdown(title)}** :small[{facts}]", key=f"use_{name}", width="stretch",
                    disabled=name == now, on_click=_use, args=(name,),
                )  # fmt: skip


def _use(source: str) -> None:
    state.use_source(source)


def reading() -> None:
    """How the file just chosen is to be read, where it was not found out right."""
    if st.session_state.get(_key()) is None and not shared.taken():
        return
    with st.expander("Read it differently", icon=":material/tune:"):
        with st.form("reading", border=False):
            left, right = st.columns(2)
            left.selectbox("Separator", list(SEPARATORS), key="read_separator")
            right.selectbox("Encoding", ENCODINGS, key="read_encoding")
            left.selectbox("Column names", list(HEADERS), key="read_header")
            right.selectbox("Decimal sign", (FOUND, ".", ","), key="read_decimal")
            left.selectbox("The file holds", list(SHAPES), key="read_shape")
            right.text_input("Sheet of a workbook", key="read_sheet", placeholder="the first")
            left.number_input("Lines above the table", 0, 1000, None, key="read_skip",
                              placeholder=FOUND)  # fmt: skip
            right.selectbox(
                words.data.READ_ROWS, list(RAGGED), key="read_ragged",
                help=words.data.READ_ROWS_HELP,
            )  # fmt: skip
            left.selectbox(
                "Bytes that cannot be decoded", list(BAD_BYTES), key="read_bad_bytes",
                help=words.data.READ_BYTES_HELP,
            )  # fmt: skip
            right.checkbox(
                words.data.NORMALISE, value=True, key="read_normalise",
                help=words.data.NORMALISE_HELP,
            )  # fmt: skip
            st.form_submit_button("Read again", on_click=_again)


def _options() -> ReadOptions:
    chosen = st.session_state
    encoding, decimal = chosen.get("read_encoding", FOUND), chosen.get("read_decimal", FOUND)
    return ReadOptions(
        separator=SEPARATORS[chosen.get("read_separator", FOUND)],
        encoding=None if encoding == FOUND else encoding,
        header=HEADERS[chosen.get("read_header", FOUND)],
        decimal=None if decimal == FOUND else decimal,
        shape=SHAPES[chosen.get("read_shape", FOUND)],
        sheet=chosen.get("read_sheet") or None,
        header_row=chosen.get("read_skip"),
        normalise=chosen.get("read_normalise", True),
        bad_bytes=BAD_BYTES[chosen.get("read_bad_bytes", next(iter(BAD_BYTES)))],
        ragged=RAGGED[chosen.get("read_ragged", next(iter(RAGGED)))],
    )


def _again() -> None:
    """Read the file chosen last as the form says."""
    if shared.taken():
        shared.again(_options())
    else:
        _take()


def _take() -> None:
    """Read what was uploaded; a file that is refused leaves everything as it was."""
    file = st.session_state.get(_key())
    if file is None:
        return
    st.session_state.pop("shared_taken", None)
    session_store.note_file(file)
    content = file.getvalue()
    name, options = _as_in_link(file.name, content, _options())
    with notices.show_user_errors():
        try:
            digest = cached.keep_upload(name, content, options)
        except TooLargeError:
            # It cannot be read otherwise either: nothing of it stays, and the drop zone is empty again.
            session_store.drop_files()
            st.session_state["drops"] = st.session_state.get("drops", 0) + 1
            raise
        state.use_source(digest)


def _as_in_link(name: str, content: bytes, options: ReadOptions) -> tuple[str, ReadOptions]:
    """Name and reading of a file; those of the link that waits for it, whatever it is called here."""
    awaited = st.session_state.get("awaited")
    if awaited is None or options != ReadOptions():
        return name, options
    if upload_digest(content, awaited.file, awaited.read) == awaited.source:
        return awaited.file, ReadOptions.from_words(awaited.read)
    return name, options


def population() -> None:
    """Make people to order: the same generator as the library's `make_population`."""
    with st.form("population", border=False):
        left, right = st.columns(2)
        kind = left.selectbox(
            "Correlation", KINDS, index=1, format_func=words.data.KINDS_OF_PEOPLE.get
        )
        strength = right.slider("How strong", 0.0, 1.0, 0.5, 0.05)
        d = left.number_input("Attributes", 2, 64, 8)
        values = right.number_input("Values each", 2, 20, 2)
        n = left.number_input("People", 100, 10_000_000, 100_000, step=10_000)
        seed = right.number_input("Seed", 0, 2**31 - 1, 1, key="population_seed")
        rate = left.slider("Share of the first value", 0.01, 0.99, 0.5, 0.01)
        order = right.number_input("Order of the chain", 1, 8, 1)
        asked = (
            kind,
            int(d),
            int(values),
            int(n),
            float(strength),
            float(rate),
            int(order),
            int(seed),
        )
        wanted = st.form_submit_button("Make and use it", type="primary")
    if wanted:
        with show_errors(stop=False):
            # It is read like any upload: what would be refused then is not made.
            check_codes(int(n), int(d), UPLOADS.cells)
            made = cached.get_result("population", asked, lambda: _make(*asked))
            if state.use_source(cached.keep_upload(f"population_{kind}.parquet", made)):
                st.session_state["made"] = (asked, f"population_{kind}")
                st.rerun()
    _downloads()


def _make(kind, d, values, n, strength, rate, order, seed) -> bytes:
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    rest = (1 - rate) / (values - 1)
    data = make_population(
        kind=kind, d=d, sizes=values, n=n, strength=strength, order=min(order, d),
        rates=((rate, *(rest,) * (values - 1)),) * d, rng=np.random.default_rng(seed),
    )  # fmt: skip
    sink = io.BytesIO()
    columns = {name: data.codes[:, j] for j, name in enumerate(data.domain.names)}
    parquet.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue()


def _downloads() -> None:
    """The population made last, as files."""
    if "made" not in st.session_state:
        return
    asked, name = st.session_state["made"]
    content = cached.get_result("population", asked, lambda: _make(*asked))
    left, right = st.columns(2)
    left.download_button("Download Parquet", content, f"{name}.parquet", on_click="ignore")
    right.download_button(
        "Download CSV", lambda: _as_csv(content), f"{name}.csv", "text/csv", on_click="ignore"
    )


def _as_csv(content: bytes) -> bytes:
    import pandas as pd

    return safe_csv(pd.read_parquet(io.BytesIO(content)))
