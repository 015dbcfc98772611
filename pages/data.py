"""Data: choose a table, see what each column becomes, change it."""

import streamlit as st

from pages import words
from pages.panels.data import column, overview, source, summary
from pages.ui import cached, escape, state
from pages.ui.guard import guarded

st.title(words.shared.PAGES["data"][0])
st.markdown(f"In use: {source.in_use()}.")
upload, samples, make = st.tabs(["Upload a table", "Samples", "Make a population"])
with upload:
    source.upload()
with samples:
    source.samples()
with make:
    source.population()

settings = state.current()
with guarded():
    schema, encoded = cached.schema(settings), cached.encoded(settings)
st.header("What it becomes")
summary.show(encoded)
st.header("Columns")
overview.show(schema)
with st.expander("Change a column", icon=":material/edit:", expanded=bool(settings.schema)):
    column.show(schema)
with st.expander("First rows", icon=":material/table_rows:"):
    head = cached.table(settings).head(20)
    head.columns = [escape.short(name, 40) for name in head.columns]
    st.dataframe(head, hide_index=True)
with st.expander("Schema file", icon=":material/data_object:"):
    column.files(schema)
