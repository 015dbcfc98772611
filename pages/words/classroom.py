"""Words of the live classroom until a survey is closed; those of its results are in `classroom_results`."""

import json
import math
from pathlib import Path

from calm_core.text import pluralize
from pages.words import numbers, settings
from pages.words.texts import read_texts, template

TEXTS = read_texts("classroom")

TITLE = "What would you like to ask your class?"
VIEWS = TEXTS["views"]
LECTURE_EMPTY = TEXTS["lecture_empty"]
LECTURE_FORGOTTEN = TEXTS["lecture_forgotten"]
LEAD = TEXTS["lead"]
TEMPORARY = "Kept only until this server stops: its folder for surveys cannot be written."
PASSWORD, PASSWORD_WRONG = "Password of this server", "this is not the password of this server"
PASSWORD_WHY = "Whoever runs this server asks for a password before a survey can be made."

# By language and key: the texts of the phone page, and those of what is printed (buttons keep their names on screen).
_FOLDER = Path(__file__).parent
PHONE = json.loads((_FOLDER / "phone.json").read_text("utf-8"))
PRINTED = json.loads((_FOLDER / "classroom_print.json").read_text("utf-8"))

# ---------------------------------------------------------------- before the lesson
SHEET_TITLE = "Before the lesson: ten minutes"
SHEET_LEAD = TEXTS["sheet_lead"]
SHEET_SAVE, SHEET_FILE = "Save the sheet to print", "classroom-before-the-lesson.html"
SHEET_LANGUAGE = "Language of the sheet"
PAGE_HASH = "SHA-256 of the phone page, the same for every survey: "

# ---------------------------------------------------------------- a new survey
OWN = "My own questions"
TEMPLATE, LANGUAGE = "Begin with", "Language of the questions"
LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español"}
YES_NO = {"en": "No / Yes", "de": "Nein / Ja", "fr": "Non / Oui", "es": "No / Sí"}
SURVEY_TITLE, SURVEY_TITLE_HINT = "Title, as the phones show it", "For example: Sleep and school"
QUESTION_HINT = "For example: Did you sleep less than 7 hours last night?"
CHOICES = "Answers, with / between them"
ADD = "Add a question"
CLASS_SIZE, CLASS_SIZE_HELP = TEXTS["class_size"]
PROTECTION = "Protection of each answer"
PROTECTION_HELP = "ε says how much one phone gives away: the smaller, the better protected and the less is learnt."
MORE = "How many may join"
CAPACITY, CAPACITY_HELP = TEXTS["capacity"]
MAKE = "Make the survey"
LINKS_RIGHT = TEXTS["links_right"]
POINTS_UNIT = "points around each share"
NOT_COMPLETE = "As soon as two questions are complete, what the class can learn stands here."
USE_THREE = "Use ε = 3 instead"

# ---------------------------------------------------------------- the two keys
KEYS_TITLE = "Keep these two keys"
KEYS_LEAD = "They are shown only this once, and nobody can look them up. Whoever has lost the teacher key cannot come back."
TEACHER_KEY, TEACHER_KEY_FOR = TEXTS["teacher_key"]
WALL_KEY, WALL_KEY_FOR = TEXTS["wall_key"]
WALL_LINK = "Or open this address there:"
SAVE_KEYS, KEYS_FILE = "Save both keys", "classroom-keys-{code}.txt"
ON_TO_LOBBY, ON_TO_RESULTS = "On to the lobby", "On to the results"

# ---------------------------------------------------------------- coming back, showing a wall
BACK_LEAD = "With the teacher key that was shown when you made the survey."
WALL_LEAD = "With the wall key: what is shown here is only what the teacher shows."
CODE, CODE_HINT = "Code of the survey", "as on the phones; empty takes your newest survey"
OPEN_BACK, OPEN_WALL = "Open my survey", "Show the wall"
FORGOTTEN = "This tab does not know the teacher key any more. Type it, or paste it, to go on where you were."
FILE_LEAD = TEXTS["file_lead"]
FILE = "Saved survey (.zip)"

