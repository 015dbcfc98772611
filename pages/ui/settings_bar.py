"""The settings bar: its controls, and what happens with a choice."""

from collections.abc import Iterable
from functools import partial

from calm_core.errors import UserError
from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.inference.reconstruction.answers import RECONSTRUCTION
from calm_core.ingest.samples import SAMPLES
from calm_core.methods import METHODS
from calm_core.methods.calm_plus import DESIGNS
from calm_core.oracles import ORACLE_RULES
from calm_core.planning.algorithm1 import mean_cells
from calm_core.settings import Settings
from pages import words
from pages.ui import cached_calls, display, lecture, navigation, state, warnings, widgets
from pages.ui.components import mount
from pages.ui.widgets import epsilons_around

# Settings that are typed as numbers; of the optional ones nothing may be typed.
FLOATS, OPTIONAL = ("epsilon", "theta"), ("n", "l", "m")
WHOLE = ("k", "d", "rounds", "queries", "seed", *OPTIONAL)
SIZES = (1000, 10_000, 2**16, 2**18, 1_000_000, 10**9)
BUTTONS = (1, 2, 3, 4, 6)
WIDTHS = (2, 3, 4, 6, 8, 10, 12, 16, 18, 24, 32, 48, 64)
LARGEST_K = 8
# Pages whose content does not depend on the settings.
WITHOUT_SETTINGS = ("collection", "classroom")
# Pages whose picture can be played, and the label of the button.
PLAY = {"start": "collections", "plan": "steps", "collect": "arrival", "marginals": "collections"}


def show_settings_bar(page: str, counter: str = "") -> None:
    """Mount the settings bar of `page`; `counter` is the position in a lecture."""
    data = settings_bar_data(page, counter)
    fields = [*(control["field"] for control in data["controls"]), *data["actions"]]
    mount(
        "settings_bar",
        data,
        height="content",
        on={field: partial(apply_choice, field) for field in fields},
    )


def settings_bar_data(page: str, counter: str = "") -> dict:
    """Return the data of the settings bar as plain values."""
    settings = state.current()
    controls = [
        control for control in _build_controls(settings) if not state.is_hidden(control["field"])
    ]
    if page in (*WITHOUT_SETTINGS, "learn"):
        # Lessons have settings of their own; only their noise is new.
        controls = []
    if state.is_hidden("details"):
        controls = [control for control in controls if not control.get("more")]
    undo = ["undo"] if state.can_undo() else []
    noise = [] if state.is_hidden("seed") else ["noise"]
    return {
        "controls": controls,
        "actions": ["leave"] if page in WITHOUT_SETTINGS else [*undo, *noise, "leave"],
        "play": words.settings.PLAY.get(_playable(page), ""),
        "lecture": settings.presenter,
        "counter": counter,
        "words": words.settings.LABELS,
        "help": words.settings.HELP,
        # Sent to table components while epsilon is dragged.
        "grid": list(epsilons_around(settings.epsilon)),
    }


def _playable(page: str) -> str:
    """Return what can be played on a page; on Plan it is a view."""
    steps = page == "plan" and navigation.current().view != "steps"
    return "" if steps else PLAY.get(page, "")


def apply_choice(field: str, value) -> None:
    """Apply a choice made in the settings bar."""
    with state.show_user_errors():
        if field == "noise":
            state.new_noise()
        elif field == "undo":
            state.undo()
        elif field == "leave":
            lecture.leave_lecture()
        else:
            state.set_field(field, _parse_value(field, value))


def _parse_value(field: str, value):
    if field in FLOATS:
        return widgets.parse_float(value, field)
    if field in OPTIONAL and value in ("", None):
        return None
    return widgets.parse_int(value, field) if field in WHOLE else value


