"""Widgets and the settings behind them.

`st.session_state["settings"]` is the truth. A widget shows a field of it and, when moved, asks for
the changed settings; what the library refuses is said in one sentence and changes nothing.
"""

from collections.abc import Callable

import streamlit as st

from calm_core.errors import InputError, UserError
from calm_core.inference.nonnegativity import NONNEGATIVITY
from calm_core.inference.reconstruction import RECONSTRUCTION
from calm_core.ingest import Schema
from calm_core.ingest.samples import SAMPLES
from calm_core.methods import METHODS
from calm_core.methods.calm_plus_design import DESIGNS
from calm_core.oracles import ORACLE_RULES
from calm_core.settings import EPSILONS, LARGEST_SEED, THETAS, Settings
from pages.ui import cached as runs
from pages.ui import escape, messages, privacy
from pages.words import shared as words

ALL_ROWS = "all rows"
# What widgets call their default value, where not "value".
DEFAULT_NAMES = {
    "selectbox": "index", "radio": "index", "multiselect": "default", "pills": "default",
    "segmented_control": "default",
}  # fmt: skip
# What a link may hold for a single page, beside settings.
PAGES_OWN = ("lesson",)
SIZES = (1000, 10_000, 2**16, 2**18, 1_000_000)


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
        pages=tuple(name for name in settings.pages if name in words.PAGES),
        # Who names few attributes and no k means a k that fits them.
        k=settings.k if "k" in query else min(settings.k, settings.d),
    )
    if settings.uploaded and settings.source not in runs.uploads():
        st.session_state["awaited"] = settings
        name = settings.file or "a file"
        remarks += (
            f"This link shows {name}, which stays with its owner: upload it on the Data page.",
        )
        d = min(settings.d, Settings().d)
        settings = settings.changed(
            source=Settings().source, file="", read=(), schema="", columns=(), attrs=(),
            d=d, k=min(settings.k, d),
        )  # fmt: skip
    elif not runs.has_schema(settings):
        settings, remarks = _await_schema(settings), (*remarks, words.EDITED_ELSEWHERE)
    try:
        fitting = _fit(settings)
        if gone := [name for name in settings.attrs if name not in fitting.attrs]:
            remarks += (
                f"attrs in the link names {', '.join(gone):.60}, not among the attributes used "
                "here: choose attributes on the Marginals page.",
            )
        settings = fitting
    except UserError as error:
        remarks += (f"The link does not fit its data: {error}. The sample is shown as usual.",)
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
        messages.refuse(error)
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
    domain = runs.encoded(settings).dataset.domain
    runs.check_attributes(domain)
    if settings.k > domain.d:
        raise InputError(
            f"k ({settings.k}) must be at most {domain.d}, the number of attributes; "
            "choose a smaller k or more attributes"
        )
    known = tuple(name for name in settings.attrs if name in domain.names)
    return settings.changed(attrs=known, d=domain.d)


def use_source(source: str) -> bool:
    """Change to a sample or an upload, with as many attributes as before where it has them."""
    awaited = st.session_state.get("awaited")
    if awaited is not None and awaited.source == source:
        wanted = st.session_state.pop("awaited")
        if not runs.has_schema(wanted):
            wanted = _await_schema(wanted)
            st.session_state["remarks"] = (words.EDITED_ELSEWHERE,)
    else:
        wanted = current().changed(
            source=source, file=runs.uploads().get(source, ""), read=runs.reading(source), schema="",
            columns=(), attrs=(), l=None, m=None,
        )  # fmt: skip
    try:
        usable = len(runs.schema(wanted).kept)
        d = wanted.d if wanted.columns else max(1, min(wanted.d, usable))
        restore(_fit(wanted.changed(d=d, k=min(wanted.k, d))))
    except UserError as error:
        messages.refuse(error)
        return False
    return True


def use_schema(schema: Schema) -> None:
    """Use the columns a schema keeps; those chosen now if a link has been waiting for this schema."""
    now = current()
    awaited = st.session_state.get("awaited_schema") == (now.source, schema.digest)
    columns = now.columns if awaited else ()
    try:
        digest = runs.keep_schema(schema, now.changed(columns=columns))
    except UserError as error:
        messages.refuse(error)
        return
    change(schema=digest, columns=columns)


def hidden(field: str) -> bool:
    """Whether a teacher's link hides this control."""
    return field in current().hide


def control(
    widget: Callable,
    label: str,
    field: str,
    *,
    key: str | None = None,
    twin: bool = False,
    show: Callable = lambda value: value,
    read: Callable = lambda value: value,
    **options,
):
    """A widget bound to one field of the settings, on any page, under any key.

    Parameters
    ----------
    widget : callable
        `st.slider`, `st.selectbox` and the like.
    field : str
        Name of the field.
    twin : bool
        Whether another widget on the same page shows the same field. A browser that has not yet
        heard of a change made there would report this widget's old value as if it had been moved
        back; a widget of its own per value cannot.
    show, read : callable
        Field to widget value, and back.
    """
    if hidden(field):
        return None
    key = key or f"in_{field}"
    shown = show(getattr(current(), field))
    if twin:
        key = f"{key}_{shown}"
    # The browser may first draw a widget from a later run than the one that created it, so every
    # run brings a default too: what was shown first, or assigned since because it changed elsewhere.
    defaults = st.session_state.setdefault("defaults", {})
    if key not in st.session_state:
        defaults[key] = shown
    elif st.session_state[key] != shown:
        st.session_state[key] = defaults[key] = shown
    usual = defaults.get(key, shown)
    if (
        "options" in options
        and not isinstance(usual, list | tuple)
        and usual not in options["options"]
    ):
        usual = shown
    if "max_value" in options and usual is not None and usual > options["max_value"]:
        usual = shown
    default = DEFAULT_NAMES.get(widget.__name__, "value")
    if default == "index":
        choices = list(options["options"])
        options["index"] = choices.index(usual) if usual in choices else 0
    else:
        options[default] = usual
    made_for = (shown,) if twin else ()
    return widget(label, key=key, on_change=_moved, args=(field, key, read, *made_for), **options)


