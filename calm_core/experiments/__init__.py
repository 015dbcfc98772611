"""Compare methods over settings and repetitions, as one tidy table.

`ExperimentSpec` describes an experiment, `events` runs it task by task, `compare` runs it to the end, and
`summarize` reduces the table to means, deviations and percentiles.
"""
