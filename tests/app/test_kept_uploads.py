"""Uploads come back after a reload to who has the key and the link, and to nobody else."""

import gc
from dataclasses import replace
from types import FunctionType, ModuleType
from weakref import ref

import numpy as np
import pytest
import streamlit as st

import calm_core as cc
from calm_core.collection.states import State
from calm_core.collection.tally import Tally
from calm_core.evaluation.prediction import answer_state
from calm_core.experiments.spec import fingerprint
from calm_core.settings import Settings
from pages import words
from pages.ui import (
    cached_calls,
    display,
    error_boundary,
    navigation,
    opened_collections,
    result_cache,
    state,
    uploads,
    warnings,
)

TABLE = b"sex,age,vote\n" + b"f,12,yes\nm,35,no\nf,64,no\nm,18,yes\n" * 60


class Tab:
    """The state of one session; what is done inside `with` is done by it."""

    def __init__(self, monkeypatch, **state):
        self._patch, self.state = monkeypatch, state

    def __enter__(self):
        self._patch.setattr(st, "session_state", self.state)
        return self

    def __exit__(self, *error):
        self._patch.setattr(st, "session_state", {})


@pytest.fixture
def tab(monkeypatch):
    """Call it for a session; with `link` one that a link has opened."""

    def open_tab(link: Settings | None = None) -> Tab:
        with Tab(monkeypatch, settings=Settings()) as tab:
            if link is not None:
                state.restore(state._fit(state._await_file(link)))
        return tab

    return open_tab


@pytest.fixture
def owner(tab):
    """A session with a table of its own, three attributes of it edited and in use."""
    with tab() as owner:
        source = cached_calls.keep_upload("class.csv", TABLE)
        assert state.use_source(source)
        schema = cached_calls.schema(state.current())
        edited = schema.with_column(replace(schema.column("vote"), title="Voted"))
        saved = cached_calls.keep_schema(edited, state.current())
        assert state.change(schema=saved, k=2, epsilon=2.0)
    return owner


SMALL = b"sex,vote\nf,yes\nm,no\nf,no\nm,yes\n"


def test_data_with_few_attributes_lowers_d_and_k(tab):
    with tab() as owner:
        usual = state.current()
        assert (usual.d, usual.k) == (8, 3)
        assert state.use_source(cached_calls.keep_upload("small.csv", SMALL))
        assert (state.current().d, state.current().k) == (2, 2)
        assert owner.state["remarks"] == (words.settings.smaller_tables_text(k=2, chosen=3),)
        # Other data have as many attributes as usual again, and tables as large as chosen.
        assert state.use_source(usual.source)
        assert (state.current().d, state.current().k) == (8, 3)


def test_files_that_give_way_are_named(tab):
    with tab() as owner:
        for at in range(uploads.UPLOADS_KEPT + 1):
            assert "remarks" not in owner.state
            assert state.use_source(
                cached_calls.keep_upload(f"{at}.csv", TABLE + b"f,2%d,no\n" % at)
            )
        kept = words.settings.dropped_text(files="0.csv", kept=uploads.UPLOADS_KEPT)
        assert owner.state["remarks"] == (kept,)


def settings_of(tab) -> Settings:
    return tab.state["settings"]


def test_a_reload_of_the_tab_brings_back_file_and_edited_columns(tab, owner):
    with owner:
        key = uploads.tab_key()
    with tab(settings_of(owner)) as again:
        assert error_boundary.is_asking_tab() and settings_of(again).source == "survey"
        assert state.settings_for_url() == settings_of(owner), "the address stays as it was"
        error_boundary.store_tab_key(key)
        assert settings_of(again) == settings_of(owner) and state.awaited_settings() is None
        assert cached_calls.encoded_data(settings_of(again)).dataset.n == 240
        assert uploads.tab_key() == key and not error_boundary.is_asking_tab()


