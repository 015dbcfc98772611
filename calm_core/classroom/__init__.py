"""The live classroom: a survey on the phones of a class, from the questions to the results.

`survey` has the questions, `view_assignment` the plan and which phone answers which view, `store` keeps a survey in
SQLite, `teacher` and `projector` act on it and show it, `counts` and `export` hold the reports, `results` what follows
from them, `forecast` what to expect beforehand.
"""
