"""Which one-byte code page a text in Latin letters is in, by the words that its letters make."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

# Small letters beyond ASCII of the languages that each code page is for; likelier pages first.
_WESTERN = (
    "äöüß", "àâæçéèêëîïôœùûüÿ", "áéíóúñü", "áâãàçéêíóôõúü", "àèéìòù", "åäöæøéü", "áðéíóúýþæö", "éëïóöüèê",
    "àçéèíïóúü",
)  # fmt: skip
_CENTRAL = (
    "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîşţ", "äöüß",
)  # fmt: skip
PAGES = {
    "cp1252": _WESTERN,
    "cp1250": _CENTRAL,
    "iso-8859-2": _CENTRAL,
    "cp1254": ("çğıöşüâîû",),
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž"),
}
EDGES = "‘’“”„–—…«»"
# "£", "m²", "nº", "°C": signs that stand alone, or beside a letter or two.
_ALONE = re.compile("[A-Za-z]{0,2}[€£§©®°²³¹ºª½¼¾±×µ¢¥]+[A-Za-z]?")
# Where these letters never stand in a western language.
_NEVER = re.compile(
    r"ñ(?![aeiouáéíóúü])|[ìòù](?=\w)|œ(?![uiet])|æ$|õ(?!e)|(?<=\w)þ|(?<![cbv])ê$|êk|^ð",
    re.IGNORECASE,
)
_BY_ITSELF = "àâáèéêíòóôúûãõåæøüöı"  # letters that are words
_CAPITAL = re.compile(r"[^\W\d_A-Z]")
_ASKED = re.compile("^[¿¡](?=[A-ZÁÉÍÓÚÑ])")
ENOUGH = 0.8  # share of the words that must be words in a page
NEAR = 0.1  # pages with so little less are offered
SHOWN = 3


@dataclass(frozen=True)
class PageFit:
    """How well words fit a code page.

    Attributes
    ----------
    page : str
    share : float
        Of the words, those that some language of the page may have.
    one_language : float
        Of the words, those that one language may have: the language that has most.
    texts : tuple of str
        The words as they read in this page.
    """

    page: str
    share: float
    one_language: float
    texts: tuple[str, ...]


def fits(words: Sequence[bytes]) -> list[PageFit]:
    """How well words that hold bytes beyond ASCII fit each page, the best first.

    Examples
    --------
    >>> [fits(["Łódź Kraków".encode(name)])[0].page for name in ("cp1250", "iso-8859-2")]
    ['cp1250', 'iso-8859-2']
    >>> fits(["Köln".encode("cp1252"), "Málaga".encode("cp1252")])[0].page
    'cp1252'
    """
    words = list(dict.fromkeys(part for word in words for part in word.split()))
    found = []
    for page, languages in PAGES.items():
        texts = tuple(word.decode(page, errors="replace") for word in words)
        never = _NEVER if page == "cp1252" else None
        sound = [not (never and never.search(text)) for text in texts]
        may = [
            [fine and _may_be(text, letters) for letters in languages]
            for text, fine in zip(texts, sound)
        ]
        counts = [sum(column) for column in zip(*may)]
        many = max(1, len(texts))
        found.append(PageFit(page, sum(map(any, may)) / many, max(counts, default=0) / many, texts))
    return sorted(found, key=lambda fit: (-fit.share, -fit.one_language))


def _may_be(text: str, letters: str) -> bool:
    """Whether a word may be one of a language with these letters beyond ASCII."""
    text = _ASKED.sub("", text.strip(EDGES))
    if not text or _ALONE.fullmatch(text):
        return True
    small = text.replace("İ", "i").lower()
    known = all(sign.isascii() or sign in letters for sign in small)
    if not known or (len(text) == 1 and text not in _BY_ITSELF):
        return False
    # "ódŸ": a capital after small letters is no spelling, "PÓŁNOC" and "McKüh" are.
    return not any(
        one.islower() and _CAPITAL.match(other) and other.isupper()
        for one, other in zip(text, text[1:])
    )  # fmt: skip


def best_page(words: Sequence[bytes]) -> str | None:
    """The page in which nearly all words are words; None where none is, as for other alphabets."""
    latin = sum(bool(re.search(rb"[A-Za-z]", word)) for word in words)
    if not words or 2 * latin < len(words):
        return None
    best = fits(words)[0]
    return best.page if best.share >= ENOUGH else None


def doubt(words: Sequence[bytes], page: str) -> list[str]:
    """What to say where other pages would do as well and give other letters.

    Examples
    --------
    >>> doubt([b"Mu\\xf1oz"], "cp1252")
    ["Letters such as in 'Muñoz' are read by code page CP1252; if they look wrong, read with encoding=cp1250 ('Muńoz')."]
    >>> doubt([b"K\\xf6ln"], "cp1252")
    []
    """
    found = {fit.page: fit for fit in fits(words)}
    if page not in found:
        return []
    taken = found.pop(page)
    others: dict[tuple[str, ...], tuple[str, str, str]] = {}
    for fit in found.values():
        differ = [(a, b) for a, b in zip(taken.texts, fit.texts) if a != b]
        near = fit.one_language >= taken.one_language - NEAR
        if differ and near and fit.share >= max(ENOUGH, taken.share - NEAR):
            others.setdefault(fit.texts, (fit.page, differ[0][0], differ[0][1]))
    if not others:
        return []
    offered = list(others.values())[:SHOWN]
    offers = " or ".join(f"encoding={name} ({other!r:.40})" for name, _, other in offered)
    return [
        f"Letters such as in {offered[0][1]!r:.40} are read by code page {page.upper()}; if they look "
        f"wrong, read with {offers}."
    ]
