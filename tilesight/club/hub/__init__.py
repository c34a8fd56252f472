"""Hub of a club: stores the logs that tables send, and folds each log into its game."""
