"""The parts of the page Tables: the table, range questions, and secondary views."""
