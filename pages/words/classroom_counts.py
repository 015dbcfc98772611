"""What stands beside the numbers of a class: how many phones are in, and reports have come."""

from calm_core.text import pluralize

NUMBERS = ("Phones", "Reports", "Groups", "Smallest group")
APART, OF_ALL = "of phones", "of {classes} classes"


def phones_in(phones: int) -> str:
    """Behind the number of phones in the lobby.

    >>> phones_in(1), phones_in(0)
    ('phone is in', 'phones are in')
    """
    return f"{pluralize(phones, 'phone')} {joined(phones)}"


def joined(phones: int) -> str:
    """Behind the number of phones on the wall.

    >>> joined(1), joined(2)
    ('is in', 'are in')
    """
    return pluralize(phones, "is in", "are in")


def arrived(reports: int) -> str:
    """Behind the number of reports.

    >>> arrived(1), arrived(0)
    ('has arrived', 'have arrived')
    """
    return pluralize(reports, "has arrived", "have arrived")


def in_group(reports: int) -> str:
    """Behind the number of the smallest group.

    >>> in_group(1), in_group(2)
    ('report', 'reports')
    """
    return pluralize(reports, "report")
