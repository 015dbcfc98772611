"""Texts and numbers that often stand for an empty cell."""

import re

import numpy as np
import pyarrow as pa

from calm_core.ingest.kernels import pc


def words_of(lines: str) -> frozenset[str]:
    """Words parted by bars and lines, those with points also with blanks after them.

    Examples
    --------
    >>> sorted(words_of("k.a.|none"))
    ['k. a.', 'k.a.', 'none']
    """
    words = [word.strip() for line in lines.strip().splitlines() for word in line.split("|")]
    spaced = (re.sub(r"(?<=[a-z])\.(?=[a-z])", ". ", word) for word in words)
    return frozenset((*words, *spaced))


# Can be no number and no date: taken as empty where a column holds those.
NO_VALUE = words_of(
    """
    na|n/a|#n/a|n.a.|n.a|<na>|#na|nan|null|#null!|?|??|???|.|..|...|…|missing|not available|no data|no answer
    #value!|#ref!|#div/0!|#num!|#name?|#wert!|#bezug!|#nv|#zahl!|#valeur!|#n/d|#valor!|#valore!|k.a.|keine angabe
    keine angaben|keine antwort|nicht verfügbar|o.a.|ohne angabe|s/d|n/d|n.d.|n.d|s/o|n.b.|n.v.t.|nvt|n.n.b.|b.d.|b/d
    brak danych|brak odpowiedzi|sin datos|sin respuesta|no contesta|ns/nc|n/s|n/c|s/r|s.d.|sans réponse
    pas de réponse|non réponse|nsp|n.s.p.|n.r.|non renseigné|non renseignée|non disponible|non disponibile
    nessuna risposta|nessun dato|dato mancante|sem resposta|sem dados|sem informação|não disponível|não informado
    não respondeu|geen antwoord|geen gegevens|niet beschikbaar|niet ingevuld|ej svar|inget svar|svar saknas
    saknas|uppgift saknas|ingen uppgift|ej tillgänglig|i.u.|\\n|(null)|#nil!|none given|no response|n/k|dk/na|dk/nr
    not completed or not displayed|not displayed|not asked|not answered|unanswered|not provided|not reported
    not recorded|not collected|not entered|no value|missing value|--:--|-:-|--:--:--|##|###|####|#####|######|########
    """
)
# May be an answer ("none": no children) or an empty cell: always asked.
MAY_BE_VALUE = words_of(
    """
    none|nil|unknown|-|--|---|–|—|not known|not applicable|don't know|dont know|don’t know|do not know|dk|refused
    unspecified|undefined|onbekend|unbekannt|inconnu|inconnue|desconocido|desconocida|sconosciuto|desconhecido|nieznany|nieznane
    okänd|okänt|weiß nicht|weiss nicht|keine|nichts|not specified|not stated|blank|empty|(blank)|(empty)|(leer)|leer
    tbd|tba|tbc|xxx|xx|*|#|/|nie dotyczy|nicht zutreffend|entfällt|sans objet
    non applicable|no aplica|n/a.|no procede|non applicabile|não se aplica|não aplicável|niet van toepassing
    ej aktuellt|ej tillämpligt|ne sait pas|je ne sais pas|no sabe|no lo sé|no sé|non so|non sa|não sei|não sabe
    weet niet|weet ik niet|geen mening|vet ej|vet inte|nie wiem|keine meinung|sans opinion|no opinion
    sin opinión|nessuna opinione|sem opinião|ingen åsikt|ingen uppfattning|nie mam zdania|prefer not to say
    prefer not to answer|rather not say|verweigert|refus|rechazó|rifiuta|recusou|odmowa
    wil niet zeggen|vill ej svara|vill inte svara|declined|declined to answer|undisclosed|not disclosed
    """
) | {"no response"}
MISSING_WORDS = NO_VALUE | MAY_BE_VALUE
# Beside the steps of a scale those who give none.
NO_OPINION = words_of(
    """
    other|other (please specify)|prefiero no decirlo|prefiero no contestar|je préfère ne pas répondre|möchte ich nicht sagen
    preferisco non rispondere|prefiro não responder|zeg ik liever niet|wolę nie odpowiadać|can't say|cannot say
    kann ich nicht beurteilen|kann ich nicht sagen|not relevant|does not apply|doesn't apply
    """
)
CODES = tuple(
    float(sign + digit * length)
    for length in (1, 2, 3, 4, 5)
    for digit in "789"
    for sign in ("", "-")
) + (-1.0, 97.0, 98.0, 997.0, 998.0, 9997.0, 9998.0)  # fmt: skip
MIN_ROWS = 2
MIN_SPIKE, OFTEN = 5, 2.5  # rows, and times as many as usual, that stand out


def is_word(texts: pa.Array, words: frozenset[str]) -> np.ndarray:
    """Which texts are among the words, in any case."""
    lower = pc.utf8_lower(pc.utf8_trim_whitespace(texts))
    return np.asarray(pc.is_in(lower, pa.array(sorted(words))))


def suspicious_codes(numbers: np.ndarray, counts: np.ndarray) -> list[float]:
    """Numbers such as 98, 999 or -9 that lie apart from all others, as codes for missing do.

    Parameters
    ----------
    numbers, counts : ndarray
        The distinct numbers and how many rows hold each.

    Examples
    --------
    >>> ages = np.array([18.0, 35.0, 61.0, 999.0])
    >>> suspicious_codes(ages, np.array([3, 4, 5, 6]))
    [999.0]
    >>> suspicious_codes(np.arange(18.0, 100.0), np.append(np.full(80, 2), [30, 20]))
    [98.0, 99.0]
    >>> suspicious_codes(np.array([1.0, 2.0, 3.0, 4.0]), np.array([3, 4, 5, 6]))
    []
    """
    is_code = np.isin(numbers, CODES)
    if not is_code.any():
        return []
    low, high = _range_without(numbers, is_code)
    if low is None:
        return []
    others, usual = float(numbers[~is_code].max()), float(np.median(counts[~is_code]))
    found = []
    for code in np.sort(numbers[is_code]):
        rows = int(counts[numbers == code].sum())
        # Below zero where nothing else is; or above by more than the others span, and often.
        below = code < 0 <= low
        above = code >= 9 and code > high + max(1.0, 0.5 * (high - low))
        # Just above the others, such as 98 and 99 beside ages, where hardly anybody would be.
        spike = code >= 60 and code > others and rows >= MIN_SPIKE and rows > OFTEN * usual
        if below or (above and (rows >= MIN_ROWS or code >= 99)) or spike:
            found.append(float(code))
    return found


def _range_without(numbers, is_code) -> tuple[float | None, float]:
    """Smallest and largest number that is no code far from all others."""
    others = numbers[~is_code]
    if len(others) < 2:
        return None, 0.0
    low, high = float(others.min()), float(others.max())
    # 77 or 88 are ages where others are as high; then only 99 at the very end is looked at.
    top = float(numbers.max())
    if top in CODES and top <= high * 1.1 + 1:
        high = top
    return low, high
