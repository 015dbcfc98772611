"""Attacks on a plan: the cards of all attacks, and one attack with its guess, gain and defense."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from operator import attrgetter
from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from calm_core._checks import EPSILON_LIMIT
from calm_core.attacks import ATTACKS, AttackResult
from calm_core.attacks.asked_again import GUESS, Fresh
from calm_core.attacks.audit import FileAudit, audit_frame
from calm_core.attacks.base import Population
from calm_core.attacks.liars import ESTIMATES, LiarsResult
from calm_core.attacks.one_person import PRIORS
from calm_core.attacks.own_randomizer import AuditPhones
from calm_core.attacks.reidentification import NAMED, REPORTS
from calm_core.ingest.limits import LIMITS
from calm_core.ingest.table import ReadOptions
from calm_core.planning.plan import Plan
from calm_core.randomness import stream
from calm_core.settings import Settings
from pages import words
from pages.ui import cached_calls, display, frame, guessing, navigation, tables, widgets
from pages.ui.components import mount
from pages.ui.error_boundary import show_errors
from pages.ui.guessing import Control, Picture, Scale, Values, bars, curves, people
from pages.ui.jobs import Notify

SAID = words.attack
PREDICT, REVEAL = range(2)


@dataclass(frozen=True)
class AttackView:
    """How an attack is shown.

    Attributes
    ----------
    scale : Scale
        On which its gain is guessed.
    draw : callable (AttackResult, Values) -> Picture
        Given the values of the controls, too.
    controls : tuple of Control
        Their keys are fields of the attack.
    value : callable (AttackResult, float) -> float
        A gain as it is guessed and written.
    gain : callable (AttackResult) -> float
        The gain that is guessed.
    sentence : callable (AttackResult) -> str
        What the picture shows.
    more : callable (AttackResult, Values)
        Shows details below the picture.
    """

    scale: Scale
    draw: Callable[[AttackResult, Values], Picture]
    controls: tuple[Control, ...] = ()
    value: Callable[[AttackResult, float], float] = lambda result, share: 100 * share
    gain: Callable[[AttackResult], float] = attrgetter("gain")
    sentence: Callable[[AttackResult], str] = attrgetter("sentence")
    more: Callable[[AttackResult, Values], None] = lambda result, values: None

    def shown_gain(self, result: AttackResult) -> float:
        """Return the gain as it is guessed."""
        return self.value(result, self.gain(result))


class Target(NamedTuple):
    """What is attacked.

    Attributes
    ----------
    key : tuple
        Plain values that decide plan, population and random numbers.
    plan : callable () -> Plan
    population : callable () -> Population
    seed : int
    """

    key: tuple[Hashable, ...]
    plan: Callable[[], Plan]
    population: Callable[[], Population]
    seed: int


def target_of(settings: Settings) -> Target:
    """Return the plan and the people of the settings."""
    return Target(
        cached_calls.plan_key(settings),
        partial(cached_calls.plan, settings),
        partial(cached_calls.people, settings),
        settings.seed,
    )


def _found_people(result: AttackResult, values: Values) -> Picture:
    """Draw 100 people: found without a report, found with it, and not found."""
    table = result.table
    blind = round(100 * float((table["blind"] * table["weight"]).sum()))
    named = max(blind, round(100 * result.gain))
    said = SAID.FOUND
    colors = ["pale"] * blind + ["sampling"] * (named - blind) + ["line"] * (100 - named)
    legend = (
        ("pale", said["blind"].format(blind)),
        ("sampling", said["found"].format(named - blind)),
    )
    return people(colors, result.sentence, "", legend)


def _draw_days(result: AttackResult, values: Values) -> Picture:
    """Draw the guesses that are right by day, for every way to report."""
    table = result.table[result.table["measure"] == GUESS]
    lines, marks, legend = [], [], []
    last = int(table["day"].max())
    for (way, name), color in zip(SAID.WAYS.items(), WAY_COLORS):
        rows = table[table["way"] == way]
        points = [[day, 100 * share] for day, share in zip(rows["day"], rows["gain"])]
        lines.append({"points": points, "color": color, "dash": color == "true"})
        legend.append((color, name))
        if way == Fresh.name:
            marks.append([*points[-1], f"{words.numbers.digits(points[-1][1])} of 100"])
    x = {"least": 1, "most": max(last, 2), "ticks": sorted({1, last}), "title": SAID.DAYS}
    y = {"least": 0, "most": 100, "ticks": [0, 25, 50, 75, 100], "title": SAID.RIGHT}
    return curves(lines, x, y, result.sentence, legend, marks)


def _draw_liars(result: AttackResult, values: Values) -> Picture:
    """Draw the pushed table as it is and as CALM reconstructs it: of honest people, with liars, and with the defense."""
    assert isinstance(result, LiarsResult)
    domain = result.tables["true"].domain
    names, _, _ = tables.cell_names(domain)
    pushed = int(np.ravel_multi_index(result.cell, domain.sizes))
    shares = {key: 100 * table.values.ravel() for key, table in result.tables.items()}
    rows = []
    for i, name in enumerate(names):
        for (key, title), color in zip(SAID.TABLES.items(), TABLE_COLORS):
            text = words.numbers.whole(shares[key][i]) if i == pushed else None
            rows.append((f"{name}: {title}", shares[key][i], color, text, shares["true"][i]))
    legend = (("true", SAID.TRUE), *zip(TABLE_COLORS, SAID.TABLES.values()))
    said = _liars_sentence(result)
    title = said if frame.is_lecture() else SAID.pushed(cell=names[pushed])
    return bars(rows, said, title, legend, suffix="", groups=names)


def _liars_sentence(result: AttackResult) -> str:
    """What CALM makes of the pushed cell."""
    assert isinstance(result, LiarsResult)
    true, honest, lied, defended = (
        float(result.tables[key].values[result.cell]) for key in ("true", *SAID.TABLES)
    )
    domain = result.tables["true"].domain
    cell = tables.cell_name(domain, range(domain.d), result.cell)
    return SAID.liars_sentence(cell=cell, true=true, honest=honest, lied=lied, defended=defended)


def _liars_gain(result: AttackResult) -> float:
    """What the liars add to the cell that CALM reconstructs."""
    assert isinstance(result, LiarsResult)
    lied, honest = (result.tables[key].values[result.cell] for key in ("lied", "honest"))
    return float(lied - honest)


def _show_estimates(result: AttackResult, values: Values) -> None:
    """Show what the liars add by each estimate, and what it costs without them."""
    rows = result.table[np.isclose(result.table["share"], values["share"])]
    titles, what = zip(*(ESTIMATES[name].split(": ") for name in rows["estimate"]))
    columns = titles, *(100 * rows[name] for name in ("gain", "standard_error", "loss")), what
    table = pd.DataFrame(dict(zip(SAID.TRIED, columns)))
    with frame.drawer(SAID.ADDED, key="attack_estimates"):
        st.dataframe(table.round(1), hide_index=True)


def _times_chance(result: AttackResult, share: float) -> float:
    """Return how many times as often as by chance that is."""
    table = result.table
    return share / float(table.loc[table["source"] == "chance", "expected"].iloc[0])


def _draw_names(result: AttackResult, values: Values) -> Picture:
    """Draw how often a name is right: by chance, with the report, and with a row without noise."""
    named = result.table[result.table["measure"] == NAMED].set_index("source")["expected"]
    rows = []
    for source, title in SAID.SOURCES.items():
        times = _times_chance(result, float(named[source]))
        color = (
            "sampling" if source == REPORTS else "pale" if source == "chance" else "reconstructed"
        )
        rows.append((title, times, color, f"{words.numbers.digits(times)}×", None))
    return bars(rows, result.sentence, SAID.NAMED, suffix="×")


def _draw_audit(result: AttackResult, values: Values) -> Picture:
    """Draw how much of the promised epsilon is proven to be used, with more and more noise missing."""
    promised = result.table["epsilon"].iloc[0]
    rows = [
        (SAID.missing(share=1 - row.noise), 100 * row.lower_bound / promised,
         "sampling" if row.broken else "reconstructed", SAID.BROKEN if row.broken else SAID.KEPT, 100.0)
        for row in result.table.itertuples()
    ]  # fmt: skip
    legend = (("true", SAID.PROMISED), ("reconstructed", SAID.PROVEN))
    return bars(rows, result.sentence, "", legend, suffix="%")


OF_100 = Scale(0, 100, 1)
TABLE_COLORS = ("reconstructed", "sampling", "private")
WAY_COLORS = ("sampling", "reconstructed", "private", "rebuilding", "true")
VIEWS: dict[str, AttackView] = {
    "one-person": AttackView(
        OF_100,
        _found_people,
        (Control("prior", SAID.PRIOR, PRIORS, PRIORS[0], SAID.PRIORS.__getitem__),),
    ),
    "asked-again": AttackView(
        OF_100, _draw_days, (Control("days", SAID.DAYS.capitalize(), (1, 2, 5, 10, 20, 30), 30),)
    ),
    "liars": AttackView(
        OF_100,
        _draw_liars,
        (
            Control("share", SAID.SHARE, (0.01, 0.02, 0.05, 0.1, 0.2), 0.05, "{:.0%}".format),
            Control("kind", SAID.KIND, tuple(SAID.KINDS), "maximal", SAID.KINDS.__getitem__),
        ),
        gain=_liars_gain,
        sentence=_liars_sentence,
        more=_show_estimates,
    ),
    "re-identification": AttackView(
        Scale(1, 20, 0.1, suffix="×"), _draw_names, value=_times_chance
    ),
    "audit": AttackView(
        Scale(0, 200, 1, suffix="%"),
        _draw_audit,
        (
            Control(
                "noise",
                SAID.MISSING,
                (1.0, 0.9, 0.8, 0.7, 0.5),
                1.0,
                lambda v: words.numbers.percent(1 - v, 0),
            ),
        ),
    ),
}


def find_result(target: Target, name: str, values: Values) -> AttackResult:
    """Return what the attack gains, cached."""

    # Read here: the work has no session.
    plan, population = target.plan(), target.population()

    def work(notify: Notify) -> AttackResult:
        rng = stream(target.seed, "attack", name)
        return ATTACKS[name](**values).run(plan, population, rng=rng)

    key = _result_key(target, name, values)
    stop = partial(open_attack, name)
    return cached_calls.get_long_result("attack", key, work, lambda *_: SAID.RUNNING, stop)


def _result_key(target: Target, name: str, values: Values) -> tuple[Hashable, ...]:
    """Plain values that decide the result."""
    return (*target.key, name, *values.items())


def known_result(target: Target, name: str) -> AttackResult | None:
    """Return the result if the attack has been run like this and a guess was made; runs nothing."""
    if guessing.get_guess(f"attack-{name}") is None:
        return None
    return cached_calls.peek_result("attack", _result_key(target, name, _values(name)))


def _values(name: str) -> dict:
    """Return the values of the controls as they are, shown or not."""
    return guessing.control_values(
        VIEWS[name].controls, lambda one: st.session_state.get(_control_key(name, one))
    )


def _control_key(name: str, control: Control) -> str:
    return f"attack_{name}_{control.key}"


def show_cards(target: Target) -> None:
    """Show all attacks: what was found, or what there is to guess."""
    if not frame.is_lecture():
        frame.show_text(SAID.LEAD, quiet=True)
    results = {name: known_result(target, name) for name in VIEWS}
    with st.container(key="attack_cards"), st.grid(5, min_column_width=200):
        for name, result in results.items():
            _show_card(name, result)
    with frame.drawer(SAID.LIMITS, key="attack_limits"):
        st.markdown(SAID.LIMITS_TEXT)


def _show_card(name: str, result: AttackResult | None) -> None:
    said = SAID.ATTACKS[name]
    with st.container(border=True, key=f"attack_card_{name}", height="stretch"):
        with st.container(key=f"attack_icon_{name}"):
            st.markdown(said["icon"])
        st.markdown(f"**{said['title']}**" + (" :green[:material/check:]" if result else ""))
        st.markdown(said["question"])
        if result is not None:
            st.markdown(f"**{number_text(name, result)}**")
        if not frame.is_lecture():
            for line in [said["guess"]] if result is None else result_lines(name, result):
                st.caption(line)
        st.button(
            SAID.PREDICT if result is None else SAID.AGAIN,
            key=f"attack_open_{name}", width="stretch", on_click=open_attack, args=(name,),
        )  # fmt: skip


def open_attack(name: str, at: int = PREDICT) -> None:
    """Show an attack, before or after its guess."""
    if navigation.current().page == "attack":
        navigation.change(view=name, at=at)
    else:
        st.session_state["attack_chosen"] = name
        navigation.change(at=at)


def number_text(name: str, result: AttackResult) -> str:
    """Return the gain with its unit."""
    return SAID.ATTACKS[name]["number"].format(words.numbers.digits(VIEWS[name].shown_gain(result)))


def result_lines(name: str, result: AttackResult) -> list[str]:
    """Return the guess, the bound and the defense beside the gain, as Markdown."""
    guess, view = guessing.get_guess(f"attack-{name}"), VIEWS[name]
    scale = view.scale
    lines = [] if guess is None else [SAID.you_guessed(guess=scale.format_value(guess))]
    bound = words.numbers.digits(view.value(result, result.bound)) + scale.suffix
    lines.append(f"{SAID.BOUND} **{bound}**{SAID.ATTACKS[name].get('bound_note', '')}")
    defense = result.defense
    if defense is not None:
        remaining = words.numbers.digits(view.value(result, defense.gain)) + scale.suffix
        lines.append(SAID.defense(name=display.markdown(defense.name), left=remaining))
    return lines


def show_one_of_all(target: Target) -> None:
    """Show an attack on an open collection, and the choice among all."""
    titles = {name: said["title"] for name, said in SAID.ATTACKS.items()}
    frame.show_text(SAID.WITHOUT_TRUTH, quiet=True)
    name = widgets.choose_segment(
        SAID.ALL, titles, "attack_chosen", label_visibility="collapsed",
        on_change=lambda: navigation.change(at=PREDICT),
    )  # fmt: skip
    show_attack(target, name)


def show_attack(target: Target, name: str) -> None:
    """Show one attack: its picture with the guess, then its gain, bound and defense."""
    view, said, key = VIEWS[name], SAID.ATTACKS[name], f"attack-{name}"
    at = min(navigation.current().at, REVEAL)
    guess = guessing.get_guess(key)
    waits = at == PREDICT and guess is None and not frame.is_lecture()
    frame.set_step_count(PREDICT + 1 if waits else REVEAL + 1)
    with frame.side():
        if not frame.is_lecture() and navigation.current().page == "attack":
            _show_way_back()
        values = _show_controls(name)
        frame.set_title(said["question"])
        result = find_result(target, name, values) if at == REVEAL else None
        with st.container(key="attack_text"):
            if result is None:
                frame.show_text(said["guess"])
            else:
                _show_finding(name, result)
        if not frame.is_lecture() and result is None:
            st.button(
                SAID.RUN, type="primary", icon=":material/play_arrow:", key="attack_run", disabled=waits,
                on_click=open_attack, args=(name, REVEAL), help=SAID.NOT_YET if waits else None,
            )  # fmt: skip
    picture = _blank(name) if result is None else view.draw(result, values)
    mount(
        "lesson_picture",
        guessing.picture_data(
            key, picture, view.scale, guess, asks=result is None, answer=SAID.ANSWER,
            truth=None if result is None else view.shown_gain(result),
        ),
        on={"guess": partial(guessing.keep_guess, key, view.scale)},
    )  # fmt: skip
    if result is not None:
        view.more(result, values)
    if name == AuditPhones.name:
        show_own_audit()


def _show_way_back() -> None:
    """Show the way back to all attacks."""
    with st.container(key="attack_top"):
        st.button(
            SAID.ALL, icon=":material/arrow_back:", type="tertiary", key="attack_all",
            on_click=open_attack, args=("",),
        )  # fmt: skip


def _show_controls(name: str) -> dict:
    with st.container(key="attack_controls", horizontal=True):
        for control in VIEWS[name].controls:
            guessing.draw_control(control, _control_key(name, control))
    return _values(name)


def _show_finding(name: str, result: AttackResult) -> None:
    if frame.is_lecture():
        frame.show_number(number_text(name, result))
        return
    st.markdown(f"## {number_text(name, result)}")
    frame.show_text(display.sentence(VIEWS[name].sentence(result)))
    for line in result_lines(name, result):
        st.markdown(line)
    if result.defense is not None:
        st.caption(display.sentence(result.defense.sentence))


def _blank(name: str) -> Picture:
    """Return the picture before anything was run."""
    return people(["line"] * 100, SAID.ATTACKS[name]["question"], "")


def show_own_audit() -> None:
    """Show the audit of a randomizer of one's own: from a file of what it did, or from its probabilities."""
    with frame.drawer(SAID.OWN, key="attack_own"):
        st.markdown(SAID.OWN_LEAD)
        claimed = st.number_input(
            SAID.CLAIMED, 0.01, EPSILON_LIMIT, 1.0, key="attack_claimed", persist_state="session"
        )
        file = st.file_uploader(
            SAID.OWN_FILE,
            ["csv", "txt"],
            key="attack_file",
            max_upload_size=LIMITS.upload_bytes >> 20,
        )
        typed = st.text_area(
            SAID.OWN_TABLE,
            key="attack_table",
            placeholder=SAID.OWN_EXAMPLE,
            persist_state="session",
        )
        content = file.getvalue() if file else typed.encode()
        if not content.strip():
            return
        with show_errors(stop=False):
            how, audit = audit_content(content, file.name if file else SAID.TYPED, claimed)
            st.caption(display.sentence(how))
            draw = st.error if audit.broken else st.success
            draw(display.sentence(audit.sentence))


def audit_content(content: bytes, name: str, epsilon: float) -> FileAudit:
    """Return the audit of a file, cached."""
    options = ReadOptions(shape="table", header=True, normalize=False)

    def compute() -> FileAudit:
        frame = cached_calls.parse_table(content, name, options, lambda table: table.frame)
        return audit_frame(frame, epsilon)

    return cached_calls.get_result(
        "own_audit", (sha256(content).hexdigest(), name, epsilon), compute
    )
