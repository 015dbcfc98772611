"""The parts of the Data page: where the table comes from, and what becomes of each column."""
