"""CALM-binary: CALM on the binary encoding, to show the value of treating attributes as a whole.

The encoding has every attribute as ceil(log2 c) binary attributes; one with a single value has no bits.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from calm_core._checks import check_k
from calm_core.errors import InputError
from calm_core.methods.base import Answer, CollectedAnswer
from calm_core.methods.calm import Calm
from calm_core.planning.plan import Plan
from calm_core.tables.dataset import Dataset, People, Population
from calm_core.tables.domain import Domain
from calm_core.tables.marginal import Marginal


@dataclass(frozen=True)
class BinaryEncoding:
    """The attributes of a domain as bits, most significant first.

    Attributes
    ----------
    domain : Domain
        The attributes to encode.

    Examples
    --------
    >>> encoding = BinaryEncoding(Domain(names=("sex", "age"), sizes=(2, 3)))
    >>> encoding.bits, encoding.bits_of(("age",))
    ((1, 2), ('age#0', 'age#1'))
    >>> encoding.decode(np.array([0.1, 0.2, 0.6, 0.1]), ("age",)).tolist()
    [0.1, 0.2, 0.6]
    """

    domain: Domain

    @cached_property
    def bits(self) -> tuple[int, ...]:
        """Bits per attribute: ceil(log2 c), 0 for a single value."""
        return tuple((size - 1).bit_length() for size in self.domain.sizes)

    @cached_property
    def bit_domain(self) -> Domain:
        """The domain of the bits, all binary, attribute after attribute; refused if there are none."""
        if not any(self.bits):
            raise InputError(
                f"every attribute ({', '.join(self.domain.names)}) has a single value, so there is "
                "nothing to encode; choose an attribute with two values or more"
            )
        pairs = zip(self.domain.names, self.bits)
        names = tuple(f"{name}#{j}" for name, bits in pairs for j in range(bits))
        return Domain(names, (2,) * len(names))

    def positions_of(self, attrs: Iterable[str]) -> tuple[int, ...]:
        """Return the positions of the bits of the given attributes."""
        first = np.cumsum((0, *self.bits)).tolist()
        at = self.domain.positions(attrs)
        return tuple(b for i in at for b in range(first[i], first[i + 1]))

    def bits_of(self, attrs: Iterable[str]) -> tuple[str, ...]:
        """Return the names of the bits of the given attributes."""
        return tuple(self.bit_domain.names[b] for b in self.positions_of(attrs))

    def encode(self, dataset: People) -> People:
        """Return the same users with bits as attributes."""
        if isinstance(dataset, Population):
            return dataset.map_rows(self._encode)
        return self._encode(dataset)

    def _encode(self, dataset: Dataset) -> Dataset:
        encoded, columns = self.bit_domain, []
        for i, bits in enumerate(self.bits):
            codes = dataset.codes[:, i]
            columns += [(codes >> shift) & 1 for shift in range(bits - 1, -1, -1)]
        codes = np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.uint8)
        return Dataset._unchecked(codes, encoded)

    def decode(self, cells: np.ndarray, attrs: Iterable[str]) -> np.ndarray:
        """Return the cells that are values of the attributes, out of all 2^bits, in the shape of the marginal."""
        at = self.domain.positions(attrs)
        table = np.asarray(cells).reshape([2 ** self.bits[i] for i in at])
        return table[tuple(slice(self.domain.sizes[i]) for i in at)]


@dataclass(frozen=True, eq=False)
class CalmBinaryAnswer(Answer):
    """A CALM collection on the bits, queried by attributes."""

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
        answers = iter(self.answer.marginals([names for names in bits if names]))
        # Attributes with a single value have no bits, and one cell.
        tables = [next(answers).values if names else np.ones(1) for names in bits]
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
        settings["k"] = sum(sorted(encoding.bits)[-self.k :])
        return Calm(**settings)

    def plan(self, domain: Domain, n: int, *, rng) -> Plan:
        """Return the plan for the bits of `domain`."""
        encoding = BinaryEncoding(domain)
        return self.configure_for_bits(encoding).plan(encoding.bit_domain, n, rng=rng)

    def release_parts(self, parts, domain, n, *, rng, notify=None) -> CalmBinaryAnswer:
        """Encode, then run CALM."""
        encoding = BinaryEncoding(domain)
        answer = self.configure_for_bits(encoding).release_parts(
            lambda: map(encoding.encode, parts()), encoding.bit_domain, n, rng=rng, notify=notify
        )
        assert isinstance(answer, CollectedAnswer)  # CALM collects
        return CalmBinaryAnswer(encoding, answer)
