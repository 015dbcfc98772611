"""The folder that may be read from the app: `streamlit run app.py -- --data-root FOLDER`."""

import sys
from pathlib import Path

from calm_core.errors import InputError
from pages import words

OPTION = "--data-root"


def given(arguments: list[str] | None = None) -> Path | None:
    """The folder named when the app was started, or None: then nothing of the disk can be opened.

    >>> given(["app.py"]) is None
    True
    """
    told = sys.argv if arguments is None else arguments
    for at, word in enumerate(told):
        name, _, value = word.partition("=")
        if name != OPTION:
            continue
        folder = value or (told[at + 1] if at + 1 < len(told) else "")
        if not folder or not Path(folder).is_dir():
            raise InputError(words.collection.missing_root(folder))
        return Path(folder).resolve()
    return None
