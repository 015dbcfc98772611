"""Columns of words: yes and no, scales, categories, and what is left out as id-like or free text."""

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pyarrow as pa

from calm_core.ingest.binning import listed
from calm_core.ingest.column import ColumnSchema
from calm_core.ingest.counting import Counted
from calm_core.ingest.table import pc
from calm_core.ingest.values.markers import MISSING_WORDS, NO_OPINION, NO_VALUE, is_word
from calm_core.ingest.values.scales import band_ranks, pattern_ranks, word_ranks
from calm_core.ingest.values.units import BEYOND_CLOCK, CLOCK_LIKE
from calm_core.ingest.values.variants import MAX_WORDS, yes_or_no

FEW_WHOLE = 20  # whole numbers with at most so many values stay ordered categories
ID_SHARE = 0.95
ID_NAME = re.compile(r"(^|[_\W])(id|uuid|guid|key)$|^id[_\W]|Id$", re.IGNORECASE)
NUMBER_NAME = re.compile(
    r"(^|[_\W])(no|nr|num|number|nummer|numero|número|code|row|index|ssn)\.?$|^(no|nr|row|index)[_\W.]",
    re.IGNORECASE,
)
WIDE = 1e9  # numbers as large as these tell people apart where all of them differ
ZIP_NAME = re.compile(
    r"(^|[_\W])(zip|zip_?codes?|post_?codes?|postal|postal[ _]codes?|plz|postleitzahl|cap|cep)($|[_\W])",
    re.IGNORECASE,
)
CALLED = re.compile(
    r"(^|[_\W])(tel|telefon\w*|telefoon\w*|teléfono|téléphone|telephone|phone\w*|mobile?|móvil|celular|cell\w*|handy\w*|fax|gsm"
    r"|komórk\w*|kontakt|portable|iban|bic|isbn|issn|ean|gtin|upc|imei|pesel|nip|regon|siret|siren|nif|nie|dni|bsn|cpf"
    r"|cnpj|personnummer|kontonummer|kontonr|kartennummer|card[_ ]?(?:no|number|nr)|account[_ ]?(?:no|number|nr)"
    r"|steuernummer|passport|ausweis\w*)($|[_\W\d])",
    re.IGNORECASE,
)
# Shown as no and yes by every screen; and "on" says more than yes.
OWN_WORDS = (("0", "1"), ("no", "yes"))
Pairs = Iterable[tuple[str, str]]
PHONE = r"^\+?[\d(][\d ()/.\-\x{A0}\x{202F}]{5,24}[\dX]$"
WITH_PLUS = r"^(?:\+|00)[1-9][\d ()/.\-\x{A0}\x{202F}]{8,24}$"
LONGEST_STEP = 200  # letters of a step of a scale, such as a statement to agree with
LONG = 9  # digits that nobody counts to, where all have as many


def yes_no_column(found: Counted, letters: Pairs = ()) -> ColumnSchema | None:
    """A column of yes and no in any known words; markers for nothing stay values beside them.

    Parameters
    ----------
    letters : pairs
        Single letters that are no and yes in this file.
    """
    if not 2 <= len(found.texts) <= MAX_WORDS + 3:
        return None
    marked = is_word(found.texts, MISSING_WORDS)
    order = np.full(len(marked), np.nan)
    sides = yes_or_no(found.texts.filter(pa.array(~marked)).to_pylist(), letters)
    if sides is None:
        return None
    order[~marked] = sides
    column = listed(found.base("yes/no"), found.texts, found.counts, by_number=order)
    return yes_no_named(column, letters)


def yes_no_named(column: ColumnSchema, letters: Pairs = ()) -> ColumnSchema:
    """No and yes as names of the two values, where the screen would not say so by itself."""
    sides = yes_or_no(column.labels[:2], letters) if column.size >= 2 else None
    labels = tuple(label.casefold() for label in column.labels)
    known = labels in OWN_WORDS or labels[:2] == ("off", "on")
    plain = column.missing_code not in (0, 1) and column.other not in (0, 1)
    if (
        column.kind != "yes/no"
        or sides is None
        or sides.tolist() != [0, 1]
        or known
        or not plain
        or column.value_names
    ):
        return column
    names = ["no", "yes", *("" for _ in column.labels[2:])]
    names = ["" if name == label else name for name, label in zip(names, column.labels)]
    if set(filter(None, names)) & set(column.labels) or not any(names):
        return column
    return replace(column, value_names=tuple(names))


def id_like(name: str, values: int, rows: int) -> bool:
    """Whether nearly every row has a value of its own."""
    share = values / max(1, rows)
    return rows >= 20 and (share > ID_SHARE or (share > 0.5 and ID_NAME.search(name) is not None))


