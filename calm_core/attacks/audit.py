"""Audit of a randomizer: a lower bound on its epsilon from what it does, or exactly from its table; also of what a file holds."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from calm_core._checks import (
    check_count,
    check_epsilon,
    check_fraction,
    check_probabilities,
    check_rng,
)
from calm_core.attacks.distinguishing import (
    Distinguisher,
    Trials,
    bound_by_betting,
    bound_epsilon,
    learn_distinguisher,
)
from calm_core.errors import DataError, InputError
from calm_core.oracles import Oracle
from calm_core.randomness import stream
from calm_core.text import format_count

CONFIDENCE = 0.999
TRIALS = 1_000_000
# Shares of the trials that learn what speaks for which input, choose what is tested, and test it.
LEARN, CHOOSE = 0.15, 0.25
# Rounding of the numbers in a table may move its epsilon by this.
TABLE_ROUNDING = 1e-9
# A running audit stops learning after so many trials.
MAX_HISTORY = 2_000_000
COLUMNS = ("input", "output")


@dataclass(frozen=True)
class Audit:
    """What was found out about a randomizer.

    Attributes
    ----------
    lower_bound : float
        Its epsilon is at least this; infinite only by `audit_table`.
    confidence : float
        Probability that the bound is right, whatever the randomizer; 1 for a table.
    epsilon : float
        What was claimed.
    inputs : tuple of (str, str)
        The pairs of inputs that were told apart, in the first place by outputs that the first makes likelier.
    hits, trials : (int, int)
        How often such outputs came, of how many trials: from the first inputs, and from the second. Zeros for a table.
    reason : str
        Why the bound is infinite, or ""; for tables.

    Examples
    --------
    >>> print(Audit(1.3149, 0.999, 1.0, (("0", "1"),)).sentence)
    At least epsilon 1.31 with 99.9% confidence, claimed 1.0: broken.
    """

    lower_bound: float
    confidence: float
    epsilon: float
    inputs: tuple[tuple[str, str], ...] = ()
    hits: tuple[int, int] = (0, 0)
    trials: tuple[int, int] = (0, 0)
    reason: str = ""

    @property
    def broken(self) -> bool:
        """Whether the randomizer protects less than was claimed."""
        slack = TABLE_ROUNDING if self.confidence == 1 else 0.0
        return self.lower_bound > self.epsilon + slack

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        result = "broken" if self.broken else "nothing speaks against it"
        if math.isinf(self.lower_bound):
            return f"Epsilon is infinite: {self.reason}; claimed {self.epsilon}: {result}."
        # Rounded down, with as many digits as tell it from what was claimed.
        digits = next(
            (d for d in (2, 3, 4, 6) if not self.broken or self._shorten(d) > self.epsilon), 9
        )
        bound = f"{self._shorten(digits):.{digits}f}"
        if self.confidence == 1:
            return f"Epsilon is {self.lower_bound:.{max(digits, 3)}f}, claimed {self.epsilon}: {result}."
        sure = f"{100 * self.confidence:.10g}%"
        return f"At least epsilon {bound} with {sure} confidence, claimed {self.epsilon}: {result}."

    def _shorten(self, digits: int) -> float:
        return math.floor(self.lower_bound * 10**digits + 1e-6) / 10**digits

    def to_dict(self) -> dict:
        """Plain values, for JSON; an infinite bound is None."""
        result = asdict(self) | {"broken": self.broken, "sentence": self.sentence}
        return result | ({"lower_bound": None} if math.isinf(self.lower_bound) else {})


def audit(
    pairs: np.ndarray | pd.DataFrame,
    epsilon: float = 1.0,
    *,
    confidence: float = CONFIDENCE,
    rng: np.random.Generator | None = None,
) -> Audit:
    """Bound the epsilon of a randomizer from below by what it did.

    The trials must be independent. They are split at random: 15% learn which outputs speak for which
    input, 25% choose what is tested, and 60% test it. What is tested was chosen without them, so the choice does not
    spoil the confidence. It is either one pair of inputs with a set of outputs, or several such pairs together, whose average
    chances obey the same bound. Both chances have Clopper-Pearson bounds; each may fail with half of what the
    confidence leaves.

    Outputs are compared whole; numbers also by their range and how fine they are; texts of equal length, such
    as bits, also letter by letter. What an output means is not known here: give of a hash with its seed
    which inputs it fits (see `audit_oracle`). A bound below the claim proves nothing.

    Parameters
    ----------
    pairs : array (n, 2), or DataFrame with the columns input and output
        One trial a row, in any order.
    epsilon : float
        What is claimed.
    confidence : float
        Probability that the bound is right, above 0 and below 1.
    rng : numpy Generator, optional
        Source of the split; by default the same one every time. It must not be that of the trials.

    Returns
    -------
    Audit

    Raises
    ------
    InputError
        If there is no pair of an input and an output in every row, or only one input.

    References
    ----------
    Lower bounds by Clopper-Pearson: Jagielski, Ullman and Oprea, NeurIPS 2020; for local privacy: Arcolezi and
    Gambs, LDP-Auditor, arXiv 2309.01597. An event chosen on other samples: Ding et al., CCS 2018.

    Examples
    --------
    Randomized response that lies with chance 0.2 has epsilon log(0.8 / 0.2) = 1.386:

    >>> rng = np.random.default_rng(1)
    >>> truth = rng.integers(0, 2, 100_000)
    >>> sent = np.where(rng.random(100_000) < 0.2, 1 - truth, truth)
    >>> found = audit(np.stack([truth, sent], axis=1), epsilon=1.0)
    >>> found.broken, 1.3 < found.lower_bound < 1.386
    (True, True)
    """
    epsilon, confidence = check_epsilon(epsilon), _check_confidence(confidence)
    inputs, outputs = read_pairs(pairs)
    codes, labels = _number(inputs)
    if len(labels) < 2:
        raise InputError(
            f"the pairs have one input only ({str(labels[0])!r:.40}); try the randomizer on at least two"
        )
    trials = Trials(codes, *_number(outputs))
    rng = stream(0, "audit") if rng is None else check_rng(rng)
    order = rng.permutation(len(codes))
    ends = np.cumsum([round(LEARN * len(order)), round(CHOOSE * len(order))])
    learn, choose, test = map(trials.take, np.split(order, ends))
    attack = learn_distinguisher(learn, choose, len(labels), _deviations(confidence))
    if attack is None:
        return Audit(0.0, confidence, epsilon)
    first, second = map(np.concatenate, zip(*attack.spread(test, once=False)))
    hits, tried = (int(first.sum()), int(second.sum())), (len(first), len(second))
    bound = bound_epsilon(hits, tried, confidence) if min(tried) else 0.0
    return Audit(bound, confidence, epsilon, _name_inputs(attack, labels), hits, tried)


def audit_callable(
    randomize: Callable[[np.ndarray, np.random.Generator], np.ndarray],
    inputs: Sequence | np.ndarray,
    epsilon: float,
    *,
    rng: np.random.Generator,
    trials: int = TRIALS,
    confidence: float = CONFIDENCE,
) -> Audit:
    """Run a Python function many times on some inputs, and audit what it did.

    Parameters
    ----------
    randomize : callable
        From an array of inputs (n,) and a numpy Generator to one output each: an array (n,), or bits as
        booleans (n, bits).
    inputs : sequence
        The inputs to tell apart, at least two.
    epsilon : float
        What is claimed.
    rng : numpy Generator
        Source of randomness.
    trials : int
        Trials of all inputs together.
    confidence : float
        See `audit`.

    Returns
    -------
    Audit

    Raises
    ------
    InputError
        If the function does not return one output for each input.

    Examples
    --------
    >>> def round_off(values, rng):
    ...     return np.round(values + rng.laplace(0, 0.7, len(values)))
    >>> audit_callable(round_off, [0, 1], 1.0, rng=np.random.default_rng(1), trials=100_000).broken
    True
    """
    check_count("trials", trials, low=2)
    check_rng(rng)
    distinct = np.asarray(inputs)
    if distinct.ndim != 1 or len(distinct) < 2:
        raise InputError("inputs must be a list of at least two, such as [0, 1]")
    values = np.repeat(distinct, -(-trials // len(distinct)))[:trials]
    outputs = np.asarray(randomize(values, rng))
    if outputs.ndim == 2 and outputs.dtype == bool:
        digits = outputs.astype(np.uint8) + np.uint8(ord("0"))
        outputs = np.ascontiguousarray(digits).view(f"S{outputs.shape[1]}")[:, 0].astype(str)
    if outputs.shape != values.shape:
        raise InputError(
            f"randomize returned an array of shape {outputs.shape} for {len(values):,} inputs; it must return "
            "one output for each, or a row of booleans"
        )
    pairs = pd.DataFrame({"input": values, "output": outputs})
    return audit(pairs, epsilon, confidence=confidence, rng=rng)


def audit_oracle(
    oracle: Oracle,
    *,
    rng: np.random.Generator,
    cells: tuple[int, int] = (0, 1),
    trials: int = TRIALS,
    confidence: float = CONFIDENCE,
) -> Audit:
    """Audit one of the library's own oracles at the epsilon that it claims.

    The output of a trial is which of the two cells the report supports. Nothing else in a report depends on
    which of the two was the truth, as long as the oracle is right.

    Parameters
    ----------
    oracle : Oracle
        Such as ``ORACLES["grr"](1.0, 4)``.
    rng, trials, confidence
        See `audit_callable`.
    cells : (int, int)
        The cells to tell apart.

    Returns
    -------
    Audit

    Examples
    --------
    >>> from calm_core.oracles import ORACLES
    >>> found = audit_oracle(ORACLES["oue"](1.0, 16), rng=np.random.default_rng(1), trials=100_000)
    >>> found.broken, found.lower_bound > 0.9
    (False, True)
    """
    pair = np.array(cells)

    def randomize(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return oracle.supports(oracle.perturb(values, rng=rng), pair) @ (1, 2)

    return audit_callable(
        randomize, pair, oracle.epsilon, rng=rng, trials=trials, confidence=confidence
    )


def audit_table(table: np.ndarray | pd.DataFrame, epsilon: float = 1.0) -> Audit:
    """Return the epsilon of a randomizer given as a table of probabilities, exactly.

    Parameters
    ----------
    table : array or DataFrame (inputs, outputs)
        Probability of every output given every input; rows sum to 1. A DataFrame has the names of inputs
        as its index.
    epsilon : float
        What is claimed. It counts as kept within 1e-9, since numbers in a table are rounded.

    Returns
    -------
    Audit
        With confidence 1; `lower_bound` is the largest log ratio of two inputs' probabilities of an output, infinite
        if an output is possible for one input and impossible for another.

    Raises
    ------
    InputError
        If the table has fewer than two inputs, or rows are not probabilities that sum to 1.

    Examples
    --------
    >>> audit_table(np.array([[0.75, 0.25], [0.25, 0.75]])).sentence
    'Epsilon is 1.099, claimed 1.0: broken.'
    >>> audit_table(np.array([[0.5, 0.5], [0.0, 1.0]])).sentence
    "Epsilon is infinite: input '0' may give output '0', input '1' never does; claimed 1.0: broken."
    """
    epsilon = check_epsilon(epsilon)
    frame = check_probabilities(table)
    (rows, columns), chances = frame.axes, frame.to_numpy()
    highest, lowest = chances.argmax(axis=0), chances.argmin(axis=0)
    top, bottom = chances.max(axis=0), chances.min(axis=0)
    possible = np.flatnonzero(top > 0)
    with np.errstate(divide="ignore"):
        ratios = np.log(top[possible]) - np.log(bottom[possible])
    worst = possible[ratios.argmax()]
    first, second = rows[highest[worst]], rows[lowest[worst]]
    reason = (
        ""
        if bottom[worst]
        else f"input {first!r:.40} may give output {columns[worst]!r:.40}, input {second!r:.40} never does"
    )
    return Audit(float(ratios.max()), 1.0, epsilon, ((first, second),), reason=reason)


class RunningAudit:
    """An audit that is fed batch after batch, and may be looked at and stopped at any time.

    Earlier batches choose what is tested on the next, the first one only learns. `bound_by_betting` says why
    the confidence holds for all looks together. The best bound so far stays.

    Parameters
    ----------
    epsilon : float
        What is claimed.
    confidence : float
        Probability that the bound is never wrong.
    rng : numpy Generator
        Source of the order in which trials are paired. It must not be that of the trials.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> running = RunningAudit(1.0, rng=np.random.default_rng(2))
    >>> while not running.result.broken:
    ...     truth = rng.integers(0, 2, 1000)
    ...     sent = np.where(rng.random(1000) < 0.2, 1 - truth, truth)
    ...     result = running.add(np.stack([truth, sent], axis=1))
    >>> result.broken, sum(result.trials) < 10_000
    (True, True)
    """

    def __init__(
        self, epsilon: float = 1.0, *, rng: np.random.Generator, confidence: float = CONFIDENCE
    ):
        self.result = Audit(0.0, _check_confidence(confidence), check_epsilon(epsilon))
        self._rng = check_rng(rng)
        self._labels: dict[str, int] = {}
        self._history: list[pd.DataFrame] = []
        self._learned_from: Distinguisher | None = None
        self._learned = 0
        # Pairs of trials in which the event happened in both, the first alone, the second alone, neither.
        self._counts = np.zeros(4, dtype=np.int64)

    def add(self, pairs: np.ndarray | pd.DataFrame) -> Audit:
        """Take in a batch of independent trials, as `audit` does, and return the result so far."""
        inputs, outputs = read_pairs(pairs)
        batch = pd.DataFrame({"input": inputs, "output": outputs})
        batch = batch.iloc[self._rng.permutation(len(batch))]
        for label in pd.unique(inputs):
            self._labels.setdefault(label, len(self._labels))
        if self._learned_from is not None:
            self._test(self._learned_from, self._read([batch]))
        count = sum(map(len, self._history))
        if count < MAX_HISTORY:
            self._history.append(batch)
            count += len(batch)
        # Learning anew only when there is twice as much keeps the work in proportion.
        if count >= 2 * self._learned and len(self._labels) > 1:
            self._learned = count
            self._learn()
        return self.result

    def _read(self, batches: list[pd.DataFrame]) -> Trials:
        together = pd.concat(batches)
        inputs = together["input"].map(self._labels).to_numpy()
        return Trials(inputs, *_number(together["output"].to_numpy()))

    def _test(self, attack: Distinguisher, batch: Trials) -> None:
        """Bet on the pairs of a batch; inputs that were not there when it was learned are left for later."""
        known = batch.take(np.flatnonzero(batch.inputs < len(attack.weights)))
        for first, second in attack.spread(known, once=True):
            equal = min(len(first), len(second))
            kinds = 2 * ~first[:equal] + ~second[:equal]
            self._counts += np.bincount(kinds.astype(np.int64), minlength=4)
        both, one, other, _ = (int(count) for count in self._counts)
        last = self.result
        bound = bound_by_betting(one, other, both, last.confidence)
        tried = int(self._counts.sum())
        self.result = Audit(
            max(bound, last.lower_bound), last.confidence, last.epsilon,
            _name_inputs(attack, list(self._labels)), (both + one, both + other), (tried, tried),
        )  # fmt: skip

    def _learn(self) -> None:
        """Choose what the next batches test from all batches so far."""
        trials = self._read(self._history)
        halves = np.array_split(self._rng.permutation(len(trials.inputs)), 2)
        distinguisher = learn_distinguisher(
            trials.take(halves[0]), trials.take(halves[1]), len(self._labels),
            _deviations(self.result.confidence),
        )  # fmt: skip
        self._learned_from = self._learned_from if distinguisher is None else distinguisher


def _number(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The position of each value among the different ones, and these in order."""
    codes, distinct = pd.factorize(values, sort=True)
    return codes, np.asarray(distinct)


