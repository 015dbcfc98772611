"""What the pages share: settings and their widgets, cached calls, exports."""
