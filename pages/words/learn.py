"""Wording of the page Learn: its cards, its frame, and answers beside guesses."""

from pages.words.texts import read_texts

TEXTS = read_texts("learn")
LEAD = "Eight lessons about [[local-privacy|local privacy]]. In each you predict, then see. No setting to make beforehand."
STEPS = ("idea", "predict", "reveal", "play")
LANDING = TEXTS["landing"]
ALL = "All lessons"
BAR = {"all": ALL, "copy": "Copy lesson link", "copied": "Link copied"}
STEP = "step {at} of {steps}"
PICTURE, SHEET = TEXTS["picture"], TEXTS["sheet"]
BACK = "Back"
OPEN_IN_LAB = "Open in the Lab"
TAKE_ALONG = "With the settings of this lesson"
TO_PREDICT = "Make a guess"
TO_REVEAL = "See the answer"
YOUR_GUESS = "Your guess"
GUESS_AND_ANSWER = "Your guess, then the answer"
KEEP = "To keep:"
NOT_A_LESSON = "There is no lesson of that name; here are all."


def compare_guess(truth: float, guess: float | None, said: str, guessed: str, how: str = "") -> str:
    """Return the answer beside a guessed number, in the same tone near or far.

    >>> compare_guess(0.9, 1.5, "±0.9 points", "±1.5 points", "typically")
    'Less than you thought: typically ±0.9 points, not ±1.5 points.'
    """
    answer = f"{how} {said}".lstrip()
    if guess is None:
        return f"It is {answer}."
    if said == guessed:
        return f"Just so: {answer}."
    more = "More" if truth > guess else "Less"
    return f"{more} than you thought: {answer}, not {guessed}."


def compare_choice(said: str, guessed: str | None) -> str:
    """Return the answer beside a chosen sentence."""
    if guessed is None:
        return f"It is {said.lower()}."
    if said == guessed:
        return f"Just so: {said.lower()}."
    return f"{said}, not {guessed.lower()}."
