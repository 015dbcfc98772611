"""The parts of the page Three worlds: the three cards, and how their gap moves."""
