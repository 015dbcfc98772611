"""Wording of the page Learn: seven lessons, and what is common to them."""

from dataclasses import dataclass

from pages.words import numbers

EPSILON = "Epsilon, privacy budget per person"
AGAIN = "Ask everyone again"
PEOPLE_WITH_YES = "People whose true answer is yes"
TAKE_ALONG = "With the settings of this lesson"
PREDICT = "Predict first, then see."
RIGHT = "Yes."
WRONG = "Not quite."


@dataclass(frozen=True)
class Question:
    """A prediction to make: the options, which one is right, and why."""

    text: str
    options: tuple[str, ...]
    right: str
    because: str


@dataclass(frozen=True)
class Told:
    """What one lesson tells.

    Attributes
    ----------
    title, idea : str
        What it is called, and the one idea in two or three sentences.
    question : Question
        What to predict.
    invitation : str
        Text of the link to the page of the workbench that continues it.
    """

    title: str
    idea: str
    question: Question
    invitation: str


COIN = Told(
    title="A coin flip that protects",
    idea=(
        "Everybody flips a coin in private. Heads: answer truthfully. Tails: flip again and say yes "
        "for heads, no for tails. Nobody can be blamed for a yes, because one in four says it by "
        "chance. Yet the collector knows how the coin behaves, and can take it out of the total."
    ),
    question=Question(
        "Suppose nobody's true answer is yes. What share of the reports says yes?",
        ("None of them", "About a quarter", "About half"),
        "About a quarter",
        "Half of the people get tails, and half of those say yes on the second flip. "
        "Set the slider to 0% to see it: the estimate is near 0 all the same, sometimes below.",
    ),
    invitation="See one person's report in the workbench",
)


def coin(people: int, said_yes: int, estimate: float, percent: int) -> str:
    """What the coin's figure shows."""
    return (
        f"Of {people:,} people, {said_yes} reported yes. Taking the coin out again gives an estimate "
        f"of {numbers.percent(estimate)} yes; {percent}% is true."
    )


ODDS = Told(
    title="What epsilon means",
    idea=(
        "Epsilon is a promise about odds. Whatever a person reports, and whatever somebody already "
        "knows, the odds for or against any answer change by a factor of at most e to the epsilon. "
        "Small epsilon: curves near the diagonal, nothing is learned about her. Large epsilon: "
        "her report gives her away."
    ),
    question=Question(
        "Epsilon is 1, and you think 10% likely that her answer is yes. She reports yes. "
        "How likely can it be now, at most?",
        ("23%", "50%", "73%"),
        "23%",
        "Odds of 1 to 9 times 2.72 are about 1 to 3.3. The 73% is something else: how often a "
        "person with a true yes reports yes.",
    ),
    invitation="Run the pipeline with this epsilon",
)


def belief(epsilon: float, before: float, after: float, factor: float) -> str:
    """What the curve of beliefs shows."""
    return (
        f"With epsilon = {epsilon:g}, whoever gave her a chance of {numbers.percent(before, 0)} before "
        f"believes at most {numbers.percent(after, 0)} after a yes: the odds grow by a factor of "
        f"{numbers.digits(factor)} and no more."
    )


def in_people(yes: float, no: float) -> str:
    """Yes reports of those whose true answer is yes, and of those whose answer is no."""
    return (
        f"In people: of 100 whose true answer is yes, about **{numbers.whole(100 * yes)}** report yes; "
        f"of 100 whose answer is no, about **{numbers.whole(100 * no)}** report yes."
    )


PATTERNS = Told(
    title="Many answers, one report",
    idea=(
        "A person can answer several questions in one report: her pattern of answers is one value out "
        "of all patterns, and only that value is randomised. She pays epsilon once. The price: every "
        "question doubles the number of patterns, each gets fewer people, and the noise stays."
    ),
    question=Question(
        "Go from 2 questions (4 patterns) to 6 (64 patterns), with epsilon = 1. "
        "What happens to the typical error of one cell?",
        ("It grows about 1.5 times", "It grows about 4 times", "It grows 16 times"),
        "It grows about 1.5 times",
        "With few patterns a report names one of them; with many it sends a randomised bit for each, "
        "whose noise does not depend on how many there are. But there are now 16 times as many cells "
        "to be wrong in, and their true shares are smaller.",
    ),
    invitation="See how many attributes a view should hold",
)


def patterns(count: int, questions: int, oracle: str, typical: float, worst: float) -> str:
    """What the cells show; `oracle` says what a report does."""
    return (
        f"{count} patterns of {questions} answers (y yes, n no) from one report per person, which "
        f"{oracle}. A cell is typically off by {numbers.percent(typical, 2)} of all people; "
        f"the worst here by {numbers.percent(worst, 2)}."
    )


