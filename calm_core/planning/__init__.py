"""Before the collection: Algorithm 1, plans and expected errors; no module here sees data."""