# ---------------------------------------------------------------- the lobby
LOBBY_TITLE, TEST = "Scan, or type the address", "TEST: deleted afterwards, nothing counts."
ADDRESS, ADDRESS_HELP = TEXTS["address"]
NOBODY_YET = "No phone has opened the page yet."
NOBODY_LONG = "Still no phone? One of these is it, nearly always:"
HINTS = TEXTS["hints"]
OWN_ONLY = "This address is this computer's own: no phone can open it. Start CALM Lab with --server.address=0.0.0.0"
# The address can be typed beside these words, or on the next screen.
OR_TYPE = ", or type an address that phones reach"
OR_TYPE_NEXT = f"{OR_TYPE}, in the lobby: the next screen"
OPEN, OPEN_NOBODY = "Open the survey", "Somebody has to be in first."
OPEN_HELP = TEXTS["open_help"]
REHEARSE, REHEARSE_HELP = TEXTS["rehearse"]
TEST_GONE = "The test is over and deleted; this is your survey."
REHEARSE_END = "End the test, back to my survey"
LOCK, LOCK_HELP = "No more phones", "Who is in stays in; nobody else can join."
MAX_PHONES_LABEL, MAX_PHONES_HELP = TEXTS["max_phones_label"]
CARDS, CARDS_NUMBER, CARDS_MAKE = "One-time cards", "Number of cards", "Make the cards"
CARDS_LEAD = TEXTS["cards_lead"]
CARDS_SAVE, CARDS_FILE = "Save the sheet of cards", "classroom-cards-{code}.html"
CARDS_WAIT = "Nobody may join without a card now."
OTHERS = "Your surveys with this key"
LEAVE, LEAVE_HELP = "Put this survey away", "It stays as it is; come back with the teacher key."

# ---------------------------------------------------------------- the wall
STEPS = {"arrived": "What arrived", "corrected": "Corrected", "together": "Which go together"}
STEP_LINES = TEXTS["step_lines"]
COUNT_LABELS = ("Phones", "Reports", "Groups", "Smallest group")
GROUPS_NOTE, REPORTS_NOTE = "of phones", "of {classes} classes"
NOT_ASKED = "not asked yet"
TOO_FEW_BOTH = TEXTS["too_few_both"]
NOT_SHOWN = "Results are not shown yet."
SHOW, HIDE, SHOW_HELP = TEXTS["show"]
CLOSE, CLOSE_HELP = TEXTS["close"]
CLOSE_SURE = "Close it now?"
CLOSE_YES = "Yes, close it"
LATE = "Latecomers: code and address"
THIS_CLASS, ALL_CLASSES = "This class", "All {classes} classes"
WHOSE = "Whose reports"
FIRST, SECOND = "First question", "Second question"


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


no_address = template(TEXTS["no_address"])


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
    'With 40 phones, 4 questions and ε = 2 a share will be known to about ±21 points: enough '
    """
    known = (
        f"With {n:,} phones, {d} questions and ε = {epsilon:g} a share will be known to about "
        f"{numbers.points(100 * width)}"
    )
    if verdict == "nothing":
        return f"{known}. This class would learn next to nothing; ask fewer questions, or pool classes."
    if verdict == "compare":
        apart = numbers.whole(200 * width)
        return f"{known}: good enough to compare questions that differ by more than about {apart} points."
    return f"{known}: enough to see whether a clear majority says yes; not enough to compare two questions."


def plan(views: int, each: int, d: int) -> str:
    """Say how many questions each phone answers.

    >>> plan(6, 2, 4), plan(1, 3, 3)
    ('Each phone answers 2 of the 4 questions: 6 groups (ℓ = 2, m = 6).', 'Every phone answers all 3 questions.')
    """
    if views == 1:
        return f"Every phone answers {'both' if d == 2 else f'all {d}'} questions."
    return (
        f"Each phone answers {each} of the {d} questions: {views} groups (ℓ = {each}, m = {views})."
    )


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
        f"CALM Lab, live classroom\nSurvey: {title}\nCode: {code}\n\n{TEACHER_KEY}: {teacher}\n{TEACHER_KEY_FOR}\n\n"
        f"{WALL_KEY}: {wall}\n{WALL_KEY_FOR}\n{link}\n"
    )


question_empty = template(TEXTS["question_empty"])


def phones_asked(phones: int, both: bool = False) -> str:
    """Say how many phones were asked.

    >>> phones_asked(14), phones_asked(1, both=True)
    ('from 14 phones that were asked', 'from 1 phone that was asked both')
    """
    were = "phone that was" if phones == 1 else "phones that were"
    return f"from {phones:,} {were} asked{' both' if both else ''}"


interval = template(TEXTS["interval"])


def from_ten(reports: int, least: int) -> str:
    """Say from how many reports on shares are shown.

    >>> from_ten(7, 10)
    'Shares are shown from 10 reports on; 7 are here.'
    """
    is_are = "is" if reports == 1 else "are"
    return f"Shares are shown from {least} reports on; {reports} {is_are} here."


def whose_reports(all_classes: bool, classes: int) -> str:
    """Label of one class or all."""
    return ALL_CLASSES.format(classes=classes) if all_classes else THIS_CLASS


def phones_in(phones: int) -> str:
    """Return the words behind the number of phones in the lobby."""
    return f"{pluralize(phones, 'phone')} {phones_joined(phones)}"


def phones_joined(phones: int) -> str:
    """Return the words behind the number of phones on the wall."""
    return pluralize(phones, "is in", "are in")


def in_group(reports: int) -> str:
    """Return the word behind the number of the smallest group."""
    return pluralize(reports, "report")
