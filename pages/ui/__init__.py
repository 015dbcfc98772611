"""What the pages share: inputs, cached calls, messages, wording."""
