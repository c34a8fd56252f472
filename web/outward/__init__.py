"""Webhooks of a table on its host's page: their list and state, a new webhook, a test."""
