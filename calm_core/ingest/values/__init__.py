"""What single texts mean: numbers and dates as people write them, markers, spellings; no tables here."""
