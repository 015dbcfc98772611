"""About: methods, formulas, sources, how to cite, versions, limits, glossary."""

import streamlit as st

from calm_core.methods import METHODS
from calm_core.reports import version_line
from pages import words
from pages.ui.components import mount
from pages.words.texts import read_texts

TEXTS = read_texts("about")
st.markdown(TEXTS["lead"])

st.header("How it works", anchor="how")
for step in TEXTS["steps"]:
    with st.container(border=True):
        st.subheader(step["title"])
        st.markdown(step["text"])
        if step["formula"]:
            st.latex(step["formula"])

st.header("Methods", anchor="methods")
for trust, title in TEXTS["trust"].items():
    held = [(name, method) for name, method in METHODS.items() if method.trust == trust]
    if held:
        st.markdown(f"**{title}**")
        if trust == "central":
            st.markdown(words.settings.CENTRAL_GUARANTEE)
        st.markdown(
            "\n".join(f"- **{method.title}** (`{name}`): {method.summary}" for name, method in held)
        )

st.header("Limits", anchor="limits")
st.markdown("\n".join(f"- {line}" for line in TEXTS["limits"]))

st.header("Sources", anchor="sources")
st.markdown("\n".join(f"{i}. {line}" for i, line in enumerate(TEXTS["sources"], start=1)))

st.header("How to cite", anchor="cite")
st.markdown(TEXTS["cite"])
st.code(TEXTS["bibtex"], language="bibtex", wrap_lines=True)

st.header("Versions and license", anchor="versions")
st.markdown(f"{version_line(TEXTS['packages'])} {TEXTS['license']}")

st.header(words.glossary.TITLE, anchor="glossary")
st.markdown(words.glossary.LEAD)
for name, word in words.glossary.WORDS.items():
    st.subheader(word.word, anchor=name)
    st.markdown(word.says + (f" *{word.papers}*" if word.papers else ""))

with st.container(key="unseen"):
    # Last: it scrolls to the part that the address names.
    mount("anchor", {})
