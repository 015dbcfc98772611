"""Parts of the page about a collection."""
