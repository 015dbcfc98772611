"""Columns that a careful person leaves out at first, and those that only look so."""

from tests.ingest.messy.column import (
    amounts,
    drawn,
    left_out,
    number,
    source,
    whole,
    words,
    written,
)

ID = ("id-like",)
PROSE = ("text",)
CONSTANT = ("constant",)
IDS = ("id",)
ALIKE = ("every row", "constant", "the same", "only one", "one value")
EMPTY = ("empty", "missing")
TEXTS = ("text", "different")

SUBJECTS = "The staff|My doctor|The queue|This app|The food|A nurse|The room|Your site".split("|")
SAID = "was kind|was slow|helped me a lot|could be better|made me laugh|is fine, thank you".split(
    "|"
)
WHEN = "last week|on Monday|as always|in the morning|, I think|after lunch|again".split("|")


def comments(case: str, n: int) -> list[str]:
    rng = source(case)
    return [
        " ".join(str(rng.choice(part)) for part in (SUBJECTS, SAID, WHEN))
        + f" ({rng.integers(999)})."
        for _ in range(n)
    ]


def hexadecimal(case: str, n: int) -> list[str]:
    rng = source(case)
    return [bytes(rng.integers(0, 256, 16, dtype="u1").tolist()).hex() for _ in range(n)]


def mails(n: int) -> list[str]:
    return [f"{name}.{i}@example.org" for i, name in enumerate(["ann", "bob", "eve"] * (n // 3))]


def phones(n: int) -> list[str]:
    rng = source("phones")
    return [f"+49 {rng.integers(151, 179)} {rng.integers(10**6, 10**7)}" for _ in range(n)]


OUT = (
    left_out("running numbers", "id", [str(i) for i in range(1, 151)], ID, IDS),
    left_out("running numbers under no name of an id", "nr", [str(4000 + i) for i in range(200)], ID, IDS),
    left_out("numbers of customers", "customer_id",
             [f"C-{v:.0f}" for v in whole("customers", 150, 10_000, 99_999)], ID, IDS),
    left_out("identifiers of a database", "uuid", hexadecimal("uuid", 100), ID, IDS),
    left_out("addresses of mail", "email", mails(120), ID, IDS),
    left_out("telephone numbers", "phone", phones(120), ("id-like", "text"), ("id", "text")),
    left_out(
        "telephone numbers with leading zeros", "Telefon",
        [f"0{v:.0f}" for v in whole("telefon", 120, 30_000_000, 899_999_999)], ID, IDS,
    ),
    left_out("free text", "comment", comments("comments", 130), PROSE, TEXTS),
    left_out("pieces of a web page", "description",
             [f"<p>{text}</p>" for text in comments("html", 120)], PROSE, TEXTS),
    left_out("very long texts", "notes",
             [" ".join(comments(f"long {i}", 40)) for i in range(40)], PROSE, TEXTS),
    left_out("always the same", "country", ["Germany"] * 90, CONSTANT, ALIKE),
    left_out("always the same number", "wave", ["3"] * 60, CONSTANT, ALIKE),
    left_out("always the same amount", "fee", ["€ 12.50"] * 60, CONSTANT, ALIKE),
    left_out("nothing at all", "remarks", [""] * 40, CONSTANT, EMPTY),
    left_out(
        "nothing but signs for nothing", "middle name", drawn("nothing", 60, {"": 20, "-": 9, "n/a": 5}),
        ("constant", "category", "text"), (), left_out=None, free=("-", "n/a"),
    ),
    left_out("answers of a few words, all different", "profession", [
        f"{a} {b} {c}" for a in ("senior", "junior", "chief", "assistant", "former")
        for b in ("sales", "design", "data", "plant", "school", "sound")
        for c in ("manager", "engineer", "teacher", "clerk")], ("text", "id-like"), ("text", "id")),
)  # fmt: skip

IN_ALL_THE_SAME = (
    words(
        "the same wherever it is not empty", "died", drawn("died", 90, {"yes": 1, "": 9}),
        ("yes/no", "category", "constant"), left_out=None,
    ),
    words(
        "postal codes with leading zeros", "zip",
        drawn("zip", 200, {"01067": 9, "01069": 20, "04109": 30, "10115": 40, "80331": 31}),
        ("category", "ordered"),
    ),
    words(
        "postal codes of one town, none begins with zero", "PLZ",
        drawn("plz", 200, {"50667": 9, "50668": 20, "50670": 30, "50823": 40, "50931": 31, "50939": 7}),
        ("category", "ordered", "number"),
    ),
    words(
        "codes of diseases", "icd10",
        drawn("icd", 200, {"E11.9": 30, "I10": 60, "J45.0": 20, "M54.5": 40, "F32.1": 9, "1E5": 2}),
    ),
    words("versions of a program", "version",
          drawn("version", 150, {"1.2.3": 20, "1.2.4": 30, "1.10.0": 9, "2.0.1": 40}),
          ("category", "ordered")),
    words("addresses of machines", "ip",
          drawn("ip", 150, {"10.0.0.1": 20, "10.0.0.12": 30, "192.168.1.7": 9, "172.16.0.3": 40})),
    words("ratios that are no dates", "odds",
          drawn("odds", 150, {"1/2": 20, "3/4": 30, "5/1": 9, "10/1": 4}), ("category", "ordered")),
    words("results of matches", "result",
          drawn("match", 150, {"2:1": 20, "0:0": 30, "3:2": 9, "1:1": 14, "0:1": 12}),
          ("category", "ordered")),
    number(
        "incomes that all differ are no ids", "income",
        written([float(round(v)) for v in amounts("differ", 150, 9_000, 95_000, 0)],
                lambda v: f"{v:.0f}"),
    ),
    number(
        "amounts with cents that all differ", "spent",
        written(amounts("cents", 150, 3, 9_500), lambda v: f"{v:.2f}"),
    ),
    number("years of birth", "born", written(whole("yob", 160, 1930, 2005), lambda v: f"{v:.0f}"),
           kinds=("number", "date")),
    words(
        "whole numbers 1 to 12, months", "month",
        drawn("month", 200, {str(i): 10 for i in range(1, 13)}),
        ("ordered", "category", "number"), order=tuple(str(i) for i in range(1, 13)),
    ),
)  # fmt: skip

LEFT_OUT = (*OUT, *IN_ALL_THE_SAME)