@pytest.mark.parametrize("said", ["", "a guess", None, 3, {"a": 1}])
def test_who_lacks_the_key_gets_nothing_and_keeps_the_settings(tab, owner, said):
    with tab(settings_of(owner)) as other:
        error_boundary.store_tab_key(said)
        assert not error_boundary.is_asking_tab() and settings_of(other).source == "survey"
        assert error_boundary.is_waiting_for("marginals")
        assert not any(map(error_boundary.is_waiting_for, ("learn", "collection")))
        assert state.settings_for_url() == settings_of(owner)
        with pytest.raises(Exception, match="is not here"):
            cached_calls.table(settings_of(owner))
        state.stop_awaiting()
        assert not error_boundary.is_waiting_for("marginals")
        assert state.settings_for_url() == settings_of(other) and settings_of(other).epsilon == 2.0


def test_the_key_alone_opens_no_file_that_the_link_does_not_name(tab, owner):
    with owner:
        key = uploads.tab_key()
    with tab(settings_of(owner).with_changes(source="0" * 64)) as other:
        error_boundary.store_tab_key(key)
        assert settings_of(other).source == "survey" and not cached_calls.upload_names()


def test_another_file_with_the_same_columns_takes_the_settings(tab, owner):
    wanted = settings_of(owner).with_changes(schema="", columns=("vote", "age"), d=2)
    with tab(wanted) as other:
        error_boundary.store_tab_key("")
        source = cached_calls.keep_upload("later.csv", TABLE + b"f,20,no\n")
        assert state.use_source(source)
        assert settings_of(other) == wanted.with_changes(source=source, file="later.csv")
        assert "later.csv" in other.state["remarks"][0]


# Names that are in no other table.
OWN = b"zanzibar,yggdrasil,vote\n" + b"f,quetzal,yes\nm,okapi,no\nf,quetzal,no\nm,okapi,yes\n" * 60


def find_mentions(root: object, texts: tuple[str, ...]) -> list[str]:
    """Which of the texts are held, however deep, by an object."""
    seen, found, todo = set(), set(), [root]
    while todo:
        thing = todo.pop()
        if isinstance(thing, str):
            found |= {text for text in texts if text in thing}
        elif id(thing) not in seen and not isinstance(thing, type | ModuleType | FunctionType):
            seen.add(id(thing))
            todo += gc.get_referents(thing)
    return sorted(found)


def test_forgetting_leaves_no_name_of_the_file_in_any_cache(tab):
    names = ("zanzibar", "yggdrasil", "quetzal", "okapi")
    with tab() as own:
        assert state.use_source(cached_calls.keep_upload("own.csv", OWN))
        assert state.change(k=2)
        settings = settings_of(own)
        outcome = cached_calls.outcome(settings)
        warnings.show_expected_unusable(settings)
        warnings.suggest_changes(settings)
        warnings.suggested_fixes(settings.with_changes(n=60, epsilon=0.1))
        display.short_titles(outcome.domain)
        fingerprint(outcome.dataset)
        kept = [one._kept for one in result_cache._CACHES]
        assert find_mentions(kept, names) == sorted(names), "the search finds what is there"
        domain, data, source = ref(outcome.domain), ref(outcome.dataset), settings.source
        error_boundary.forget_file()
        del outcome, settings
        gc.collect()
        assert find_mentions([one._kept for one in result_cache._CACHES], (*names, source)) == []
        assert domain() is None and data() is None, "some cache still holds the table"


def test_forgetting_one_of_two_files_keeps_the_other(tab, owner):
    with owner:
        key, first = uploads.tab_key(), settings_of(owner).source
        second = cached_calls.keep_upload("second.csv", TABLE + b"f,20,no\n")
        assert state.use_source(second)
        error_boundary.forget_file()
        assert list(uploads.current().uploads) == [first] and uploads.tab_key() == key
        assert uploads.current().schemas, "of the first"
        assert not owner.state["drop_key"] and state.use_source(first)


def test_a_file_forgotten_in_one_tab_is_waited_for_in_its_duplicate(tab, owner):
    with owner:
        key = uploads.tab_key()
    with tab(settings_of(owner)) as duplicate:
        error_boundary.store_tab_key(key)
        assert state.awaited_settings() is None
    with owner:
        error_boundary.forget_file()
    with duplicate:
        assert state.ensure_settings().source == "survey"
        awaited = state.awaited_settings()
        assert awaited.file == "class.csv"
        # What is brought now is kept again.
        cached_calls.keep_upload("class.csv", TABLE)
        assert uploads.restore_by_key(uploads.tab_key(), awaited.source)


