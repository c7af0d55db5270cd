"""The asynchronous client, by hand."""
