"""Meaning of single texts: numbers, dates, markers for missing, scales and spellings."""
