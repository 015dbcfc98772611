"""The parts of the collect page."""
