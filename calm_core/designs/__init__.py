"""Covering designs: the sets of attributes of the views (CALM section 4.3)."""
