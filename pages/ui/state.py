"""The settings of this session, how they change, and what is said where that is refused; where a link leads beside them.

`st.session_state["settings"]` holds them. A first visit takes them from the link; a widget asks for
changed ones. What the library refuses is shown as one sentence and changes nothing.
"""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from secrets import token_hex
from typing import Any

import streamlit as st

from calm_core.errors import InputError, UserError
from calm_core.ingest.proposed_columns import count_proposed, rank_columns
from calm_core.ingest.schema import Schema
from calm_core.settings import LARGEST_SEED, NAMES, Settings
from calm_core.tables.domain import Domain
from pages import words
from pages.ui import cached_calls, display, uploads

# Characters of an assignment in a link.
MAX_LINK = 8000


@dataclass(frozen=True)
class Route:
    """A page and its part that is shown.

    Attributes
    ----------
    page : str
        Key of `words.common.PAGES`.
    view : str
        The secondary view chosen; "" is the first one.
    lesson : str
        Key of a lesson; "" is the landing page of all.
    at : int
        Step of the lesson or of what the page plays, from 0.
    open : str
        The collection that is open, see `pages.ui.opened_collections`.
    table : tuple of int
        The attributes of its table looked at, by their places in its plan.
    survey, wall : str
        The code of the survey that is open on Classroom, and the key of its wall where only that was given.
    task, work : str
        The assignment, and what a student has done of it, as links have them.
    """

    page: str
    view: str = ""
    lesson: str = ""
    at: int = 0
    open: str = ""
    table: tuple[int, ...] = ()
    survey: str = ""
    wall: str = ""
    task: str = ""
    work: str = ""

    def to_query(self) -> dict[str, str]:
        """Return the parts of the route that differ from the defaults.

        >>> Route("learn", lesson="coin", at=2).to_query()
        {'lesson': 'coin', 'at': '2'}
        """
        texts = {name: str(value) for name, value in vars(self).items() if value and name != "page"}
        return texts | ({"table": ",".join(map(str, self.table))} if self.table else {})

    @classmethod
    def from_query(cls, page: str, query: Mapping[str, str]) -> "Route":
        """Return the route of a link; invalid parts get their defaults.

        >>> Route.from_query("learn", {"lesson": "coin", "at": "two"}) == Route("learn", lesson="coin")
        True
        >>> Route.from_query("collection", {"open": "./state.json", "table": "0,x,2"}).table
        (0, 2)
        """
        at = query.get("at", "")
        table = [text for text in query.get("table", "").split(",") if _is_small_int(text)]
        return cls(
            page,
            at=min(int(at), 99) if _is_small_int(at) else 0,
            open=query.get("open", "")[:400],
            task=query.get("task", "")[:MAX_LINK],
            work=query.get("work", "")[:MAX_LINK],
            table=tuple(map(int, table)),
            **{name: query.get(name, "")[:40] for name in ("view", "lesson", "survey", "wall")},
        )


def _is_small_int(text: str) -> bool:
    """Whether it is a small whole number."""
    return text.isascii() and text.isdigit() and len(text) < 6


# Words of a link beside settings.
BESIDE_SETTINGS = ("lang", *(field.name for field in fields(Route) if field.name != "page"))
# What a link may hide: the controls, of settings and others.
HIDEABLE = {*NAMES, *words.settings.HIDEABLE, "exports"} - {
    "file", "read", "schema", "presenter", "hide", "pages",
}  # fmt: skip
# What of a link makes sense with its own file only.
OF_FILE = ("source", "file", "read", "schema", "columns", "d", "k", "l", "m", "attrs")
# Choices that go with the columns of a table.
NO_CHOICES: dict[str, Any] = {"columns": (), "attrs": (), "l": None, "m": None}


def session_name() -> str:
    """A name of this session that no other session has or can guess."""
    return st.session_state.setdefault("session_name", token_hex(8))


def current() -> Settings:
    """The settings of this session; a first visit takes them from the link."""
    if "settings" not in st.session_state:
        _first_visit()
    return st.session_state["settings"]


def ensure_settings() -> Settings:
    """Called by the shell: the settings of this session; where their file is gone, it is waited for."""
    settings = current()
    if settings.is_upload and settings.source not in cached_calls.upload_names():
        restore(_fit(_await_file(settings)))
    return current()


def _await_file(settings: Settings) -> Settings:
    """Settings for a sample, as close to these as possible, until their file is here."""
    st.session_state["awaited"] = settings
    st.session_state["waiting"] = True
    d = min(settings.d, Settings().d)
    sample = {"source": Settings().source, "file": "", "read": (), "schema": ""}
    return settings.with_changes(**sample, **NO_CHOICES, d=d, k=min(settings.k, d))


