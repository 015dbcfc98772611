"""The parts of the plan page."""
