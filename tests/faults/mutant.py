"""One known fault, and where faults of the library and of the app are put in."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One fault: in `path`, `old` (found exactly once) becomes `new`; `tests` should notice.

    Attributes
    ----------
    in_ci : bool
        Whether the suite itself puts the fault in where CI is set: for a few of every area whose
        tests take about a second and whose return would cost most.
    """

    name: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]
    in_ci: bool = False


def core(name: str, file: str, old: str, new: str, tests: tuple[str, ...], **more) -> Mutant:
    """A fault in calm_core/`file`.py."""
    return Mutant(name, f"calm_core/{file}.py", old, new, tests, **more)


def app(name: str, file: str, old: str, new: str, tests: tuple[str, ...], **more) -> Mutant:
    """A fault in pages/`file`.py."""
    return Mutant(name, f"pages/{file}.py", old, new, tests, **more)
