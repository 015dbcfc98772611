"""Dates and times that SPSS, Stata and SAS keep as numbers, as texts."""

import re
from dataclasses import dataclass, field

import numpy as np

DAY = 86400
# Days from the origin of each program to 1970.
ORIGINS = {"SPSS": 141_428, "Stata": 3653, "SAS": 3653}
MAX_DAYS = 2_932_896  # the last day of the year 9999
FORMATS = {
    "SPSS": (
        ("day of seconds", r"DATE|[AEJS]DATE|MOYR|QYR|WKYR"),
        ("moment", r"DATETIME|YMDHMS"),
        ("clock", r"D?TIME|MTIME"),
    ),
    "SAS": (
        ("moment", r"DATETIME|[BEI]S?8601D[TNZ]|DATEAMPM|MDYAMPM|NLDATM\w*|DTDATE"),
        (
            "day",
            r"DATE|WEEKDAT[EX]|WORDDAT[EX]|(?:MMDDYY|DDMMYY|YYMMDD)[BCDNPS]?|[BEI]S?8601DA|MONYY|YYMON"
            r"|YYMM[CDNPS]?|MMYY[CDNPS]?|YYQ[CDNPSR]*|JULIAN|NLDATE\w*",
        ),
        ("clock", r"TIME|HHMM|TOD|TIMEAMPM|MMSS|[BEI]S?8601TM|NLTIME\w*"),
    ),
}
STATA = (
    ("clock", r"%-?t[cC]H[Hh].*"),
    ("moment", r"%-?t[cC].*"),
    ("day", r"%-?(?:td|d).*"),
    ("week", r"%-?tw.*"),
    ("month", r"%-?tm.*"),
    ("quarter", r"%-?tq.*"),
    ("half-year", r"%-?th.*"),
)
# Steps of a year that Stata counts from 1960.
STEPS = {"week": (52, "-W{:02}"), "month": (12, "-{:02}"), "quarter": (4, "Q{}"), "half-year": (2, "H{}")}  # fmt: skip


@dataclass
class Moment:
    """What date or time the numbers of a variable are.

    Attributes
    ----------
    kind : str
        "day", "day of seconds", "moment", "clock", or a step of the year.
    program : str
        "SPSS", "Stata" or "SAS".
    outside : bool
        Whether a number was no day until the year 9999.
    """

    kind: str
    program: str
    outside: bool = field(default=False, compare=False)

    def write(self, numbers: list[float | None]) -> list[str | None]:
        """Texts in ISO form.

        Examples
        --------
        >>> Moment("moment", "SPSS").write([13797313445.0, None]), Moment("quarter", "Stata").write([-1, 0])
        (['2020-01-02 03:04:05', None], ['1959Q4', '1960Q1'])
        >>> Moment("clock", "SAS").write([3600.0, 93784.0])
        ['01:00:00', '26:03:04']
        """
        return [None if number is None else self._text(number) for number in numbers]

    def _text(self, number: float) -> str | None:
        if self.kind in STEPS:
            steps, form = STEPS[self.kind]
            years, step = divmod(int(np.floor(number)), steps)
            return f"{1960 + years}{form.format(step + 1)}"
        # Stata counts thousandths of a second.
        count = number // (1000 if self.program == "Stata" and self.kind != "day" else 1)
        if self.kind == "clock":
            sign = "-" if count < 0 else ""
            minutes, seconds = divmod(abs(int(count)), 60)
            return f"{sign}{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
        seconds = count * (DAY if self.kind == "day" else 1) - ORIGINS[self.program] * DAY
        if not -719_162 * DAY <= seconds < (MAX_DAYS + 1) * DAY:
            self.outside = True
            return None
        day, _, clock = str(np.datetime64(int(seconds), "s")).partition("T")
        return day if self.kind != "moment" or seconds % DAY == 0 else f"{day} {clock}"


def find_moment(form: str, program: str) -> Moment | None:
    """What date or time a display format is for; None for plain numbers.

    Examples
    --------
    >>> find_moment("DATE11", "SPSS").kind, find_moment("%tm", "Stata").kind, find_moment("F8.2", "SPSS")
    ('day of seconds', 'month', None)
    """
    if program == "Stata":
        formats = STATA
    else:
        formats, form = FORMATS[program], re.sub(r"[\d.]+$", "", form.upper())
    for kind, pattern in formats:
        if re.fullmatch(pattern, form):
            return Moment(kind, program)
    return None
