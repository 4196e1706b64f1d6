"""The client: `AsyncText2SQL` and its synchronous wrapper `Text2SQL`."""
