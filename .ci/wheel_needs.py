"""wheel_needs.py ENVIRONMENT [EXTRA ... | requirements.txt]: give what is installed there what it, or the file, asks for, and nothing else.

Run by a Python that has it all: every requirement, with those of what it brings, is met by its packages
in a version that was asked for, and linked. One that is missing or of another version ends it.
"""

import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path
from types import SimpleNamespace

from packaging.requirements import Requirement


def list_requirements(
    package: Distribution | SimpleNamespace, extras: Iterable[str] = ()
) -> Iterator[Requirement]:
    """What a package needs on this machine, with these extras of it."""
    for text in package.requires or ():
        asked = Requirement(text)
        marker = asked.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield asked


def needs(
    package: Distribution | SimpleNamespace, extras: Iterable[str] = ()
) -> dict[str, Distribution]:
    """All that a package needs with these extras, by name."""
    found, done, waiting = {}, set(), list(list_requirements(package, extras))
    while waiting:
        asked = waiting.pop()
        met = distribution(asked.name)
        if not asked.specifier.contains(met.version, prereleases=True):
            sys.exit(f"{asked} is asked for; there is {met.version}")
        if str(asked) not in done:
            done.add(str(asked))
            found[met.name] = met
            waiting += list_requirements(met, asked.extras)
    return found


if __name__ == "__main__":
    here = Path(sysconfig.get_path("purelib"))
    (there,) = Path(sys.argv[1]).glob("lib/python*/site-packages")
    extras = sys.argv[2:]
    if extras[:1] and (file := Path(extras[0])).suffix == ".txt":
        found = needs(SimpleNamespace(requires=file.read_text("utf-8").splitlines()))
    else:
        (installed,) = distributions(path=[str(there)])
        found = needs(installed, extras)
    for package in found.values():
        for name in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            (there / name).symlink_to(here / name)
