"""Attacks on one's own plan, each with its measured gain, its bound and a defense."""

from calm_core.attacks.base import Attack, AttackResult, Defense

_ALL: tuple[type[Attack], ...] = ()
ATTACKS = {attack.name: attack for attack in _ALL}

__all__ = ["ATTACKS", "Attack", "AttackResult", "Defense"]
