"""Before anybody reports: Algorithm 1, plans, expected errors; sees no data."""
