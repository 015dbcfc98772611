"""Words of the live classroom until a survey is closed; those of its results are in `classroom_results`."""

import json
import math
from pathlib import Path

from calm_core.text import format_count, pluralize
from pages.words import numbers, settings
from pages.words.texts import Texts

TEXTS = Texts("classroom")
__getattr__ = TEXTS.__getattr__


# By language and key: the texts of the phone page, and those of what is printed (buttons keep their names on screen).
_FOLDER = Path(__file__).parent
PHONE = json.loads((_FOLDER / "phone.json").read_text("utf-8"))
PRINTED = json.loads((_FOLDER / "classroom_print.json").read_text("utf-8"))


OR_TYPE_NEXT = f"{TEXTS.OR_TYPE}, in the lobby: the next screen"


def code(text: str) -> str:
    """Return a code in groups of three.

    >>> code("K7MX2P")
    'K7M X2P'
    """
    return f"{text[:3]} {text[3:]}"


def title_line(title: str, survey: str) -> str:
    """Return title and code in a line; a right-to-left title leaves the code as it is.

    >>> title_line("Sleep", "K7MX2P")
    '\u2068Sleep\u2069 · K7M X2P'
    """
    return f"\u2068{title}\u2069 · {code(survey)}"


def protection(epsilon: float) -> str:
    """Return epsilon with its strength in words.

    >>> protection(2.0), protection(3.0)
    ('ε = 2: moderate privacy', 'ε = 3: weak privacy')
    """
    return f"ε = {epsilon:g}: {settings.strength(epsilon)}"


def true_report_odds(epsilon: float, cells: int) -> str:
    """Say how often a phone with a view of so many cells sends the true answer.

    >>> true_report_odds(2.0, 4)
    'Of 100 phones, 71 send their answers unchanged and 29 send something else. Nobody can tell which.'
    """
    keep = 100 / (1 + (cells - 1) * math.exp(-epsilon))
    kept = numbers.whole(keep)
    return (
        f"Of 100 phones, {kept} send their answers unchanged and {100 - int(kept)} send something else. "
        "Nobody can tell which."
    )


def half_width(width: float) -> str:
    """Return a half-width in points, as the large number.

    >>> half_width(0.213)
    '±21'
    """
    return numbers.points(100 * width, unit=False)


def learns(n: int, d: int, epsilon: float, width: float, verdict: str) -> str:
    """Say how precise the shares will be, and for what that is enough.

    >>> learns(40, 4, 2.0, 0.21, "majority")[:88]
    'With 40 people, 4 questions and ε = 2 a share will be known to about ±21 points: enough '
    """
    known = (
        f"With {n:,} people, {d} questions and ε = {epsilon:g} a share will be known to about "
        f"{numbers.points(100 * width)}"
    )
    if verdict == "nothing":
        return f"{known}. This class would learn next to nothing: ask fewer questions, or join classes."
    if verdict == "compare":
        apart = numbers.whole(200 * width)
        return (
            f"{known}: enough to compare questions that differ by more than about {apart} points."
        )
    return f"{known}: enough to see whether a clear majority says yes; not enough to compare two questions."


def plan(views: int, each: int, d: int) -> str:
    """Say how many questions each phone answers.

    >>> plan(6, 2, 4), plan(1, 3, 3)
    ('Each person answers 2 of the 4 questions: 6 groups (ℓ = 2, m = 6).', 'Everybody answers all 3 questions.')
    """
    if views == 1:
        return f"Everybody answers {'both' if d == 2 else f'all {d}'} questions."
    return f"Each person answers {each} of the {d} questions: {views} groups (ℓ = {each}, m = {views})."


def three_instead(width: float, now: float) -> str:
    """Say what epsilon 3 would change."""
    return (
        f"With ε = 3 ({settings.strength(3.0)}) it would be about {numbers.points(100 * width)} "
        f"instead of {numbers.points(100 * now)}."
    )


def source(measured: bool, classes: int) -> str:
    """Say where the forecast comes from."""
    if measured:
        return "From classes that were measured."
    return f"From {classes} classes, simulated just now."


