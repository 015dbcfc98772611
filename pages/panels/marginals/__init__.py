"""The views of the page Marginals, one file each."""
