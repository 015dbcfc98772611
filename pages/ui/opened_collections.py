"""The collection that is open in this tab, and the folder with server tables and collections."""

import hashlib
from argparse import ArgumentParser
from pathlib import Path

import streamlit as st

from calm_core.classroom.open_collection import collection_signature, open_collection
from calm_core.collection.states import State, state_bytes
from calm_core.errors import DataError, InputError
from calm_core.evaluation.prediction import check_has_reports
from pages import words
from pages.ui import navigation, uploads
from pages.ui.result_cache import ResultCache
from pages.ui.uploads import Opened

OPTION = "--data-root"


def get_data_root(arguments: list[str] | None = None) -> Path | None:
    """Return the folder named at the start of the app; None if no file of the server may be opened.

    >>> get_data_root(["app.py"]) is None
    True
    """
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(OPTION, nargs="?", const="")
    folder = parser.parse_known_args(arguments)[0].data_root
    if folder is None:
        return None
    if not folder or not Path(folder).is_dir():
        raise InputError(words.collection.missing_root(folder=folder))
    return Path(folder).resolve()


# Shared: every session may read the folder.
_BELOW = ResultCache(4, lambda opened: opened.nbytes if isinstance(opened, Opened) else 0)


def get_opened() -> Opened | None:
    """Return the open collection, or None.

    Raises
    ------
    UserError
        If the address names a collection that is not there any more, or cannot be read.
    """
    place = navigation.collection_route().open
    if not place:
        return None
    if navigation.missing_collection():
        raise DataError(words.collection.GONE)
    if navigation.is_own_collection(navigation.collection_route()):
        return uploads.current().collections[place]
    # An open collection stays as it is when its file changes.
    at, opened = st.session_state.get("collection", ("", None))
    if at != place:
        root = get_data_root()
        if root is None:
            raise DataError(words.collection.GONE)
        opened = _read_from_root(root, place.removeprefix(navigation.ROOT_PREFIX))
        st.session_state["collection"] = place, opened
    return opened


def _read_from_root(root: Path, name: str) -> Opened:
    """Return a collection below the root, cached for all sessions until its files change."""
    return _BELOW.get(
        (str(root), name, collection_signature(root, name)),
        lambda: _make_opened(open_collection(root, name), name),
    )


def _make_opened(state: State, name: str, notes: tuple[str, ...] = ()) -> Opened:
    check_has_reports(state)
    return Opened(state, name, hashlib.sha256(state_bytes(state, ".json")).hexdigest(), notes)


def open_from_root(root: Path, name: str) -> None:
    """Open a collection of the root; refused if it cannot be read or is empty."""
    opened = _read_from_root(root, name)
    st.session_state["collection"] = f"{navigation.ROOT_PREFIX}{name}", opened
    navigation.go("collection", open=f"{navigation.ROOT_PREFIX}{name}")


def open_state(state: State, name: str, notes: tuple[str, ...] = ()) -> None:
    """Open a state of this session; refused if it is empty."""
    opened = _make_opened(state, name, notes)
    session, limit = uploads.current_for_update(), uploads.COLLECTIONS_KEPT
    session.collections = uploads.add_bounded(session.collections, opened.digest, opened, limit)
    navigation.go("collection", open=opened.digest)


def close_collection() -> None:
    """Close the collection and forget it in this tab."""
    place = navigation.collection_route().open
    if place in uploads.current().collections:
        uploads.forget_collection(place)
        st.session_state["drop_key"] = not uploads.tab_key()
    st.session_state.pop("collection", None)
    navigation.go("collection")