SPLITTING = Told(
    title="Why splitting users beats splitting the budget",
    idea=(
        "Several questions, one epsilon. Either everybody answers all of them and spends a part of "
        "epsilon on each, or the crowd is dealt into groups and each group answers one question with "
        "all of epsilon. Fewer people cost accuracy slowly; less epsilon costs it fast. CALM deals the crowd."
    ),
    question=Question(
        "With 10 questions and epsilon = 1: how many times larger is the typical error when the budget is split?",
        ("About the same", "About 3 times", "About 10 times"),
        "About 3 times",
        "A tenth of the people makes the error about the square root of 10 larger, a tenth of epsilon "
        "makes it about 10 times larger: 10 over 3.2 is about 3.",
    ),
    invitation="Watch the users being dealt into groups",
)


def splitting(people: int, questions: int, epsilon: float, users: float, budget: float) -> str:
    """Typical errors when users are split, and when the budget is."""
    return (
        f"{people:,} people, {questions} questions, epsilon = {epsilon:g}: a share is typically off by "
        f"{numbers.percent(users, 2)} when each person gets one question, by "
        f"{numbers.percent(budget, 2)} when everybody answers all of them with a share of the budget."
    )


AGREEMENT = Told(
    title="Consistency for free",
    idea=(
        "Views overlap: several groups were asked about the same attribute, each together with others. "
        "Their noisy answers differ, although the truth is one. Averaging what they share, and "
        "correcting each view by the difference, makes them agree. It also makes every view better."
    ),
    question=Question(
        "What does making the views agree cost in privacy?",
        ("A little, on every shared question", "Nothing at all", "It doubles epsilon"),
        "Nothing at all",
        "It works on reports that are already public. Whatever is computed from them, "
        "nobody's data is touched again.",
    ),
    invitation="See a view before and after in the workbench",
)


def agreement(views: int, apart: float, together: float) -> str:
    """Typical errors of single views, and of what they agree on."""
    return (
        f"{views} groups report on one question each and all on the shared one: on average a view misses "
        f"its true share by {numbers.percent(apart, 2)} of all people, their agreement misses it by "
        f"{numbers.percent(together, 2)}."
    )


SHRINKAGE = Told(
    title="Why believing less is more accurate",
    idea=(
        "With strong privacy most of what is seen between two attributes is noise. CALM+ looks at all "
        "pairs together: if they scatter hardly more than noise alone would, each is pulled towards "
        "their common mean; if they scatter more, each is believed. Nothing but the reports is needed. "
        "It gains least where interactions are strong and all different, and a rare strong pair among "
        "many weak ones is pulled too far."
    ),
    question=Question(
        "The budget grows from 0.2 to 2. How much does shrinking then still gain?",
        ("More than before", "Less than before", "As much"),
        "Less than before",
        "With a large budget the reports are reliable by themselves: there is little left to pull.",
    ),
    invitation="See CALM+ and its intervals on a table",
)


def shrinkage(people: int, pairs: int, epsilon: float, calm: float, plus: float) -> str:
    """How far correlations are off with either method."""
    return (
        f"{people:,} people, {pairs} pairs of attributes, epsilon = {epsilon:g}: a correlation is "
        f"typically off by {numbers.correlation(calm)} with CALM and by {numbers.correlation(plus)} with CALM+, "
        "from the same reports."
    )


LIMITS = Told(
    title="What is lost",
    idea=(
        "Noise has a price and it is paid by the rare and the few. Estimates of rare answers fall below "
        "zero, small groups drown, and the easy way out, a large epsilon, gives up the protection."
    ),
    question=Question(
        "An answer that nobody gives has a true share of 0. How often is its unbiased estimate below 0?",
        ("Never", "About half of the time", "Always"),
        "About half of the time",
        "Unbiased means right on average: as often too low as too high. Clipping at 0 alone would make "
        "every rare answer look more common than it is.",
    ),
    invitation="Find the errors in the workbench",
)


def negative(below: int) -> str:
    """Estimates below zero."""
    return (
        f"16 answers of 5,000 people: {below} shares are estimated below 0. The estimates are right on "
        "average, and exactly for that reason some must fall below; later steps repair what they can."
    )


def small(people: int, epsilon: float, typical: float) -> str:
    """Few people."""
    return (
        f"{people:,} people, epsilon = {epsilon:g}: even a single yes/no share is typically off by "
        f"{numbers.percent(typical)} of the group. Ten times the people make that about three times smaller."
    )


def large(epsilon: float, truth: float, factor: float) -> str:
    """Little privacy."""
    return (
        f"epsilon = {epsilon:g}: {numbers.percent(truth)} of the reports are the plain truth, and an "
        f"observer's odds grow up to {numbers.digits(factor)} times. The result gets more accurate "
        "because people are protected less."
    )
