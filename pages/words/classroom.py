"""Words of the live classroom until a survey is closed; those of its results are in `classroom_results`."""

import json
import math

from calm_core.classroom.forecast import judge_half_width
from pages.words import languages, numbers, settings
from pages.words.texts import Texts, template

TEXTS = Texts("classroom")
__getattr__ = TEXTS.__getattr__


# By language and key: the texts of what is printed, which name buttons as they are on the screen in that language.
PRINTED = json.loads((languages.FOLDER / "classroom_print.json").read_text("utf-8"))


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


def strength(epsilon: float) -> str:
    """Return a name for the strength of privacy."""
    names = (name for _, name in settings.STRENGTHS)
    return dict(zip(names, TEXTS.STRENGTHS, strict=True))[settings.strength(epsilon)]


def protection(epsilon: float) -> str:
    """Return epsilon with its strength in words.

    >>> protection(2.0), protection(3.0)
    ('ε = 2: moderate privacy', 'ε = 3: weak privacy')
    """
    return f"ε = {epsilon:g}: {strength(epsilon)}"


def yes_no(language: str) -> str:
    """Return the answers of a new question in a language.

    >>> yes_no("de")
    'Nein / Ja'
    """
    return languages.read_file("classroom", language)["YES_NO"]


def true_report_odds(epsilon: float, cells: int) -> str:
    """Say how often a phone with a view of so many cells sends the true answer.

    >>> true_report_odds(2.0, 4)
    'Of 100 phones, 71 send their answers unchanged and 29 send something else. Nobody can tell which.'
    """
    unchanged = int(numbers.whole(100 / (1 + (cells - 1) * math.exp(-epsilon))))
    return TEXTS.unchanged(kept=unchanged, rest=100 - unchanged)


def learns(n: int, d: int, epsilon: float, width: float) -> str:
    """Say how precise the shares will be, and for what that is enough.

    >>> learns(40, 4, 2.0, 0.21)[:88]
    'With 40 people, 4 questions and ε = 2 a share will be known to about ±21 points: enough '
    """
    text = template(TEXTS.LEARNS[judge_half_width(width)])
    return text(n=n, d=d, epsilon=epsilon, width=width, apart=2 * width)


def plan(views: int, each: int, d: int) -> str:
    """Say how many questions each phone answers.

    >>> plan(6, 2, 4), plan(1, 3, 3)
    ('Each person answers 2 of the 4 questions: 6 groups (ℓ = 2, m = 6).', 'Everybody answers all 3 questions.')
    """
    if views == 1:
        return TEXTS.BOTH_ANSWERED if d == 2 else TEXTS.all_answered(d=d)
    return TEXTS.some_answered(each=each, d=d, views=views)


def keys_text(title: str, code: str, teacher: str, wall: str, link: str) -> str:
    """Return the text file with the keys."""
    return (
        f"{TEXTS.keys_head(title=title, code=code)}\n\n{TEXTS.TEACHER_KEY}: {teacher}\n{TEXTS.TEACHER_KEY_FOR}\n\n"
        f"{TEXTS.WALL_KEY}: {wall}\n{TEXTS.WALL_KEY_FOR}\n{link}\n"
    )


def phones_asked(phones: int, both: bool = False, equal: bool = False) -> str:
    """Say how many phones were asked, and whether their answers may as well be `equal`ly frequent.

    >>> phones_asked(14), phones_asked(1, both=True), phones_asked(9, equal=True)
    ('from 14 people', 'from 1 person with both', 'from 9 people; may as well be equal')
    """
    text = (TEXTS.from_both if both else TEXTS.from_people)(phones=phones)
    return f"{text}; {TEXTS.MAY_BE_EQUAL}" if equal else text


def arrived_note(reports: int, lies: int) -> str:
    """Return the words behind the number of reports.

    >>> arrived_note(1, 0), arrived_note(24, 2)
    ('has arrived', 'have arrived, and 2 lies')
    """
    if lies:
        return TEXTS.arrived_with_lies(reports=reports, lies=lies)
    return TEXTS.arrived(reports=reports)


def lies_number(without: float, with_lies: float) -> str:
    """Return what the lies added as the large number.

    >>> lies_number(0.304, 0.385), lies_number(0.5, 0.48)
    ('+9 points', '−2 points')
    """
    added = _whole_points(without, with_lies)
    return TEXTS.points_added(sign="−" if added < 0 else "+", points=abs(added))


def lies_sentence(without: float, with_lies: float, defended: float) -> str:
    """Say what the lies added, and what is left with the defense.

    >>> lies_sentence(0.3, 0.42, 0.33)
    'The lies add 12 points. With the defense 3 are left.'
    """
    added = _whole_points(without, with_lies)
    text = (TEXTS.lies_take_away if added < 0 else TEXTS.lies_add)(points=abs(added))
    return f"{text} {TEXTS.lies_left(points=abs(_whole_points(without, defended)))}"


def _whole_points(before: float, after: float) -> int:
    """Points between two shares as they are written, so that they add up."""
    before, after = (int(numbers.percent(share, 0)[:-1]) for share in (before, after))
    return after - before
