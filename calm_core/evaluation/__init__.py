"""How wrong an answer is: runs, repetitions, sources of error, against the truth."""
