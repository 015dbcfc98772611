"""CSV that is safe to open in a spreadsheet: no cell can turn into a formula."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

# What a spreadsheet takes as the start of a formula; some skip a tab or line end before it.
FORMULA = re.compile(r"\s*[=+\-@]|[\t\r\n]")


def escape_formula(cell):
    """The cell with an apostrophe in front if it is a text that would start a formula; numbers are unchanged.

    Tuples become text, joined by "x"; carriage returns, which end a row for some readers, become spaces.

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


def safe_csv(frame: "pd.DataFrame") -> bytes:
    """A table as UTF-8 CSV whose text cells and column names cannot turn into formulas.

    Examples
    --------
    >>> import pandas as pd
    >>> safe_csv(pd.DataFrame({"sex": ["f", "=cmd()"], "age": [1, -2]})).decode().splitlines()
    ['sex,age', 'f,1', "'=cmd(),-2"]
    """
    frame = frame.copy()
    for i, dtype in enumerate(frame.dtypes):
        if dtype.kind not in "biufcmM":  # numbers, truth values and times are no formulas
            frame.isetitem(i, [escape_formula(cell) for cell in frame.iloc[:, i].astype(object)])
    frame.columns = [escape_formula(str(name)) for name in frame.columns]
    return frame.to_csv(index=False, lineterminator="\n").encode("utf-8", errors="replace")
