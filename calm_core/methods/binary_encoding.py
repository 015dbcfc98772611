"""Binary encoding: every attribute as ceil(log2 c) binary attributes, for methods that need them.

An attribute with a single value has no bits.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from calm_core.errors import InputError
from calm_core.tables.dataset import Dataset
from calm_core.tables.domain import Domain
from calm_core.tables.population import People, Population


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
        whole = np.asarray(cells).reshape([2 ** self.bits[i] for i in at])
        return whole[tuple(slice(self.domain.sizes[i]) for i in at)]