def awaited_settings() -> Settings | None:
    """The settings that wait for their file; None where none is waited for."""
    return _as_awaited() if st.session_state.get("waiting") else None


def _as_awaited() -> Settings:
    awaited = st.session_state["awaited"]
    return current().with_changes(**{name: getattr(awaited, name) for name in OF_FILE})


def settings_for_url() -> Settings:
    """The settings for the address: the current ones, or those that wait for their file."""
    return awaited_settings() or current()


def stop_awaiting() -> None:
    """Go on without the file that was waited for."""
    st.session_state["waiting"] = False


def _linked() -> tuple[Settings, tuple]:
    """The settings of the link, and remarks about it."""
    query = {
        name: ",".join(st.query_params.get_all(name))
        for name in st.query_params
        if name not in BESIDE_SETTINGS
    }
    settings, remarks = Settings.from_query(query)
    for field, known in (("pages", words.common.PAGES), ("hide", HIDEABLE)):
        named = getattr(settings, field)
        if strange := [name for name in named if name not in known]:
            remarks += (words.settings.unknown_parts(name=field, parts=", ".join(strange)),)
            known_names = tuple(name for name in named if name in known)
            settings = settings.with_changes(**{field: known_names})
    settings = settings.with_changes(
        # Who names few attributes and no k means a k that fits them.
        k=settings.k if "k" in query else min(settings.k, settings.d),
    )
    return settings, remarks


def _first_visit() -> None:
    settings, remarks = _linked()
    if settings.is_upload and settings.source not in cached_calls.upload_names():
        settings = _await_file(settings)
    elif not cached_calls.has_schema(settings):
        settings, remarks = _await_schema(settings), (*remarks, words.settings.EDITED_ELSEWHERE)
    try:
        fitting = _fit(settings)
        if missing := [name for name in settings.attrs if name not in fitting.attrs]:
            remarks += (words.settings.missing_attributes(names=", ".join(missing)),)
        settings = fitting
    except UserError as error:
        remarks += (words.settings.unfit_link(error=error),)
        linked = settings
        settings = Settings(presenter=linked.presenter, hide=linked.hide, pages=linked.pages)
        keep_remedies(error.remedies, linked.different(settings))
    st.session_state["settings"] = settings
    st.session_state["remarks"] = remarks
    for remark in remarks:
        keep_remedies(getattr(remark, "remedies", ()), {})


def _await_schema(settings: Settings) -> Settings:
    """A link's settings without the schema, until its file is loaded."""
    st.session_state["awaited_schema"] = settings.source, settings.schema
    return settings.with_changes(schema="")


def change(**changes) -> bool:
    """Change settings; False where that is refused, and nothing changes then."""
    with show_user_errors(**changes):
        _adopt(_fit(current().with_changes(**changes)))
        return True
    return False


def apply(description: str, **changes) -> bool:
    """Change settings, and say what was changed beside a button for `undo`.

    Parameters
    ----------
    description : str
        The change in words: "k = 6, 16 attributes".
    """
    return _apply(words.settings.changed_text(told=description), **changes)


def apply_change(description: str, **changes) -> None:
    """Callback: as `apply`."""
    apply(description, **changes)


def _apply(sentence: str, **changes) -> bool:
    done = change(**changes)
    if done:
        _announce(sentence)
    return done


def _announce(sentence: str) -> None:
    st.session_state["applied"] = sentence, current()


def last_change() -> str:
    """The sentence about the last change; "" once settings have changed again."""
    sentence, then = st.session_state.get("applied", ("", None))
    return sentence if then == current() else ""


def new_noise() -> None:
    """Let everybody report once more: the next seed, which after the largest is 0."""
    change(seed=(current().seed + 1) % (LARGEST_SEED + 1))


def restore(settings: Settings) -> None:
    """Use these settings as they are."""
    st.session_state["settings"] = settings


# Settings kept to go back to.
MAX_UNDO = 30
# Settings before a change, and the route to go back to with them, if any.
Former = tuple[Settings, Route | None]


def _adopt(settings: Settings) -> None:
    """Use settings, and keep those before for `undo`."""
    former = current()
    restore(settings)
    # How they are shown is not undone.
    if _shown_as_now(former) != settings:
        former_settings = [*st.session_state.get("before", ()), (former, None)]
        st.session_state["before"] = former_settings[-MAX_UNDO:]


def lead_back(place: Route) -> None:
    """Have `undo` of the last change lead back to a route."""
    if former := _former():
        *rest, (last, _) = former
        st.session_state["before"] = [*rest, (last, place)]