def keys_text(title: str, code: str, teacher: str, wall: str, link: str) -> str:
    """Return the text file with the keys."""
    return (
        f"CALM Lab, live classroom\nSurvey: {title}\nCode: {code}\n\n{TEXTS.TEACHER_KEY}: {teacher}\n{TEXTS.TEACHER_KEY_FOR}\n\n"
        f"{TEXTS.WALL_KEY}: {wall}\n{TEXTS.WALL_KEY_FOR}\n{link}\n"
    )


def phones_asked(phones: int, both: bool = False, equal: bool = False) -> str:
    """Say how many phones were asked, and whether their answers may as well be `equal`ly frequent.

    >>> phones_asked(14), phones_asked(1, both=True), phones_asked(9, equal=True)
    ('from 14 people', 'from 1 person with both', 'from 9 people; may as well be equal')
    """
    ends = f"{' with both' if both else ''}{'; may as well be equal' if equal else ''}"
    return f"from {phones:,} {pluralize(phones, 'person', 'people')}{ends}"


def from_ten(reports: int, least: int) -> str:
    """Say from how many reports on shares are shown.

    >>> from_ten(7, 10)
    'Shares are shown from 10 reports on; 7 are here.'
    """
    is_are = "is" if reports == 1 else "are"
    return f"Shares are shown from {least} reports on; {reports} {is_are} here."


def arrived_note(reports: int, lies: int) -> str:
    """Return the words behind the number of reports.

    >>> arrived_note(1, 0), arrived_note(24, 2)
    ('has arrived', 'have arrived, and 2 lies')
    """
    has = pluralize(reports, "has arrived", "have arrived")
    return f"{has}, and {format_count(lies, 'lie')}" if lies else has


def asked_to_lie(phones: int, lies: int) -> str:
    """Say how many phones are asked to lie, and how many have.

    >>> asked_to_lie(3, 1), asked_to_lie(1, 0)
    ('3 phones are asked to lie; 1 has.', '1 phone is asked to lie; 0 have.')
    """
    are = pluralize(phones, "is", "are")
    return f"{format_count(phones, 'phone')} {are} asked to lie; {lies} {pluralize(lies, 'has', 'have')}."


def lies_number(without: float, with_lies: float) -> str:
    """Return what the lies added as the large number.

    >>> lies_number(0.304, 0.385), lies_number(0.5, 0.48)
    ('+9 points', '−2 points')
    """
    added = _whole_points(without, with_lies)
    return f"{'−' if added < 0 else '+'}{abs(added)} points"


def lies_sentence(without: float, with_lies: float, defended: float | None) -> str:
    """Say what the lies added, and what is left with the defense; None if it found no lie.

    >>> lies_sentence(0.3, 0.38, None)
    'The lies add 8 points. No defense found them: honest people could send such reports.'
    >>> lies_sentence(0.3, 0.42, 0.33)
    'The lies add 12 points. With the defense 3 are left.'
    """
    added = _whole_points(without, with_lies)
    told = f"The lies {'take away' if added < 0 else 'add'} {abs(added)} points."
    if defended is None:
        return f"{told} No defense found them: honest people could send such reports."
    return f"{told} With the defense {abs(_whole_points(without, defended))} are left."


def _whole_points(before: float, after: float) -> int:
    """Points between two shares as they are written, so that they add up."""
    before, after = (int(numbers.percent(share, 0)[:-1]) for share in (before, after))
    return after - before


def whose_reports(all_classes: bool, classes: int) -> str:
    """Label of one class or all."""
    return TEXTS.ALL_CLASSES.format(classes=classes) if all_classes else TEXTS.THIS_CLASS


def phones_in(phones: int) -> str:
    """Return the words behind the number of phones in the lobby."""
    return f"{pluralize(phones, 'phone')} {phones_joined(phones)}"


def phones_joined(phones: int) -> str:
    """Return the words behind the number of phones on the wall."""
    return pluralize(phones, "is in", "are in")


def in_group(reports: int) -> str:
    """Return the word behind the number of the smallest group."""
    return pluralize(reports, "report")