def _moved(field: str, key: str, read: Callable, *made_for) -> None:
    # A request that the browser sent before it heard of a new twin still reports the old one, which
    # the server has forgotten and takes for moved. It says what it was made for: nobody moved it.
    if st.session_state[key] in made_for:
        return
    try:
        value = read(st.session_state[key])
    except UserError as error:
        messages.refuse(error)
        return
    if field == "source":
        use_source(value)
    elif field == "d":
        change(d=value, columns=(), k=min(value, current().k), l=None, m=None)
    elif field == "columns":
        change(columns=value, k=min(current().k, len(value) or current().k), l=None, m=None)
    else:
        change(**{field: value})


def whole(text, name: str) -> int:
    """A whole number as people type it: 60000, 60,000 or 60 000."""
    plain = str(text).replace(",", "").replace(" ", "").replace("_", "")
    try:
        return int(plain)
    except ValueError:
        raise InputError(f"{name} ({str(text):.40}) must be a whole number") from None


def _read_n(text: str | None) -> int | None:
    return None if text is None or text == ALL_ROWS else whole(text, "n")


def epsilon_control(*, key: str | None = None, label: str = "Privacy budget ε") -> None:
    """The slider with its words; the same everywhere."""
    epsilon = current().epsilon
    options = sorted({*EPSILONS, epsilon})
    control(
        st.select_slider, label, "epsilon", key=key, options=options, format_func=lambda e: f"{e:g}"
    )
    privacy.show(epsilon)


def sidebar() -> None:
    """The controls every page has."""
    with st.sidebar:
        names = {name: sample.title for name, sample in SAMPLES.items()} | runs.uploads()
        control(
            st.selectbox, "Data", "source", options=list(names),
            format_func=lambda source: escape.short(names.get(source, source), 32),
        )  # fmt: skip
        epsilon_control()
        sizes()
        if not hidden("details"):
            with st.expander("Method and simulation", icon=":material/tune:"):
                _details()
        if not hidden("share"):
            _share()


def sizes() -> None:
    """d, k and n."""
    settings = current()
    usable = min(64, len(runs.schema(settings).kept))
    if settings.columns:
        if not hidden("d"):
            st.caption(f"{settings.d} attributes chosen on the Data page")
    elif usable > 2:
        control(
            st.slider, "Attributes d", "d", min_value=2, max_value=max(usable, settings.d),
            help="The first d usable columns; the Data page lets you choose and order them.",
        )  # fmt: skip
    most = min(8, settings.d)
    if most > 1:
        control(
            st.slider, "Attributes per marginal k", "k", min_value=1, max_value=most,
            help="Tables over any k attributes are to be released.",
        )  # fmt: skip
    rows = runs.encoded(settings.changed(n=None)).dataset.n
    offered = [ALL_ROWS, *(f"{n:,}" for n in SIZES)]
    if settings.n and f"{settings.n:,}" not in offered:
        offered.append(f"{settings.n:,}")
    control(
        st.selectbox, f"Users n (the data has {rows:,})", "n", options=offered,
        show=lambda n: ALL_ROWS if n is None else f"{n:,}", read=_read_n, accept_new_options=True,
        help="Fewer rows are drawn at random, more are duplicated, as the papers do. Type any number.",
    )  # fmt: skip


def thetas() -> list[float]:
    """Thresholds offered, the current one among them."""
    return sorted({*THETAS, current().theta})


def _details() -> None:
    """Settings few people touch."""
    control(
        st.text_input, "ε exactly", "epsilon", key="in_epsilon_exact", twin=True, show=lambda e: f"{e:g}",
        read=lambda text: _number(text, "epsilon"),
    )  # fmt: skip
    control(
        st.select_slider, "Error threshold θ", "theta", options=thetas(),
        format_func=lambda t: f"{t:g}",
        help="Algorithm 1 keeps noise and sampling error below θ where it can.",
    )  # fmt: skip
    control(
        st.selectbox,
        "Method",
        "method",
        options=list(METHODS),
        format_func=_method_title,
    )
    control(st.selectbox, "Oracle", "oracle", options=list(ORACLE_RULES))
    for field, label in (("l", "View size l"), ("m", "Number of views m")):
        control(
            st.number_input, label, field, min_value=1, placeholder="Algorithm 1 decides", step=1,
        )  # fmt: skip
    control(
        st.selectbox, "Design of CALM+", "design", options=list(DESIGNS), format_func=words.DESIGNS.get,
        help=words.DESIGN_HELP,
    )  # fmt: skip
    control(st.selectbox, "Non-negativity", "nonnegativity", options=list(NONNEGATIVITY))
    control(st.slider, "Rounds", "rounds", min_value=0, max_value=10)
    control(st.selectbox, "Reconstruction", "reconstruction", options=list(RECONSTRUCTION))
    control(
        st.number_input, "Random marginals scored", "queries", min_value=1, max_value=500, step=10
    )
    control(st.number_input, "Seed", "seed", min_value=0, max_value=LARGEST_SEED, step=1)


def _method_title(name: str) -> str:
    method = METHODS[name]
    return method.title if method.trust == "local" else f"{method.title} (trusted curator)"


def _number(text: str, name: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise InputError(f"{name} ({text:.40}) must be a number") from None


def _share() -> None:
    """The link and the command that restore everything."""
    from pages.ui.sharing import share_popover

    share_popover(current())
