"""What every method has in common: a frozen configuration and one verb."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calm_core._checks import check_count, check_epsilon
from calm_core.dataset import Dataset
from calm_core.domain import Domain
from calm_core.marginal import Marginal


class Answer:
    """What a method released; can be asked for any marginal, as often as one likes.

    Attributes
    ----------
    domain : Domain
        Shape of the data.
    """

    domain: Domain

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether the marginal over `attrs` was measured directly rather than rebuilt."""
        raise NotImplementedError

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """The private marginal over `attrs`."""
        raise NotImplementedError

    def marginals(self, queries: Sequence[Iterable[str]]) -> list[Marginal]:
        """The private marginals of many queries, in the order asked."""
        return [self.marginal(query) for query in queries]


@dataclass(frozen=True)
class Method:
    """Configuration of a method; `release` runs it on a data set.

    Attributes
    ----------
    epsilon : float
        Privacy budget of every user.
    k : int
        Number of attributes in the marginals of interest.
    name : str
        Key in `METHODS`.
    title : str
        Name shown to people.
    trust : {"local", "central"}
        Who has to be trusted: nobody, or a curator who sees all the data.
    """

    epsilon: float
    k: int
    name: ClassVar[str]
    title: ClassVar[str]
    trust: ClassVar[str] = "local"

    def __post_init__(self):
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "k", check_count("k", self.k))

    def release(
        self,
        dataset: Dataset,
        *,
        rng: np.random.Generator,
        notify: Callable[[object], None] | None = None,
    ) -> Answer:
        """Run the method on `dataset`; the answer holds nothing that was not released."""
        raise NotImplementedError

    def analytical_sse(
        self,
        domain: Domain,
        n: int,
        attrs: Iterable[str],
        *,
        truth: Marginal | None = None,
    ) -> float | None:
        """Expected SSE of the marginal over `attrs` by formula; None where there is no formula.

        Parameters
        ----------
        domain : Domain
            Shape of the data.
        n : int
            Number of users.
        attrs : iterable of str
            The marginal asked for.
        truth : Marginal, optional
            The true marginal, which splitting the users depends on. Without it the value for a
            uniform one is returned, the largest there is.
        """
        return None
