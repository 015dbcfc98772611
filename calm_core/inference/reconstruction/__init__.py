"""Reconstruction: a marginal that no view covers, from the projections of the views on it.

The papers use the table of maximum entropy among those that agree with every view (PriView section 4.3);
their alternatives are implemented as well.

Noise can make projections inconsistent, so that no table agrees with all of them. They are then relaxed
(`maxent`), and the note of the answer says so (`converged`, `violation`). Share of uncovered marginals
affected, for k = 3, d = 8 and 16, n = 2^16 and 2^18, CALM's plans, on NLTCS, ACS, BRFSS, NSDUH and MSNBC
(5 repetitions of 50 marginals):

| epsilon | relaxed | violated by more than 0.001 |
|---|---|---|
| 0.2 | 52 to 95% | 49 to 93% |
| 0.5 | 20 to 73% | 5 to 63% |
| 1 | 6 to 61% | 0 to 35% |
| 2 | 5 to 44% (most are covered) | 2 to 30% |

Compared with IPF that stops after its sweeps (NLTCS, ACS, BRFSS; d = 8, n = 2^16), relaxing lowers the SSE
by 5 to 20% at epsilon = 0.2, by 2 to 6% at 0.5 and by at most 0.3% at 1.
"""