def _check_confidence(confidence: float) -> float:
    return check_fraction("confidence", confidence, remedy="0.999 is usual", one=False)


def _deviations(confidence: float) -> float:
    """How many standard deviations a one-sided bound is away, of two that share the confidence."""
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def _name_inputs(
    attack: Distinguisher, labels: Sequence | np.ndarray
) -> tuple[tuple[str, str], ...]:
    return tuple((str(labels[g.first]), str(labels[g.second])) for g in attack.guesses)


def read_pairs(pairs: np.ndarray | pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return inputs as texts and outputs, as numbers or texts, after checking them."""
    if isinstance(pairs, pd.DataFrame):
        if sorted(map(str, pairs.columns)) != sorted(COLUMNS):
            raise InputError(
                f"pairs have the columns {', '.join(map(str, pairs.columns))!r:.80}; "
                "they must be input and output"
            )
        columns = [pairs[name] for name in COLUMNS]
    else:
        array = np.asarray(pairs)
        if array.ndim != 2 or array.shape[1] != 2:
            raise InputError(
                f"pairs (array of shape {array.shape}) must have two columns, input and output"
            )
        columns = [pd.Series(array[:, column]) for column in (0, 1)]
    if not len(columns[0]):
        raise InputError("there are no pairs; try the randomizer at least a thousand times")
    for name, column in zip(COLUMNS, columns):
        missing = np.flatnonzero(column.isna())
        if len(missing):
            raise InputError(
                f"row {missing[0] + 1:,} has no {name}; write a word for an output that is empty"
            )
    inputs, outputs = columns
    kind = outputs.to_numpy().dtype.kind
    return inputs.astype(str).to_numpy(dtype=object), (
        outputs.to_numpy() if kind in "iuf" else outputs.astype(str).to_numpy(dtype=object)
    )


class FileAudit(NamedTuple):
    """An audit, and a sentence on how the file was read."""

    how: str
    found: Audit


def audit_frame(
    frame: pd.DataFrame, epsilon: float = 1.0, *, confidence: float = CONFIDENCE
) -> FileAudit:
    """Audit the columns of a file, told apart by their names.

    Parameters
    ----------
    frame : DataFrame
        The columns input and output, one trial a row; or input, then a column of probabilities for every output.
    epsilon, confidence
        See `audit`; a table of probabilities is exact.

    Returns
    -------
    FileAudit

    Raises
    ------
    DataError
        If it has other columns.

    Examples
    --------
    >>> frame = pd.DataFrame({"input": ["yes", "no"], "says yes": [0.75, 0.25], "says no": [0.25, 0.75]})
    >>> audit_frame(frame).how
    'Read as a table of probabilities of 2 inputs and 2 outputs; it is not a sample, so it is exact.'
    """
    names = list(map(str, frame.columns))
    if _holds_trials(frame):
        how = f"Read as {format_count(len(frame), 'pair')} of an input and an output."
        return FileAudit(how, audit(frame, epsilon, confidence=confidence))
    if len(names) < 2 or names[0] != "input":
        raise DataError(
            f"the file begins with the column {names[0] if names else ''!r:.40}; it must have the columns input and output, "
            "or input and a column of probabilities for each output"
        )
    shape = f"{format_count(len(frame), 'input')} and {format_count(len(names) - 1, 'output')}"
    how = f"Read as a table of probabilities of {shape}; it is not a sample, so it is exact."
    return FileAudit(how, audit_table(frame.set_index(frame.columns[0]), epsilon))


def _holds_trials(frame: pd.DataFrame) -> bool:
    """Whether each row is a trial, not the probabilities of an input."""
    return set(map(str, frame.columns)) == {"input", "output"}


def run_audit(
    frame: pd.DataFrame,
    epsilon: float,
    batch: int,
    *,
    rng: np.random.Generator,
    confidence: float = CONFIDENCE,
) -> FileAudit:
    """Audit the trials of a file batch by batch, up to the first batch that breaks the claim.

    Parameters
    ----------
    frame : DataFrame
        The columns input and output, one trial a row, in the order they were tried.
    batch : int
        Trials between two looks.
    epsilon, rng, confidence
        See `RunningAudit`.

    Raises
    ------
    InputError
        If the frame is a table of probabilities.

    Examples
    --------
    >>> frame = pd.DataFrame({"input": [0, 1] * 9000, "output": [0, 1] * 9000})
    >>> run_audit(frame, 1.0, 1000, rng=np.random.default_rng(1)).how
    'Looked after every 1,000 pairs of an input and an output; stopped after 2,000 of 18,000.'
    """
    batch = check_count("batch", batch)
    if not _holds_trials(frame):
        raise InputError(
            "batch is for trials; the file must have the columns input and output, or leave batch out"
        )
    running, used = RunningAudit(epsilon, rng=rng, confidence=confidence), 0
    while used < len(frame) and not running.result.broken:
        running.add(frame.iloc[used : used + batch])
        used = min(used + batch, len(frame))
    stopped = f"stopped after {used:,} of {len(frame):,}" if used < len(frame) else "to the end"
    how = f"Looked after every {format_count(batch, 'pair')} of an input and an output; {stopped}."
    return FileAudit(how, running.result)