def _build_controls(settings: Settings) -> list[dict]:
    names = {name: sample.title for name, sample in SAMPLES.items()} | cached_calls.upload_names()
    domain = cached_calls.encoded_data(settings).dataset.domain
    rows = cached_calls.encoded_data(settings.with_changes(n=None)).dataset.n
    usable = min(64, len(cached_calls.schema(settings).used_columns))
    grid = epsilons_around(settings.epsilon)
    epsilons = {f"{e:g}": " ".join(words.settings.slider_texts(e)) for e in grid}
    most_k = min(LARGEST_K, settings.d)
    sizes = {"": words.numbers.amount(rows)} | {str(n): words.numbers.amount(n) for n in SIZES}
    if settings.n:
        sizes[str(settings.n)] = words.numbers.amount(settings.n)
    ds = sorted({*(d for d in WIDTHS if d <= usable), settings.d})
    return [
        _list_control("source", {name: display.shorten(text, 32) for name, text in names.items()}, settings.source),
        {"field": "epsilon", "kind": "range", "value": grid.index(settings.epsilon),
         "steps": list(epsilons), "texts": list(epsilons.values()), "wrong": _error_text(settings)},
        _list_control("d", {str(d): str(d) for d in ds}, str(settings.d)),
        {"field": "k", "kind": "buttons", "value": settings.k,
         "options": [k for k in BUTTONS if k <= most_k] or [settings.k]},
        _list_control("n", sizes, str(settings.n or "")),
        *_more_controls(settings, usable, most_k, mean_cells(domain.sizes, settings.k)),
    ]  # fmt: skip


def _error_text(settings: Settings) -> str:
    """Return the measured or predicted error with these settings; "" if neither is known.

    What a curator would do takes seconds to predict: nobody waits for that here.
    """
    run = cached_calls.peek(settings)
    if run is None and METHODS[settings.method].trust == "central":
        return ""
    try:
        wrong = warnings.predict_wrong(settings) if run is None else run.wrong
    except UserError:
        return ""
    return "" if wrong is None else words.settings.wrong_text(wrong, expected=run is None)


def _more_controls(settings: Settings, usable: int, most_k: int, cells: float) -> list[dict]:
    """Return rarely used settings, shown behind one button."""
    methods = {
        name: method.title if method.trust == "local" else f"{method.title} (trusted curator)"
        for name, method in METHODS.items()
    }
    thetas = {
        repr(theta): words.plan.theta_text(theta, cells) for theta in widgets.offered_thetas()
    }
    return [
        _free_number("epsilon", f"{settings.epsilon:g}"),
        _more_list_control("k", {str(k): str(k) for k in range(1, most_k + 1)}, str(settings.k)),
        _free_number("n", f"{settings.n:,}" if settings.n else "", words.settings.ALL),
        _more_list_control("theta", thetas, repr(settings.theta)),
        _free_number("theta", f"{settings.theta:g}"),
        *([] if settings.columns else [_free_number("d", str(settings.d), f"2 to {usable}")]),
        _more_list_control("method", methods, settings.method),
        _more_list_control("oracle", _named_by_key(ORACLE_RULES), settings.oracle),
        _text_control("l", str(settings.l or ""), words.settings.ALGORITHM_1),
        _text_control("m", str(settings.m or ""), words.settings.ALGORITHM_1),
        _more_list_control("design", words.common.DESIGNS | _named_by_key(set(DESIGNS) - set(words.common.DESIGNS)), settings.design),
        _more_list_control("nonnegativity", _named_by_key(NONNEGATIVITY), settings.nonnegativity),
        _text_control("rounds", str(settings.rounds)),
        _more_list_control("reconstruction", _named_by_key(RECONSTRUCTION), settings.reconstruction),
        _text_control("queries", str(settings.queries)),
        _text_control("seed", str(settings.seed)),
    ]  # fmt: skip


def _named_by_key(names: Iterable[str]) -> dict[str, str]:
    return {name: name for name in names}


def _list_control(field: str, options: dict[str, str], value: str) -> dict:
    return {"field": field, "kind": "list", "value": value, "options": list(options.items())}


def _more_list_control(field: str, options: dict[str, str], value: str) -> dict:
    return _list_control(field, options, value) | {"more": True}


def _free_number(field: str, value: str, usual: str = "") -> dict:
    """Return a text field for a setting that also has a list of choices."""
    return _text_control(field, value, usual) | {"label": words.settings.OWN[field]}


def _text_control(field: str, value: str, usual: str = "") -> dict:
    return {"field": field, "kind": "text", "value": value, "usual": usual, "more": True}
