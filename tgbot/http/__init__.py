"""HTTP and nothing else: requests to the Bot API, and a server for whoever listens."""
