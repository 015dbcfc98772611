"""What the server says before any page is shown."""

FOREIGN = (
    "This server does not go by the name in your address bar. Use its address in numbers, or start it with "
    "--server.allowedHosts=NAME."
)
FOREIGN_PAGE = "Pages of other servers may not use this one."
CLOSED = "There is nothing here."
NO_ROOM = "Too many large files are being sent at this moment. Send this one again in a minute."
