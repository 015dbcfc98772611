"""Attacks on one's own plan, each with its measured gain, its bound and a defense; and audits of randomizers."""

from calm_core.attacks.asked_again import AskedAgain
from calm_core.attacks.audit import (
    Audit,
    RunningAudit,
    audit,
    audit_callable,
    audit_oracle,
    audit_table,
)
from calm_core.attacks.base import Attack, AttackResult, Defense
from calm_core.attacks.guessing import attack_success, hit_rate, posterior
from calm_core.attacks.liars import Liars
from calm_core.attacks.one_person import OnePerson
from calm_core.attacks.own_randomizer import AuditPhones
from calm_core.attacks.reidentification import ReIdentification

_ALL: tuple[type[Attack], ...] = (OnePerson, AskedAgain, Liars, ReIdentification, AuditPhones)
ATTACKS = {attack.name: attack for attack in _ALL}

__all__ = [
    "ATTACKS",
    "Attack",
    "AttackResult",
    "Audit",
    "Defense",
    "RunningAudit",
    "attack_success",
    "audit",
    "audit_callable",
    "audit_oracle",
    "audit_table",
    "hit_rate",
    "posterior",
]
