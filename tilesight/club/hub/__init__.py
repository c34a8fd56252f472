"""Hub of a club: collects what tables publish, and folds each log into its game."""