def _former() -> list[Former]:
    """The settings before, without those at the end that equal the current ones."""
    former = list(st.session_state.get("before", ()))
    while former and _shown_as_now(former[-1][0]) == current():
        former.pop()
    return former


def can_undo() -> bool:
    """Whether there are settings to go back to."""
    return bool(_former())


def undo() -> None:
    """Go back to the settings before the last change."""
    *rest, (last, place) = _former()
    restore(_shown_as_now(last))
    st.session_state["before"] = rest
    if place is not None:
        st.session_state["places"][place.page] = place
        st.session_state["go"] = place.page


def stop() -> None:
    """Go back from settings whose run was stopped: to those before, else to the usual ones."""
    if can_undo():
        undo()
    else:
        restore(_shown_as_now(Settings()))
    _announce(words.settings.STOPPED)


def adopt_preset(description: str, settings: Settings) -> None:
    """Use a preset's settings, with a way back; presenter mode and hidden controls stay."""
    _adopt(_shown_as_now(settings))
    _announce(words.settings.changed_text(told=description))


def _shown_as_now(settings: Settings) -> Settings:
    """These settings, with presenter mode and what is hidden as they are now."""
    now = current()
    return settings.with_changes(presenter=now.presenter, hide=now.hide, pages=now.pages)


def _fit(settings: Settings) -> Settings:
    """Settings that fit their data; InputError where none do."""
    if settings.columns:
        settings = settings.with_changes(d=len(settings.columns))
    domain = cached_calls.encoded_data(settings).dataset.domain
    cached_calls.check_attributes(domain)
    if settings.k > domain.d:
        remedies = [("k", domain.d), ("d", settings.k)]
        raise InputError(words.settings.k_too_large(k=settings.k, d=domain.d), remedies=remedies)
    known = tuple(name for name in settings.attrs if name in domain.names)
    return settings.with_changes(attrs=known, d=domain.d)


def use_source(source: str) -> bool:
    """Use a sample or an upload, with as many attributes as before or usual where it has so many to propose."""
    with show_user_errors():
        wanted, *remarks = _wanted_with(source)
        # A k that was lowered for a small table counts again for the next.
        chosen, used = st.session_state.get("last_k", (wanted.k, wanted.k))
        if wanted.k == used:
            wanted = wanted.with_changes(k=chosen)
        d = wanted.d
        if not wanted.columns:
            d = max(1, count_proposed(cached_calls.schema(wanted), max(d, Settings().d)))
        fitting = _fit(wanted.with_changes(d=d, k=min(wanted.k, d)))
        _adopt(fitting)
        st.session_state["last_k"] = wanted.k, fitting.k
        if fitting.k < wanted.k:
            remarks.append(words.settings.smaller_tables_text(k=fitting.k, chosen=wanted.k))
        stop_awaiting()
        if _is_awaited(source):
            del st.session_state["awaited"]
        if dropped := uploads.take_dropped():
            remarks.append(
                words.settings.dropped_text(files=", ".join(dropped), kept=uploads.UPLOADS_KEPT)
            )
        if remarks:
            st.session_state["remarks"] = tuple(remarks)
        return True
    return False


def _is_awaited(source: str) -> bool:
    awaited = st.session_state.get("awaited")
    return awaited is not None and awaited.source == source


def _wanted_with(source: str) -> tuple:
    """The settings to use a sample or an upload with, and remarks."""
    if _is_awaited(source):
        wanted = _as_awaited()
        if cached_calls.has_schema(wanted):
            return (wanted,)
        return _await_schema(wanted), words.settings.EDITED_ELSEWHERE
    upload = uploads.current().uploads.get(source)
    file, read = (upload.file, upload.read) if upload else ("", ())
    new = {"source": source, "file": file, "read": read, "schema": ""}
    now = current()
    plain = now.with_changes(**new, **NO_CHOICES)
    awaited = awaited_settings()
    if awaited is None or not file:
        return (plain,)
    schema = cached_calls.schema(plain)
    named = set(awaited.columns + awaited.attrs) <= set(schema.names)
    fits = named and (awaited.columns or awaited.d <= len(schema.used_columns))
    remark = words.settings.other_file_text(file=file, awaited=awaited.file)
    return awaited.with_changes(**new) if fits else plain, remark


