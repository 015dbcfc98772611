"""The settings of this session and how they change.

`st.session_state["settings"]` is the truth. A first visit takes them from the link; a widget asks for
changed ones. What the library refuses is said in one sentence and changes nothing.
"""

import streamlit as st

from calm_core.errors import InputError, UserError
from calm_core.ingest import Schema
from calm_core.settings import Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.ui import cached, notices

# What a link may hold for a single page, beside settings.
PAGES_OWN = ("lesson",)


def current() -> Settings:
    """The settings of this session; a first visit takes them from the link."""
    if "settings" not in st.session_state:
        _first_visit()
    return st.session_state["settings"]


def _first_visit() -> None:
    names = (name for name in st.query_params if name not in PAGES_OWN)
    query = {name: ",".join(st.query_params.get_all(name)) for name in names}
    settings, remarks = Settings.from_query(query)
    settings = settings.changed(
        pages=tuple(name for name in settings.pages if name in words.shared.PAGES),
        # Who names few attributes and no k means a k that fits them.
        k=settings.k if "k" in query else min(settings.k, settings.d),
    )
    if settings.uploaded and settings.source not in cached.uploads():
        st.session_state["awaited"] = settings
        remarks += (words.settings.awaited(settings.file),)
        d = min(settings.d, Settings().d)
        settings = settings.changed(
            source=Settings().source, file="", read=(), schema="", columns=(), attrs=(),
            d=d, k=min(settings.k, d),
        )  # fmt: skip
    elif not cached.has_schema(settings):
        settings, remarks = _await_schema(settings), (*remarks, words.settings.EDITED_ELSEWHERE)
    try:
        fitting = _fit(settings)
        if gone := [name for name in settings.attrs if name not in fitting.attrs]:
            remarks += (words.settings.attributes_gone(gone),)
        settings = fitting
    except UserError as error:
        remarks += (words.settings.does_not_fit(error),)
        settings = Settings(presenter=settings.presenter, hide=settings.hide, pages=settings.pages)
    st.session_state["settings"] = settings
    st.session_state["remarks"] = remarks


def _await_schema(settings: Settings) -> Settings:
    """A link's settings as far as they can be used before its schema file is loaded."""
    st.session_state["awaited_schema"] = settings.source, settings.schema
    return settings.changed(schema="")


def change(**changes) -> bool:
    """Adopt changed settings; False where they are refused, and then nothing changes."""
    try:
        restore(_fit(current().changed(**changes)))
    except UserError as error:
        notices.refuse(error)
        return False
    return True


def restore(settings: Settings) -> None:
    """Take these settings as they are."""
    st.session_state["settings"] = settings


def adopt(settings: Settings) -> None:
    """A preset's settings; looks and hidden controls stay."""
    now = current()
    restore(settings.changed(presenter=now.presenter, hide=now.hide, pages=now.pages))


def _fit(settings: Settings) -> Settings:
    """Settings that fit their data; refuses what cannot be meant."""
    if settings.columns:
        settings = settings.changed(d=len(settings.columns))
    domain = cached.encoded(settings).dataset.domain
    cached.check_attributes(domain)
    if settings.k > domain.d:
        raise InputError(words.settings.k_too_large(settings.k, domain.d))
    known = tuple(name for name in settings.attrs if name in domain.names)
    return settings.changed(attrs=known, d=domain.d)


def use_source(source: str) -> bool:
    """Change to a sample or an upload, with as many attributes as before where it has them."""
    awaited = st.session_state.get("awaited")
    if awaited is not None and awaited.source == source:
        wanted = st.session_state.pop("awaited")
        if not cached.has_schema(wanted):
            wanted = _await_schema(wanted)
            st.session_state["remarks"] = (words.settings.EDITED_ELSEWHERE,)
    else:
        wanted = current().changed(
            source=source, file=cached.uploads().get(source, ""), read=cached.reading(source), schema="",
            columns=(), attrs=(), l=None, m=None,
        )  # fmt: skip
    try:
        usable = len(cached.schema(wanted).kept)
        d = wanted.d if wanted.columns else max(1, min(wanted.d, usable))
        restore(_fit(wanted.changed(d=d, k=min(wanted.k, d))))
    except UserError as error:
        notices.refuse(error)
        return False
    return True


def use_schema(schema: Schema) -> None:
    """Use the columns a schema keeps; those chosen now if a link has been waiting for this schema."""
    now = current()
    awaited = st.session_state.get("awaited_schema") == (now.source, schema.digest)
    columns = now.columns if awaited else ()
    try:
        digest = cached.keep_schema(schema, now.changed(columns=columns))
    except UserError as error:
        notices.refuse(error)
        return
    change(schema=digest, columns=columns)


def hidden(field: str) -> bool:
    """Whether a teacher's link hides this control."""
    return field in current().hide


def choose(field: str, value) -> None:
    """Adopt another value of one field, with what follows from it for others."""
    if field == "source":
        use_source(value)
    elif field == "d":
        change(d=value, columns=(), k=min(value, current().k), l=None, m=None)
    elif field == "columns":
        change(columns=value, k=min(current().k, len(value) or current().k), l=None, m=None)
    else:
        change(**{field: value})


def attributes_shown(settings: Settings, domain: Domain) -> tuple[str, ...]:
    """Attributes of the table looked at, in domain order: those chosen, else the first k."""
    return domain.canonical(settings.attrs or domain.names[: settings.k])
