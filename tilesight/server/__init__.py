"""The dashboard's server beside the watching thread: port, addresses, certificate, start, stop."""