def use_schema(
    schema: Schema, sentence: str, columns: tuple[str, ...] | None = None, *, propose: bool = False
) -> bool:
    """Use a schema, and show what has changed, with a way back.

    Parameters
    ----------
    sentence : str
        What is other than before, as a sentence.
    columns : tuple of str, optional
        The attributes used; those chosen now where omitted.
    propose : bool
        Use the columns that look like answers where those chosen now are not usable any more, as many
        as now where there are so many.
    """
    now = current()
    changes: dict[str, Any] = {"columns": now.columns if columns is None else columns}
    usable = {column.name for column in schema.used_columns}
    if propose and not (now.columns and usable.issuperset(now.columns)):
        d = max(1, count_proposed(schema, max(now.d, Settings().d)))
        changes |= {"columns": (), "d": d, "k": min(now.k, d), "attrs": (), "l": None, "m": None}
    with show_user_errors():
        changes["schema"] = cached_calls.keep_schema(schema, now.with_changes(**changes))
        return _apply(sentence, **changes) if now != now.with_changes(**changes) else True
    return False


def load_schema(schema: Schema) -> bool:
    """Use the columns of a schema file; the current ones if a link has waited for it."""
    now = current()
    awaited = st.session_state.get("awaited_schema") == (now.source, schema.digest)
    sentence = words.data.loaded_text(columns=len(schema.columns))
    return use_schema(schema, sentence, now.columns if awaited else ())


def is_hidden(field: str) -> bool:
    """Whether a teacher's link hides this control."""
    return field in current().hide


def set_field(field: str, value) -> None:
    """Change one field, with what follows from it for others."""
    if field == "source":
        use_source(value)
    else:
        change(**with_consequences(current(), {field: value}))


def with_consequences(settings: Settings, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Changes together with what follows from them for other settings, without what stays the same.

    Of columns chosen the first remain, or the next usable ones join them; no table has more attributes than there are,
    and the one looked at has k.
    """
    names = ("d", "k", "columns", "attrs", "l", "m")
    wanted = {name: getattr(settings, name) for name in names} | dict(changes)
    if "d" in changes and wanted["columns"]:
        usable = rank_columns(cached_calls.schema(settings))
        wanted["columns"] = _first(wanted["columns"], usable, wanted["d"])
    if "d" in changes or "columns" in changes:
        wanted["k"] = min(wanted["k"], len(wanted["columns"]) or wanted["d"])
        wanted |= {name: changes.get(name) for name in ("l", "m")}
    if wanted["attrs"] and wanted["k"] != settings.k:
        domain = cached_calls.encoded_data(settings).dataset.domain
        wanted["attrs"] = _first(wanted["attrs"], domain.names, wanted["k"])
    return {name: new for name, new in wanted.items() if new != getattr(settings, name)}


def _first(names: tuple[str, ...], candidates: Iterable[str], count: int) -> tuple[str, ...]:
    """So many names: those chosen first."""
    return (*names, *(name for name in candidates if name not in names))[:count]


def attributes_shown(settings: Settings, domain: Domain) -> tuple[str, ...]:
    """The attributes shown, in domain order: those chosen, else the first k."""
    return domain.canonical(settings.attrs or domain.names[: settings.k])


def to_sentence(error: UserError | str) -> str:
    """Return the message as a sentence with its data shown literally."""
    text = str(error)
    # A single letter is a symbol and keeps its case; "a" is a word.
    if text[1:2] != " " or text[:1] == "a":
        text = text[:1].upper() + text[1:]
    return display.sentence(text if text.endswith((".", "!", "?")) else text + ".")


def refuse(error: UserError, **asked) -> None:
    """Keep everything as it is and explain why on the next page; for callbacks.

    Parameters
    ----------
    error : UserError
        The refusal.
    **asked
        The changes of settings that were refused: what its remedies are to be tried with.
    """
    st.session_state["refused"] = to_sentence(error)
    if asked:
        keep_remedies(error.remedies, asked)


@contextmanager
def show_user_errors(**asked) -> Generator[None]:
    """Context manager for callbacks: a user error ends the block, and the next page explains it.

    What an earlier block was refused is no longer shown.

    Parameters
    ----------
    **asked
        As for `refuse`.

    Examples
    --------
    >>> with show_user_errors():                                    # doctest: +SKIP
    ...     desk.open()
    """
    st.session_state.pop("notice", None)
    try:
        yield
    except UserError as error:
        refuse(error, **asked)


def keep_remedies(remedies: Iterable[tuple[str, Any]], changes: Mapping[str, Any]) -> None:
    """Keep remedies for the next page, which offers them below its message."""
    st.session_state.setdefault("advice", []).append((tuple(remedies), dict(changes)))


def show_refusal(sentence: str) -> None:
    """Show why something was refused, and that nothing has changed."""
    st.error(f"{sentence} {words.settings.NOTHING_CHANGED}", icon=":material/error:")
