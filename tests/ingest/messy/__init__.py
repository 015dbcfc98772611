"""Messy columns, each with what a careful person would make of it.

`open_*.py` hold the columns that whoever builds the import may see and mends by; `kept_*.py` those that
were written by somebody else and are looked at only to judge.

**To add a fresh set** you need no knowledge of the import, only of tables; do not look into `calm_core`.
Write one file `tests/ingest/messy/kept_NAME.py` with a tuple `KEPT_NAME` and nothing else: both are found by
their name.

1. Copy this beginning, and write about 60 columns::

       from tests.ingest.messy.column import amounts, date, days, drawn, left_out, number, whole, with_cells, words, written

       KEPT_NAME = (
           number("rents with a dot", "Miete", written(amounts("rents", 80, 300, 2500),
                  lambda v: f"{v:,.2f} €".translate(str.maketrans(",.", ".,"))), unit=("eur",)),
           number("ages, 99 is not known", "age", with_cells(written(whole("ages", 150, 18, 80), lambda v: f"{v:.0f}"),
                  ("99", 99.0, 12)), proposed={"99"}),
           date("days with the month first", "visit", written(days("visit", 90, "2013-01-01", "2013-12-31"),
                lambda d: f"{d.item():%m/%d/%Y}")),
           words("yes in three ways", "smokes", drawn("smokes", 120, {"Yes": 50, "yes": 9, "YES": 3, "No": 58}),
                 ("yes/no", "category"), merges=({"Yes", "yes", "YES"},)),
           left_out("a key for every row", "customer", [f"C-{i:05}" for i in range(120)], ("id-like",), ("id",)),
       )

2. A column has a case (a name no other has), a header, 20 to 400 cells and the kinds that can be defended:
   "yes/no", "category", "ordered", "number", "date", "id-like", "text" or "constant". `number` and `date`
   take pairs of the text and what it says: a float, an ISO text such as "2013-05-01T00:00:00", None where it
   says nothing. `written(values, write)` makes the pairs, `with_cells` puts others among them (text, what it
   says, how often), and `amounts`, `whole`, `days` and `drawn` draw values, the same in every run.
3. Say what must become of texts that may mean "missing": `sure` (taken as empty), `told` (taken or
   proposed), `proposed` (proposed and not taken), `maybe` (proposed or left alone), `free` (anything). Say
   `merges` for spellings of one value, `unit` for numbers (small letters; "eur", "$", "%", "kg"), `may_miss`
   for slips that may stay unread, and `ask="yes"` with `alternative=` (what every cell says in the other
   reading) where nobody can know. `column.Messy` lists all of it; `open_*.py` have examples of everything.
4. Write what people do to tables as you have met it, also what seems easy. Decide as a careful person would
   who sees this column alone in its file; where two decisions can be defended, allow both.
5. `python -m tests.benchmarks.bench_messy judge kept_NAME` prints the share decided so and what is silently
   wrong; `python -m pytest tests/ingest/test_messy_kept.py -k kept_NAME` is the test (95%, 0 silently wrong).
   Mend your file only where your own decision was wrong. Once the builder has seen a set it is an open one.
"""
