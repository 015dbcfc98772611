"""CALM-binary: CALM on the binary encoding, to show the value of treating attributes as a whole."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from calm_core._checks import check_k
from calm_core.errors import InputError
from calm_core.methods.base import Answer, CollectedAnswer
from calm_core.methods.binary_encoding import BinaryEncoding
from calm_core.methods.calm import Calm
from calm_core.planning.plan import Plan
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal


@dataclass(frozen=True, eq=False)
class CalmBinaryAnswer(Answer):
    """A CALM collection on the bits, queried by attributes."""

    offers: ClassVar[frozenset[str]] = frozenset({"plan"})
    encoding: BinaryEncoding
    answer: CollectedAnswer

    @property
    def domain(self) -> Domain:
        """Shape of the data."""
        return self.encoding.domain

    @property
    def plan(self) -> Plan:
        """The plan, whose attributes are bits."""
        return self.answer.plan

    def covers(self, attrs: Iterable[str]) -> bool:
        """Whether a view contains all bits of the attributes."""
        return self.answer.covers(self.encoding.bits_of(attrs))

    def marginal(self, attrs: Iterable[str]) -> Marginal:
        """Return the marginal over `attrs`: that of their bits, restricted to codes that are values."""
        return self.marginals([attrs])[0]

    def marginals(self, queries: Sequence[Iterable[str]]) -> list[Marginal]:
        """Return the marginals of many queries at once."""
        queries = [self.domain.canonical(query) for query in queries]
        bits = [self.encoding.bits_of(query) for query in queries]
        answers = iter(self.answer.marginals([held for held in bits if held]))
        # Attributes with a single value have no bits, and one cell.
        tables = [next(answers).values if held else np.ones(1) for held in bits]
        return [self._decoded(table, query) for table, query in zip(tables, queries)]

    def _decoded(self, cells: np.ndarray, attrs: tuple[str, ...]) -> Marginal:
        values = self.encoding.decode(cells, attrs)
        total = values.sum()
        values = values / total if total > 0 else np.full(values.shape, 1 / values.size)
        return Marginal(self.domain.project(attrs), values)


@dataclass(frozen=True)
class CalmBinary(Calm):
    """CALM run on ceil(log2 c) bits per attribute (CALM section 5.3).

    Its k is the number of bits of the largest k-way marginal.

    Examples
    --------
    >>> from calm_core.tables.dataset import Dataset
    >>> rng = np.random.default_rng(1)
    >>> domain = Domain(names=("sex", "age"), sizes=(2, 3))
    >>> data = Dataset.from_codes(rng.integers(0, 2, size=(5000, 2)), domain)
    >>> answer = CalmBinary(epsilon=2.0, k=2).release(data, rng=rng)
    >>> answer.marginal(("sex", "age")).values.shape, answer.plan.domain.d
    ((2, 3), 3)
    """

    name: ClassVar[str] = "calm_binary"
    title: ClassVar[str] = "CALM-binary"
    summary: ClassVar[str] = "CALM on the binary encoding of the attributes."
    no_public_plan_reason: ClassVar[str] = (
        "it collects single bits of the values, and a public plan collects whole attributes"
    )

    def configure_for_bits(self, encoding: BinaryEncoding) -> Calm:
        """Return the CALM configuration for the bits."""
        settings: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(Calm)}
        check_k(self.k, encoding.domain.d)
        if sum(encoding.bits) < 2:
            raise InputError(
                f"the attributes have {sum(encoding.bits)} bits together, and CALM-binary needs at "
                "least 2; choose attributes with more values, or CALM",
                remedies=[("method", Calm.name)],
            )
        return Calm(**settings | {"k": sum(sorted(encoding.bits)[-self.k :])})

    def plan(self, domain: Domain, n: int, *, rng) -> Plan:
        """Return the plan for the bits of `domain`."""
        encoding = BinaryEncoding(domain)
        return self.configure_for_bits(encoding).plan(encoding.bit_domain, n, rng=rng)

    def expected_errors(self, domain, n, queries, *, rng) -> None:
        """None: there is no formula for the joint error of the bits of a value."""
        return None

    def release_parts(self, parts, domain, n, *, rng, notify=None) -> CalmBinaryAnswer:
        """Encode, then run CALM."""
        encoding = BinaryEncoding(domain)
        answer = self.configure_for_bits(encoding).release_parts(
            lambda: map(encoding.encode, parts()), encoding.bit_domain, n, rng=rng, notify=notify
        )
        assert isinstance(answer, CollectedAnswer)  # CALM collects
        return CalmBinaryAnswer(encoding, answer)