def test_one_switch_turns_keeping_off(tab, owner, monkeypatch):
    with owner:
        key = uploads.tab_key()
        monkeypatch.setattr(uploads, "KEEP", False)
        assert uploads.tab_key() == ""
    with tab(settings_of(owner)):
        assert not error_boundary.is_asking_tab()
        error_boundary.store_tab_key(key)
        assert state.awaited_settings() is not None


def test_what_a_tab_has_left_goes_when_its_time_is_up(monkeypatch):
    now, dropped = [0.0], []
    monkeypatch.setattr(result_cache, "forget_results", dropped.append)
    data = uploads.SessionData(uploads={"digest": None})
    monkeypatch.setattr(uploads.SessionData, "nbytes", 60)
    store = uploads.TabStore(100, 10.0, timer=lambda: now[0])
    store["key"] = data
    for seconds, there in ((9, True), (11, False)):
        now[0] = seconds
        store.expire()
        assert ("key" in store) is there
    assert dropped == ["digest"]
    # Where all weigh too much, the one used longest ago goes first, and one alone stays whatever it weighs.
    for key in ("first", "second"):
        store[key] = data
    assert list(store) == ["second"]


# ---------------------------------------------------------------- collections


@pytest.fixture(scope="module")
def counts() -> State:
    domain = cc.Domain(("sex", "age"), (2, 3))
    plan = cc.make_plan(domain, 1000, epsilon=1.0, k=2, rng=np.random.default_rng(1))
    return State(plan, (Tally((("a", "0f"),), [40, 10, 10, 20, 10, 10], [100]),))


def at_collection(tab, digest: str = "") -> None:
    """The tab shows the page of collections, as its address says."""
    tab.state["page"] = "collection"
    tab.state["places"] = {"collection": navigation.Route("collection", open=digest)}


@pytest.fixture
def holder(tab, counts):
    """A session that has opened a state of its own."""
    with tab() as holder:
        at_collection(holder)
        opened_collections.open_state(counts, "state.json")
    return holder


def test_a_reload_brings_back_a_file_and_a_collection_at_once(tab, owner, counts):
    with owner:
        at_collection(owner)
        opened_collections.open_state(counts, "state.json")
        key, digest = uploads.tab_key(), opened_collections.get_opened().digest
        assert navigation.address_query(navigation.collection_route())["open"] == digest
    with tab(settings_of(owner)) as again:
        at_collection(again, digest)
        assert error_boundary.is_asking_tab() and navigation.missing_collection() == digest
        error_boundary.store_tab_key(key)
        assert opened_collections.get_opened().state is counts
        assert settings_of(again) == settings_of(owner) and uploads.tab_key() == key


def test_closing_lets_go_of_a_collection_and_of_all_about_it(tab, holder, counts):
    with holder:
        key, digest = uploads.tab_key(), opened_collections.get_opened().digest
        key_of_answer = digest, "calm"
        cached_calls.get_result("collection", key_of_answer, lambda: answer_state(counts, "calm"))
        opened_collections.close_collection()
        assert opened_collections.get_opened() is None
        assert uploads.tab_key() == "" and holder.state["drop_key"]
    for kept in result_cache._CACHES:
        assert not [one for one in kept._kept if result_cache._mentions(one, digest)]
    with tab() as other:
        at_collection(other, digest)
        error_boundary.store_tab_key(key)
        assert navigation.missing_collection() == digest


def test_forgetting_the_file_keeps_the_collection_and_its_key(tab, owner, counts):
    with owner:
        at_collection(owner)
        opened_collections.open_state(counts, "state.json")
        key = uploads.tab_key()
        error_boundary.forget_file()
        assert uploads.tab_key() == key and opened_collections.get_opened().state is counts
        assert not owner.state["drop_key"]
