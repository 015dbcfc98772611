"""The parts of the page Compare: what to run, the run, what came of it."""
