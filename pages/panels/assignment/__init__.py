"""The parts of the page Assignment."""