def running_number(name: str, numbers: np.ndarray, rows: int) -> bool:
    """Whether whole numbers only tell rows apart; salaries that differ are no such numbers.

    Parameters
    ----------
    numbers : ndarray
        The distinct ones.

    Examples
    --------
    >>> running_number("x", np.arange(100), 100), running_number("pay", 977.0 * np.arange(20, 120), 100)
    (True, False)
    """
    values = len(numbers)
    if not id_like(name, values, rows):
        return False
    span = float(numbers.max() - numbers.min()) + 1
    named = ID_NAME.search(name) is not None or NUMBER_NAME.search(name) is not None
    # So many would meet by chance, if they were amounts from this range.
    met = values == rows and rows * rows / (2 * span) > 5
    return named or span <= 2 * values or met or (values == rows and span > WIDE)


def as_id(base: ColumnSchema, values: int, rows: int) -> ColumnSchema:
    """The column, left out because it tells people apart and says nothing else."""
    reason = f"id-like ({values:,} different values in {rows:,} rows)"
    return replace(base, kind="id-like", keep=False, reason=reason)


def is_postcode(found: Counted) -> bool:
    """Whether a column of digits is called as postcodes are: they are names, not amounts."""
    if ZIP_NAME.search(found.name) is None:
        return False
    digits = pc.match_substring_regex(found.texts, r"^\d{3,9}(?:-\d{3,4})?$")
    return bool(np.asarray(digits).mean() > 0.9)


def is_clock(found: Counted) -> bool:
    """Whether texts such as 17:37 are times of the day, none of them 24 hours or more."""

    def rows(pattern: str) -> int:
        return int(found.counts[np.asarray(pc.match_substring_regex(found.texts, pattern))].sum())

    if not any(pc.any(pc.match_substring(found.texts, sign)).as_py() for sign in ":h"):
        return False
    return rows(BEYOND_CLOCK) == 0 and rows(CLOCK_LIKE) > 0.5 * found.counts.sum()


def is_number_of_somebody(found: Counted) -> bool:
    """Whether digits are telephone, account or article numbers: they are names, not amounts.

    Their column is called so, or they begin with a plus, or they are long and all of one length.
    """
    texts = found.texts
    if not len(texts):
        return False

    def share(pattern: str) -> float:
        return float(np.asarray(pc.match_substring_regex(texts, pattern)).mean())

    if share(PHONE) <= 0.9:
        return False
    if share(WITH_PLUS) > 0.9 or CALLED.search(found.name) is not None:
        return True
    digits = pc.replace_substring_regex(texts, r"\D", "")
    lengths = np.unique(np.asarray(pc.utf8_length(digits)))
    apart = share(r"\d[ ()/.\-\x{A0}\x{202F}]+\d") > 0.9
    return bool(
        apart and len(lengths) == 1 and lengths[0] >= LONG
        and id_like(found.name, len(texts), found.rows) and share(r"[.,]\d{1,2}$") == 0
        and share(r"^(?:1[89]|20)\d{2}[-/. ]|[-/. ](?:1[89]|20)\d{2}$") < 0.5
    )  # fmt: skip


def scale_order(texts: pa.Array, name: str = "") -> np.ndarray | None:
    """Ranks where the texts are steps of one scale: words, sizes, marks, or bands of numbers.

    Parameters
    ----------
    name : str
        Of the column.

    Examples
    --------
    >>> scale_order(pa.array(["often", "never", "n/a", "always"])).tolist()
    [6.0, 0.0, nan, 10.0]
    >>> scale_order(pa.array(["red", "green", "blue"])) is None
    True
    """
    sure = ~is_word(texts, NO_VALUE)
    # "none" may be the first step, or stand for no answer.
    for known in (sure, ~is_word(texts, MISSING_WORDS | NO_OPINION)):
        if not 3 <= known.sum() <= FEW_WHOLE:
            continue
        words = texts.filter(pa.array(known)).to_pylist()
        if max(map(len, words)) > LONGEST_STEP:
            continue
        ranks = word_ranks(words) or pattern_ranks(words, name) or band_ranks(words)
        if ranks is not None:
            out = np.full(len(known), np.nan)
            out[known] = ranks
            return out
    return None


def words_column(found: Counted) -> ColumnSchema:
    """Category (ordered if it is a scale), or id-like, or free text where nearly all rows differ."""
    base, texts, rows = found.base(), found.texts, found.rows
    order = scale_order(texts, base.name)
    if order is not None:
        return listed(replace(base, kind="ordered"), texts, found.counts, by_number=order)
    if id_like(base.name, len(texts), rows) or (len(texts) > 0.5 * rows and len(texts) > 100):
        spaced = np.asarray(pc.match_substring(texts, " ")).mean()
        if spaced > 0.5:
            reason = f"free text ({len(texts):,} different values in {rows:,} rows)"
            base = replace(base, kind="text", keep=False, reason=reason)
        else:
            base = as_id(base, len(texts), rows)
    return listed(base, texts, found.counts, by_number=None)
