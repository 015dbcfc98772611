"""The parts of single pages, one folder a page."""
