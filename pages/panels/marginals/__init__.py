"""The parts of the page Marginals: the table, range questions, and secondary views."""
