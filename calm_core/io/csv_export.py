"""CSV for people who open it in a spreadsheet: no cell may turn into a formula."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

# What a spreadsheet takes as the start of a formula; a tab or line end in front is skipped by some.
FORMULA = re.compile(r"\s*[=+\-@]|[\t\r\n]")


def escape_formula(cell):
    """A text that would start a formula gets an apostrophe in front; numbers are unchanged.

    Tuples become text, joined by "x"; a lone carriage return, which ends a row for some readers,
    becomes a space.

    Examples
    --------
    >>> escape_formula("=1+1"), escape_formula("-5"), escape_formula(-5), escape_formula("a=b")
    ("'=1+1", "'-5", -5, 'a=b')
    """
    if isinstance(cell, tuple | list):
        cell = " x ".join(str(part) for part in cell)
    if not isinstance(cell, str):
        return cell
    if FORMULA.match(cell):
        cell = f"'{cell}"
    return cell.replace("\r", " ")


def safe_csv(frame: "pd.DataFrame", *, index: bool = False) -> bytes:
    """A table as UTF-8 CSV whose text cells and column names are harmless in a spreadsheet.

    Examples
    --------
    >>> import pandas as pd
    >>> safe_csv(pd.DataFrame({"sex": ["f", "=cmd()"], "age": [1, -2]})).decode().splitlines()
    ['sex,age', 'f,1', "'=cmd(),-2"]
    """
    frame = frame.reset_index() if index else frame.copy()
    for at, kind in enumerate(frame.dtypes):
        if kind.kind in "biufcmM":  # numbers, truth values and times can hold no formula
            continue
        frame.isetitem(at, [escape_formula(cell) for cell in frame.iloc[:, at].astype(object)])
    frame.columns = [escape_formula(str(name)) for name in frame.columns]
    return frame.to_csv(index=False, lineterminator="\n").encode("utf-8", errors="replace")
