"""Everything the app says, by page."""
