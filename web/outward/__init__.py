"""Webhooks of a table on its host's page: which there are, their state, a new one, a test."""
