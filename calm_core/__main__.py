"""`python -m calm_core`: the command line."""

from calm_core.cli import main

if __name__ == "__main__":
    main()
