"""licenses.py [--check]: write docs/reference/licenses.md, or end with 1 where it is not what would be written.

Run by a Python that has the dashboard installed: every package that `calm-lab[app]` brings here, with its license as the
package itself says it. One without a license, or with one that asks more than Apache-2.0 does, ends it.
"""

import re
import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.utils import canonicalize_name
from wheel_needs import needs

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "licenses.md"
HEAD = """# Licenses

CALM Lab is licensed under Apache-2.0. Packages that `pip install 'calm-lab[app]'` brings, with the licenses that they state, as of Linux and
Python {python}; written by `.ci/licenses.py`.

| package | license |
|---|---|
"""
CLASSIFIER = "License :: OSI Approved :: "
# Whoever passes these on has more duties than with Apache-2.0; LGPL and MPL have them for the package alone.
STRICT = re.compile(r"\bA?GPL|SSPL|proprietary|commercial", re.IGNORECASE)


def license_of(package: Distribution) -> str:
    """The license in a few words."""
    about = package.metadata
    named = [
        text.removeprefix(CLASSIFIER) for text in about.get_all("Classifier", ())
        if text.startswith(CLASSIFIER)
    ]  # fmt: skip
    stated = (about.get("License") or "").strip()
    brief = stated if stated and "\n" not in stated and len(stated) < 80 else ""
    return about.get("License-Expression") or brief or ", ".join(named)


def main(options: list[str]) -> int:
    """Write or check the page; the exit status."""
    found = {
        canonicalize_name(package.metadata["Name"]): license_of(package)
        for package in needs(distribution("calm-lab"), ["app"]).values()
    }
    bad = [
        f"{name}: {said or 'no license'}"
        for name, said in found.items()
        if not said or STRICT.search(said)
    ]
    lines = [f"| {name} | {said} |\n" for name, said in sorted(found.items())]
    text = HEAD.format(python=".".join(map(str, sys.version_info[:2]))) + "".join(lines)
    if "--check" in options:
        if PAGE.read_text("utf-8") != text:
            bad.append(f"{PAGE.name} is not of these packages; run .ci/licenses.py")
    else:
        PAGE.write_text(text, "utf-8")
    print("\n".join(bad) or f"{len(found)} packages, licenses known")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
