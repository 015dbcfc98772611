"""The views of the page Errors, one file each."""
